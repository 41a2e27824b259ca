/* EPT changes and kvm_flush_remote_tlbs(). */
#ifndef SIM_MACHINE_REMOTE_H
#define SIM_MACHINE_REMOTE_H

#include "sim/machine/world.h"

/**
 * remote_complete() - let all missing acknowledgements come in at once
 * @m: machine
 * @task: waiting task
 * @now: cycles
 */
void remote_complete(struct machine *m, u32 task, u64 now);

/**
 * remote_first_step() - where the making of a change begins
 * @m: machine
 * @change: enum change_op
 *
 * Return: enum step.
 */
u8 remote_first_step(const struct machine *m, u8 change);

/**
 * remote_step() - one step of a change or a remote flush
 * @m: machine
 * @task: task at one of STEP_CHANGE .. STEP_FLUSH_DONE
 */
void remote_step(struct machine *m, u32 task);

#endif /* SIM_MACHINE_REMOTE_H */
