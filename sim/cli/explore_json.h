/*
 * Explorations as one JSON object, for programs.  Keys and their order are an
 * interface: configs/schema/explore.json describes them; keys may be added,
 * never changed.
 */
#ifndef SIM_CLI_EXPLORE_JSON_H
#define SIM_CLI_EXPLORE_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "sim/cli/explore_told.h"
#include "sim/driver/budget.h"

/**
 * struct explore_json - an object being made
 * @top: everything; NULL if memory ran out
 * @runs: "runs" in it
 * @skipped: "skipped" in it
 * @failed: memory ran out
 */
struct explore_json {
	json_t *top;
	json_t *runs;
	json_t *skipped;
	bool failed;
};

/**
 * explore_json_begin() - say what is explored
 * @j: filled in; explore_json_release() frees it
 * @r: exploration, set up
 * @b: what the environment may do
 */
void explore_json_begin(struct explore_json *j, const struct explore_run *r,
			const struct budget *b);

/**
 * explore_json_run() - add one policy
 * @j: object
 * @r: exploration; names the policy
 * @e: what came of it
 * @seconds: wall-clock time it took
 * @t: its violation told, or NULL if there is none
 */
void explore_json_run(struct explore_json *j, const struct explore_run *r,
		      const struct explored *e, double seconds,
		      const struct told *t);

/**
 * explore_json_skip() - add a policy that does not apply
 * @j: object
 * @policy: as spelled on the command line
 * @why: one clause
 */
void explore_json_skip(struct explore_json *j, const char *policy,
		       const char *why);

/**
 * explore_json_write() - print the object
 * @j: object
 * @partial: the command was interrupted
 * @out: stream
 * @err: set on failure
 *
 * Whether @out took it is for the caller to ask.
 *
 * Return: 0 or -ENOMEM.
 */
int explore_json_write(struct explore_json *j, bool partial, FILE *out,
		       struct err *err);

/**
 * explore_json_release() - free an object
 * @j: object
 */
void explore_json_release(struct explore_json *j);

#endif /* SIM_CLI_EXPLORE_JSON_H */
