/* A counterexample as a litmus file. */
#ifndef SIM_CLI_LITMUS_WRITE_H
#define SIM_CLI_LITMUS_WRITE_H

#include "sim/cli/explore_run.h"

/**
 * litmus_write() - write a violation as a file that replays it step by step
 * @path: file; there in full or not at all
 * @r: exploration
 * @e: what came of it, violated
 * @err: set on failure
 *
 * Return: 0 or -errno of what failed.
 */
int litmus_write(const char *path, const struct explore_run *r,
		 const struct explored *e, struct err *err);

#endif /* SIM_CLI_LITMUS_WRITE_H */
