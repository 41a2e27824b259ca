/* Where the time of a pCPU goes, and when actors act next. */
#ifndef SIM_MACHINE_ACCOUNT_H
#define SIM_MACHINE_ACCOUNT_H

#include "sim/machine/world.h"

/**
 * charge() - charge a cost to a task and the pCPU it runs on
 * @m: machine
 * @task: task; its clock advances
 * @cost: enum cost_id
 */
void charge(struct machine *m, u32 task, enum cost_id cost);

/**
 * charge_many() - charge a cost several times
 * @m: machine
 * @task: task
 * @cost: enum cost_id
 * @times: how often; 0 is allowed
 */
void charge_many(struct machine *m, u32 task, enum cost_id cost, u64 times);

/**
 * charge_pcpu() - charge a cost to whatever a pCPU runs that is no task
 * @m: machine
 * @pcpu: pCPU
 * @cost: enum cost_id
 */
void charge_pcpu(struct machine *m, u32 pcpu, enum cost_id cost);

/**
 * account_wait() - let a task wait until a moment
 * @m: machine
 * @task: task; its clock becomes @until if that is later
 * @cat: category the time is booked on
 * @until: cycles
 */
void account_wait(struct machine *m, u32 task, enum cycle_category cat,
		  u64 until);

/**
 * span_close() - settle the running span of a pCPU and start another
 * @m: machine
 * @pcpu: pCPU
 * @now: end of the span
 * @base: category of what the next span does not charge
 *
 * What was charged beyond the length of the span is overrun and leaves the
 * sums; the rest of the length goes to the base category.
 */
void span_close(struct machine *m, u32 pcpu, u64 now, enum cycle_category base);

/**
 * set_next() - note when an actor acts next
 * @m: machine
 * @actor: task, or actor_of_pcpu()
 * @at: cycles or TIME_NEVER
 */
void set_next(struct machine *m, u32 actor, u64 at);

/**
 * count_add() - count events
 * @m: machine
 * @id: enum count_id
 * @cause: enum cause
 * @n: how many
 */
static inline void count_add(struct machine *m, enum count_id id, u8 cause,
			     u64 n)
{
	m->w->stats.count[id][cause] += n;
}

#endif /* SIM_MACHINE_ACCOUNT_H */
