/*
 * A small machine for tests: a geometry, a cost sheet with numbers chosen for
 * the eye, a workload, and a seeded random schedule.
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "sim/driver/clock.h"
#include "sim/machine/machine.h"
#include "traces/schedule.h"

/**
 * struct fixture - everything a machine_config points at
 * @geometry: Ice Lake-like, small enough to evict
 * @costs: every cost applies; clock 1 GHz, so cycles are ns
 * @l0: bare unless changed
 * @workload: of every VM
 * @policy: set by fixture_policy()
 * @config: points at the members above
 * @schedule: empty until fixture_schedule()
 */
struct fixture {
	struct hw_geometry geometry;
	struct cost_sheet costs;
	struct l0_params l0;
	struct workload_params workload;
	struct flush_policy policy;
	struct machine_config config;
	struct schedule schedule;
	const struct workload_params *workloads[16];
	u32 vm_of_vcpu[64];
	struct schedule_vcpu vcpu[64];
	struct schedule_vm vm[16];
};

/**
 * fixture_init() - VMs of equal size, nothing scheduled
 * @f: fixture; must not move afterwards
 * @nr_pcpus: pCPUs
 * @nr_vms: VMs, at most 16
 * @vcpus_per_vm: vCPUs of each, at most 64 in all
 */
void fixture_init(struct fixture *f, u32 nr_pcpus, u32 nr_vms,
		  u32 vcpus_per_vm);

/**
 * fixture_policy() - choose the policy by its spelling; aborts if unknown
 * @f: fixture
 * @spec: NAME[:OPTION=VALUE]...
 */
void fixture_policy(struct fixture *f, const char *spec);

/**
 * fixture_hyperv() - put Hyper-V below
 * @f: fixture
 */
void fixture_hyperv(struct fixture *f);

/**
 * fixture_schedule() - draw a random placement
 * @f: fixture; fixture_release() frees it
 * @seed: seed
 * @duration_ns: length
 * @slice_ns: mean time between switches of a pCPU
 */
void fixture_schedule(struct fixture *f, u64 seed, u64 duration_ns,
		      u64 slice_ns);

/**
 * fixture_release() - free the schedule
 * @f: fixture
 */
void fixture_release(struct fixture *f);

#endif /* TESTS_FIXTURE_H */
