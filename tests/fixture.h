/*
 * A small machine for tests: a geometry, a cost sheet with numbers chosen for
 * the eye, a workload, and a seeded random schedule; a driver that is nothing
 * but "whoever comes next steps"; and a recorder of what the machine said.
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "sim/driver/clock.h"
#include "sim/machine/machine.h"
#include "traces/schedule.h"

#define FIXTURE_VMS_MAX		16u
#define FIXTURE_VCPUS_MAX	64u

/**
 * struct fixture - everything a machine_config points at
 * @geometry: Ice Lake-like, small enough to evict
 * @costs: every cost applies; clock 1 GHz, so cycles are ns
 * @l0: bare unless changed
 * @workload: of every VM
 * @policy: set by fixture_policy() or fixture_ops()
 * @config: points at the members above
 * @schedule: empty until fixture_schedule()
 * @workloads: one pointer per VM, all to @workload unless changed
 * @vm_of_vcpu: VM of each vCPU
 * @vcpu: threads that @schedule names
 * @vm: VMs that @schedule names
 */
struct fixture {
	struct hw_geometry geometry;
	struct cost_sheet costs;
	struct l0_params l0;
	struct workload_params workload;
	struct flush_policy policy;
	struct machine_config config;
	struct schedule schedule;
	const struct workload_params *workloads[FIXTURE_VMS_MAX];
	u32 vm_of_vcpu[FIXTURE_VCPUS_MAX];
	struct schedule_vcpu vcpu[FIXTURE_VCPUS_MAX];
	struct schedule_vm vm[FIXTURE_VMS_MAX];
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
 * fixture_quiet() - let nothing happen but accesses, all pages mapped
 * @f: fixture; the test then sets the rates it is about
 */
void fixture_quiet(struct fixture *f);

/**
 * fixture_policy() - choose the policy by its spelling; aborts if unknown
 * @f: fixture
 * @spec: NAME[:OPTION=VALUE]...
 */
void fixture_policy(struct fixture *f, const char *spec);

/**
 * fixture_ops() - run a policy that is in no list
 * @f: fixture
 * @ops: table; lent, outlives the runs
 */
void fixture_ops(struct fixture *f, const struct flush_policy_ops *ops);

/**
 * fixture_hyperv() - put Hyper-V below
 * @f: fixture
 */
void fixture_hyperv(struct fixture *f);

/**
 * fixture_checkers() - let all checkers watch
 * @f: fixture
 */
void fixture_checkers(struct fixture *f);

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
 * fixture_brackets() - let vCPUs leave and enter KVM_RUN at random
 * @f: fixture with a schedule, into which the events are merged
 * @seed: seed
 * @every_ns: mean time between two such events
 */
void fixture_brackets(struct fixture *f, u64 seed, u64 every_ns);

/**
 * fixture_release() - free the schedule
 * @f: fixture
 */
void fixture_release(struct fixture *f);

/**
 * fixture_play() - let the clock driver play the schedule; aborts on failure
 * @f: fixture with a schedule
 * @out: filled in, byte for byte
 */
void fixture_play(struct fixture *f, struct run_result *out);

/**
 * fixture_machine() - make a machine; aborts on failure
 * @f: fixture
 *
 * Return: the machine; the caller hands it to machine_destroy().
 */
struct machine *fixture_machine(const struct fixture *f);

/**
 * fixture_step() - let the actor whose turn it is take one step
 * @m: machine
 * @until: do nothing if nobody acts before this moment, cycles
 *
 * A plain search over all actors, lowest number first at equal times.
 *
 * Return: the actor, or IDX_NONE if it was nobody's turn.
 */
u32 fixture_step(struct machine *m, u64 until);

/**
 * fixture_run() - step until nobody acts before a moment any more
 * @m: machine
 * @until: the moment, cycles
 */
void fixture_run(struct machine *m, u64 until);

/**
 * struct recording - records in the order in which they came out
 * @rec: @nr records
 * @nr: how many
 * @room: how many @rec has room for
 */
struct recording {
	struct probe_rec *rec;
	u64 nr;
	u64 room;
};

/**
 * fixture_record() - record what the next runs say
 * @f: fixture
 * @r: recording, zeroed before the first use; recording_release() frees it
 * @wants: BIT64(PROBE_...) of the kinds wanted
 */
void fixture_record(struct fixture *f, struct recording *r, u64 wants);

/**
 * recording_find() - the next record of a kind
 * @r: recording
 * @from: where to begin to look
 * @kind: enum probe_kind
 *
 * Return: its position, or @nr if there is none.
 */
u64 recording_find(const struct recording *r, u64 from, u32 kind);

/**
 * recording_count() - records of a kind
 * @r: recording
 * @kind: enum probe_kind
 *
 * Return: how many.
 */
u64 recording_count(const struct recording *r, u32 kind);

/**
 * recording_release() - free the records
 * @r: recording; empty and usable again afterwards
 */
void recording_release(struct recording *r);

/**
 * fixture_seeds() - how many seeds a loop over seeds takes
 * @few: usually
 * @many: with EPTSIM_LONG=1 in the environment
 *
 * Return: one of the two.
 */
u64 fixture_seeds(u64 few, u64 many);

#endif /* TESTS_FIXTURE_H */
