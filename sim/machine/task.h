/* Threads in KVM, vCPU and host alike: what they do next and when. */
#ifndef SIM_MACHINE_TASK_H
#define SIM_MACHINE_TASK_H

#include "sim/machine/roots.h"

/**
 * task_in_guest() - is a vCPU in guest mode?
 * @t: task
 *
 * Return: false outside guest mode, while it is being loaded, and for host
 * threads.
 */
static inline bool task_in_guest(const struct task *t)
{
	return t->step == STEP_GUEST && !t->loading;
}

/**
 * task_waits() - can a task go on only when another one has done something?
 * @m: machine
 * @task: task
 *
 * Return: true while acknowledgements, or a lock, are missing.
 */
static inline bool task_waits(const struct machine *m, u32 task)
{
	const struct task *t = &m->task[task];

	return t->waiting || (t->step == STEP_RELOAD && root_waits(m, task));
}

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

#endif /* SIM_MACHINE_TASK_H */
