/* eptsim run: one policy on one schedule. */
#include <argp.h>

#include "sim/cli/cmd.h"
#include "sim/cli/compare.h"

enum { OPT_KEEP_GOING = 512 };

static const struct argp_option options[] = {
	{ "policy", 'p', "NAME", 0, "The policy, NAME[:OPTION=VALUE]...", 0 },
	{ "policies", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "keep-going", OPT_KEEP_GOING, NULL, 0,
	  "Do not end at the first violation", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_args *a = state->input;

	switch (key) {
	case 'p':
		a->policies = arg;
		return 0;
	case OPT_KEEP_GOING:
		a->stop = false;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = a;
		return 0;
	case ARGP_KEY_END:
		if (!a->policies)
			argp_error(state, "which --policy?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &compare_argp, 0, NULL, 0 }, { 0 },
	};
	static const struct argp argp = {
		options, parse, "SCENARIO.json",
		"Run one flush policy on a schedule.\v"
		"The run ends at the first violation, and the exit status is "
		"then 1.",
		children, NULL, NULL,
	};
	struct compare_args a = { .stop = true, .single = true };

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return STATUS_USAGE;
	return compare_main(&a);
}
