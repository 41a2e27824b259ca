/*
 * The explorer: lets every actor act in turn, in every state that can be
 * reached, and stops at the first violation.  Breadth first, level by level: of
 * the violations nearest to the start it names the least in an order that does
 * not depend on how many threads search.
 */
#ifndef SIM_DRIVER_EXPLORE_H
#define SIM_DRIVER_EXPLORE_H

#include <signal.h>

#include "sim/driver/environ.h"
#include "sim/machine/actions.h"
#include "sim/machine/machine.h"

/**
 * struct exploration - what to explore
 * @config: exploring configuration; its observers must be able to visit
 * @environ: what the environment may do
 * @mem_bytes: room for states; when it is used up the exploration ends
 * @exact: keep the strings of states, and do not take two for one that have
 *         the same hash of 128 bits
 * @nr_threads: that search at once, 0 for one; the environment and the
 *              observers are then called by several
 * @symmetry: states that differ in names only are one, see names.h
 * @reduce: steps that need not be interleaved are taken at once, see
 *          machine_step_alone(); a violation is then looked for again without,
 *          since its path may be a few steps longer than the shortest
 * @any: any violation will do, none that is nearer is looked for
 * @stop: when it becomes nonzero the exploration ends early; may be NULL
 * @progress: called now and then with states found; may be NULL
 * @progress_arg: handed to @progress
 */
struct exploration {
	const struct machine_config *config;
	struct environ environ;
	u64 mem_bytes;
	bool exact;
	u32 nr_threads;
	bool symmetry;
	bool reduce;
	bool any;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *arg, u64 states, u64 transitions);
	void *progress_arg;
};

/**
 * struct explored - what came of it
 * @exhausted: every reachable state was visited
 * @violated: @finding holds
 * @states: distinct states found
 * @transitions: steps tried
 * @depth: steps from the start to the violation, or levels of the search
 * @state_bytes: memory per state, tables and states that wait included, when
 *               most was taken
 * @finding: the violation
 * @shortest: no violation is nearer to the start
 * @path: @nr_path actions that lead to it from the start, in the names of
 *        that; explored_release() frees it
 * @nr_path: their number
 */
struct explored {
	bool exhausted;
	bool violated;
	bool shortest;
	u64 states;
	u64 transitions;
	u32 depth;
	double state_bytes;
	struct finding finding;
	struct action *path;
	u32 nr_path;
};

/**
 * explore() - explore
 * @x: what
 * @out: filled in on success
 * @err: set on failure
 *
 * Return: 0; -ENOMEM; -EINVAL if an observer cannot visit.
 */
int explore(const struct exploration *x, struct explored *out, struct err *err);

/**
 * explored_release() - free the path
 * @e: outcome; the struct itself stays the caller's
 */
void explored_release(struct explored *e);

/**
 * explore_replay() - play a path again, telling what happens
 * @x: the exploration it came from
 * @e: its outcome, violated
 * @before: called before each action, with the machine as it is then
 * @arg: handed to @before, and to the tap of @x->config
 * @err: set on failure
 *
 * Return: 0 or -ENOMEM.
 */
int explore_replay(const struct exploration *x, const struct explored *e,
		   void (*before)(void *arg, const struct machine *m,
				  const struct action *a),
		   void *arg, struct err *err);

#endif /* SIM_DRIVER_EXPLORE_H */
