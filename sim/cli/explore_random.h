/* eptsim explore --random: runs of big machines, and what is left of them. */
#ifndef SIM_CLI_EXPLORE_RANDOM_H
#define SIM_CLI_EXPLORE_RANDOM_H

#include <argp.h>

#include "sim/cli/explore_output.h"

/**
 * struct random_args - the options of random runs
 * @nr: how many; 0: none, everything is explored
 * @first: number of the first
 * @seed: seed
 * @steps: actions of each, at most
 * @needs: an option that was given and makes no sense without them, or NULL
 */
struct random_args {
	u64 nr;
	u64 first;
	u64 seed;
	u32 steps;
	const char *needs;
};

/* Their rows; the input is a struct random_args, which it fills in. */
extern const struct argp explore_random_argp;

/**
 * explore_random() - run a policy at random, shrink and tell what it violates
 * @r: run, prepared as for an exploration within a struct budget
 * @a: options
 * @o: where it is told, and what is written about it
 *
 * Return: STATUS_OK; STATUS_BROKEN; STATUS_USAGE if a file could not be written;
 * STATUS_BUG; STATUS_SIGINT.
 */
int explore_random(struct explore_run *r, const struct random_args *a,
		   struct explore_output *o);

#endif /* SIM_CLI_EXPLORE_RANDOM_H */
