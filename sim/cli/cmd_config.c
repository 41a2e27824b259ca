#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/cli/cmd.h"
#include "sim/cli/litmus.h"
#include "sim/cli/machine_file.h"
#include "sim/cli/scenario.h"
#include "sim/config/costs.h"
#include "sim/config/json.h"
#include "sim/config/set.h"

#define FILES_MAX 4096

struct config_args {
	const char *sets[JSON_SETS_MAX];
	size_t nr_sets;
	bool checking;
	const char *files[FILES_MAX];
	size_t nr_files;
};

static const struct argp_option options[] = {
	{ "set", 's', "PATH=VALUE", 0,
	  "change a value before the checks; may be repeated", 0 },
	{ 0 },
};

static const char doc[] =
	"Check scenarios, cost sheets, machine files and litmus tests.\v"
	"Every complaint names file, line and JSON path; all are printed at "
	"once.  A scenario is checked with the files it names.  The kind of a "
	"file is told by its content.";

static error_t parse_arg(int key, char *arg, struct argp_state *state)
{
	struct config_args *a = state->input;
	char shown[160];

	switch (key) {
	case 's':
		if (a->nr_sets == JSON_SETS_MAX)
			argp_error(state, "more than %u times --set",
				   JSON_SETS_MAX);
		a->sets[a->nr_sets++] = arg;
		return 0;
	case ARGP_KEY_ARG:
		err_escape(shown, sizeof(shown), arg);
		if (!a->checking && strcmp(arg, "check"))
			argp_error(state, "found \"%s\", expected \"check\"",
				   shown);
		else if (!a->checking)
			a->checking = true;
		else if (a->nr_files == FILES_MAX)
			argp_error(state, "more than %d files", FILES_MAX);
		else
			a->files[a->nr_files++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->nr_files)
			argp_error(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What a file is meant to be, by what only that kind of file holds. */
static const char *kind_of(const struct json_doc *doc_in)
{
	const json_t *root = doc_in->root;

	if (json_is_object(json_object_get(root, "schedule")) ||
	    json_object_get(root, "workload") ||
	    json_is_string(json_object_get(root, "costs")))
		return "scenario";
	if (json_object_get(root, "programs") ||
	    json_object_get(root, "schedule"))
		return "litmus";
	if (json_object_get(root, "tlb"))
		return "machine";
	if (json_object_get(root, "costs"))
		return "costs";
	return NULL;
}

static void check_litmus(const struct json_node *top, struct complaints *c)
{
	struct litmus l;

	litmus_read(top, &l, c);
	litmus_release(&l);
}

static void check_doc(struct json_doc *in, const char *kind,
		      const struct config_args *a, struct complaints *c)
{
	struct json_node top = json_top(in);
	struct machine_file machine;
	struct cost_sheet sheet;

	for (size_t i = 0; i < a->nr_sets; i++)
		set_apply(in, a->sets[i], a->sets[i], c);
	if (!kind)
		json_complain(&top, c, "neither a scenario (\"schedule\"), a cost sheet (\"costs\"), a machine (\"tlb\") nor a litmus test (\"programs\")");
	else if (!strcmp(kind, "machine"))
		machine_file_read(&top, &machine, c);
	else if (!strcmp(kind, "litmus"))
		check_litmus(&top, c);
	else
		costs_read(&top, &sheet, c);
}

static int check_file(const char *path, const struct config_args *a)
{
	struct scenario *s = NULL;
	struct json_doc *in = NULL;
	struct complaints c;
	const char *kind = NULL;
	int ret = STATUS_OK;

	complaints_init(&c);
	if (!json_doc_read(path, &in, &c)) {
		kind = kind_of(in);
		if (kind && !strcmp(kind, "scenario")) {
			complaints_release(&c);
			scenario_load(path, a->sets, a->nr_sets, &s, &c);
		} else {
			check_doc(in, kind, a, &c);
		}
	}
	if (c.nr) {
		complaints_print(&c, stderr);
		ret = STATUS_USAGE;
	} else {
		printf("%s: ok (%s)\n", path, kind);
	}
	scenario_free(s);
	json_doc_free(in);
	complaints_release(&c);
	return ret;
}

int cmd_config(int argc, char **argv)
{
	static const struct argp argp = { options, parse_arg,
					  "check FILE...", doc, NULL, NULL,
					  NULL };
	static struct config_args args;
	int ret = STATUS_OK;

	if (argp_parse(&argp, argc, argv, 0, NULL, &args))
		return STATUS_USAGE;
	for (size_t i = 0; i < args.nr_files; i++)
		ret |= check_file(args.files[i], &args);
	return ret;
}
