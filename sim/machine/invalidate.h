/* Carrying out flushes: what goes, what it costs, whom L0 takes along. */
#ifndef SIM_MACHINE_INVALIDATE_H
#define SIM_MACHINE_INVALIDATE_H

#include "sim/machine/world.h"

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
 * fault_is_on() - is something broken?
 * @m: machine
 * @f: enum fault
 *
 * Return: true if the configuration says so.
 */
bool fault_is_on(const struct machine *m, enum fault f);

/**
 * flush_hypercall() - guest-physical flush hypercall
 * @m: machine
 * @task: caller, who pays
 * @root: root
 * @cause: enum cause
 * @at: when the step that makes it began; several may be made in one step
 *
 * Return: false if it failed (FAULT_HYPERCALL_FAILS): nothing has been flushed.
 */
bool flush_hypercall(struct machine *m, u32 task, u32 root, u8 cause, u64 at);

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

#endif /* SIM_MACHINE_INVALIDATE_H */
