#include "sim/report/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/report/figures.h"
#include "sim/report/text.h"

#define STRING_MAX 4096
#define REAL_DIGITS 12

/*
 * Building a tree has one way to fail at each of a hundred steps; the first
 * failure is kept here and looked at once.
 */
struct builder {
	const struct comparison *c;
	const struct recost *rc;
	int error;
	const char *key;		/* at fault */
};

static void put(struct builder *b, json_t *object, const char *key,
		json_t *value)
{
	if (json_object_set_new(object, key, value) && !b->error) {
		b->error = -ENOMEM;
		b->key = key;
	}
}

static void put_int(struct builder *b, json_t *object, const char *key,
		    u64 value)
{
	if (value > INT64_MAX && !b->error) {
		b->error = -ERANGE;
		b->key = key;
	}
	put(b, object, key, json_integer((json_int_t)(value & INT64_MAX)));
}

static void put_index(struct builder *b, json_t *object, const char *key,
		      u32 index)
{
	put(b, object, key, index == IDX_NONE ? json_null() :
	    json_integer(index));
}

static void put_real(struct builder *b, json_t *object, const char *key,
		     double value)
{
	put(b, object, key, isfinite(value) ? json_real(value) : json_null());
}

static json_t *string(const char *text)
{
	char clean[STRING_MAX];

	if (!text)
		return json_null();
	text_utf8(clean, sizeof(clean), text);
	return json_string(clean);
}

/* A fact about the recording; empty if it was not stored. */
static json_t *fact(const char *text)
{
	return text && *text ? string(text) : json_null();
}

static void add(struct builder *b, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) && !b->error) {
		b->error = -ENOMEM;
		b->key = "an array";
	}
}

static json_t *verdict_array(struct builder *b, u32 bits)
{
	json_t *array = json_array();

	for (u32 n = 0; n <= 8; n++)
		if (bits & VERDICT_BIT(n))
			add(b, array, json_string(verdict_name(n)));
	return array;
}

static json_t *verdict_object(struct builder *b, const struct run_result *r)
{
	json_t *o = json_object();

	put(b, o, "found", r->unchecked ? json_null() :
	    verdict_array(b, figures_found(r)));
	put(b, o, "expected", r->expect_known ? verdict_array(b, r->expected) :
	    json_null());
	put(b, o, "real", verdict_array(b, r->found_real));
	put(b, o, "possible", verdict_array(b, r->found_possible));
	return o;
}

static json_t *cause_object(struct builder *b, const struct stats *s, u32 cause)
{
	json_t *o = json_object();

	for (u32 id = 0; id < COUNT_NR; id++)
		if (s->count[id][cause])
			put_int(b, o, count_name(id), s->count[id][cause]);
	return o;
}

static json_t *counts_object(struct builder *b, const struct stats *s)
{
	json_t *o = json_object(), *by_cause = json_object();

	for (u32 id = 0; id < COUNT_NR; id++)
		put_int(b, o, count_name(id), stats_total(s, id));
	for (u32 cause = 0; cause < CAUSE_NONE; cause++)
		put(b, by_cause, cause_name(cause), cause_object(b, s, cause));
	put(b, o, "by_cause", by_cause);
	return o;
}

static json_t *cycles_object(struct builder *b, const struct stats *s)
{
	json_t *o = json_object();

	for (u32 i = 0; i < CYC_NR; i++)
		put_int(b, o, cycle_category_name(i), s->cycles[i]);
	return o;
}

static json_t *charged_object(struct builder *b, const struct stats *s)
{
	json_t *o = json_object();

	for (u32 id = 0; id < COST_NR; id++)
		if (s->charged[id])
			put_int(b, o, cost_name(id), s->charged[id]);
	return o;
}

static u64 to_ns(const struct builder *b, u64 cycles)
{
	u64 khz = b->c->costs->clock_khz;

	return khz ? cycles_to_ns(cycles, khz) : 0;
}

static json_t *violations_array(struct builder *b, const struct run_result *r)
{
	json_t *array = json_array();

	for (u32 i = 0; i < r->nr_stored; i++) {
		const struct finding *f = &r->finding[i];
		json_t *o = json_object();

		put(b, o, "invariant", string(f->invariant));
		put(b, o, "kind", json_string(f->real ? "real" : "possible"));
		put_int(b, o, "time_ns", to_ns(b, f->time));
		put_index(b, o, "vcpu", f->vcpu);
		put_index(b, o, "pcpu", f->pcpu);
		put(b, o, "text", string(f->text));
		add(b, array, o);
	}
	return array;
}

static json_t *rank_object(struct builder *b, u32 i)
{
	const struct recost_run *run = &b->rc->run[i];
	json_t *o = json_object();

	put(b, o, "competes", json_boolean(run->competes));
	put(b, o, "best", json_boolean(b->rc->best == i));
	put(b, o, "tied", json_boolean(run->tied));
	put_int(b, o, "draws_won", run->won);
	put_int(b, o, "draws_within_resolution", run->near);
	return o;
}

static json_t *run_object(struct builder *b, u32 i)
{
	const struct run_result *r = &b->c->run[i];
	const struct stats *s = &r->stats;
	json_t *o = json_object();

	put(b, o, "policy", string(r->policy));
	put(b, o, "completed", json_boolean(r->completed));
	put_int(b, o, "simulated_ns", to_ns(b, r->simulated_cycles));
	put_int(b, o, "overrun_ns", to_ns(b, s->overrun_cycles));
	put_real(b, o, "slowdown", figures_slowdown(s));
	put(b, o, "verdict", verdict_object(b, r));
	put(b, o, "boot_ns", json_null());
	put(b, o, "counts", counts_object(b, s));
	put(b, o, "cycles", cycles_object(b, s));
	put_int(b, o, "violations_total", r->nr_findings);
	put(b, o, "violations", violations_array(b, r));
	put_int(b, o, "costs_assumed",
		figures_costs(s, b->c->costs, COST_TAG_ASSUMED));
	put_int(b, o, "costs_charged", figures_costs(s, b->c->costs, COST_TAG_NR));
	put(b, o, "charged", charged_object(b, s));
	put_int(b, o, "overhead_cycles", figures_overhead(s));
	put_int(b, o, "slices", s->slices);
	put_int(b, o, "slices_overrun", s->slices_overrun);
	put(b, o, "rank", rank_object(b, i));
	put_int(b, o, "world_bytes", r->world_bytes);
	return o;
}

static json_t *trace_object(struct builder *b)
{
	const struct comparison *c = b->c;
	json_t *o, *used, *under;

	if (!c->trace.file)
		return json_null();
	o = json_object();
	used = json_array();
	under = json_object();
	put(b, o, "file", string(c->trace.file));
	put_int(b, o, "events", c->trace.events);
	put_int(b, o, "lost", c->trace.lost);
	put_int(b, o, "torn", c->trace.torn);
	put_int(b, o, "chain_breaks", c->trace.chain_breaks);
	for (u32 i = 0; i < c->trace.nr_events_used; i++)
		add(b, used, string(c->trace.events_used[i]));
	put(b, o, "recorded_events_used", used);
	put(b, under, "policy", fact(c->trace.recorded_policy));
	put(b, under, "l0", fact(c->trace.recorded_l0));
	put(b, under, "kernel", fact(c->trace.recorded_kernel));
	put(b, o, "recorded_under", under);
	return o;
}

static json_t *program_object(struct builder *b)
{
	json_t *o = json_object();

	put(b, o, "version", string(b->c->version));
	put(b, o, "commit", string(b->c->commit));
	return o;
}

static json_t *shape_object(struct builder *b)
{
	json_t *o = json_object();

	put_int(b, o, "pcpus", b->c->nr_pcpus);
	put_int(b, o, "vms", b->c->nr_vms);
	put_int(b, o, "vcpus", b->c->nr_vcpus);
	put_int(b, o, "clock_khz", b->c->costs->clock_khz);
	return o;
}

static json_t *changes_object(struct builder *b)
{
	json_t *o = json_object();

	put(b, o, "recorded", json_boolean(b->c->changes_recorded));
	put_real(b, o, "strict_per_second_and_vm",
		 b->c->changes_recorded ? NAN : b->c->strict_per_s);
	put_real(b, o, "guest_flushes_per_vcpu_second", b->c->guest_flush_per_s);
	return o;
}

static json_t *policy_or_null(const struct builder *b, u32 index)
{
	return index == IDX_NONE ? json_null() : string(b->c->run[index].policy);
}

static json_t *ranking_object(struct builder *b)
{
	const struct recost *rc = b->rc;
	json_t *o = json_object(), *flip = json_null();

	put_int(b, o, "draws", rc->nr_draws);
	put_real(b, o, "resolution", rc->resolution);
	put_int(b, o, "competing", rc->nr_competing);
	put(b, o, "best", policy_or_null(b, rc->best));
	put(b, o, "first", policy_or_null(b, rc->first));
	put(b, o, "second", policy_or_null(b, rc->second));
	put_int(b, o, "draws_all_within_resolution", rc->close);
	put_int(b, o, "costs_charged", rc->nr_costs);
	put_int(b, o, "costs_assumed", rc->nr_assumed);
	put_int(b, o, "costs_derived", rc->nr_derived);
	if (rc->flip.cost != IDX_NONE) {
		flip = json_object();
		put(b, flip, "cost", json_string(cost_name(rc->flip.cost)));
		put_real(b, flip, "at_cycles", rc->flip.at_cycles);
		put(b, flip, "when", json_string(rc->flip.above ? "above" : "below"));
		put_int(b, flip, "other_costs", rc->flip.nr_others);
	}
	put(b, o, "flip", flip);
	return o;
}

static void put_runs(struct builder *b, json_t *root)
{
	json_t *runs = json_array(), *skipped = json_array();

	for (u32 i = 0; i < b->c->nr_runs; i++) {
		json_t *o;

		if (!b->c->run[i].skipped) {
			add(b, runs, run_object(b, i));
			continue;
		}
		o = json_object();
		put(b, o, "policy", string(b->c->run[i].policy));
		put(b, o, "reason", string(b->c->run[i].why_skipped));
		add(b, skipped, o);
	}
	put(b, root, "runs", runs);
	put(b, root, "skipped", skipped);
}

/*
 * A command is of use in full only.  What else has to be known stands behind a
 * '#', so that a shell passes it over.
 */
static json_t *replay_string(const struct comparison *c)
{
	const char *note = c->replay_note;
	json_t *v = NULL;
	char *raw, *clean;
	size_t size;

	if (!c->replay || !c->policies)
		return string(c->replay);
	size = strlen(c->replay) + strlen(c->policies) +
	       (note ? strlen(note) : 0) + sizeof(" --policies  # ");
	raw = malloc(size);
	clean = malloc(size);
	if (raw && clean) {
		snprintf(raw, size, "%s --policies %s%s%s", c->replay,
			 c->policies, note ? " # " : "", note ? note : "");
		text_utf8(clean, size, raw);
		v = json_string(clean);
	}
	free(raw);
	free(clean);
	return v;
}

int json_write(FILE *out, const struct comparison *c, const struct recost *rc,
	       struct err *err)
{
	struct builder b = { .c = c, .rc = rc };
	json_t *root = json_object();
	int ret = 0;

	put(&b, root, "eptsim", program_object(&b));
	put(&b, root, "scenario", string(c->scenario));
	put_int(&b, root, "seed", c->seed);
	put(&b, root, "partial", json_boolean(c->partial));
	put(&b, root, "machine", string(c->machine));
	put(&b, root, "l0", string(c->l0));
	put(&b, root, "access_model", string(c->access_model));
	put(&b, root, "trace", trace_object(&b));
	put_runs(&b, root);
	put(&b, root, "shape", shape_object(&b));
	put(&b, root, "changes", changes_object(&b));
	put(&b, root, "costs", string(c->costs->name));
	put(&b, root, "ranking", ranking_object(&b));
	put(&b, root, "replay", replay_string(c));

	if (b.error == -ERANGE)
		ret = err_set(err, -ERANGE, "JSON result: %s does not fit 63 bits",
			      b.key);
	else if (b.error)
		ret = err_set(err, b.error, "JSON result: no memory at %s", b.key);
	else if (json_dumpf(root, out, JSON_INDENT(2) |
			    JSON_REAL_PRECISION(REAL_DIGITS)) ||
		 fputc('\n', out) == EOF || fflush(out) || ferror(out))
		ret = err_set(err, -EIO, "cannot write the JSON result: %s",
			      strerror(errno));
	json_decref(root);
	return ret;
}
