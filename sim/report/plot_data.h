/*
 * Data files of the pictures: tab-separated, one header line, no quotes, safe
 * whatever the names are.
 */
#ifndef SIM_REPORT_PLOT_DATA_H
#define SIM_REPORT_PLOT_DATA_H

#include <stdio.h>

#include "sim/core/result.h"

/* Longest name on an axis. */
#define PLOT_NAME_MAX 32u

/**
 * struct plot_scale - how to draw, as gnuplot cannot easily find out
 * @nr_policies: rows or panels
 * @limit: end of the axis of values; what is beyond is cut off and marked
 * @floor: start of a logarithmic axis, or 0 for a linear one
 */
struct plot_scale {
	u32 nr_policies;
	double limit;
	double floor;
};

/**
 * plot_name() - a name that is nothing but a name for gnuplot
 * @to: where to write
 * @size: size of @to
 * @from: name
 *
 * Only printable ASCII without quotes, backquotes and backslashes stays.
 */
void plot_name(char *to, size_t size, const char *from);

/**
 * plot_cycles_data() - where guest time is lost, one line per policy
 * @out: stream
 * @c: comparison
 *
 * Columns: position, policy, label, all of it, then each overhead category and
 * overrun, in percent of guest time.
 *
 * Return: how to draw it.
 */
struct plot_scale plot_cycles_data(FILE *out, const struct comparison *c);

/**
 * plot_rates_data() - events per second over time
 * @out: stream
 * @c: comparison
 *
 * Columns: time in seconds, migrations per second, flushes per second of each
 * policy.
 *
 * Return: how to draw it.
 */
struct plot_scale plot_rates_data(FILE *out, const struct comparison *c);

#endif /* SIM_REPORT_PLOT_DATA_H */
