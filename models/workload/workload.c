#include "models/workload/workload.h"

#include <errno.h>

#include "sim/base/err.h"

static const char *const localities[] = { "uniform", "hot", "log", NULL };
static const char *const makers[] = { "vcpu", "host", NULL };
static const char *const page_sizes[] = { "4k", "2m", NULL };

#define ROW(field, u, t, lo, hi, text)					\
	{ .name = #field, .unit = u, .type = t,				\
	  .offset = offsetof(struct workload_params, field),		\
	  .min = lo, .max = hi, .required = true, .help = text }
#define ROW_ENUM(field, words, text)					\
	{ .name = #field, .unit = "", .type = PARAM_ENUM,		\
	  .offset = offsetof(struct workload_params, field),		\
	  .required = true, .choices = words, .help = text }

const struct param_desc workload_rows[] = {
	ROW(working_set_pages, "pages", PARAM_U32, 1, 65535,
	    "pages each vCPU uses"),
	ROW(shared_pages, "pages", PARAM_U32, 0, 65535,
	    "of these, pages that all vCPUs of the VM use"),
	ROW(code_permille, "permille", PARAM_U32, 0, 1000,
	    "share of the working set fetched as instructions"),
	ROW_ENUM(locality, localities, "how accesses spread over the working set"),
	ROW(hot_pages, "pages", PARAM_U32, 0, 65535,
	    "size of the hot part (locality hot)"),
	ROW(hot_permille, "permille", PARAM_U32, 0, 1000,
	    "accesses that go to the hot part (locality hot)"),
	ROW(accesses_per_us, "per microsecond", PARAM_U32, 1, 1000,
	    "page runs per microsecond of guest time"),
	ROW_ENUM(guest_page_size, page_sizes, "size of the guest's own mappings"),
	ROW_ENUM(ept_page_size, page_sizes, "size of the EPT's mappings"),
	ROW(prefault, "", PARAM_BOOL, 0, 1,
	    "EPT populated at the start; else pages fault in at first use"),
	ROW(strict_per_s, "per second and VM", PARAM_DOUBLE, 0, 1e6,
	    "EPT changes that need a flush"),
	ROW_ENUM(strict_by, makers, "which thread makes them and pays"),
	ROW(upgrade_per_s, "per second and VM", PARAM_DOUBLE, 0, 1e6,
	    "EPT changes that need no flush"),
	ROW(accessed_clear_per_s, "per second and VM", PARAM_DOUBLE, 0, 1e6,
	    "clearings of accessed bits"),
	ROW(guest_flush_per_s, "per second of vCPU run time", PARAM_DOUBLE, 0, 1e6,
	    "flushes the guest makes"),
	ROW(guest_flush_full_permille, "permille", PARAM_U32, 0, 1000,
	    "of these, MOV CR3; the others are one INVLPG"),
	ROW(root_reload_per_s, "per second of vCPU run time", PARAM_DOUBLE, 0, 1e6,
	    "root loads without a new root (kvm_mmu_reset_context)"),
	ROW(nested_per_s, "per second of vCPU run time", PARAM_DOUBLE, 0, 1e6,
	    "entries of L1 into an L2, and exits from there"),
	ROW(nested_epts, "", PARAM_U32, 0, 2,
	    "EPTs that L1 keeps for its L2; 0: it uses shadow paging"),
	ROW(memslot_delete_per_s, "per second and VM", PARAM_DOUBLE, 0, 1e6,
	    "invalidations of all roots (kvm_mmu_zap_all_fast)"),
	ROW(exit_per_s, "per second of vCPU run time", PARAM_DOUBLE, 0, 1e6,
	    "exits handled in KVM"),
	{ .name = NULL },
};

int workload_check(const struct workload_params *w, struct err *err)
{
	if (w->shared_pages > w->working_set_pages)
		return err_set(err, -EINVAL,
			       "shared_pages is %u, more than working_set_pages %u",
			       w->shared_pages, w->working_set_pages);
	if (w->locality == 1 && !w->hot_pages)
		return err_set(err, -EINVAL,
			       "hot_pages is 0 with locality \"hot\"; want 1..%u",
			       w->working_set_pages);
	if (w->locality == 1 && w->hot_pages > w->working_set_pages)
		return err_set(err, -EINVAL,
			       "hot_pages is %u, more than working_set_pages %u",
			       w->hot_pages, w->working_set_pages);
	return 0;
}
