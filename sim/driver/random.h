/*
 * Random runs of machines that are too big to be explored: the same steps, the
 * same environment and the same judge at every step, but of all schedules only
 * some.  What they do not find may be there all the same.
 *
 * Each run is drawn from the seed and its number, and so is what kind of run it
 * is: on a big machine where everybody does everything, hardly anything ever
 * meets.  So a run leaves most of the machine and some kinds of events alone
 * (A. Groce et al., "Swarm Testing", 2012):
 *
 * - How many VMs, vCPUs of each and pCPUs take part is drawn so that 1, 2 to 3,
 *   4 to 7 ... are equally likely, and who they are evenly.  The others do
 *   nothing but take interrupts.
 * - Each kind of event takes part in every second run, and at least one does.
 *   Scheduling, interrupts and the steps of threads always do.
 * - Each kind weighs 1, 4, 16 or 64.
 * - In 0, 8, 12 or 15 of 16 draws it is the turn of whoever has just acted, if
 *   there is anything for them to do.
 *
 * Then, for each action: one draw in four is for the interrupts of a pCPU, two
 * are for the thread on a pCPU that takes part, and one, or where nobody is on
 * it, for any thread that takes part.  Of what it can do one thing is drawn
 * evenly, if it begins on a pCPU for one that is drawn first, and happens in as
 * many cases out of 64 as its kind weighs; else all is drawn anew.
 */
#ifndef SIM_DRIVER_RANDOM_H
#define SIM_DRIVER_RANDOM_H

#include <signal.h>

#include "sim/driver/environ.h"
#include "sim/machine/machine.h"

/**
 * struct random_runs - what to run
 * @config: exploring configuration
 * @environ: what the environment may do
 * @kinds: BIT(ACTION_...) of the kinds that runs draw theirs from
 * @seed: seed of all runs
 * @first: number of the first run
 * @nr: how many runs
 * @steps: actions of each, at most
 * @stop: when it becomes nonzero the runs end early; may be NULL
 * @progress: called now and then with the runs that are done; may be NULL
 * @progress_arg: handed to @progress
 */
struct random_runs {
	const struct machine_config *config;
	struct environ environ;
	u32 kinds;
	u64 seed;
	u64 first;
	u64 nr;
	u32 steps;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *arg, u64 runs);
	void *progress_arg;
};

/**
 * struct random_found - what came of it
 * @violated: the last run ended in @finding
 * @runs: runs begun; if there is a violation, it is in the last of them
 * @actions: what happened in all of them
 * @finding: the violation
 * @path: @nr_path actions that lead to it; random_found_release() frees it
 * @nr_path: their number
 */
struct random_found {
	bool violated;
	u64 runs;
	u64 actions;
	struct finding finding;
	struct action *path;
	u32 nr_path;
};

/**
 * random_runs() - run until something is violated
 * @r: what
 * @out: filled in on success
 * @err: set on failure
 *
 * A run may end before its @steps: when nothing that takes part can happen.
 *
 * Return: 0 or -ENOMEM.
 */
int random_runs(const struct random_runs *r, struct random_found *out,
		struct err *err);

/**
 * random_found_release() - free the path
 * @f: outcome; the struct itself stays the caller's
 */
void random_found_release(struct random_found *f);

#endif /* SIM_DRIVER_RANDOM_H */
