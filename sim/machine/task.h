/* Threads in KVM, vCPU and host alike: what they do next and when. */
#ifndef SIM_MACHINE_TASK_H
#define SIM_MACHINE_TASK_H

#include "sim/machine/world.h"

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
