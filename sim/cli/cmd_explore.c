/* eptsim explore: every interleaving of a bounded configuration. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/cli/cmd.h"
#include "sim/cli/explore_args.h"
#include "sim/cli/explore_mutate.h"
#include "sim/cli/explore_random.h"
#include "sim/cli/explore_run.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/policies.h"

static bool set_up(struct explore_run *r, const struct explore_args *a)
{
	struct small_machine *m = &r->machine;

	small_machine_init(m, a->pcpus, a->vms, a->vcpus, a->budget.allowed);
	small_machine_below(m, a->l0);
	m->config.nr_pcids = a->pcids;
	if (a->roots && a->roots < m->config.nr_roots) {
		fprintf(stderr, "error: --roots: %u; expected %u or more: so many can be live on this machine\n",
			a->roots, m->config.nr_roots);
		return false;
	}
	if (a->roots)
		m->config.nr_roots = a->roots;
	explore_run_init(r, (struct environ){ .ops = &environ_budget,
					      .arg = &a->budget },
			 (u64)a->mem_mib << 20);
	r->x.symmetry = !a->no_symmetry;
	if (a->judge)
		r->observers[0] = a->judge;
	r->x.reduce = !a->no_reduction;
	r->x.exact = a->exact;
	r->x.nr_threads = a->jobs;
	return true;
}

static bool bounded(const struct budget *b)
{
	for (u32 k = 0; k < ACTION_NR; k++)
		if (b->times[k] != BUDGET_NONE)
			return true;
	return false;
}

static void report(const struct explore_run *r, const struct explore_args *a,
		   const struct explored *e, double seconds)
{
	FILE *out = a->output.text;

	fprintf(out, "%s: %s; %llu states, %llu transitions, depth %u, %.2f s, %.0f states/s, %.0f bytes/state\n",
	       r->machine.policy.spelling,
	       e->violated ? "broken" : e->exhausted ?
	       bounded(&a->budget) ? "exhausted within the budgets, no violation" :
	       "exhausted, no violation" : "not exhausted, no violation so far",
	       (unsigned long long)e->states,
	       (unsigned long long)e->transitions, e->depth, seconds,
	       (double)e->states / (seconds > 0 ? seconds : 1e-9),
	       e->state_bytes);
	if (!e->violated)
		return;
	fprintf(out, "  %s: %s\n", e->finding.invariant, e->finding.text);
	if (!e->shortest)
		fprintf(out, "  (there may be a schedule that is a few steps shorter)\n");
}

/* Sets @ended where the rest need not be tried. */
static int run_one(struct explore_run *r, struct explore_args *a, bool *ended)
{
	struct explored e;
	struct err err;
	double seconds;
	int ret, status;

	if (explore_run_timed(r, &e, &seconds, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		*ended = true;
		return STATUS_BUG;
	}
	report(r, a, &e, seconds);
	status = e.violated ? STATUS_BROKEN : e.exhausted ? STATUS_OK : STATUS_BUG;
	ret = explore_output_run(&a->output, r, &e, seconds, &err);
	if (ret) {
		fprintf(stderr, "error: %s\n", err.msg);
		status = ret == -ENOMEM ? STATUS_BUG : STATUS_USAGE;
	}
	*ended = interrupted || ret;
	fflush(stdout);
	explored_release(&e);
	return interrupted ? STATUS_SIGINT : status;
}

static int run_random(struct explore_run *r, struct explore_args *a, bool *ended)
{
	int status = explore_random(r, &a->random, &a->output);

	*ended = status > STATUS_BROKEN;
	return status;
}

/* What was found counts more than what was not finished. */
static int worse(int a, int b)
{
	static const int order[] = { STATUS_OK, STATUS_BUG, STATUS_BROKEN,
				     STATUS_USAGE, STATUS_SIGINT };
	size_t i = ARRAY_SIZE(order) - 1;

	while (i && order[i] != a && order[i] != b)
		i--;
	return order[i];
}

/* Sets @failed where what was found is not all there is to tell. */
static int run_all(struct explore_run *r, struct explore_args *a,
		   const struct flush_policy *list, u32 nr, bool *failed)
{
	int status = STATUS_OK, one;
	bool ended = false;
	const char *why;

	for (u32 i = 0; i < nr && a->mutate; i++) {
		one = explore_mutate(r, &list[i], (u64)a->mem_mib << 20);
		if (one > status)
			status = one;
		if (one > STATUS_BROKEN)
			return status;
	}
	for (u32 i = 0; i < nr && !a->mutate && !ended; i++) {
		r->machine.policy = list[i];
		if (!machine_applies(&r->machine.config, &why)) {
			fprintf(a->output.text, "%s: n/a: %s\n",
				r->machine.policy.spelling, why);
			explore_json_skip(&a->output.json,
					  r->machine.policy.spelling, why);
			continue;
		}
		one = a->random.nr ? run_random(r, a, &ended) :
				     run_one(r, a, &ended);
		*failed |= ended && one == STATUS_BUG;
		status = worse(status, one);
	}
	return status;
}

int cmd_explore(int argc, char **argv)
{
	static struct explore_args a;
	static struct flush_policy policies[POLICIES_MAX];
	static struct explore_run run;
	bool failed = false;
	struct err err;
	int status;
	u32 nr;

	if (explore_args_parse(&a, argc, argv))
		return STATUS_USAGE;
	if (policies_parse(a.policies, policies, &nr, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_USAGE;
	}
	if (!set_up(&run, &a))
		return STATUS_USAGE;
	if (explore_output_open(&a.output, nr, a.mutate, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_USAGE;
	}
	interrupt_catch(SIGINT);
	progress_begin(&run.progress, isatty(STDERR_FILENO) ? stderr : NULL);
	explore_json_begin(&a.output.json, &run, &a.budget);
	status = run_all(&run, &a, policies, nr, &failed);
	if (explore_output_close(&a.output, !failed, interrupted, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		status = STATUS_USAGE;
	}
	return status;
}
