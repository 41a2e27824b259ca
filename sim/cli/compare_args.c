#include "sim/cli/compare.h"

enum { OPT_TRACE = 256, OPT_THREADS, OPT_SEED, OPT_JSON, OPT_CSV, OPT_PLOT,
       OPT_TIMELINE, OPT_NO_CHECKERS, OPT_STRICT };

static const struct argp_option options[] = {
	{ "trace", OPT_TRACE, "FILE", 0,
	  "Replay this recording instead of the scenario's", 0 },
	{ "threads", OPT_THREADS, "FILE", 0,
	  "Which process each thread belongs to", 0 },
	{ "strict", OPT_STRICT, NULL, 0,
	  "Broken lines of the recording are fatal", 0 },
	{ "set", 's', "PATH=VALUE", 0,
	  "Change a value of the scenario before it is checked; may be repeated",
	  0 },
	{ "seed", OPT_SEED, "N", 0, "Seed of all random streams", 0 },
	{ "no-checkers", OPT_NO_CHECKERS, NULL, 0,
	  "Cost only: no verdicts", 0 },
	{ "json", OPT_JSON, "FILE", 0,
	  "Write the results as JSON; - is standard output, and moves the table to standard error",
	  1 },
	{ "csv", OPT_CSV, "FILE", 0, "Write the results as CSV", 1 },
	{ "plot", OPT_PLOT, "DIR", 0, "Draw PNG and SVG pictures there", 1 },
	{ "timeline", OPT_TIMELINE, "FILE", 0,
	  "Write what happened when as Chrome trace-event JSON", 1 },
	{ 0 },
};

/* Option rows are named as users type them: "--json". */
static void refuse_empty(const struct argp_state *state, int key,
			 const char *arg)
{
	for (const struct argp_option *o = options; o->name; o++)
		if (o->key == key && !*arg)
			argp_error(state, "--%s: found an empty text, expected %s",
				   o->name, o->arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_args *a = state->input;
	const char **text[] = {
		[OPT_TRACE - OPT_TRACE] = &a->trace,
		[OPT_THREADS - OPT_TRACE] = &a->threads,
		[OPT_SEED - OPT_TRACE] = &a->seed,
		[OPT_JSON - OPT_TRACE] = &a->json,
		[OPT_CSV - OPT_TRACE] = &a->csv,
		[OPT_PLOT - OPT_TRACE] = &a->plot,
		[OPT_TIMELINE - OPT_TRACE] = &a->timeline,
	};

	switch (key) {
	case 's':
		if (a->nr_sets == COMPARE_SETS_MAX)
			argp_error(state, "more than %u times --set",
				   COMPARE_SETS_MAX);
		a->sets[a->nr_sets++] = arg;
		return 0;
	case OPT_NO_CHECKERS:
		a->no_checkers = true;
		return 0;
	case OPT_STRICT:
		a->strict = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->scenario)
			argp_error(state, "one SCENARIO.json at a time");
		if (!*arg)
			argp_error(state, "the name of the scenario is empty; expected SCENARIO.json");
		a->scenario = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->scenario)
			argp_error(state, "which SCENARIO.json?");
		return 0;
	default:
		if (key < OPT_TRACE || key > OPT_TIMELINE)
			return ARGP_ERR_UNKNOWN;
		refuse_empty(state, key, arg);
		*text[key - OPT_TRACE] = arg;
		return 0;
	}
}

const struct argp compare_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };
