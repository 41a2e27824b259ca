#include "sim/cli/explore_run.h"

#include <stdio.h>
#include <time.h>

#include "sim/check/adversary.h"
#include "sim/cli/interrupt.h"

void explore_run_begin(struct explore_run *r)
{
	clock_gettime(CLOCK_MONOTONIC, &r->begun);
}

double explore_run_seconds(const struct explore_run *r)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - r->begun.tv_sec) +
	       (double)(now.tv_nsec - r->begun.tv_nsec) / 1e9;
}

static void show_progress(void *arg, u64 states, u64 transitions)
{
	struct explore_run *r = arg;
	double seconds = explore_run_seconds(r);
	char label[128];

	(void)transitions;
	snprintf(label, sizeof(label), "%s: %llu states, %.0f/s",
		 r->machine.policy.spelling, (unsigned long long)states,
		 seconds > 0 ? (double)states / seconds : 0.0);
	progress_update(&r->progress, label, 0, 0);
}

void explore_run_init(struct explore_run *r, struct environ environ,
		      u64 mem_bytes)
{
	r->observers[0] = &checker_adversary;
	r->machine.config.observers = r->observers;
	r->machine.config.nr_observers = 1;
	r->x = (struct exploration){
		.config = &r->machine.config, .environ = environ,
		.mem_bytes = mem_bytes, .symmetry = true, .reduce = true,
		.stop = &interrupted, .progress = show_progress,
		.progress_arg = r,
	};
}

int explore_run_timed(struct explore_run *r, struct explored *e, double *seconds,
		      struct err *err)
{
	int ret;

	explore_run_begin(r);
	ret = explore(&r->x, e, err);
	*seconds = explore_run_seconds(r);
	progress_end(&r->progress);
	return ret;
}
