#define _GNU_SOURCE
#include "sim/cli/explore_random.h"

#include <errno.h>
#include <stdio.h>

#include "models/l0/l0.h"
#include "sim/base/err.h"
#include "sim/cli/arg_number.h"
#include "sim/cli/cmd.h"
#include "sim/cli/interrupt.h"
#include "sim/driver/budget.h"
#include "sim/driver/random.h"
#include "sim/driver/script.h"
#include "sim/driver/shrink.h"

#define RUNS_MAX	1000000000u
#define STEPS_MAX	1000000u
#define STEPS_DEFAULT	5000u

enum { OPT_RANDOM = 512, OPT_SEED, OPT_STEPS, OPT_FIRST };

static const struct argp_option options[] = {
	{ "random", OPT_RANDOM, "N", 0,
	  "N runs at random instead of every interleaving", 0 },
	{ "seed", OPT_SEED, "N", 0, "Seed of the runs (default 1)", 0 },
	{ "steps", OPT_STEPS, "N", 0,
	  "Actions of a run at most, 1 to 1000000 (default 5000)", 0 },
	{ "first", OPT_FIRST, "N", 0, "Number of the first run (default 1)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct random_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*a = (struct random_args){ .first = 1, .seed = 1,
					   .steps = STEPS_DEFAULT };
		return 0;
	case OPT_RANDOM:
		a->nr = arg_number(state, "random", arg, 1, RUNS_MAX);
		return 0;
	case OPT_SEED:
		a->seed = arg_number(state, "seed", arg, 0, UINT64_MAX);
		a->needs = "seed";
		return 0;
	case OPT_STEPS:
		a->steps = (u32)arg_number(state, "steps", arg, 1, STEPS_MAX);
		a->needs = "steps";
		return 0;
	case OPT_FIRST:
		a->first = arg_number(state, "first", arg, 1, RUNS_MAX);
		a->needs = "first";
		return 0;
	case ARGP_KEY_END:
		if (a->needs && !a->nr)
			argp_error(state, "--%s: only with --random", a->needs);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp explore_random_argp = {
	options, parse, NULL, NULL, NULL, NULL, NULL,
};

/* --- the command that does it again --- */

static void put_kinds(FILE *out, const char *option, u32 kinds)
{
	const char *before = "";

	fprintf(out, " %s ", option);
	for (u32 k = 0; k < ACTION_NR; k++) {
		if (!(kinds & 1u << k))
			continue;
		fprintf(out, "%s%s", before, action_name(k));
		before = ",";
	}
	if (!kinds)
		fprintf(out, "''");
}

static void put_budget(FILE *out, const struct budget *b)
{
	const u32 all = (1u << ACTION_NR) - 1, always = ACTIONS_ALWAYS;
	const char *before = " --budget ";

	if ((b->allowed | always) != all)
		put_kinds(out, "--with", b->allowed & ~always & ~ACTIONS_SCHED);
	if (ACTIONS_SCHED & ~b->allowed)
		put_kinds(out, "--without", ACTIONS_SCHED & ~b->allowed);
	for (u32 k = 0; k < ACTION_NR; k++) {
		if (b->times[k] == BUDGET_NONE)
			continue;
		fprintf(out, "%s%s=%u", before, action_name(k), b->times[k]);
		before = ",";
	}
}

static void put_replay(FILE *out, const struct explore_run *r,
		       const struct random_args *a, u64 run)
{
	const struct machine_config *c = &r->machine.config;

	fprintf(out, "  show it again:\n    %s explore -p %s --random 1 --first %llu --seed %llu --steps %u --pcpus %u --vms %u --vcpus %u",
	       program_invocation_name, r->machine.policy.spelling,
	       (unsigned long long)run, (unsigned long long)a->seed, a->steps,
	       c->nr_pcpus, c->nr_vms, c->nr_vcpus / c->nr_vms);
	if (r->machine.l0.kind != L0_BARE)
		fprintf(out, " --l0 %s", l0_kind_name(r->machine.l0.kind));
	if (r->observers[0]->invariant)
		fprintf(out, " --invariant %s", r->observers[0]->invariant);
	put_budget(out, r->x.environ.arg);
	fprintf(out, "\n");
}

/* --- what was found --- */

static void put_size(FILE *out, const struct machine_config *c)
{
	u32 vcpus = c->nr_vcpus / c->nr_vms;

	fprintf(out, "%u pCPU%s, %u VM%s of %u vCPU%s", c->nr_pcpus,
	       c->nr_pcpus == 1 ? "" : "s", c->nr_vms, c->nr_vms == 1 ? "" : "s",
	       vcpus, vcpus == 1 ? "" : "s");
}

static void report(FILE *out, const struct explore_run *r, const struct random_args *a,
		   const struct random_found *f, double seconds)
{
	fprintf(out, "%s: ", r->machine.policy.spelling);
	if (f->violated)
		fprintf(out, "broken in run %llu of seed %llu",
		       (unsigned long long)(a->first + f->runs - 1),
		       (unsigned long long)a->seed);
	else
		fprintf(out, "%sno violation", interrupted ? "interrupted, " : "");
	fprintf(out, "; %llu run%s, %llu actions, %.2f s, %.0f actions/s\n",
	       (unsigned long long)f->runs, f->runs == 1 ? "" : "s",
	       (unsigned long long)f->actions, seconds,
	       (double)f->actions / (seconds > 0 ? seconds : 1e-9));
	if (!f->violated)
		fprintf(out, "  that proves nothing: these are some schedules of very many\n");
}

static void report_shrunk(FILE *out, const struct explore_run *r,
			  const struct explore_run *told,
			  const struct random_found *f, const struct shrunk *s)
{
	fprintf(out, "  %s: %s\n  shrunk from %u actions on ", s->finding.invariant,
	       s->finding.text, f->nr_path);
	put_size(out, &r->machine.config);
	fprintf(out, " to %u on ", s->nr_path);
	put_size(out, &told->machine.config);
	fprintf(out, ", in %llu replays; %s\n", (unsigned long long)s->replays,
	       s->minimal ? "no single one can be left out" :
	       "interrupted, so that some could be left out");
}

/* Why a schedule is no litmus file, or NULL. */
static const char *no_litmus(const struct machine_config *c,
			     const struct shrunk *s)
{
	if (c->nr_pcpus > SMALL_PCPUS_MAX || c->nr_vms > SMALL_VMS_MAX ||
	    c->nr_vcpus > SMALL_VCPUS_MAX ||
	    c->nr_vcpus / c->nr_vms > SMALL_PER_VM_MAX)
		return "a machine of at most 4 pCPUs and 4 VMs, 4 vCPUs of each, 8 in all";
	if (s->nr_path > SCRIPT_STEPS_MAX)
		return "at most 1000 steps";
	return s->plain ? NULL :
	       "a machine without what does not happen, and this one needs it";
}

static int tell(struct explore_output *o, struct explore_run *told,
		const struct shrunk *s, struct err *err)
{
	const struct explored e = {
		.violated = true, .finding = s->finding, .path = s->path,
		.nr_path = s->nr_path, .depth = s->nr_path,
	};
	const char *out = o->path[EXPLORE_OUT];
	const char *why = out ? no_litmus(&told->machine.config, s) : NULL;
	int ret;

	if (why)
		o->path[EXPLORE_OUT] = NULL;
	ret = explore_output_schedule(o, told, &e, err);
	o->path[EXPLORE_OUT] = out;
	if (!ret && why)
		return err_set(err, -EINVAL, "%s: not written: a litmus file has %s",
			       out, why);
	return ret;
}

/* On the machine that is left, as explore would tell it. */
static int shrink_and_tell(const struct explore_run *r, struct explore_output *o,
			   const struct random_found *f)
{
	static struct explore_run told;
	const struct shrinking what = {
		.machine = &r->machine, .path = f->path, .nr_path = f->nr_path,
		.finding = &f->finding, .stop = &interrupted,
	};
	struct shrunk s;
	struct err err;
	int ret = shrink(&what, &told.machine, &s, &err);

	if (!ret) {
		explore_run_init(&told, r->x.environ, 0);
		told.observers[0] = r->observers[0];
		report_shrunk(o->text, r, &told, f, &s);
		if (told_fits(&told.machine.config))
			ret = tell(o, &told, &s, &err);
		else
			fprintf(o->text, "  too large a machine to tell it step by step\n");
		shrunk_release(&s);
	}
	if (!ret)
		return STATUS_BROKEN;
	fprintf(stderr, "error: %s\n", err.msg);
	return ret == -ENOMEM ? STATUS_BUG : STATUS_USAGE;
}

/* --- the whole --- */

static void show_progress(void *arg, u64 runs)
{
	struct explore_run *r = arg;
	char label[128];

	snprintf(label, sizeof(label), "%s: %llu runs",
		 r->machine.policy.spelling, (unsigned long long)runs);
	progress_update(&r->progress, label, 0, 0);
}

int explore_random(struct explore_run *r, const struct random_args *a,
		   struct explore_output *o)
{
	const struct budget *b = r->x.environ.arg;
	const struct random_runs runs = {
		.config = &r->machine.config, .environ = r->x.environ,
		.kinds = b->allowed, .seed = a->seed, .first = a->first,
		.nr = a->nr, .steps = a->steps, .stop = &interrupted,
		.progress = show_progress, .progress_arg = r,
	};
	int status = STATUS_OK;
	struct random_found f;
	struct err err;

	explore_run_begin(r);
	if (random_runs(&runs, &f, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_BUG;
	}
	progress_end(&r->progress);
	report(o->text, r, a, &f, explore_run_seconds(r));
	if (f.violated) {
		status = shrink_and_tell(r, o, &f);
		put_replay(o->text, r, a, a->first + f.runs - 1);
	}
	fflush(o->text);
	random_found_release(&f);
	return interrupted ? STATUS_SIGINT : status;
}
