/*
 * A progress bar for people.  The only place outside sim/cli that knows the
 * time of day; nothing in a result depends on it.
 */
#ifndef SIM_REPORT_PROGRESS_H
#define SIM_REPORT_PROGRESS_H

#include <stdio.h>

#include "sim/base/types.h"

/**
 * struct progress - one bar
 * @out: where to draw, or NULL to draw nothing
 * @start_ns: when the work began
 * @drawn_ns: when the bar was drawn last; 0 if never
 */
struct progress {
	FILE *out;
	u64 start_ns;
	u64 drawn_ns;
};

/**
 * progress_begin() - note when the work began
 * @p: bar
 * @out: a terminal, lent until progress_end(); NULL draws nothing
 */
void progress_begin(struct progress *p, FILE *out);

/**
 * progress_update() - say how far the work is
 * @p: bar
 * @label: what is being done
 * @done: finished part, any unit
 * @total: all of it, the same unit; 0 is unknown
 *
 * Draws only once a second has passed, and at most ten times a second; cheap
 * enough for a few thousand calls per second.
 */
void progress_update(struct progress *p, const char *label, u64 done, u64 total);

/**
 * progress_at() - progress_update() at a given time
 * @p: bar
 * @now_ns: time, nanoseconds on the clock of @p->start_ns
 * @label: what is being done
 * @done: finished part
 * @total: all of it
 */
void progress_at(struct progress *p, u64 now_ns, const char *label, u64 done,
		 u64 total);

/**
 * progress_end() - erase the bar
 * @p: bar; may be begun again
 */
void progress_end(struct progress *p);

#endif /* SIM_REPORT_PROGRESS_H */
