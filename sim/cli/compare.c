/*
 * From a scenario to results: load, decode the recording once, play every
 * policy over it, hand the results to the reports.
 */
#include "sim/cli/compare.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/check/list.h"
#include "sim/cli/cmd.h"
#include "sim/cli/compare_report.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/policies.h"
#include "sim/cli/scenario.h"
#include "sim/driver/clock.h"
#include "sim/report/progress.h"

#define COMPARE_SETS_OWN	4u	/* options that stand for a --set */

/*
 * Recordings are of seconds or minutes.  Time is played whether anything was
 * recorded in it or not: of one vCPU, an hour takes seconds and a day minutes.
 */
#define LONG_SPAN_NS	(3600 * 1000000000ull)

/* Everything one invocation holds; released in one place. */
struct session {
	const struct compare_args *args;
	struct scenario *scenario;
	struct schedule *schedule;
	struct flush_policy policy[POLICIES_MAX];
	u32 nr_policies;
	u32 *vm_of_vcpu;
	const struct workload_params **workload;
	struct machine_config config;
	struct run_result *result;
	u32 nr_results;
	struct compare_output output;
	struct progress progress;
};

static int status_of(int ret)
{
	return ret == -ENOMEM ? STATUS_BUG : STATUS_USAGE;
}

static char *join(const char *key, const char *value)
{
	size_t size = strlen(key) + strlen(value) + 1;
	char *text = malloc(size);

	if (!text) {
		fprintf(stderr, "error: out of memory\n");
		exit(STATUS_BUG);
	}
	snprintf(text, size, "%s%s", key, value);
	return text;
}

static int complain_and_status(struct complaints *c, int ret)
{
	complaints_print(c, stderr);
	complaints_release(c);
	return status_of(ret);
}

/* Options that stand for a --set take the same way, and the same checks. */
static int load_scenario(struct session *s)
{
	const struct compare_args *a = s->args;
	const char *sets[COMPARE_SETS_MAX + COMPARE_SETS_OWN];
	char *own[COMPARE_SETS_OWN] = { NULL };
	struct complaints c;
	size_t n = 0;
	u32 k = 0;
	int ret;

	if (a->trace) {
		own[k++] = join("--trace=", a->trace);
		own[k++] = join("schedule.format=", "auto");
	}
	if (a->threads)
		own[k++] = join("--threads=", a->threads);
	if (a->seed)
		own[k++] = join("--seed=", a->seed);
	while (n < k) {
		sets[n] = own[n];
		n++;
	}
	for (u32 i = 0; i < a->nr_sets; i++)
		sets[n++] = a->sets[i];
	complaints_init(&c);
	ret = scenario_load(a->scenario, sets, n, &s->scenario, &c);
	for (u32 i = 0; i < k; i++)
		free(own[i]);
	if (ret)
		return complain_and_status(&c, ret);
	complaints_release(&c);
	return STATUS_OK;
}

static int load_schedule(struct session *s)
{
	const struct schedule_options opt = {
		.threads_path = s->scenario->threads,
		.strict = s->args->strict,
	};
	struct complaints c;
	struct err err;
	int ret;

	ret = schedule_load(s->scenario->trace, s->scenario->trace_format, &opt,
			    &s->schedule, &err);
	if (ret) {
		fprintf(stderr, "error: %s\n", err.msg);
		return status_of(ret);
	}
	complaints_init(&c);
	ret = scenario_check_schedule(s->scenario, s->schedule, &c);
	if (ret)
		return complain_and_status(&c, ret);
	complaints_release(&c);
	return STATUS_OK;
}

static int parse_policies(struct session *s)
{
	struct err err;

	if (policies_parse(s->args->policies ? s->args->policies :
					       s->scenario->policies,
			   s->policy, &s->nr_policies, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_USAGE;
	}
	if (s->args->single && s->nr_policies > 1) {
		fprintf(stderr, "error: run takes one policy; compare takes several\n");
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static int make_config(struct session *s)
{
	const struct schedule *sc = s->schedule;
	u32 pcpus = s->scenario->pcpus > sc->nr_pcpus ? s->scenario->pcpus :
							sc->nr_pcpus;

	s->vm_of_vcpu = calloc(sc->nr_vcpus, sizeof(*s->vm_of_vcpu));
	s->workload = calloc(sc->nr_vms, sizeof(*s->workload));
	s->result = calloc(s->nr_policies, sizeof(*s->result));
	if (!s->vm_of_vcpu || !s->workload || !s->result) {
		fprintf(stderr, "error: out of memory\n");
		return STATUS_BUG;
	}
	for (u32 v = 0; v < sc->nr_vcpus; v++)
		s->vm_of_vcpu[v] = sc->vcpu[v].vm;
	for (u32 vm = 0; vm < sc->nr_vms; vm++)
		s->workload[vm] = scenario_workload(s->scenario, vm);
	s->config = (struct machine_config){
		.nr_pcpus = pcpus,
		.nr_vms = sc->nr_vms,
		.nr_vcpus = sc->nr_vcpus,
		.vm_of_vcpu = s->vm_of_vcpu,
		.geometry = &s->scenario->geometry,
		.costs = &s->scenario->costs,
		.l0 = &s->scenario->l0,
		.workload = s->workload,
		.access_model = s->scenario->access_model,
		.seed = s->scenario->seed,
		.observers = checker_list,
		.nr_observers = s->args->no_checkers ? 0 : CHECKERS_NR,
		.duration = ns_to_cycles(sc->duration_ns,
					 s->scenario->costs.clock_khz),
	};
	return STATUS_OK;
}

static void show_progress(void *arg, u64 done, u64 all)
{
	struct session *s = arg;

	progress_update(&s->progress, s->config.policy->spelling, done, all);
}

static int play_one(struct session *s, const struct flush_policy *p,
		    struct run_result *r)
{
	struct clock_run run = {
		.config = &s->config,
		.schedule = s->schedule,
		.stop_at_finding = s->args->stop,
		.stop = &interrupted,
		.progress = show_progress,
		.progress_arg = s,
	};
	const char *why;
	struct err err;
	int ret;

	s->config.policy = p;
	memcpy(r->policy, p->spelling, sizeof(r->policy));
	if (!machine_applies(&s->config, &why)) {
		r->skipped = true;
		snprintf(r->why_skipped, sizeof(r->why_skipped), "%s", why);
		if (!s->args->single)
			return STATUS_OK;
		fprintf(stderr, "error: policy %s does not apply: %s\n",
			p->spelling, why);
		return STATUS_USAGE;
	}
	compare_output_run(&s->output, &s->config, s->nr_results);
	ret = clock_play(&run, r, &err);
	if (ret) {
		fprintf(stderr, "error: %s\n", err.msg);
		return status_of(ret);
	}
	r->unchecked = s->args->no_checkers;
	r->expect_known = scenario_expected(s->scenario, p->spelling,
					    &r->expected);
	return STATUS_OK;
}

/* What the exit status says about verdicts. */
static int verdict_status(const struct session *s)
{
	for (u32 i = 0; i < s->nr_results; i++) {
		const struct run_result *r = &s->result[i];
		u32 found = r->found_real | r->found_possible;

		if (r->skipped || s->args->no_checkers)
			continue;
		if (s->args->single ? found != 0 :
		    r->completed && r->expect_known && found != r->expected)
			return STATUS_BROKEN;
	}
	return STATUS_OK;
}

static int play_all(struct session *s)
{
	int status = STATUS_OK;

	/* A reader that went away is an error like another, not the end. */
	signal(SIGPIPE, SIG_IGN);
	progress_begin(&s->progress, isatty(STDERR_FILENO) ? stderr : NULL);
	for (u32 i = 0; i < s->nr_policies && !interrupted && !status; i++) {
		status = play_one(s, &s->policy[i], &s->result[i]);
		s->nr_results++;
	}
	progress_end(&s->progress);
	return status;
}

static int check_output(const struct session *s)
{
	struct err err;

	if (!compare_output_check(s->args, s->scenario, &err))
		return STATUS_OK;
	fprintf(stderr, "error: %s\n", err.msg);
	return STATUS_USAGE;
}

static void warn_of_span(const struct session *s)
{
	const struct schedule *sc = s->schedule;
	char name[ERR_MSG_MAX];

	if (sc->duration_ns < LONG_SPAN_NS)
		return;
	err_escape(name, sizeof(name), sc->trace_file);
	fprintf(stderr, "warning: the %llu switches of %s span %.1f hours (%.0f s); all of it is simulated%s, which may take long\n"
		"warning: no option plays a part of it: cut the recording to the stretch of interest%s\n",
		(unsigned long long)sc->switches, name,
		(double)sc->duration_ns / LONG_SPAN_NS,
		(double)sc->duration_ns / 1e9,
		s->args->single ? "" : ", once per policy",
		s->args->single ? "" : ", or name fewer policies");
}

static int session_run(struct session *s)
{
	struct err err;
	int status;

	interrupt_end(SIGINT, "interrupted: nothing had been computed yet\n",
		      STATUS_SIGINT);
	status = load_scenario(s);
	if (!status)
		status = parse_policies(s);
	if (!status)
		status = check_output(s);
	if (!status)
		status = load_schedule(s);
	if (!status)
		status = make_config(s);
	if (status)
		return status;
	warn_of_span(s);
	interrupt_catch(SIGINT);
	if (compare_output_open(&s->output, s->args, &err)) {
		compare_output_abort(&s->output);
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_USAGE;
	}
	status = play_all(s);
	if (status) {
		compare_output_abort(&s->output);
		return status;
	}
	if (compare_output_write(&s->output, &(struct compare_results){
			.args = s->args, .scenario = s->scenario,
			.schedule = s->schedule, .config = &s->config,
			.nr = s->nr_results, .result = s->result,
			.partial = interrupted }, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_USAGE;
	}
	if (interrupted)
		return STATUS_SIGINT;
	return verdict_status(s);
}

int compare_main(const struct compare_args *a)
{
	struct session *s = calloc(1, sizeof(*s));
	int status;

	if (!s) {
		fprintf(stderr, "error: out of memory\n");
		return STATUS_BUG;
	}
	s->args = a;
	status = session_run(s);
	scenario_free(s->scenario);
	schedule_free(s->schedule);
	free(s->vm_of_vcpu);
	free(s->workload);
	free(s->result);
	free(s);
	return status;
}
