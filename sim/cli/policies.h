/* The list of policies that a command line or a scenario names. */
#ifndef SIM_CLI_POLICIES_H
#define SIM_CLI_POLICIES_H

#include "models/flush_policy.h"

struct err;

#define POLICIES_MAX	64u

/**
 * policies_parse() - read a list of policies
 * @list: NAME[:OPTION=VALUE]... separated by commas, or "all"
 * @out: POLICIES_MAX entries
 * @nr: how many were named
 * @err: set on failure: which entry, and why
 *
 * Return: 0, or -EINVAL for an entry that is empty, unknown, named twice
 * (however its options are spelled), or "all" among others.
 */
int policies_parse(const char *list, struct flush_policy *out, u32 *nr,
		   struct err *err);

#endif /* SIM_CLI_POLICIES_H */
