#include "sim/report/recost.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"

/* Family of random streams, apart from those that make the environment. */
#define RNG_RECOST 0x7265636f7374ULL

/*
 * A run for the purpose of costing: overhead = fixed + sum of charged x value,
 * where "fixed" is what the sums hold beyond the charges.
 */
struct bill {
	double fixed;
	double guest;
};

struct costing {
	const struct comparison *c;
	const struct recost_options *opt;
	struct recost *out;
	struct bill *bill;
	bool charged[COST_NR];		/* by any run */
	bool counts[COST_NR];		/* charged, and in a category that counts */
	double guest;			/* yardstick of the resolution, cycles */
};

static double overhead(const struct costing *k, u32 i, const double *value)
{
	const struct stats *s = &k->c->run[i].stats;
	double sum = k->bill[i].fixed;

	for (u32 id = 0; id < COST_NR; id++)
		if (k->counts[id])
			sum += (double)s->charged[id] * value[id];
	return sum;
}

static void sheet_values(const struct costing *k, double *value)
{
	for (u32 id = 0; id < COST_NR; id++)
		value[id] = (double)k->c->costs->row[id].cycles;
}

static void find_charged(struct costing *k)
{
	struct recost *out = k->out;

	for (u32 id = 0; id < COST_NR; id++) {
		enum cost_tag tag = k->c->costs->row[id].tag;

		for (u32 i = 0; i < k->c->nr_runs; i++)
			k->charged[id] |= !k->c->run[i].skipped &&
					  k->c->run[i].stats.charged[id];
		k->counts[id] = k->charged[id] &&
				k->opt->categories & BIT64(cost_category(id));
		out->nr_costs += k->charged[id];
		out->nr_assumed += k->charged[id] && tag == COST_TAG_ASSUMED;
		out->nr_derived += k->charged[id] && tag == COST_TAG_DERIVED;
	}
}

static void make_bills(struct costing *k)
{
	double value[COST_NR];

	sheet_values(k, value);
	for (u32 i = 0; i < k->c->nr_runs; i++) {
		const struct run_result *r = &k->c->run[i];
		struct recost_run *run = &k->out->run[i];
		u64 total = figures_cycles(&r->stats, k->opt->categories) +
			    r->stats.overrun_cycles;

		if (r->skipped)
			continue;
		k->bill[i].fixed = (double)total - overhead(k, i, value);
		k->bill[i].guest = (double)r->stats.cycles[CYC_GUEST];
		run->overhead = (double)total;
		run->competes = r->completed && !figures_found(r);
		k->out->nr_competing += run->competes;
		if (run->competes)
			k->guest = fmax(k->guest, k->bill[i].guest);
	}
}

/* The competing run of least overhead at the sheet's values, @but apart. */
static u32 lowest(const struct recost *rc, u32 but)
{
	u32 low = IDX_NONE;

	for (u32 i = 0; i < rc->nr_runs; i++)
		if (rc->run[i].competes && i != but &&
		    (low == IDX_NONE ||
		     rc->run[i].overhead < rc->run[low].overhead))
			low = i;
	return low;
}

static double draw(const struct cost_row *row, struct rng *r)
{
	double u = (double)(rng_next(r) >> 11) * 0x1p-53;
	double shift = row->lo_cycles ? 0.0 : 1.0;
	double lo = (double)row->lo_cycles + shift;
	double hi = (double)row->hi_cycles + shift;

	if (hi <= lo)
		return (double)row->cycles;
	return exp(log(lo) + u * (log(hi) - log(lo))) - shift;
}

static void judge_draw(struct costing *k, const double *value, double *sum)
{
	struct recost *out = k->out;
	double slack = out->resolution * k->guest;
	double low = INFINITY, high = 0.0;

	for (u32 i = 0; i < out->nr_runs; i++) {
		sum[i] = overhead(k, i, value);
		if (!out->run[i].competes)
			continue;
		low = fmin(low, sum[i]);
		high = fmax(high, sum[i]);
	}
	out->close += high - low <= slack;
	for (u32 i = 0; i < out->nr_runs; i++) {
		out->run[i].won += sum[i] <= low;
		out->run[i].near += sum[i] <= low + slack;
	}
}

static void make_draws(struct costing *k, double *sum)
{
	struct rng stream[COST_NR];
	double value[COST_NR];

	sheet_values(k, value);
	/* A stream per cost: one more charged cost shifts no other's draws. */
	for (u32 id = 0; id < COST_NR; id++)
		rng_init(&stream[id], k->opt->seed, RNG_RECOST, id);
	for (u32 d = 0; d < k->out->nr_draws; d++) {
		for (u32 id = 0; id < COST_NR; id++)
			if (k->counts[id])
				value[id] = draw(&k->c->costs->row[id],
						 &stream[id]);
		judge_draw(k, value, sum);
	}
	for (u32 i = 0; i < k->c->nr_runs; i++)
		if (k->c->run[i].skipped)
			k->out->run[i].won = k->out->run[i].near = 0;
}

/* The most frequent winner that is not tied yet. */
static u32 next_winner(const struct recost *rc)
{
	u32 best = IDX_NONE;

	for (u32 i = 0; i < rc->nr_runs; i++)
		if (rc->run[i].competes && !rc->run[i].tied &&
		    (best == IDX_NONE || rc->run[i].won > rc->run[best].won))
			best = i;
	return best;
}

/*
 * Tied are those that together win the share asked for, and those that come
 * within the resolution too often to be told apart.  Alone among them: best.
 */
static void decide(struct recost *rc)
{
	double enough = RECOST_BEST_SHARE * rc->nr_draws;
	u32 covered = 0, nr_tied = 0, last = IDX_NONE;

	while (covered < enough) {
		u32 i = next_winner(rc);

		if (i == IDX_NONE)
			break;
		rc->run[i].tied = true;
		covered += rc->run[i].won;
	}
	for (u32 i = 0; i < rc->nr_runs; i++) {
		struct recost_run *run = &rc->run[i];

		run->tied |= run->competes && run->near > rc->nr_draws - enough;
		if (run->tied) {
			last = i;
			nr_tied++;
		}
	}
	if (nr_tied != 1)
		return;
	rc->run[last].tied = false;
	if (rc->nr_competing > 1)
		rc->best = last;
}

static void find_flip(struct costing *k)
{
	struct recost *out = k->out;
	double nearest = INFINITY, gap;

	if (out->second == IDX_NONE)
		return;
	gap = out->run[out->second].overhead - out->run[out->first].overhead;
	if (gap <= 0.0)
		return;
	for (u32 id = 0; id < COST_NR; id++) {
		const struct cost_row *row = &k->c->costs->row[id];
		double slope =
			(double)k->c->run[out->second].stats.charged[id] -
			(double)k->c->run[out->first].stats.charged[id];
		double at, step;

		if (!k->counts[id] || slope == 0.0)
			continue;
		at = (double)row->cycles - gap / slope;
		if (slope < 0.0 ? at >= (double)row->hi_cycles :
				  at <= (double)row->lo_cycles)
			continue;
		step = fabs(log((at + 1.0) / ((double)row->cycles + 1.0)));
		out->flip.nr_others += out->flip.cost != IDX_NONE;
		if (step >= nearest)
			continue;
		nearest = step;
		out->flip.cost = id;
		out->flip.at_cycles = at;
		out->flip.above = slope < 0.0;
	}
}

int recost(const struct comparison *c, const struct recost_options *opt,
	   struct recost *out, struct err *err)
{
	struct costing k = { .c = c, .opt = opt, .out = out };
	struct recost rc = {
		.nr_draws = opt->nr_draws, .resolution = opt->resolution,
		.nr_runs = c->nr_runs,
		.best = IDX_NONE, .first = IDX_NONE, .second = IDX_NONE,
		.flip = { .cost = IDX_NONE },
	};
	double *sum;

	if (!opt->nr_draws || opt->nr_draws > RECOST_DRAWS_MAX)
		return err_set(err, -EINVAL, "re-costing: %u draws, want 1..%u",
			       opt->nr_draws, RECOST_DRAWS_MAX);
	if (!(opt->resolution >= 0.0 && opt->resolution < 1.0))
		return err_set(err, -EINVAL, "re-costing: resolution %g, want 0..1",
			       opt->resolution);

	rc.run = calloc((size_t)c->nr_runs + 1, sizeof(*rc.run));
	k.bill = calloc((size_t)c->nr_runs + 1, sizeof(*k.bill));
	sum = calloc((size_t)c->nr_runs + 1, sizeof(*sum));
	if (!rc.run || !k.bill || !sum) {
		free(rc.run);
		free(k.bill);
		free(sum);
		return err_set(err, -ENOMEM, "re-costing: no memory for %u runs",
			       c->nr_runs);
	}

	*out = rc;
	find_charged(&k);
	make_bills(&k);
	out->first = lowest(out, IDX_NONE);
	if (out->first != IDX_NONE) {
		out->second = lowest(out, out->first);
		make_draws(&k, sum);
		decide(out);
		find_flip(&k);
	}
	free(k.bill);
	free(sum);
	return 0;
}

void recost_release(struct recost *rc)
{
	free(rc->run);
	rc->run = NULL;
	rc->nr_runs = 0;
}

void recost_flip_text(char *to, size_t size, const struct comparison *c,
		      const struct recost *rc)
{
	const struct recost_flip *f = &rc->flip;
	const struct cost_row *row;
	char others[64] = "";

	*to = '\0';
	if (rc->second == IDX_NONE)
		return;
	if (rc->run[rc->first].overhead >= rc->run[rc->second].overhead) {
		snprintf(to, size, "%s and %s cost the same at the sheet's values.",
			 c->run[rc->first].policy, c->run[rc->second].policy);
		return;
	}
	if (f->cost == IDX_NONE) {
		snprintf(to, size, "no single cost, moved over its range, puts %s before %s.",
			 c->run[rc->second].policy, c->run[rc->first].policy);
		return;
	}
	row = &c->costs->row[f->cost];
	if (f->nr_others)
		snprintf(others, sizeof(others), "; %u more cost%s can do it alone",
			 f->nr_others, f->nr_others == 1 ? "" : "s");
	snprintf(to, size,
		 "%s overtakes %s once %s is %s %.*f cycles (%s: %llu, range %llu..%llu)%s.",
		 c->run[rc->second].policy, c->run[rc->first].policy,
		 cost_name(f->cost), f->above ? "above" : "below",
		 f->at_cycles < 100.0 ? 1 : 0, f->at_cycles,
		 cost_tag_name(row->tag), (unsigned long long)row->cycles,
		 (unsigned long long)row->lo_cycles,
		 (unsigned long long)row->hi_cycles, others);
}
