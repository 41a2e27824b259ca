#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/types.h"
#include "sim/cli/cmd.h"
#include "sim/cli/lists.h"
#include "sim/config/complain.h"

#define COLUMNS_MAX 8
#define WIDTH_MAX 48

struct list_args {
	const struct list *list;
	const char *file;
	bool json;
	bool markdown;
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "one JSON array", 0 },
	{ "markdown", 'm', NULL, 0, "a Markdown table", 0 },
	{ 0 },
};

static const char doc[] =
	"List what there is to choose from.\v"
	"\"costs\" lists the sheets that come with the program, or the one "
	"named: a file, or a name like icx-bare.  The configs are looked for "
	"in $EPTSIM_CONFIGS, then where they were installed, then beside the "
	"program.";

static const struct list *find_list(const char *word)
{
	for (const struct list *l = lists; l->name; l++)
		if (!strcmp(l->name, word))
			return l;
	return NULL;
}

static error_t parse_arg(int key, char *arg, struct argp_state *state)
{
	struct list_args *a = state->input;
	char shown[160];

	switch (key) {
	case 'j':
		a->json = true;
		return 0;
	case 'm':
		a->markdown = true;
		return 0;
	case ARGP_KEY_ARG:
		err_escape(shown, sizeof(shown), arg);
		if (!a->list)
			a->list = find_list(arg);
		else if (!a->list->takes_file || a->file)
			argp_error(state, "unexpected argument \"%s\"",
				   shown);
		else
			a->file = arg;
		if (!a->list)
			argp_error(state, "cannot list \"%s\"; expected policies, costs, machines, workloads, invariants or params",
				   shown);
		return 0;
	case ARGP_KEY_END:
		if (!a->list)
			argp_error(state, "nothing to list; expected policies, costs, machines, workloads, invariants or params");
		if (a->json && a->markdown)
			argp_error(state, "--json and --markdown exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void cell(const json_t *v, char *buf, size_t size)
{
	if (json_is_boolean(v))
		snprintf(buf, size, "%s", json_is_true(v) ? "yes" : "no");
	else if (json_is_integer(v))
		snprintf(buf, size, "%lld", (long long)json_integer_value(v));
	else if (json_is_number(v))
		snprintf(buf, size, "%.6g", json_number_value(v));
	else
		snprintf(buf, size, "%s", json_is_string(v) &&
			 json_string_length(v) ? json_string_value(v) : "-");
	for (char *p = buf; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
}

static void measure(const json_t *rows, const char *const *columns, int *width)
{
	char text[512];

	for (size_t k = 0; columns[k]; k++) {
		width[k] = (int)strlen(columns[k]);
		for (size_t i = 0; i < json_array_size(rows); i++) {
			int len;

			cell(json_object_get(json_array_get(rows, i),
					     columns[k]), text, sizeof(text));
			len = (int)strlen(text);
			if (len > width[k])
				width[k] = len < WIDTH_MAX ? len : WIDTH_MAX;
		}
	}
}

static void print_table(const json_t *rows, const char *const *columns)
{
	int width[COLUMNS_MAX];
	char text[512];

	measure(rows, columns, width);
	for (size_t k = 0; columns[k]; k++)
		printf("%-*s%s", columns[k + 1] ? width[k] : 0, columns[k],
		       columns[k + 1] ? "  " : "\n");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		for (size_t k = 0; columns[k]; k++) {
			cell(json_object_get(json_array_get(rows, i),
					     columns[k]), text, sizeof(text));
			printf("%-*s%s", columns[k + 1] ? width[k] : 0, text,
			       columns[k + 1] ? "  " : "\n");
		}
	}
}

static void print_markdown(const json_t *rows, const char *const *columns)
{
	char text[512];

	for (size_t k = 0; columns[k]; k++)
		printf("| %s ", columns[k]);
	printf("|\n");
	for (size_t k = 0; columns[k]; k++)
		printf("|---");
	printf("|\n");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		for (size_t k = 0; columns[k]; k++) {
			cell(json_object_get(json_array_get(rows, i),
					     columns[k]), text, sizeof(text));
			printf("| %s ", text);
		}
		printf("|\n");
	}
}

int cmd_list(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse_arg,
		"policies|costs [FILE]|machines|workloads|invariants|params",
		doc, NULL, NULL, NULL
	};
	struct list_args args = { 0 };
	struct complaints c;
	json_t *rows;
	int ret = STATUS_OK;

	if (argp_parse(&argp, argc, argv, 0, NULL, &args))
		return STATUS_USAGE;
	complaints_init(&c);
	rows = args.list->make(args.file, &c);
	if (c.nr || !rows) {
		complaints_print(&c, stderr);
		ret = STATUS_USAGE;
	} else if (args.json) {
		json_dumpf(rows, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
		printf("\n");
	} else if (args.markdown) {
		print_markdown(rows, args.list->columns);
	} else {
		print_table(rows, args.list->columns);
	}
	json_decref(rows);
	complaints_release(&c);
	return ret;
}
