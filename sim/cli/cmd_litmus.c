/* eptsim litmus: programs of actors, explored; policy beside policy. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/cli/arg_number.h"
#include "sim/cli/cmd.h"
#include "sim/cli/explore_told.h"
#include "sim/cli/find_configs.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/litmus_report.h"
#include "sim/cli/policies.h"
#include "sim/cli/same_file.h"
#include "sim/config/complain.h"
#include "sim/core/result.h"
#include "sim/report/report_file.h"

#define FILES_MAX	CONFIG_FILES_MAX

enum { OPT_TAP = 256, OPT_JUNIT, OPT_STORY, OPT_MEM };

struct litmus_args {
	const char *policies;
	const char *junit;
	u64 mem_mib;
	bool tap;
	bool story;
	u32 nr;
	const char *file[FILES_MAX];
};

static const struct argp_option options[] = {
	{ "policies", 'p', "LIST", 0,
	  "Policies separated by commas (default: all, and those with options that a file names)", 0 },
	{ "tap", OPT_TAP, NULL, 0, "Print TAP instead of the table", 0 },
	{ "junit", OPT_JUNIT, "FILE", 0, "Write JUnit XML as well", 0 },
	{ "story", OPT_STORY, NULL, 0,
	  "Tell the shortest schedule of each violation, on standard error", 0 },
	{ "mem", OPT_MEM, "MIB", 0, "Memory for states (default 4096)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct litmus_args *a = state->input;

	switch (key) {
	case 'p':
		a->policies = arg;
		return 0;
	case OPT_TAP:
		a->tap = true;
		return 0;
	case OPT_JUNIT:
		if (!*arg)
			argp_error(state, "--junit: the file name is empty");
		a->junit = arg;
		return 0;
	case OPT_STORY:
		a->story = true;
		return 0;
	case OPT_MEM:
		a->mem_mib = arg_number(state, "mem", arg, 1, 1u << 20);
		return 0;
	case ARGP_KEY_ARG:
		if (a->nr == FILES_MAX)
			argp_error(state, "more than %u files", FILES_MAX);
		a->file[a->nr++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What is explored, and where it goes. */
struct litmus_suite {
	const struct litmus_args *args;
	struct litmus *test;
	const struct litmus **pointer;
	u32 nr_policies;
	struct flush_policy policy[POLICIES_MAX];
	struct litmus_table table;
	struct explore_run run;
};

static void tell(struct litmus_suite *s, const struct litmus *l,
		 const struct explored *e)
{
	struct told t;
	struct err err;

	fprintf(stderr, "%s, %s: %s: %s\n", l->name,
		s->run.machine.policy.spelling, e->finding.invariant,
		e->finding.text);
	if (told_make(&t, &s->run, e, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return;
	}
	told_print(&t, stderr);
	told_release(&t);
}

/* Clean is what comes out as well where the programs exclude each other. */
static void check_end(const struct litmus *l, const struct script_seen *seen,
		      struct litmus_cell *c)
{
	size_t len = 0;

	if (c->verdict || !c->exhausted || seen->finished)
		return;
	c->stuck = true;
	for (u32 p = 0; p < l->script.nr && len < sizeof(c->text); p++)
		if (seen->at[p] < l->script.program[p].nr)
			len += (size_t)snprintf(c->text + len,
						sizeof(c->text) - len,
						"%sprogram %u never gets past its step %u",
						len ? "; " : "", p + 1,
						seen->at[p] + 1);
	if (!len)
		snprintf(c->text, sizeof(c->text), "each program can end, but not all in one run");
}

static int run_cell(struct litmus_suite *s, const struct litmus *l,
		    const struct flush_policy *policy, struct litmus_cell *c)
{
	struct script_seen seen = { 0 };
	struct script script = l->script;
	struct explored e;
	struct err err;
	const char *why;

	script.seen = &seen;
	c->judged = litmus_expected(l, policy, &c->expected);
	litmus_machine(l, &s->run.machine);
	s->run.machine.policy = *policy;
	explore_run_init(&s->run, (struct environ){ .ops = &environ_script,
						    .arg = &script },
			 s->args->mem_mib << 20);
	if (!machine_applies(&s->run.machine.config, &why)) {
		c->verdict = LITMUS_NA;
		snprintf(c->text, sizeof(c->text), "%s", why);
		return STATUS_OK;
	}
	if (explore_run_timed(&s->run, &e, &c->seconds, &err)) {
		fprintf(stderr, "error: %s: %s\n", l->file, err.msg);
		return STATUS_BUG;
	}
	c->exhausted = e.exhausted;
	c->states = e.states;
	if (e.violated) {
		c->verdict = VERDICT_BIT((u32)(e.finding.invariant[1] - '0'));
		snprintf(c->text, sizeof(c->text), "%s", e.finding.text);
		if (s->args->story)
			tell(s, l, &e);
	}
	check_end(l, &seen, c);
	explored_release(&e);
	return interrupted ? STATUS_SIGINT : STATUS_OK;
}

static int run_suite(struct litmus_suite *s)
{
	const struct litmus_table *t = &s->table;
	int status = STATUS_OK;

	for (u32 i = 0; i < t->nr_tests && !status; i++)
		for (u32 p = 0; p < t->nr_policies && !status; p++)
			status = run_cell(s, t->test[i], &t->policy[p],
					  litmus_cell_at(t, i, p));
	return status;
}

static int write_junit(const struct litmus_suite *s)
{
	struct report_file rf;
	struct err err;

	if (!s->args->junit)
		return STATUS_OK;
	if (!report_file_open(&rf, s->args->junit, stdout, &err)) {
		litmus_print_junit(&s->table, rf.f);
		if (!report_file_commit(&rf, &err))
			return STATUS_OK;
	}
	fprintf(stderr, "error: %s\n", err.msg);
	return STATUS_USAGE;
}

static int report(const struct litmus_suite *s)
{
	const struct litmus_table *t = &s->table;
	int status = write_junit(s);

	if (s->args->tap)
		litmus_print_tap(t, stdout);
	else
		litmus_print(t, stdout);
	for (u32 k = 0; k < t->nr_tests * t->nr_policies; k++)
		if (litmus_differs(&t->cell[k]) && !status)
			status = STATUS_BROKEN;
	return status;
}

/* Policies that a test has an expectation of, options and all. */
static void add_policies(struct litmus_suite *s, const struct litmus *l)
{
	for (u32 i = 0; i < l->nr_expect; i++) {
		const struct flush_policy *p = &l->expect[i].policy;
		u32 k = 0;

		while (k < s->nr_policies &&
		       !flush_policy_same(&s->policy[k], p))
			k++;
		if (k == s->nr_policies && k < POLICIES_MAX)
			s->policy[s->nr_policies++] = *p;
	}
}

static int load(struct litmus_suite *s)
{
	struct complaints c;
	int ret = STATUS_OK;

	complaints_init(&c);
	for (u32 i = 0; i < s->args->nr; i++) {
		litmus_load(s->args->file[i], &s->test[i], &c);
		s->pointer[i] = &s->test[i];
		if (!s->args->policies)
			add_policies(s, &s->test[i]);
	}
	if (c.nr) {
		complaints_print(&c, stderr);
		ret = STATUS_USAGE;
	}
	complaints_release(&c);
	return ret;
}

static int run_loaded(struct litmus_suite *s)
{
	int status;

	s->table = (struct litmus_table){
		.nr_tests = s->args->nr, .test = s->pointer,
		.nr_policies = s->nr_policies, .policy = s->policy,
		.cell = calloc((size_t)s->args->nr * s->nr_policies,
			       sizeof(*s->table.cell)),
	};
	if (!s->table.cell)
		return STATUS_BUG;
	progress_begin(&s->run.progress, isatty(STDERR_FILENO) ? stderr : NULL);
	status = run_suite(s);
	if (!status)
		status = report(s);
	free(s->table.cell);
	return status;
}

static int run_files(const struct litmus_args *a,
		     const struct flush_policy *policies, u32 nr_policies)
{
	struct litmus_suite *s = calloc(1, sizeof(*s));
	int status = STATUS_BUG;

	if (!s)
		return status;
	s->args = a;
	s->nr_policies = nr_policies;
	memcpy(s->policy, policies, nr_policies * sizeof(*policies));
	s->test = calloc(a->nr, sizeof(*s->test));
	s->pointer = calloc(a->nr, sizeof(*s->pointer));
	if (s->test && s->pointer) {
		status = load(s);
		if (!status)
			status = run_loaded(s);
		for (u32 i = 0; i < a->nr; i++)
			litmus_release(&s->test[i]);
	}
	if (status == STATUS_BUG)
		fprintf(stderr, "error: the tests were not run to the end\n");
	free(s->pointer);
	free(s->test);
	free(s);
	return status;
}

/* Replaces folders by what is in them, and nothing by what is shipped. */
static int list_files(struct litmus_args *a, struct config_files *files,
		      struct err *err)
{
	int ret = a->nr ? 0 : find_configs("litmus", files, err);

	for (u32 i = 0; i < a->nr && !ret; i++)
		ret = find_configs_at(a->file[i], files, err);
	for (a->nr = 0; a->nr < files->nr; a->nr++) {
		const struct file_role out = { "--junit", a->junit, false };
		const struct file_role in = { "a test", files->path[a->nr],
					      true };

		a->file[a->nr] = files->path[a->nr];
		if (!ret && a->junit)
			ret = same_file_refuse(&out, &in, 1, err);
	}
	return ret;
}

int cmd_litmus(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "[FILE|FOLDER...]",
		"Explore litmus files, policy beside policy.\v"
		"Without FILE: all that come with the program.  The exit status "
		"is 1 if any verdict is not what its file expects.",
		NULL, NULL, NULL,
	};
	static struct litmus_args a = { .mem_mib = 4096 };
	static struct flush_policy policies[POLICIES_MAX];
	static struct config_files files;
	struct err err;
	u32 nr;
	int status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return STATUS_USAGE;
	if (policies_parse(a.policies ? a.policies : "all", policies, &nr,
			   &err) || list_files(&a, &files, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		find_configs_release(&files);
		return STATUS_USAGE;
	}
	interrupt_catch(SIGINT);
	status = run_files(&a, policies, nr);
	find_configs_release(&files);
	return status;
}
