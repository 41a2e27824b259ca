/* Numbers on the command line. */
#ifndef SIM_CLI_ARG_NUMBER_H
#define SIM_CLI_ARG_NUMBER_H

#include <argp.h>

#include "sim/base/types.h"

/**
 * arg_number() - the argument of an option as a number
 * @state: of argp; complains and exits
 * @option: its long name, for the complaint
 * @arg: decimal digits, nothing before and nothing behind
 * @min: least that is accepted
 * @max: greatest
 *
 * Return: the number; does not return if @arg is none, or out of range.
 */
u64 arg_number(struct argp_state *state, const char *option, const char *arg,
	       u64 min, u64 max);

#endif /* SIM_CLI_ARG_NUMBER_H */
