#include "sim/report/plot_data.h"

#include <math.h>
#include <string.h>

#include "sim/report/figures.h"
#include "sim/report/text.h"

/* A bar this many times longer than the next is cut off. */
#define OUTLIER 3.0
#define CUT_AT 1.5

/* Rates that differ by more than this need a logarithmic axis. */
#define LOG_SPREAD 30.0

/* Buckets per point of a curve: 128 points are what 900 pixels can show. */
#define GROUP 4u

static const enum cycle_category categories[] = {
	CYC_FLUSH, CYC_WALK, CYC_L0_SHADOW, CYC_HYPERCALL, CYC_LOCK_WAIT,
	CYC_IPI, CYC_EXIT, CYC_SCHED,
};

void plot_name(char *to, size_t size, const char *from)
{
	size_t n;

	text_clean(to, size, from);
	for (char *c = to; *c; c++)
		if (strchr("\"'`\\\t@", *c))
			*c = '?';
	n = strlen(to);
	if (strlen(from) > n && n > 2)
		memset(to + n - 2, '.', 2);
}

static void label_text(char *to, size_t size, const struct run_result *r,
		       double total)
{
	char verdict[VERDICT_TEXT_MAX], percent[16];

	verdict_text(verdict, sizeof(verdict), r);
	text_percent(percent, sizeof(percent), total);
	snprintf(to, size, "%s %%, slowdown %.3f%s%s", percent,
		 figures_slowdown(&r->stats), figures_found(r) ? ", " : "",
		 figures_found(r) ? verdict : "");
}

/* Two largest of a list. */
struct top {
	double first;
	double second;
};

static void top_add(struct top *t, double value)
{
	if (value > t->first) {
		t->second = t->first;
		t->first = value;
	} else if (value > t->second) {
		t->second = value;
	}
}

static double axis_end(const struct top *t)
{
	if (t->second > 0.0 && t->first > OUTLIER * t->second)
		return CUT_AT * t->second;
	return t->first > 0.0 ? t->first : 1.0;
}

struct plot_scale plot_cycles_data(FILE *out, const struct comparison *c)
{
	struct plot_scale scale = { 0 };
	struct top top = { 0 };

	fputs("position\tpolicy\tlabel\ttotal", out);
	for (u32 k = 0; k < ARRAY_SIZE(categories); k++)
		fprintf(out, "\t%s", cycle_category_name(categories[k]));
	fputs("\toverrun\n", out);
	for (u32 i = 0; i < c->nr_runs; i++) {
		const struct stats *s = &c->run[i].stats;
		double total = figures_percent(s, figures_overhead(s));
		char name[PLOT_NAME_MAX], label[160];

		if (c->run[i].skipped)
			continue;
		if (isnan(total))
			total = 0.0;
		top_add(&top, total);
		plot_name(name, sizeof(name), c->run[i].policy);
		label_text(label, sizeof(label), &c->run[i], total);
		fprintf(out, "%u\t%s\t%s\t%.9g", scale.nr_policies++, name, label,
			total);
		for (u32 k = 0; k < ARRAY_SIZE(categories); k++)
			fprintf(out, "\t%.6g",
				fmax(0.0, figures_percent(s, s->cycles[categories[k]])));
		fprintf(out, "\t%.6g\n",
			fmax(0.0, figures_percent(s, s->overrun_cycles)));
	}
	scale.limit = axis_end(&top);
	return scale;
}

static double group_rate(const u32 *bucket, u32 g, double seconds)
{
	u64 sum = 0;

	for (u32 k = 0; k < GROUP; k++)
		sum += bucket[g * GROUP + k];
	return (double)sum * RATE_BUCKETS / GROUP / seconds;
}

static void rates_header(FILE *out, const struct comparison *c,
			 struct plot_scale *scale)
{
	char name[PLOT_NAME_MAX];

	fputs("seconds\tmigrations", out);
	for (u32 i = 0; i < c->nr_runs; i++) {
		if (c->run[i].skipped)
			continue;
		plot_name(name, sizeof(name), c->run[i].policy);
		fprintf(out, "\t%s", name);
		scale->nr_policies++;
	}
	fputc('\n', out);
}

struct plot_scale plot_rates_data(FILE *out, const struct comparison *c)
{
	const struct run_result *first = figures_first_run(c);
	double seconds = first ? figures_seconds(c, first) : 0.0;
	double low = INFINITY, high = 0.0;
	struct plot_scale scale = { 0 };

	rates_header(out, c, &scale);
	if (!(seconds > 0.0))
		return scale;
	for (u32 g = 0; g < RATE_BUCKETS / GROUP; g++) {
		fprintf(out, "%.9g\t%.6g", seconds * g * GROUP / RATE_BUCKETS,
			group_rate(first->migration_rate, g, seconds));
		for (u32 i = 0; i < c->nr_runs; i++) {
			double rate;

			if (c->run[i].skipped)
				continue;
			rate = group_rate(c->run[i].flush_rate, g, seconds);
			high = fmax(high, rate);
			if (rate > 0.0)
				low = fmin(low, rate);
			fprintf(out, "\t%.6g", rate);
		}
		fputc('\n', out);
	}
	scale.limit = high > 0.0 ? high : 1.0;
	if (high > LOG_SPREAD * low)
		scale.floor = low / 2.0;
	return scale;
}
