/*
 * Nested VMX: nested_vmx_enter_non_root_mode() and __nested_vmx_vmexit(), one
 * micro-step at a time.
 *
 * vmcs01 and vmcs02 remember each for itself where they were loaded last, so a
 * vCPU that moves while one of them is loaded finds the other one where it was
 * left, however far it has been in between.
 *
 * L1 is taken to give its L2 one VPID, and to flush nothing at the transition
 * itself; KVM then does not either, since roots and VPIDs of L1 and L2 differ.
 */
#include "sim/machine/nested.h"

#include "sim/machine/account.h"
#include "sim/machine/guest.h"
#include "sim/machine/invalidate.h"
#include "sim/machine/ipi.h"
#include "sim/machine/observe.h"
#include "sim/machine/plan.h"
#include "sim/machine/roots.h"
#include "sim/machine/vcpu.h"

#define LOCAL_REQUESTS	(1u << REQ_TLB_FLUSH_CURRENT | 1u << REQ_TLB_FLUSH_GUEST)

static u8 next_vmcs(const struct vcpu *v)
{
	return view_of_role(v->next_role) == VIEW_L2 ? VMCS02 : VMCS01;
}

/*
 * kvm_service_local_tlb_flush_requests(): what the context that is about to
 * be left has asked for must not be served in the other one.
 */
static void step_nested(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	u32 local = v->requests & LOCAL_REQUESTS;

	if (local)
		vcpu_serve(m, vcpu, (u32)__builtin_ctz(local), STEP_NESTED);
	else
		m->task[vcpu].step = STEP_NESTED_CLEAR;
}

void vmcs_clear(struct machine *m, u32 vcpu, u8 vmcs, u8 cause)
{
	const struct flush_order clear = {
		.what = PLAN_FLUSH_NR, .cause = cause, .operand = IDX_NONE,
	};
	u32 here = m->task[vcpu].pcpu, old = m->vcpu[vcpu].vmcs_cpu[vmcs];

	if (old == IDX_NONE || old == here || !m->pcpu[old].online)
		return;
	ipi_mask_set(m, here, old);
	ipi_send(m, vcpu, &clear);
}

static void step_clear(struct machine *m, u32 vcpu)
{
	struct task *t = &m->task[vcpu];

	m->pcpu[t->pcpu].preempt_off++;
	t->step = STEP_NESTED_LOAD;
	vmcs_clear(m, vcpu, next_vmcs(&m->vcpu[vcpu]), CAUSE_NESTED);
}

/* vmx_switch_vmcs() */
static void step_load(struct machine *m, u32 vcpu)
{
	struct task *t = &m->task[vcpu];
	struct vcpu *v = &m->vcpu[vcpu];
	u8 next = next_vmcs(v);
	struct policy_event e;
	struct probe_rec r;

	e = plan_event(m, vcpu);
	e.migrated = v->vmcs_cpu[next] != t->pcpu;
	v->loaded = next;
	v->vmcs_cpu[next] = t->pcpu;
	r = probe_make(m, PROBE_NESTED, t->pcpu, m->task_time[vcpu].clock);
	r.vm = v->vm;
	r.vcpu = vcpu;
	r.view = (u8)view_of_role(v->next_role);
	r.a = e.migrated;
	probe_emit(m, &r);
	count_add(m, COUNT_NESTED_TRANSITIONS, CAUSE_NONE, 1);
	charge(m, vcpu, COST_NESTED_TRANSITION);
	plan_then(m, vcpu, HOOK_nested_transition, &e, STEP_NESTED_DONE);
}

static void switched(struct machine *m, u32 vcpu)
{
	struct policy_event e = plan_event(m, vcpu);

	plan_then(m, vcpu, HOOK_root_switch, &e, STEP_RUN);
}

/* enter_guest_mode() or leave_guest_mode(), then kvm_mmu_new_pgd(). */
static void step_switch(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];

	guest_forget(m, vcpu);
	v->role = v->next_role;
	v->swap_at = 0;
	if (root_usable(m, vcpu))
		switched(m, vcpu);
	else if (root_current(v) != IDX_NONE)
		m->task[vcpu].step = STEP_SWAP;
	else if (root_find_cached(m, vcpu))
		switched(m, vcpu);
	else
		m->task[vcpu].step = STEP_RELOAD;
}

/*
 * cached_root_find_and_keep_current(): current and one cached root after the
 * other change places.  Preemption is on, so whoever loads the vCPU meanwhile
 * may find a list that lacks the root which is being moved.
 */
static void step_swapped(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];

	root_swap_end(m, vcpu);
	if (root_usable(m, vcpu)) {
		switched(m, vcpu);
		return;
	}
	m->task[vcpu].step = STEP_SWAP;
	if (++v->swap_at < PREV_ROOTS_NR)
		return;
	if (root_current(v) != IDX_NONE)
		root_drop_current(m, vcpu);
	m->task[vcpu].step = STEP_RELOAD;
}

void nested_step(struct machine *m, u32 vcpu)
{
	struct task *t = &m->task[vcpu];

	switch (t->step) {
	case STEP_NESTED:
		step_nested(m, vcpu);
		break;
	case STEP_NESTED_CLEAR:
		step_clear(m, vcpu);
		break;
	case STEP_NESTED_LOAD:
		step_load(m, vcpu);
		break;
	case STEP_NESTED_DONE:
		m->pcpu[t->pcpu].preempt_off--;
		t->step = STEP_SWITCH;
		break;
	case STEP_SWITCH:
		step_switch(m, vcpu);
		break;
	case STEP_SWAP:
		root_swap_begin(m, vcpu);
		t->step = STEP_SWAPPED;
		break;
	default:
		step_swapped(m, vcpu);
	}
}
