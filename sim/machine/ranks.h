/*
 * Counters by their order.  Of counters that are only compared it matters which
 * is the larger, so a state has their ranks and stays finite.
 */
#ifndef SIM_MACHINE_RANKS_H
#define SIM_MACHINE_RANKS_H

#include "sim/base/types.h"

#define RANKED_LOW	64u

/**
 * struct ranks - counters that are compared with each other
 * @low: bit per value below RANKED_LOW that occurs
 * @nr_low: how many
 * @low_rank: rank of each of them
 * @nr_large: larger values that occur
 * @large: these, in order; as much room as there are counters
 */
struct ranks {
	u64 low;
	u32 nr_low;
	u32 nr_large;
	u64 *large;
	u8 low_rank[RANKED_LOW];
};

/**
 * ranks_add() - a value occurs
 * @r: ranks, with @low, @nr_low and @nr_large zeroed before the first
 * @value: value
 */
void ranks_add(struct ranks *r, u64 value);

/**
 * ranks_close() - all values have been added
 * @r: ranks
 */
void ranks_close(struct ranks *r);

/**
 * ranks_of_large() - where a value stands among the large ones
 * @r: ranks
 * @value: value; need not be among them
 *
 * Return: how many are less.
 */
u32 ranks_of_large(const struct ranks *r, u64 value);

/**
 * ranks_of() - where a value stands
 * @r: closed ranks
 * @value: one of the values
 *
 * Return: how many of the values are less.
 */
static inline u64 ranks_of(const struct ranks *r, u64 value)
{
	return value < RANKED_LOW ? r->low_rank[value] :
	       r->nr_low + ranks_of_large(r, value);
}

#endif /* SIM_MACHINE_RANKS_H */
