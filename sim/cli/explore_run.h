/* One exploration, as explore and litmus share it. */
#ifndef SIM_CLI_EXPLORE_RUN_H
#define SIM_CLI_EXPLORE_RUN_H

#include <time.h>

#include "sim/driver/explore.h"
#include "sim/driver/small.h"
#include "sim/report/progress.h"

/**
 * struct explore_run - everything one exploration points at
 * @machine: machine; its policy is set before each run
 * @x: exploration of @machine
 * @observers: the adversary
 * @progress: where progress is shown; begun by the caller
 * @begun: when the exploration was
 */
struct explore_run {
	struct small_machine machine;
	struct exploration x;
	const struct observer_ops *observers[1];
	struct progress progress;
	struct timespec begun;
};

/**
 * explore_run_init() - prepare to explore
 * @r: its @machine made; must not move afterwards
 * @environ: environment
 * @mem_bytes: room for states
 */
void explore_run_init(struct explore_run *r, struct environ environ,
		      u64 mem_bytes);

/**
 * explore_run_begin() - start the clock
 * @r: run
 */
void explore_run_begin(struct explore_run *r);

/**
 * explore_run_seconds() - wall-clock time since explore_run_begin()
 * @r: run
 *
 * Return: seconds.
 */
double explore_run_seconds(const struct explore_run *r);

/**
 * explore_run_timed() - explore, and how long that took
 * @r: run
 * @e: filled in on success; explored_release() frees its path
 * @seconds: wall-clock time
 * @err: set on failure
 *
 * Return: as explore().
 */
int explore_run_timed(struct explore_run *r, struct explored *e, double *seconds,
		      struct err *err);

#endif /* SIM_CLI_EXPLORE_RUN_H */
