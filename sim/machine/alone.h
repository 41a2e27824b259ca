/* Micro-steps that need not be interleaved with anybody else's. */
#ifndef SIM_MACHINE_ALONE_H
#define SIM_MACHINE_ALONE_H

#include "sim/machine/machine.h"

/**
 * machine_step_alone() - may the next micro-step of a task be taken at once?
 * @m: machine with an exploring configuration
 * @task: task that can take a step
 *
 * Return: true if whatever else can happen now or later before the step can
 * as well happen after it: every state that violates an invariant is still
 * reached, on a path of the same length.
 */
bool machine_step_alone(const struct machine *m, u32 task);

#endif /* SIM_MACHINE_ALONE_H */
