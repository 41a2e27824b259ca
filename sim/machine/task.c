/*
 * Which kind of micro-step a thread takes next: the sched notifier runs on top
 * of everything, a plan on top of the step that asked for it.
 */
#include "sim/machine/task.h"

#include "sim/machine/account.h"
#include "sim/machine/hotplug.h"
#include "sim/machine/plan.h"
#include "sim/machine/remote.h"
#include "sim/machine/vcpu.h"

static void end_of_load(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];

	t->loading = false;
	m->pcpu[t->pcpu].preempt_off--;
}

void task_step(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];

	BUG_ON(task_waits(m, task) || t->pcpu == IDX_NONE);
	count_add(m, COUNT_MICRO_STEPS, CAUSE_NONE, 1);
	if (t->flushing_all) {
		t->flushing_all = false;
		m->pcpu[t->pcpu].preempt_off--;
	} else if (t->arriving) {
		vcpu_arrive(m, task);
	} else if (t->loading && plan_pending(&t->load_plan)) {
		plan_step(m, task, &t->load_plan);
	} else if (t->loading) {
		end_of_load(m, task);
	} else if (plan_pending(&t->plan)) {
		plan_step(m, task, &t->plan);
		if (!plan_pending(&t->plan))
			t->step = t->after_plan;
	} else if (t->step >= STEP_CHANGE) {
		remote_step(m, task);
	} else if (!task_is_vcpu(m, task)) {
		hotplug_step(m, task);
	} else {
		vcpu_step(m, task);
	}
}

void task_schedule(struct machine *m, u32 task)
{
	const struct task *t = &m->task[task];
	u64 at = m->task_time[task].clock;

	if (t->pcpu == IDX_NONE || task_waits(m, task) ||
	    (task_is_vcpu(m, task) && !m->vcpu[task].in_run))
		at = TIME_NEVER;
	else if (task_in_guest(t))
		at = max_u64(at, min_u64(m->vcpu_time[task].env_at,
					 m->vcpu_time[task].wanted_at));
	set_next(m, task, at);
}
