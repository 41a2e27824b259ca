/* eptsim compare: several policies on one schedule, side by side. */
#include <argp.h>

#include "sim/cli/cmd.h"
#include "sim/cli/compare.h"

static const struct argp_option options[] = {
	{ "policies", 'p', "LIST", 0,
	  "Policies separated by commas, or all (default: the scenario's)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_args *a = state->input;

	switch (key) {
	case 'p':
		a->policies = arg;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = a;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &compare_argp, 0, NULL, 0 }, { 0 },
	};
	static const struct argp argp = {
		options, parse, "SCENARIO.json",
		"Compare flush policies on one schedule.\v"
		"Every policy is played to the end of the schedule.  The exit "
		"status is 1 if a verdict differs from the one the scenario "
		"expects.",
		children, NULL, NULL,
	};
	struct compare_args a = { 0 };

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return STATUS_USAGE;
	return compare_main(&a);
}
