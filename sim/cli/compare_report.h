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

/* Files of results, opened before the runs so that a bad name costs no time. */
enum compare_file { COMPARE_TIMELINE, COMPARE_JSON, COMPARE_CSV, COMPARE_FILE_NR };

/**
 * struct compare_output - what is written during and after the runs
 * @begun: the head of the timeline has been written
 * @run: number of the run going on
 * @shape: sizes the timeline was opened with
 * @timeline: the timeline
 * @file: the files, zeroed where there is none
 * @scripts: folder of the gnuplot scripts; set if pictures are wanted
 */
struct compare_output {
	bool begun;
	u32 run;
	struct run_shape shape;
	struct timeline timeline;
	struct report_file file[COMPARE_FILE_NR];
	char scripts[PATH_MAX];
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
 * compare_output_check() - refuse names that would overwrite what is read
 * @a: command line
 * @s: scenario, for the files it names
 * @err: set on failure
 *
 * Nor may two results have one name.  Nothing is opened or made.
 *
 * Return: 0 or -EINVAL.
 */
int compare_output_check(const struct compare_args *a,
			 const struct scenario *s, struct err *err);

/**
 * compare_output_open() - open files, find and make folders
 * @o: zeroed
 * @a: command line
 * @err: set on failure; then call compare_output_abort()
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
