/* Where the results of compare and run go: table, JSON, CSV, plots, timeline. */
#ifndef SIM_CLI_COMPARE_REPORT_H
#define SIM_CLI_COMPARE_REPORT_H

#include "sim/cli/compare.h"
#include "sim/machine/machine.h"
#include "sim/report/report_file.h"
#include "sim/report/timeline.h"

struct err;
struct scenario;
struct schedule;

/**
 * struct compare_output - what is written while the runs go on
 * @has_timeline: a timeline is being written
 * @begun: its head has been written
 * @run: number of the run going on
 * @shape: sizes the timeline was opened with
 * @timeline: the timeline
 * @file: its file
 */
struct compare_output {
	bool has_timeline;
	bool begun;
	u32 run;
	struct run_shape shape;
	struct timeline timeline;
	struct report_file file;
};

/**
 * struct compare_results - all results of one invocation
 * @args: command line
 * @scenario: scenario
 * @schedule: recording
 * @config: machine, the same for all policies
 * @nr: entries of @result
 * @result: results
 * @partial: interrupted
 */
struct compare_results {
	const struct compare_args *args;
	const struct scenario *scenario;
	const struct schedule *schedule;
	const struct machine_config *config;
	u32 nr;
	struct run_result *result;
	bool partial;
};

/**
 * compare_output_open() - open what is written during the runs
 * @o: zeroed
 * @a: command line
 * @err: set on failure
 *
 * Return: 0 or -errno.
 */
int compare_output_open(struct compare_output *o, const struct compare_args *a,
			struct err *err);

/**
 * compare_output_run() - the next run begins
 * @o: output
 * @c: its configuration; a tap is added if there is a timeline
 * @run: its number
 */
void compare_output_run(struct compare_output *o, struct machine_config *c,
			u32 run);

/**
 * compare_output_abort() - leave nothing half written
 * @o: output
 */
void compare_output_abort(struct compare_output *o);

/**
 * compare_output_write() - print and write everything asked for
 * @o: output; finished in any case
 * @r: results
 * @err: set on failure
 *
 * Return: 0 or -errno.
 */
int compare_output_write(struct compare_output *o,
			 const struct compare_results *r, struct err *err);

#endif /* SIM_CLI_COMPARE_REPORT_H */
