/*
 * Who acts next: one slot per actor, each with one next time.  A tournament
 * tree: the winner is read in O(1), a slot moves in ceil(log2 n) compares with
 * no unpredictable branch.  Any slot may move at any time, not only the winner
 * (a kick changes the next time of its target), which is why the inner nodes
 * hold winners and not losers.
 *
 * Order is total: by time, then by slot.  Not by the order in which the times
 * were set: that would depend on how many steps an actor was given at once, and
 * coalescing steps must change nothing.
 */
#ifndef SIM_CORE_EVENTQ_H
#define SIM_CORE_EVENTQ_H

#include "sim/base/types.h"

#define EVENTQ_SLOTS_MAX	(1u << 20)

struct eventq;				/* flat block without pointers */

/**
 * eventq_bytes() - size of a queue
 * @slots: number of slots, 1..EVENTQ_SLOTS_MAX
 *
 * Return: bytes, a multiple of 64.
 */
u64 eventq_bytes(u32 slots);

/**
 * eventq_init() - make a block an empty queue: every slot at TIME_NEVER
 * @q: eventq_bytes() bytes, aligned to 64
 * @slots: number of slots
 */
void eventq_init(struct eventq *q, u32 slots);

/**
 * eventq_set() - set the next time of a slot
 * @q: queue
 * @slot: below the number of slots
 * @time: next time, or TIME_NEVER
 */
void eventq_set(struct eventq *q, u32 slot, u64 time);

/**
 * eventq_first() - slot with the smallest (time, slot)
 * @q: queue
 * @time: set to its time; TIME_NEVER if no slot has anything to do
 *
 * Return: the slot; meaningless if @time is TIME_NEVER.
 */
u32 eventq_first(const struct eventq *q, u64 *time);

/**
 * eventq_second() - smallest time among all slots but the first
 * @q: queue
 *
 * Return: the time, or TIME_NEVER.
 */
u64 eventq_second(const struct eventq *q);

#endif /* SIM_CORE_EVENTQ_H */
