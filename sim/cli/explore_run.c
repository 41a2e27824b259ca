#include "sim/cli/explore_run.h"

#include <stdio.h>
#include <time.h>

#include "sim/check/adversary.h"
#include "sim/cli/interrupt.h"

static void show_progress(void *arg, u64 states, u64 transitions)
{
	struct explore_run *r = arg;
	char label[128];

	(void)transitions;
	snprintf(label, sizeof(label), "%s: %llu states",
		 r->machine.policy.spelling, (unsigned long long)states);
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
	struct timespec from, to;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &from);
	ret = explore(&r->x, e, err);
	clock_gettime(CLOCK_MONOTONIC, &to);
	progress_end(&r->progress);
	*seconds = (double)(to.tv_sec - from.tv_sec) +
		   (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	return ret;
}
