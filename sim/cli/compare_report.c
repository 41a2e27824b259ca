#define _GNU_SOURCE
#include "sim/cli/compare_report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/cli/find_configs.h"
#include "sim/cli/same_file.h"
#include "sim/cli/scenario.h"
#include "sim/cli/version.h"
#include "sim/report/csv.h"
#include "sim/report/figures.h"
#include "sim/report/json.h"
#include "sim/report/plot.h"
#include "sim/report/recost.h"
#include "sim/report/table.h"
#include "sim/report/text.h"
#include "traces/schedule.h"

static int open_file(struct compare_output *o, enum compare_file i,
		     const char *path, struct err *err)
{
	return path ? report_file_open(&o->file[i], path, stdout, err) : 0;
}

/* Each name is held against what is read and the results before it. */
int compare_output_check(const struct compare_args *a,
			 const struct scenario *s, struct err *err)
{
	const struct file_role file[] = {
		{ "the scenario", a->scenario, true },
		{ "the trace", s->trace, true },
		{ "the table of threads", s->threads, true },
		{ "the machine file", s->machine_file, true },
		{ "the cost sheet", s->costs_file, true },
		{ "--timeline", a->timeline, false },
		{ "--json", a->json, false },
		{ "--csv", a->csv, false },
	};
	char path[PATH_MAX];
	int ret = 0;

	for (u32 i = 0; i < ARRAY_SIZE(file) && !ret; i++)
		if (!file[i].read)
			ret = same_file_refuse(&file[i], file, i, err);
	for (u32 i = 0; !ret && a->plot && plot_path(a->plot, i, path); i++) {
		const struct file_role out = { "--plot", path, false };

		ret = same_file_refuse(&out, file, ARRAY_SIZE(file), err);
	}
	return ret;
}

static int prepare_plots(struct compare_output *o, const char *dir,
			 struct err *err)
{
	char configs[PATH_MAX - sizeof("/../bench/plots")];
	int ret;

	if (!dir)
		return 0;
	ret = find_configs_dir(configs, sizeof(configs), err);
	if (ret)
		return ret;
	snprintf(o->scripts, sizeof(o->scripts), "%s/../bench/plots", configs);
	return plot_prepare(dir, o->scripts, err);
}

int compare_output_open(struct compare_output *o, const struct compare_args *a,
			struct err *err)
{
	int ret = prepare_plots(o, a->plot, err);

	if (!ret)
		ret = open_file(o, COMPARE_TIMELINE, a->timeline, err);
	if (!ret)
		ret = open_file(o, COMPARE_JSON, a->json, err);
	if (!ret)
		ret = open_file(o, COMPARE_CSV, a->csv, err);
	return ret;
}

static void tap(void *arg, const struct probe_rec *rec)
{
	struct compare_output *o = arg;

	timeline_probe(&o->timeline, o->run, rec);
}

void compare_output_run(struct compare_output *o, struct machine_config *c,
			u32 run)
{
	if (!o->file[COMPARE_TIMELINE].f)
		return;
	if (!o->begun) {
		o->shape = (struct run_shape){
			.nr_pcpus = c->nr_pcpus, .nr_vms = c->nr_vms,
			.nr_vcpus = c->nr_vcpus, .vm_of_vcpu = c->vm_of_vcpu,
			.clock_khz = c->costs->clock_khz,
		};
		timeline_open(&o->timeline, o->file[COMPARE_TIMELINE].f, &o->shape,
			      TIMELINE_EVENTS_MAX);
		o->begun = true;
	}
	o->run = run;
	timeline_run(&o->timeline, run, c->policy->spelling);
	c->tap = tap;
	c->tap_arg = o;
	c->tap_wants = TIMELINE_WANTS;
}

void compare_output_abort(struct compare_output *o)
{
	for (u32 i = 0; i < COMPARE_FILE_NR; i++)
		report_file_abort(&o->file[i]);
}

static int finish_timeline(struct compare_output *o, struct err *err)
{
	int ret;

	if (!o->file[COMPARE_TIMELINE].f)
		return 0;
	ret = o->begun ? timeline_close(&o->timeline, err) : 0;
	return report_file_end(&o->file[COMPARE_TIMELINE], ret, err);
}

static void put_option(FILE *f, const char *option, const char *value)
{
	char word[2 * PATH_MAX];

	if (!value)
		return;
	text_quote(word, sizeof(word), value);
	fprintf(f, "%s%s", option, word);
}

/* The command that gives the same again; open_memstream() may come back short. */
static char *make_replay(const struct compare_results *r)
{
	const struct compare_args *a = r->args;
	bool piped = !strcmp(r->scenario->trace, "-");
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_option(f, "", program_invocation_name);
	put_option(f, a->single ? " run " : " compare ", a->scenario);
	put_option(f, " --trace ", piped ? "TRACE" : a->trace);
	put_option(f, " --threads ", a->threads);
	for (u32 i = 0; i < a->nr_sets; i++)
		if (!piped || strcmp(a->sets[i], "schedule.trace=-"))
			put_option(f, " --set ", a->sets[i]);
	if (a->strict)
		fputs(" --strict", f);
	if (a->no_checkers)
		fputs(" --no-checkers", f);
	if (a->single && !a->stop)
		fputs(" --keep-going", f);
	fprintf(f, " --seed %llu", (unsigned long long)r->scenario->seed);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Kinds of recorded events that a run rests on. */
static void fill_events(struct comparison *c, const struct schedule *s)
{
	static const char *const used[] = { "sched_switch", "kvm_fpu" };

	c->trace.events_used = used;
	c->trace.nr_events_used = s->has_brackets ? 2 : 1;
}

static void fill(struct comparison *c, const struct compare_results *r)
{
	const struct schedule *s = r->schedule;

	*c = (struct comparison){
		.version = eptsim_version, .commit = eptsim_commit,
		.scenario = r->scenario->name, .machine = r->scenario->machine,
		.l0 = l0_kind_name(r->scenario->l0.kind),
		.access_model = access_model_name(r->scenario->access_model),
		.seed = r->scenario->seed,
		.nr_pcpus = r->config->nr_pcpus, .nr_vms = r->config->nr_vms,
		.nr_vcpus = r->config->nr_vcpus,
		.partial = r->partial,
		.checked = r->config->nr_observers > 0,
		.costs = &r->scenario->costs,
		.strict_per_s = r->scenario->workload.strict_per_s,
		.guest_flush_per_s = r->scenario->workload.guest_flush_per_s,
		.nr_runs = r->nr, .run = r->result,
	};
	fill_events(c, s);
	c->trace.file = s->trace_file;
	c->trace.events = s->switches;
	c->trace.lost = s->lost_events;
	c->trace.torn = s->torn;
	c->trace.chain_breaks = s->chain_breaks;
	c->trace.recorded_policy = s->recorded_under.policy;
	c->trace.recorded_l0 = s->recorded_under.l0;
	c->trace.recorded_kernel = s->recorded_under.kernel;
}

static int write_file(struct compare_output *o, enum compare_file i,
		      const struct comparison *c, const struct recost *rc,
		      struct err *err)
{
	int ret;

	if (!o->file[i].f)
		return 0;
	ret = i == COMPARE_JSON ? json_write(o->file[i].f, c, rc, err) :
				  csv_write(o->file[i].f, c, rc, err);
	return report_file_end(&o->file[i], ret, err);
}

static int print_table(const struct compare_args *a, const struct comparison *c,
		       const struct recost *rc, struct err *err)
{
	bool moved = (a->json && !strcmp(a->json, "-")) ||
		     (a->csv && !strcmp(a->csv, "-")) ||
		     (a->timeline && !strcmp(a->timeline, "-"));
	FILE *to = moved ? stderr : stdout;

	return table_write(to, c, rc, isatty(fileno(to)), err);
}

static int first_of(int a, int b)
{
	return a ? a : b;
}

/* The first failure is reported; what can be written is written all the same. */
static int write_all(struct compare_output *o, const struct compare_results *r,
		     const struct comparison *c, const struct recost *rc,
		     struct err *err)
{
	struct err later;
	int ret = print_table(r->args, c, rc, err);

	ret = first_of(ret, write_file(o, COMPARE_JSON, c, rc,
				       ret ? &later : err));
	ret = first_of(ret, write_file(o, COMPARE_CSV, c, rc,
				       ret ? &later : err));
	if (!r->args->plot)
		return ret;
	return first_of(ret, plot_write(c, r->args->plot, o->scripts,
					ret ? &later : err));
}

int compare_output_write(struct compare_output *o,
			 const struct compare_results *r, struct err *err)
{
	const struct recost_options opt = {
		.nr_draws = RECOST_DRAWS, .seed = r->scenario->seed,
		.categories = OVERHEAD_CATEGORIES,
		.resolution = RECOST_RESOLUTION,
	};
	char policies[2 * PATH_MAX];
	char *replay = make_replay(r);
	struct comparison c;
	struct recost rc;
	int ret;

	fill(&c, r);
	c.replay = replay;
	text_quote(policies, sizeof(policies), r->args->policies ?
		   r->args->policies : r->scenario->policies);
	c.policies = policies;
	if (!strcmp(r->scenario->trace, "-"))
		c.replay_note = "the trace came from standard input; save it and name it in place of TRACE";
	ret = finish_timeline(o, err);
	if (!ret)
		ret = recost(&c, &opt, &rc, err);
	if (!ret) {
		ret = write_all(o, r, &c, &rc, err);
		recost_release(&rc);
	}
	compare_output_abort(o);
	free(replay);
	return ret;
}
