/*
 * What the files of sim/machine offer each other, file by file.
 */
#ifndef SIM_MACHINE_PARTS_H
#define SIM_MACHINE_PARTS_H

#include "sim/machine/world.h"

/* --- observe.c: records and those who watch --- */

/**
 * probe_on() - does anyone want this kind of record?
 * @m: machine
 * @kind: enum probe_kind
 *
 * Return: true if probe_emit() would hand it to somebody.
 */
static inline bool probe_on(const struct machine *m, enum probe_kind kind)
{
	return m->wanted & BIT64(kind);
}

/**
 * probe_make() - start a record
 * @m: machine
 * @kind: enum probe_kind
 * @pcpu: pCPU or IDX_NONE
 * @time: cycles; cut off at the pCPU's limit during a forced completion
 *
 * Return: a record with every other member zero, indices IDX_NONE.
 */
struct probe_rec probe_make(const struct machine *m, enum probe_kind kind,
			    u32 pcpu, u64 time);

/**
 * probe_emit() - hand a record to everyone who wants it
 * @m: machine
 * @rec: record; its seq is set here
 */
void probe_emit(struct machine *m, struct probe_rec *rec);

/**
 * probe_vcpu() - emit a record that names a vCPU and nothing else
 * @m: machine
 * @kind: enum probe_kind
 * @vcpu: vCPU; its VM and pCPU are filled in
 * @time: cycles
 * @a: member @a of the record
 */
void probe_vcpu(struct machine *m, enum probe_kind kind, u32 vcpu, u64 time,
		u64 a);

/**
 * observers_finish() - let every observer conclude
 * @m: machine
 * @now: cycles
 */
void observers_finish(struct machine *m, u64 now);

/* --- account.c: where the time of a pCPU goes --- */

/**
 * charge() - charge a cost to a task and the pCPU it runs on
 * @m: machine
 * @task: task; its clock advances
 * @cost: enum cost_id
 */
void charge(struct machine *m, u32 task, enum cost_id cost);

/**
 * charge_many() - charge a cost several times
 * @m: machine
 * @task: task
 * @cost: enum cost_id
 * @times: how often; 0 is allowed
 */
void charge_many(struct machine *m, u32 task, enum cost_id cost, u64 times);

/**
 * charge_pcpu() - charge a cost to whatever a pCPU runs that is no task
 * @m: machine
 * @pcpu: pCPU
 * @cost: enum cost_id
 */
void charge_pcpu(struct machine *m, u32 pcpu, enum cost_id cost);

/**
 * account_wait() - let a task wait until a moment
 * @m: machine
 * @task: task; its clock becomes @until if that is later
 * @cat: category the time is booked on
 * @until: cycles
 */
void account_wait(struct machine *m, u32 task, enum cycle_category cat,
		  u64 until);

/**
 * span_close() - settle the running span of a pCPU and start another
 * @m: machine
 * @pcpu: pCPU
 * @now: end of the span
 * @base: category of what the next span does not charge
 *
 * What was charged beyond the length of the span is overrun and leaves the
 * sums; the rest of the length goes to the base category.
 */
void span_close(struct machine *m, u32 pcpu, u64 now, enum cycle_category base);

/**
 * set_next() - note when an actor acts next
 * @m: machine
 * @actor: task, or actor_of_pcpu()
 * @at: cycles or TIME_NEVER
 */
void set_next(struct machine *m, u32 actor, u64 at);

/**
 * count_add() - count events
 * @m: machine
 * @id: enum count_id
 * @cause: enum cause
 * @n: how many
 */
static inline void count_add(struct machine *m, enum count_id id, u8 cause,
			     u64 n)
{
	m->w->stats.count[id][cause] += n;
}

/* --- invalidate.c: carrying out flushes --- */

/**
 * struct flush_order - a flush to execute
 * @what: enum plan_flush
 * @cause: enum cause
 * @operand: root or vCPU
 */
struct flush_order {
	u8 what;
	u8 cause;
	u32 operand;
};

/**
 * flush_here() - execute a flush on one pCPU, now
 * @m: machine
 * @task: on whose behalf
 * @pcpu: where: @task's own pCPU, which @task then pays for, or one that takes
 *        @task's interrupt and bears it
 * @f: what to flush
 *
 * Removes what the hardware removes, lets the L0 model add its cost and its
 * victims, and emits the FLUSH record.
 */
void flush_here(struct machine *m, u32 task, u32 pcpu,
		const struct flush_order *f);

/**
 * flush_hypercall() - guest-physical flush hypercall
 * @m: machine
 * @task: caller, who pays
 * @root: root
 * @cause: enum cause
 */
void flush_hypercall(struct machine *m, u32 task, u32 root, u8 cause);

/**
 * hw_invalidate() - one operation of the hardware on one pCPU
 * @m: machine
 * @pcpu: pCPU
 * @op: enum vtx_op
 * @o: operand
 *
 * Also lets the vCPU that runs there forget what it knew to be cached.
 *
 * Return: true if something was removed.
 */
bool hw_invalidate(struct machine *m, u32 pcpu, enum vtx_op op,
		   const struct vtx_operand *o);

/* --- plan.c: calling hooks, carrying out plans --- */

/**
 * plan_call() - call a hook and prepare to carry out what it asks for
 * @m: machine
 * @task: task on whose pCPU it runs
 * @hook: enum policy_hook
 * @e: event; machine-wide members are filled in here
 *
 * Return: true if the plan has steps; plan_step() carries them out.
 */
bool plan_call(struct machine *m, u32 task, enum policy_hook hook,
	       struct policy_event *e);

/**
 * plan_then() - call a hook; continue with a step when its plan is done
 * @m: machine
 * @task: task
 * @hook: enum policy_hook
 * @e: event
 * @then: enum step
 */
void plan_then(struct machine *m, u32 task, enum policy_hook hook,
	       struct policy_event *e, enum step then);

/**
 * plan_step() - carry out one step of a plan
 * @m: machine
 * @task: task
 * @p: its plan or load_plan, not at its end
 */
void plan_step(struct machine *m, u32 task, struct plan *p);

/**
 * plan_event() - an event about a vCPU
 * @m: machine
 * @vcpu: vCPU
 *
 * Return: event with vm, vcpu, current root, listed roots and APIC mode.
 */
struct policy_event plan_event(const struct machine *m, u32 vcpu);

/**
 * plan_event_vm() - an event about a VM, told to a task
 * @m: machine
 * @vm: VM; every live root is listed
 * @task: task that executes the hook
 *
 * Return: event.
 */
struct policy_event plan_event_vm(const struct machine *m, u32 vm, u32 task);

/* --- roots.c: allocation, loading, freeing --- */

/**
 * root_current() - root the vCPU would enter with
 * @v: vCPU
 *
 * Return: root, or IDX_NONE.
 */
static inline u32 root_current(const struct vcpu *v)
{
	return v->mmu[v->mmu_active].root;
}

/**
 * root_get() - find or allocate the root of a role, and make it current
 * @m: machine
 * @vcpu: vCPU without a current root
 * @fresh: set to true if it was allocated now
 *
 * Return: the root.
 */
u32 root_get(struct machine *m, u32 vcpu, bool *fresh);

/**
 * root_drop_all() - unload root and prev_roots of both MMUs
 * @m: machine
 * @vcpu: vCPU
 *
 * Return: nothing; roots without users are freed.
 */
void root_drop_all(struct machine *m, u32 vcpu);

/**
 * root_drop_obsolete() - unload roots that were invalidated
 * @m: machine
 * @vcpu: vCPU
 */
void root_drop_obsolete(struct machine *m, u32 vcpu);

/**
 * root_switch() - fast PGD switch to the root of the vCPU's role
 * @m: machine
 * @vcpu: vCPU whose role has changed
 *
 * Return: true if a cached root was found and is current; false if the
 * current root was pushed to prev_roots and kvm_mmu_load must run.
 */
bool root_switch(struct machine *m, u32 vcpu);

/**
 * root_obsolete_all() - invalidate every root of a VM
 * @m: machine
 * @vm: VM
 */
void root_obsolete_all(struct machine *m, u32 vm);

/**
 * root_release_obsolete() - let the VM itself let go of its invalid roots
 * @m: machine
 * @task: who invalidated them; all vCPUs have left the guest since
 */
void root_release_obsolete(struct machine *m, u32 task);

/* --- ipi.c: interrupts between pCPUs --- */

/**
 * ipi_take() - a pCPU takes the earliest interrupt addressed to it
 * @m: machine
 * @pcpu: pCPU
 * @now: cycles, not before its arrival
 */
void ipi_take(struct machine *m, u32 pcpu, u64 now);

/**
 * ipi_send() - send what the pCPU's mask says, and wait
 * @m: machine
 * @task: sender, with preemption off
 * @f: flush executed by each target; its @what is PLAN_FLUSH_NR for a kick
 *
 * Return: number of targets; the task waits if it is not 0.
 */
u32 ipi_send(struct machine *m, u32 task, const struct flush_order *f);

/**
 * ipi_mask_set() - add a target to the mask of a sender
 * @m: machine
 * @sender: pCPU
 * @target: pCPU
 */
void ipi_mask_set(struct machine *m, u32 sender, u32 target);

/**
 * pcpu_interrupt() - interrupt whatever a pCPU runs
 * @m: machine
 * @pcpu: pCPU
 * @at: cycles
 *
 * Return: when the handler has finished.
 */
u64 pcpu_interrupt(struct machine *m, u32 pcpu, u64 at);

/* --- remote.c: EPT changes, kvm_flush_remote_tlbs --- */

/**
 * remote_complete() - let all missing acknowledgements come in at once
 * @m: machine
 * @task: waiting task
 * @now: cycles
 */
void remote_complete(struct machine *m, u32 task, u64 now);

/**
 * remote_step() - one step of a change or a remote flush
 * @m: machine
 * @task: task at one of STEP_CHANGE .. STEP_FLUSH_DONE
 */
void remote_step(struct machine *m, u32 task);

/* --- guest.c: what happens in guest mode --- */

/**
 * guest_step() - one micro-step of a vCPU in guest mode
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 * @last: cycles: what is due after this moment does not happen yet
 *
 * Return: false if nothing is left to happen up to and at @last.
 */
bool guest_step(struct machine *m, u32 vcpu, u64 last);

/**
 * guest_account_repeats() - charge the misses expected among repeats so far
 * @m: machine
 * @vcpu: vCPU, on a pCPU if it has accessed anything since the last time
 */
void guest_account_repeats(struct machine *m, u32 vcpu);

/**
 * guest_forget() - nothing of a vCPU is known to be cached any more
 * @m: machine
 * @vcpu: vCPU
 */
void guest_forget(struct machine *m, u32 vcpu);

/**
 * catch_up() - play a vCPU that lags behind up to and at a moment
 * @m: machine
 * @vcpu: vCPU; one that does not lag, or is being caught up, stays as it is
 * @last: cycles
 */
void catch_up(struct machine *m, u32 vcpu, u64 last);

/**
 * catch_up_vm() - let a VM's vCPUs reach the moment an actor acts at
 * @m: machine
 * @vm: VM
 * @actor: actor that is about to act; vCPUs with a higher number than its
 *         own stop just before @time
 * @time: cycles
 */
void catch_up_vm(struct machine *m, u32 vm, u32 actor, u64 time);

/**
 * catch_up_all() - let every vCPU reach the moment an actor acts at
 * @m: machine
 * @actor: as catch_up_vm()
 * @time: cycles
 */
void catch_up_all(struct machine *m, u32 actor, u64 time);

/* --- vcpu.c: the vCPU thread --- */

/**
 * vcpu_step() - one micro-step of a vCPU thread outside guest mode
 * @m: machine
 * @vcpu: vCPU
 */
void vcpu_step(struct machine *m, u32 vcpu);

/**
 * vcpu_exit() - VM exit
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 * @reason: enum exit_reason
 */
void vcpu_exit(struct machine *m, u32 vcpu, enum exit_reason reason);

/**
 * vcpu_load() - kvm_arch_vcpu_load
 * @m: machine
 * @vcpu: vCPU, on a pCPU
 * @now: cycles
 * @switched: a context switch brought it there
 */
void vcpu_load(struct machine *m, u32 vcpu, u64 now, bool switched);

/**
 * vcpu_put() - kvm_arch_vcpu_put, forced to be complete at a moment
 * @m: machine
 * @vcpu: vCPU, loaded
 * @now: cycles
 */
void vcpu_put(struct machine *m, u32 vcpu, u64 now);

/**
 * task_step() - one micro-step of a task, whatever it is at
 * @m: machine
 * @task: task that is not waiting
 */
void task_step(struct machine *m, u32 task);

/**
 * task_schedule() - recompute when a task acts next
 * @m: machine
 * @task: task
 */
void task_schedule(struct machine *m, u32 task);

/* --- host.c: EPT changes from outside the guest --- */

/**
 * host_begin() - the VM's next change is due
 * @m: machine
 * @vm: VM
 * @now: cycles
 */
void host_begin(struct machine *m, u32 vm, u64 now);

/**
 * host_detach() - a pCPU is needed for another thread
 * @m: machine
 * @pcpu: pCPU; a host thread at work there completes at once
 * @now: cycles
 */
void host_detach(struct machine *m, u32 pcpu, u64 now);

/**
 * host_take() - a vCPU takes over the change that waits for its VM
 * @m: machine
 * @vcpu: vCPU at STEP_RUN
 *
 * Return: true if there was one; the task is then at STEP_CHANGE.
 */
bool host_take(struct machine *m, u32 vcpu);

/**
 * host_vcpu_left() - a vCPU that was to make a change is put
 * @m: machine
 * @vcpu: vCPU
 * @now: cycles
 */
void host_vcpu_left(struct machine *m, u32 vcpu, u64 now);

/**
 * host_vcpu_loaded() - a vCPU is loaded and may make a waiting change
 * @m: machine
 * @vcpu: vCPU
 */
void host_vcpu_loaded(struct machine *m, u32 vcpu);

/**
 * host_done() - a change has been made; draw the next one
 * @m: machine
 * @vm: VM
 * @now: cycles
 */
void host_done(struct machine *m, u32 vm, u64 now);

#endif /* SIM_MACHINE_PARTS_H */
