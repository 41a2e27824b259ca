/* The files that explore writes besides its text. */
#ifndef SIM_CLI_EXPLORE_OUTPUT_H
#define SIM_CLI_EXPLORE_OUTPUT_H

#include "sim/cli/explore_json.h"
#include "sim/report/report_file.h"

enum explore_file { EXPLORE_OUT, EXPLORE_SVG, EXPLORE_DOT, EXPLORE_JSON,
		    EXPLORE_FILE_NR };

/**
 * struct explore_output - names, and files being written
 * @path: name given to each option, or NULL; "-" is standard output
 * @text: where verdicts and stories go: standard error if a file is "-"
 * @file: files, zeroed where there is none
 * @json: JSON object
 */
struct explore_output {
	const char *path[EXPLORE_FILE_NR];
	FILE *text;
	struct report_file file[EXPLORE_FILE_NR];
	struct explore_json json;
};

/**
 * explore_output_open() - check the names and begin the files
 * @o: its @path set, all else zero
 * @nr_policies: policies to be explored
 * @mutate: bugs are looked for, which leaves no files
 * @err: set on failure; nothing is left of any file
 *
 * What holds one schedule takes one policy.
 *
 * Return: 0 or -errno.
 */
int explore_output_open(struct explore_output *o, u32 nr_policies, bool mutate,
			struct err *err);

/**
 * explore_output_run() - one policy is done
 * @o: output
 * @r: exploration
 * @e: what came of it
 * @seconds: wall-clock time it took
 * @err: set on failure
 *
 * Tells the violation, if there is one, and writes the files about it.
 *
 * Return: 0; -ENOMEM; -errno if a file could not be written.
 */
int explore_output_run(struct explore_output *o, struct explore_run *r,
		       const struct explored *e, double seconds,
		       struct err *err);

/**
 * explore_output_schedule() - tell a schedule that violates, and draw it
 * @o: output
 * @r: run
 * @e: what came of it, violated
 * @err: set on failure
 *
 * Return: 0; -ENOMEM; -errno if a file could not be written.
 */
int explore_output_schedule(struct explore_output *o, struct explore_run *r,
			    const struct explored *e, struct err *err);

/**
 * explore_output_close() - all policies are done
 * @o: output
 * @keep: write the JSON result; else nothing is left of it
 * @partial: the command was interrupted
 * @err: set on failure
 *
 * Files that nothing was to be written to do not come into being.
 *
 * Return: 0 or -errno of what failed.
 */
int explore_output_close(struct explore_output *o, bool keep, bool partial,
			 struct err *err);

#endif /* SIM_CLI_EXPLORE_OUTPUT_H */
