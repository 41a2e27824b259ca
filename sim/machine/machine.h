/*
 * The machine: pCPUs, VMs, vCPUs, roots, page tables, requests and policy
 * state as a transition system of actors that take atomic micro-steps.  It
 * does not know who chooses the next actor: the clock driver and the explorer
 * call the same machine_step().
 *
 * Actors: vCPU threads first, then one host thread per VM, then pCPUs (which
 * take interrupts).  Every actor has one next time, TIME_NEVER if it has
 * nothing to do.
 *
 * Memory is sequentially consistent.
 */
#ifndef SIM_MACHINE_MACHINE_H
#define SIM_MACHINE_MACHINE_H

#include "models/flush_policy.h"
#include "models/hw/geometry.h"
#include "models/l0/l0.h"
#include "models/mutation.h"
#include "models/workload/access.h"
#include "models/workload/workload.h"
#include "sim/core/codec.h"
#include "sim/core/cost.h"
#include "sim/core/probe.h"
#include "sim/core/result.h"

struct err;
struct machine;

/*
 * What may be broken, to see who notices: identifier, name.
 *
 * INVEPT_SINGLE .. INVVPID_ALL  the instruction, executed by KVM, does nothing
 * KICK_LOST        no pCPU is interrupted for a remote flush, nor waited for
 * REQUEST_EARLY    a remote flush raises its requests before the change is made
 * YIELD_UNFLUSHED  who makes a change hands on the memory at a yield, before the
 *                  flush that is still due
 * INVLPG_GLOBAL    the guest's INVLPG of a global translation does nothing
 * HYPERCALL_LOST   the flush hypercall does nothing and reports success
 * HYPERCALL_FAILS  it does nothing and says so: a strict change falls back to
 *                  requests (kvm_flush_remote_tlbs()), a policy ignores it
 */
#define FAULTS(X)							\
	X(INVEPT_SINGLE, "invept_single")				\
	X(INVEPT_GLOBAL, "invept_global")				\
	X(INVVPID_SINGLE, "invvpid_single")				\
	X(INVVPID_ALL, "invvpid_all")					\
	X(KICK_LOST, "kick_lost")					\
	X(REQUEST_EARLY, "request_early")				\
	X(YIELD_UNFLUSHED, "yield_unflushed")				\
	X(INVLPG_GLOBAL, "invlpg_global")				\
	X(HYPERCALL_LOST, "hypercall_lost")				\
	X(HYPERCALL_FAILS, "hypercall_fails")

#define X(id, name) FAULT_##id,
enum fault { FAULTS(X) FAULT_NR };
#undef X

/**
 * fault_name() - name of a fault
 * @f: enum fault
 *
 * Return: its word in litmus files.
 */
const char *fault_name(enum fault f);

/**
 * struct machine_config - a checked description of a run
 * @nr_pcpus: pCPUs, all online at the start
 * @nr_vms: VMs
 * @nr_vcpus: vCPUs over all VMs
 * @vm_of_vcpu: @nr_vcpus entries, never decreasing
 * @geometry: TLBs of every pCPU
 * @costs: cost sheet; its clock is the clock of the run
 * @l0: hypervisor below
 * @workload: @nr_vms pointers, one per VM
 * @access_model: enum access_model
 * @seed: seed of every stream
 * @policy: flush policy
 * @mutation: a bug put into what its hooks ask for; NULL: none
 * @observers: @nr_observers tables; an empty list runs without checkers
 * @nr_observers: entries of @observers
 * @tap: report that looks on and is not part of the world; may be NULL
 * @tap_arg: handed to @tap
 * @tap_wants: BIT64(PROBE_...) of the kinds @tap is handed
 * @duration: expected length in cycles; only sets the width of rate buckets
 * @explore: no time, no costs, no finite TLB: see sim/machine/actions.h
 * @faults: @explore: BIT(FAULT_...) of what does not do its job
 * @nr_roots: @explore: frames that can hold a root
 * @pv_flush: @explore: guests leave TLB flushes to vCPUs that are preempted
 * @nr_pcids: @explore: 1: guests have one mapping; PCIDS_MAX: one for each of
 *            their PCIDs and a global one
 * @lockstep: never let a vCPU in guest mode lag behind the others; slower,
 *            same records; for the test that shows it
 *
 * Everything is lent and outlives the machine.
 */
struct machine_config {
	u32 nr_pcpus;
	u32 nr_vms;
	u32 nr_vcpus;
	const u32 *vm_of_vcpu;
	const struct hw_geometry *geometry;
	const struct cost_sheet *costs;
	const struct l0_params *l0;
	const struct workload_params *const *workload;
	u32 access_model;
	u64 seed;
	const struct flush_policy *policy;
	const struct mutation *mutation;
	const struct observer_ops *const *observers;
	u32 nr_observers;
	void (*tap)(void *arg, const struct probe_rec *rec);
	void *tap_arg;
	u64 tap_wants;
	u64 duration;
	bool explore;
	u32 faults;
	u32 nr_roots;
	bool pv_flush;
	u32 nr_pcids;
	bool lockstep;
};

/* What a scheduler tells the machine about a pCPU. */
enum machine_occupant {
	MACHINE_VCPU,
	MACHINE_HOST,
	MACHINE_IDLE,
	MACHINE_UNKNOWN,
};

/**
 * machine_applies() - can a policy run on a machine?
 * @c: configuration, its policy set
 * @why: set to a static clause when it cannot
 *
 * Return: true if it applies.
 */
bool machine_applies(const struct machine_config *c, const char **why);

/**
 * machine_create() - lay out and initialise a world
 * @c: checked configuration; lent, must outlive the machine
 * @out: set on success; the caller hands it to machine_destroy()
 * @err: set on failure
 *
 * Return: 0 or -ENOMEM.
 */
int machine_create(const struct machine_config *c, struct machine **out,
		   struct err *err);

/**
 * machine_destroy() - release a machine
 * @m: machine; NULL is allowed
 */
void machine_destroy(struct machine *m);

/**
 * machine_nr_actors() - number of actors
 * @m: machine
 *
 * Return: vCPUs + VMs + pCPUs.
 */
u32 machine_nr_actors(const struct machine *m);

/**
 * machine_next_time() - when an actor acts next
 * @m: machine
 * @actor: below machine_nr_actors()
 *
 * Return: cycles, or TIME_NEVER.
 */
u64 machine_next_time(const struct machine *m, u32 actor);

/**
 * machine_changed() - an actor whose next time has changed since last asked
 * @m: machine
 *
 * Return: an actor, or IDX_NONE when all changes have been handed out.
 */
u32 machine_changed(struct machine *m);

/**
 * machine_step() - let an actor take micro-steps
 * @m: machine
 * @actor: an actor that has a next time
 * @horizon: the moment another actor could act; at least one step is taken,
 *           more only while the actor's own clock is before it
 */
void machine_step(struct machine *m, u32 actor, u64 horizon);

/**
 * machine_switch() - another thread runs on a pCPU from now on
 * @m: machine
 * @now: cycles; not before anything told earlier
 * @pcpu: pCPU
 * @what: enum machine_occupant
 * @vcpu: MACHINE_VCPU: the vCPU, which is on no other pCPU
 *
 * Times that come from outside stand: what the thread that leaves cannot
 * leave undone (a preempt-off section, a wait for acknowledgements) is
 * completed at @now and shows as overrun.
 */
void machine_switch(struct machine *m, u64 now, u32 pcpu,
		    enum machine_occupant what, u32 vcpu);

/**
 * machine_set_run() - a vCPU thread enters or leaves KVM_RUN
 * @m: machine
 * @now: cycles
 * @vcpu: vCPU; on a pCPU or not
 * @inside: true: entered
 *
 * All vCPUs start inside unless told otherwise.
 */
void machine_set_run(struct machine *m, u64 now, u32 vcpu, bool inside);

/**
 * machine_finish() - end the run
 * @m: machine
 * @now: cycles; closes every span and lets the observers conclude
 */
void machine_finish(struct machine *m, u64 now);

/**
 * machine_now() - how far the run has come
 * @m: machine
 *
 * Return: the latest moment anything happened at or was told about, cycles.
 */
u64 machine_now(const struct machine *m);

/**
 * machine_stats() - sums so far
 * @m: machine
 *
 * Return: sums that live as long as @m.
 */
const struct stats *machine_stats(const struct machine *m);

/**
 * machine_collect() - copy verdicts, findings and sums into a result
 * @m: machine
 * @r: result; policy name, counts, findings and sizes are filled in
 */
void machine_collect(const struct machine *m, struct run_result *r);

/**
 * machine_objected() - has a checker objected yet?
 * @m: machine
 *
 * Return: true after the first finding.
 */
bool machine_objected(const struct machine *m);

/**
 * machine_shape() - sizes of a run
 * @m: machine
 *
 * Return: what the observers are told; lives as long as @m.
 */
const struct run_shape *machine_shape(const struct machine *m);

/**
 * machine_bytes() - size of the world
 * @m: machine
 *
 * Return: bytes of a snapshot.
 */
u64 machine_bytes(const struct machine *m);

/**
 * machine_save() - copy the world out
 * @m: machine
 * @to: machine_bytes() bytes
 */
void machine_save(const struct machine *m, void *to);

/**
 * machine_restore() - copy a world saved from the same configuration back
 * @m: machine
 * @from: what machine_save() wrote
 */
void machine_restore(struct machine *m, const void *from);

/**
 * machine_visit() - write the state to a string, or read it from one
 * @m: machine; when writing, unchanged but for scratch memory
 * @c: string and direction
 *
 * What is left out does not decide what happens next.  Reading sets everything
 * else as it was written, and counters to their ranks.
 */
void machine_visit(struct machine *m, struct codec *c);

/**
 * machine_visit_observers() - the same for the memory of the checkers
 * @m: machine whose observers can all visit
 * @c: string and direction
 */
void machine_visit_observers(struct machine *m, struct codec *c);

/**
 * machine_take_finding() - the first objection since the last call
 * @m: machine
 * @f: set if there is one
 *
 * Return: true if a checker has objected.
 */
bool machine_take_finding(struct machine *m, struct finding *f);

/**
 * struct machine_hash - 128-bit hash of a canonical state
 * @lo: low half
 * @hi: high half
 */
struct machine_hash {
	u64 lo;
	u64 hi;
};

/**
 * machine_hash() - hash what machine_visit() writes
 * @m: machine; unchanged but for scratch memory
 *
 * Two machines with the same hash do the same from here on, whatever their
 * times, sums, versions and serial numbers are.
 *
 * Return: the hash.
 */
struct machine_hash machine_hash(struct machine *m);

#endif /* SIM_MACHINE_MACHINE_H */
