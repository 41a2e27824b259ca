/*
 * The state of a run, private to sim/machine.  All of it lies in one block;
 * struct machine holds pointers into the block, the block holds indices only.
 *
 * Each entity is split in two: what decides the future (struct pcpu, vcpu,
 * task ...) and what only times and counts it (struct ..._time).  The second
 * half never enters the canonical form.
 */
#ifndef SIM_MACHINE_WORLD_H
#define SIM_MACHINE_WORLD_H

#include "models/hw/tlb.h"
#include "models/hw/vtx.h"
#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "sim/machine/machine.h"

#define PREV_ROOTS_NR	3		/* KVM_MMU_NUM_PREV_ROOTS */

/*
 * What a root maps for.  L2 runs under a TDP root of root_mmu where L1 gives
 * it no EPT, and under a shadow of an EPT of L1 (EPT12), in guest_mmu, where
 * it does; L1 may use more than one.
 */
enum role {
	ROLE_NORMAL,			/* L1 */
	ROLE_GUEST_MODE,		/* L2, L1 uses shadow paging */
	ROLE_EPT12,			/* L2, shadow of the first EPT12 */
	ROLE_EPT12_OTHER,		/* L2, shadow of another EPT12 */
	ROLES_NR,
};

enum loaded_vmcs { VMCS01, VMCS02, VMCS_NR };

#define MMUS_NR		2		/* root_mmu, guest_mmu */

enum vcpu_mode { OUTSIDE_GUEST_MODE, IN_GUEST_MODE, EXITING_GUEST_MODE };

/* Micro-steps of a thread in KVM; names follow vcpu_enter_guest(). */
enum step {
	STEP_NONE,			/* a plan is carried out; host thread: nothing to do */
	STEP_RUN,			/* top of the loop: requests, then entry */
	STEP_RELOAD,			/* kvm_mmu_load */
	STEP_PUBLISH,			/* a root is ready for use: list_add_rcu */
	STEP_NESTED,			/* nested transition: serve CURRENT, GUEST */
	STEP_NESTED_CLEAR,		/* VMCLEAR where the other VMCS was */
	STEP_NESTED_LOAD,		/* vmx_switch_vmcs */
	STEP_NESTED_DONE,		/* preemption on again */
	STEP_SWITCH,			/* mode and MMU change: fast PGD switch */
	STEP_SWAP,			/* first half of a swap with a cached root */
	STEP_SWAPPED,			/* ... second half */
	STEP_ENTER,			/* preemption off */
	STEP_IRQ_OFF,
	STEP_MODE,			/* mode = IN_GUEST_MODE */
	STEP_RECHECK,			/* kvm_vcpu_exit_request */
	STEP_ENTRY,			/* VM entry */
	STEP_GUEST,
	STEP_HANDLE,			/* handle the exit */
	STEP_ASKED_DONE,		/* a flush the guest asked KVM for is done */
	STEP_PV_DONE,			/* ... one that another vCPU left behind */
	STEP_ONLINE,			/* host thread: VMXON on its pCPU */
	STEP_ONLINE_DONE,
	STEP_OFFLINE,			/* host thread: VMXOFF on its pCPU */
	STEP_OFFLINE_DONE,
	STEP_CHANGE,			/* an EPT change begins */
	STEP_REQUEST_EARLY,		/* FAULT_REQUEST_EARLY, before that */
	STEP_FLUSH_BEGIN,		/* kvm_flush_remote_tlbs */
	STEP_FLUSH_HYPERCALL,
	STEP_FLUSH_REQUEST,		/* set the bit of one vCPU */
	STEP_FLUSH_MODE,		/* read the mode of one vCPU */
	STEP_FLUSH_KICK,
	STEP_FLUSH_DONE,
	STEP_NR,
};

enum exit_reason {
	EXIT_INTERRUPT,			/* IPI, or the scheduler */
	EXIT_FAULT,			/* EPT violation */
	EXIT_OTHER,			/* handled in KVM, nothing to flush */
	EXIT_RELOAD,			/* roots dropped: kvm_mmu_reset_context */
	EXIT_NESTED,			/* L1 enters L2, or L2 leaves to L1 */
	EXIT_VMFUNC,			/* L2 changes its EPT */
	EXIT_APIC_MODE,			/* xAPIC to x2APIC or back */
	EXIT_ASKS,			/* a flush that KVM must emulate */
	EXIT_CHANGE,			/* goes to make an EPT change of its VM */
};

enum change_op { CHANGE_NONE, CHANGE_STRICT, CHANGE_UPGRADE, CHANGE_ACCESSED,
		 CHANGE_DIRTY, CHANGE_MEMSLOT, CHANGE_NR };

enum arrival { ARRIVED, ARRIVE_CLEAR, ARRIVE_LOAD };

struct mmu {
	u32 root;
	u32 prev[PREV_ROOTS_NR];
};

struct pcpu {
	u32 occupant;			/* vCPU, or one of OCCUPANT_... */
	u32 context;			/* vCPU whose guest context is active */
	u32 host_task;			/* host thread at work here */
	u32 call_left;			/* acknowledgements still missing */
	u32 call_task;			/* who waits for them */
	u32 call_operand;		/* of the flush the call carries */
	u8 call_flush;			/* enum plan_flush, or PLAN_FLUSH_NR */
	u8 call_cause;
	u16 preempt_off;
	bool irq_off;
	bool online;
};

#define OCCUPANT_IDLE		(IDX_NONE - 1)
#define OCCUPANT_HOST		(IDX_NONE - 2)
#define OCCUPANT_UNKNOWN	(IDX_NONE - 3)
#define OCCUPANT_FIRST		(IDX_NONE - 3)

struct pcpu_time {
	u64 span_start;
	u64 limit;			/* forced completion: records stop here */
	u64 last;			/* time of the last record */
	u64 invalidations;		/* operations carried out on its TLB */
	u32 last_guest;			/* vCPU that entered last */
	u64 call_arrival;
	u64 call_latest;		/* latest acknowledgement */
	u64 cycles[CYC_NR];		/* of the running span */
	u8 base;			/* category of what is not charged */
};

struct vcpu {
	u32 vm;
	u32 vmcs_cpu[VMCS_NR];		/* loaded_vmcs->cpu of each */
	u32 cpu;			/* vcpu->cpu */
	u32 requests;
	u8 request_cause[REQ_NR];
	u8 loaded;			/* enum loaded_vmcs */
	u8 mode;
	u8 role;			/* enum role; says where it runs, and under which MMU */
	u8 next_role;			/* of the nested transition under way */
	u8 exit_reason;
	bool in_run;			/* inside KVM_RUN */
	bool virtual_apic;
	bool asked;			/* the guest waits for REQ_TLB_FLUSH_GUEST */
	u8 pcid[VIEW_NR];		/* of the guest's CR3, in L1 and in L2 */
	bool pv_flush;			/* KVM_VCPU_FLUSH_TLB in its steal time */
	u32 fault_page;			/* guest-physical page of EXIT_FAULT */
	u32 touch_next;		/* page due to be touched, or NONE */
	struct mmu mmu[MMUS_NR];	/* root_mmu, guest_mmu */
	u32 swap_held;			/* the root that is in no list meanwhile */
	u8 swap_at;			/* prev_roots it goes to */
};

struct vcpu_time {
	struct rng env;
	u64 env_left;			/* run time to the next guest event */
	u64 env_at;			/* ... as absolute time while loaded */
	u64 wanted_at;			/* asked to leave the guest at */
	u64 into_access;		/* cycles of the running page run done */
	u64 accesses;			/* since access_forget() */
	u64 repeats_from;		/* repeats are accounted up to here */
	u32 walk_refs;			/* of the last walk: repeats are like it */
	u32 repeat_l1;			/* left-overs, 1/256 */
	u32 repeat_l2;
	u64 invalidations;		/* of its pCPU when it was put */
	bool catching_up;
};

struct task {
	u32 pcpu;			/* where it runs, or IDX_NONE */
	u8 step;
	u8 after_plan;
	u8 after_flush;
	bool waiting;			/* for acknowledgements */
	bool loading;			/* a sched notifier runs on top */
	u8 arriving;			/* enum arrival: how far vcpu_load is */
	bool flushing_all;		/* preemption off until all have flushed */
	u8 change;			/* enum change_op being made */
	u32 page;			/* ... on this page */
	u32 obligation;
	u32 next_vcpu;			/* progress of the remote flush */
	struct plan plan;
	struct plan load_plan;
};

struct task_time {
	u64 clock;
	u64 next;
};

struct vm {
	u32 first_vcpu;
	u32 nr_vcpus;
	u32 first_page;
	u32 nr_pages;
	u32 root[ROLES_NR];		/* live root per role, or IDX_NONE */
	u32 change_page;
	u32 change_owner;		/* vCPU that will make the change */
	u32 change_turn;		/* whose turn it is next */
	u8 change;			/* enum change_op waiting to be made */
	bool change_taken;		/* a vCPU is at it */
};

struct vm_time {
	struct rng host;
	u64 change_at;
	u64 change_mean;
};

enum root_state { ROOT_UNUSED, ROOT_MAKING, ROOT_VALID, ROOT_OBSOLETE };

struct root {
	u32 vm;
	u32 refs;			/* users; the VM itself is one */
	u32 incarnation;
	u32 next_free;
	u8 role;
	u8 state;
	bool owned;			/* the VM's own reference is held */
};

struct world {
	u64 probe_seq;
	u64 l0_busy_until;		/* partition-wide teardown lock */
	u64 fill_busy_until;		/* partition-wide fill section */
	u32 shadow_epoch;		/* L0: last epoch handed out */
	u64 now;			/* latest time told from outside */
	u32 next_obligation;
	u32 next_plan;
	u32 free_frame;			/* last freed first: reuse comes early */
	struct stats stats;
};

struct vcpu_layout {			/* constant per vCPU */
	u64 va_base;
	u32 s1_page0;			/* of L1; those of L2 follow */
	u32 s2_page0;			/* of its VM */
	u32 private_page0;		/* in its VM, behind the shared pages */
	u32 shared;			/* pages that all vCPUs of the VM use */
	u32 code;			/* pages fetched as instructions */
	u8 s1_shift;
	u8 s2_shift;
	u8 unit;			/* log2 of 4-KiB pages per page */
};

struct state_area {
	u64 offset;
	u32 nr_i;
	u32 nr_j;
};

#define OBSERVERS_MAX	16
#define COST_ABSENT	UINT64_MAX

struct machine {
	const struct machine_config *cfg;
	const struct flush_policy_ops *ops;
	struct run_shape shape;
	u16 *vpids;			/* as in struct run_shape */
	void *block;
	u64 bytes;
	void *constants;		/* second block: derived, never changed */

	struct world *w;
	struct pcpu *pcpu;
	struct pcpu_time *pcpu_time;
	u64 *ipi_pending;		/* [target][words], bit = sender */
	u64 *ipi_mask;			/* [sender][words], bit = target */
	u64 *ipi_next;			/* [pcpu] earliest arrival */
	u32 ipi_words;
	u8 *tlb;
	u64 tlb_stride;
	struct vm *vm;
	struct vm_time *vm_time;
	struct vcpu *vcpu;
	struct vcpu_time *vcpu_time;
	struct vcpu_layout *vcpu_layout;
	u8 *access;
	u64 access_stride;
	struct task *task;
	struct task_time *task_time;
	struct root *root;
	u32 nr_roots;
	u32 nr_roles;			/* 1 where nothing is nested */
	u32 *s2_version;
	u8 *s2_present;
	u8 *s2_condemned;		/* by a change whose flush is under way */
	u32 *s1_version;
	u32 nr_shadow_sets;		/* L0: 1, or one per pCPU */
	u64 shadow_stride;		/* entries of one set */
	u32 *shadow;			/* L0: epoch in which an entry was built */
	u32 *shadow_epoch;		/* [set][root]: older entries are gone */
	u32 *shadow_live;		/* [set][root]: entries of this epoch */
	struct state_area state[POLICY_ROWS_MAX];
	u8 *observer[OBSERVERS_MAX];

	/* Derived once, constant during the run. */
	struct access_shape *shape_of_vm;
	struct access_capacity *capacity_of_vm;
	u64 *cycles_per_access;
	u64 *per_cycle;			/* its inverse, units of 2^-64, rounded down */
	u64 *env_mean;			/* per VM: mean run time between events */
	u64 cost[COST_NR];		/* COST_ABSENT where it does not apply */
	u8 category[COST_NR];
	struct ranks *ranks;		/* machine_visit(): counters being ranked, */
	u32 nr_ranks;			/* all in one, or those of each root in one */
	u32 rank_bits;
	u64 *scratch;			/* of @ranks */

	/* Outside the world: what the driver and the reports hold. */
	bool no_lag;
	u64 reach;			/* nobody is played beyond this moment */
	u64 wanted;
	u32 *changed;
	u8 *is_changed;
	u32 nr_changed;
	u32 found_real;
	u32 found_possible;
	u64 nr_findings;
	u32 nr_stored;
	struct finding finding[FINDINGS_STORED_MAX];
	u32 flush_rate[RATE_BUCKETS];
	u32 migration_rate[RATE_BUCKETS];
	u64 rate_width;
};

#define FOR_EACH_VCPU_OF(m, vmi, v)					\
	for (u32 v = (m)->vm[vmi].first_vcpu;				\
	     v < (m)->vm[vmi].first_vcpu + (m)->vm[vmi].nr_vcpus; v++)

static inline enum view view_of_role(u8 role)
{
	return role == ROLE_NORMAL ? VIEW_L1 : VIEW_L2;
}

/* is_guest_mode() */
static inline enum view vcpu_view(const struct vcpu *v)
{
	return view_of_role(v->role);
}

static inline u32 mmu_of_role(u8 role)
{
	return role >= ROLE_EPT12;
}

/* vmx_get_current_vpid() */
static inline u16 vcpu_vpid(const struct machine *m, u32 vcpu)
{
	return shape_vpid(&m->shape, vcpu, vcpu_view(&m->vcpu[vcpu]));
}

static inline bool machine_is_nested(const struct machine *m)
{
	return m->nr_roles > 1;
}

static inline struct tlb *tlb_of(struct machine *m, u32 pcpu)
{
	return (struct tlb *)(m->tlb + pcpu * m->tlb_stride);
}

static inline struct access_state *access_of(struct machine *m, u32 vcpu)
{
	return (struct access_state *)(m->access + vcpu * m->access_stride);
}

/* L0: which set of shadow tables a pCPU uses. */
static inline u32 shadow_set_of(const struct machine *m, u32 pcpu)
{
	return m->nr_shadow_sets == 1 ? 0 : pcpu;
}

static inline u32 task_of_host(const struct machine *m, u32 vm)
{
	return m->cfg->nr_vcpus + vm;
}

static inline bool task_is_vcpu(const struct machine *m, u32 t)
{
	return t < m->cfg->nr_vcpus;
}

static inline u32 actor_of_pcpu(const struct machine *m, u32 pcpu)
{
	return m->cfg->nr_vcpus + m->cfg->nr_vms + pcpu;
}

static inline u32 vm_of_task(const struct machine *m, u32 t)
{
	return task_is_vcpu(m, t) ? m->vcpu[t].vm : t - m->cfg->nr_vcpus;
}

static inline bool occupant_is_vcpu(u32 occupant)
{
	return occupant < OCCUPANT_FIRST;
}

#endif /* SIM_MACHINE_WORLD_H */
