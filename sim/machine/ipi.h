/* Interrupts between pCPUs. */
#ifndef SIM_MACHINE_IPI_H
#define SIM_MACHINE_IPI_H

#include "sim/machine/world.h"

struct flush_order;

/**
 * ipi_take() - a pCPU takes the earliest interrupt addressed to it
 * @m: machine
 * @pcpu: pCPU
 * @now: cycles, not before its arrival
 */
void ipi_take(struct machine *m, u32 pcpu, u64 now);

/**
 * ipi_take_from() - a pCPU takes the interrupt of one sender
 * @m: machine
 * @pcpu: pCPU with IRQs on
 * @sender: pCPU whose call is pending there
 * @now: cycles, not before its arrival
 */
void ipi_take_from(struct machine *m, u32 pcpu, u32 sender, u64 now);

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
 * ipi_is_pending() - has a sender's call not been taken yet?
 * @m: machine
 * @target: pCPU
 * @sender: pCPU
 *
 * Return: true from ipi_send() until @target has taken the interrupt.
 */
static inline bool ipi_is_pending(const struct machine *m, u32 target,
				  u32 sender)
{
	return m->ipi_pending[(u64)target * m->ipi_words + sender / 64] >>
	       (sender % 64) & 1;
}

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

#endif /* SIM_MACHINE_IPI_H */
