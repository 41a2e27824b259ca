#include "sim/cli/explore_json.h"

#include <errno.h>

#include "models/l0/l0.h"
#include "sim/base/err.h"
#include "sim/cli/version.h"

#define REAL_DIGITS 6

/* @value is taken over in any case. */
static void add(struct explore_json *j, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		j->failed = true;
}

/* Kinds that an environment has to be allowed; scheduling is among them. */
static json_t *environment(struct explore_json *j, u32 allowed)
{
	json_t *words = json_array();

	for (u32 k = 0; k < ACTION_NR; k++)
		if (allowed & ~ACTIONS_ALWAYS & 1u << k)
			add(j, words, json_string(action_name(k)));
	return words;
}

static json_t *budgets(struct explore_json *j, const struct budget *b)
{
	json_t *o = json_object();

	for (u32 k = 0; k < ACTION_NR; k++)
		if (b->allowed & ~ACTIONS_ALWAYS & 1u << k &&
		    b->times[k] != BUDGET_NONE &&
		    json_object_set_new(o, action_name(k),
					json_integer(b->times[k])))
			j->failed = true;
	return o;
}

void explore_json_begin(struct explore_json *j, const struct explore_run *r,
			const struct budget *b)
{
	const struct machine_config *c = &r->machine.config;

	*j = (struct explore_json){
		.runs = json_array(), .skipped = json_array(),
	};
	j->top = json_pack("{s:{s:s, s:s}, s:b, s:{s:i, s:i, s:i, s:i}, s:s, s:o, s:o, s:{s:b, s:b, s:I}, s:O, s:O}",
			   "eptsim", "version", eptsim_version,
			   "commit", eptsim_commit, "partial", false,
			   "shape", "pcpus", (int)c->nr_pcpus,
			   "vms", (int)c->nr_vms, "vcpus", (int)c->nr_vcpus,
			   "roots", (int)c->nr_roots,
			   "l0", l0_kind_name(c->l0->kind),
			   "environment", environment(j, b->allowed),
			   "budgets", budgets(j, b),
			   "search", "symmetry", r->x.symmetry,
			   "reduction", r->x.reduce,
			   "mem_bytes", (json_int_t)r->x.mem_bytes,
			   "runs", j->runs, "skipped", j->skipped);
	j->failed |= !j->top;
}

static json_t *schedule(struct explore_json *j, const struct told *t)
{
	json_t *list = json_array();

	for (u32 i = 0; i < t->nr; i++) {
		const struct told_step *s = &t->step[i];

		add(j, list, json_pack("{s:i, s:s, s:o, s:b}", "step", (int)i + 1,
				       "text", s->text, "pcpu",
				       s->pcpu == IDX_NONE ? json_null() :
				       json_integer(s->pcpu),
				       "essential", s->essential));
	}
	return list;
}

void explore_json_run(struct explore_json *j, const struct explore_run *r,
		      const struct explored *e, double seconds,
		      const struct told *t)
{
	add(j, j->runs,
	    json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:f, s:f, s:o, s:o, s:o}",
		      "policy", r->machine.policy.spelling,
		      "verdict", e->violated ? e->finding.invariant :
				 e->exhausted ? "clean" : "not exhausted",
		      "exhausted", e->exhausted,
		      "states", (json_int_t)e->states,
		      "transitions", (json_int_t)e->transitions,
		      "depth", (json_int_t)e->depth,
		      "bytes_per_state", e->state_bytes, "seconds", seconds,
		      "shortest", t ? json_boolean(e->shortest) : json_null(),
		      "finding", t ? json_string(e->finding.text) : json_null(),
		      "schedule", t ? schedule(j, t) : json_array()));
}

void explore_json_skip(struct explore_json *j, const char *policy,
		       const char *why)
{
	add(j, j->skipped, json_pack("{s:s, s:s}", "policy", policy,
				     "reason", why));
}

int explore_json_write(struct explore_json *j, bool partial, FILE *out,
		       struct err *err)
{
	if (j->failed || json_object_set_new(j->top, "partial",
					     json_boolean(partial)))
		return err_set(err, -ENOMEM, "JSON result: out of memory");
	if (json_dumpf(j->top, out, JSON_INDENT(2) |
		       JSON_REAL_PRECISION(REAL_DIGITS)) && !ferror(out))
		return err_set(err, -ENOMEM, "JSON result: out of memory");
	fputc('\n', out);
	return 0;
}

void explore_json_release(struct explore_json *j)
{
	json_decref(j->runs);
	json_decref(j->skipped);
	json_decref(j->top);
	*j = (struct explore_json){ 0 };
}
