/*
 * Which micro-steps are left movers (R. Lipton, "Reduction", 1975): they
 * commute with everything that others can do before them, they take nothing
 * away that others could do, and nobody else can keep them from happening.
 * Then the step may come first, and the other orders need no exploring.
 *
 * What makes a step none: it turns preemption or interrupts off (the scheduler
 * and IPIs could come before), it reads or writes what others write (requests,
 * modes, rows of policy state, roots, pages), or it sends an IPI.
 *
 * One step commutes only as far as the verdict goes: a VM entry that comes
 * earlier leaves the adversary's TLB with more, never with less, and nothing
 * the host does depends on that.
 *
 * A step that follows one that only turned something off is taken at once, too
 * (that one could have come later: a right mover).
 */
#include "sim/machine/alone.h"

#include "sim/machine/plan.h"
#include "sim/machine/world.h"

/* A VMCLEAR elsewhere is an IPI. */
static bool load_is_local(const struct machine *m, u32 task)
{
	const struct vcpu *v = &m->vcpu[task];
	u32 old = v->vmcs_cpu[v->loaded];

	return m->task[task].arriving == ARRIVE_LOAD || old == IDX_NONE ||
	       old == m->task[task].pcpu;
}

/* Nobody else touches the entries of a pCPU whose guest is not running. */
static bool plan_step_is_local(const struct machine *m, u32 task,
			       const struct plan *p)
{
	u8 op = p->step[p->next].op;

	return op == PLAN_PREEMPT_ON ||
	       (op == PLAN_FLUSH && m->pcpu[m->task[task].pcpu].preempt_off);
}

static bool exit_is_local(u8 reason)
{
	return reason == EXIT_INTERRUPT || reason == EXIT_OTHER ||
	       reason == EXIT_NESTED || reason == EXIT_VMFUNC ||
	       reason == EXIT_APIC_MODE ||
	       reason == EXIT_ASKS;
}

bool machine_step_alone(const struct machine *m, u32 task)
{
	const struct task *t = &m->task[task];

	if (t->flushing_all)
		return true;
	if (t->arriving)
		return load_is_local(m, task);
	if (t->loading)
		return !plan_pending(&t->load_plan) ||
		       plan_step_is_local(m, task, &t->load_plan);
	if (plan_pending(&t->plan))
		return plan_step_is_local(m, task, &t->plan);
	switch (t->step) {
	case STEP_HANDLE:
		return exit_is_local(m->vcpu[task].exit_reason);
	case STEP_NESTED_LOAD:
	case STEP_NESTED_DONE:
	case STEP_MODE:
	case STEP_ENTRY:
		return true;
	case STEP_IRQ_OFF:
		return !m->ops->vm_enter;
	case STEP_FLUSH_BEGIN:
		return !task_is_vcpu(m, task);
	default:
		return false;
	}
}
