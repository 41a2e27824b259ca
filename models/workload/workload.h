/*
 * What the guests of a run do: how large a working set, how fast it is used,
 * when mappings change, when a guest flushes.  Each is a rate; the machine
 * draws the moments from seeded streams that do not depend on the policy.
 */
#ifndef MODELS_WORKLOAD_WORKLOAD_H
#define MODELS_WORKLOAD_WORKLOAD_H

#include "sim/base/param.h"
#include "sim/base/types.h"

enum strict_by { STRICT_BY_VCPU, STRICT_BY_HOST, STRICT_BY_NR };
enum page_size { PAGE_SIZE_4K, PAGE_SIZE_2M, PAGE_SIZE_NR };

/**
 * struct workload_params - one kind of guest
 * @working_set_pages: pages each vCPU uses
 * @shared_pages: of these, pages that all vCPUs of the VM use
 * @code_permille: share of the working set that is fetched as instructions
 * @locality: enum access_locality
 * @hot_pages: LOCALITY_HOT: size of the hot part
 * @hot_permille: LOCALITY_HOT: accesses that go there
 * @accesses_per_us: page runs per microsecond of guest time
 * @guest_page_size: enum page_size of the guest's own mappings
 * @ept_page_size: enum page_size of the EPT
 * @prefault: EPT is populated at the start; else pages fault in at first use
 * @strict_per_s: EPT changes that need a flush, per second and VM
 * @strict_by: enum strict_by: which thread makes them and pays
 * @upgrade_per_s: EPT changes that need none, per second and VM
 * @accessed_clear_per_s: clearings of accessed bits, per second and VM
 * @guest_flush_per_s: flushes the guest makes, per second a vCPU runs
 * @guest_flush_full_permille: of these, MOV CR3; the others are one INVLPG
 * @root_reload_per_s: root loads without a new root, per second a vCPU runs
 * @nested_per_s: entries of L1 into L2 and exits from there, per second a vCPU
 *                runs
 * @nested_epts: EPTs that L1 keeps for its L2; 0: it uses shadow paging
 * @memslot_delete_per_s: invalidations of all roots of a VM, per second
 * @exit_per_s: exits handled in KVM, per second a vCPU runs
 */
struct workload_params {
	u32 working_set_pages;
	u32 shared_pages;
	u32 code_permille;
	u32 locality;
	u32 hot_pages;
	u32 hot_permille;
	u32 accesses_per_us;
	u32 guest_page_size;
	u32 ept_page_size;
	bool prefault;
	double strict_per_s;
	u32 strict_by;
	double upgrade_per_s;
	double accessed_clear_per_s;
	double guest_flush_per_s;
	u32 guest_flush_full_permille;
	double root_reload_per_s;
	double nested_per_s;
	u32 nested_epts;
	double memslot_delete_per_s;
	double exit_per_s;
};

struct err;

/* Rows of struct workload_params; end at .name == NULL. */
extern const struct param_desc workload_rows[];

/**
 * workload_check() - cross-field rules
 * @w: parameters whose single values passed their rows
 * @err: set on failure; names the keys that contradict each other
 *
 * Return: 0 or -EINVAL.
 */
int workload_check(const struct workload_params *w, struct err *err);

#endif /* MODELS_WORKLOAD_WORKLOAD_H */
