/* What "compare" and "run" have in common: from a scenario to results. */
#ifndef SIM_CLI_COMPARE_H
#define SIM_CLI_COMPARE_H

#include <argp.h>

#include "sim/base/types.h"

#define COMPARE_SETS_MAX	256u

/**
 * struct compare_args - the command line of compare and run
 * @scenario: scenario file
 * @policies: list, NULL for the scenario's
 * @trace: recording instead of the scenario's, or NULL
 * @threads: side table of threads instead of the scenario's, or NULL
 * @seed: seed as text, or NULL
 * @json: where to write JSON, or NULL
 * @csv: where to write CSV, or NULL
 * @plot: folder for pictures, or NULL
 * @timeline: where to write the timeline, or NULL
 * @sets: texts of --set
 * @nr_sets: used entries of @sets
 * @no_checkers: run without observers
 * @strict: broken lines of the trace are fatal
 * @stop: end a run at its first finding
 * @single: exactly one policy, and a finding decides the exit status
 */
struct compare_args {
	const char *scenario;
	const char *policies;
	const char *trace;
	const char *threads;
	const char *seed;
	const char *json;
	const char *csv;
	const char *plot;
	const char *timeline;
	const char *sets[COMPARE_SETS_MAX];
	u32 nr_sets;
	bool no_checkers;
	bool strict;
	bool stop;
	bool single;
};

/* Option rows that both commands have; a child parser of theirs. */
extern const struct argp compare_argp;

/**
 * compare_main() - do what the arguments ask for
 * @a: arguments
 *
 * Return: enum exit_status.
 */
int compare_main(const struct compare_args *a);

#endif /* SIM_CLI_COMPARE_H */
