#include "sim/report/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"

#define VERDICT_BITS 9u

u64 figures_cycles(const struct stats *s, u64 categories)
{
	u64 sum = 0;

	for (u32 i = 0; i < CYC_NR; i++)
		if (categories & BIT64(i))
			sum += s->cycles[i];
	return sum;
}

u64 figures_overhead(const struct stats *s)
{
	return figures_cycles(s, OVERHEAD_CATEGORIES) + s->overrun_cycles;
}

double figures_percent(const struct stats *s, u64 cycles)
{
	if (!s->cycles[CYC_GUEST])
		return NAN;
	return 100.0 * (double)cycles / (double)s->cycles[CYC_GUEST];
}

double figures_slowdown(const struct stats *s)
{
	return 1.0 + figures_percent(s, figures_overhead(s)) / 100.0;
}

double figures_seconds(const struct comparison *c, const struct run_result *r)
{
	if (!c->costs->clock_khz)
		return 0.0;
	return (double)r->simulated_cycles /
	       ((double)c->costs->clock_khz * 1000.0);
}

double figures_rate(const struct comparison *c, const struct run_result *r,
		    enum count_id id)
{
	double seconds = figures_seconds(c, r);

	return seconds > 0.0 ? (double)stats_total(&r->stats, id) / seconds : NAN;
}

u32 figures_found(const struct run_result *r)
{
	return r->found_real | r->found_possible;
}

const struct run_result *figures_first_run(const struct comparison *c)
{
	for (u32 i = 0; i < c->nr_runs; i++)
		if (!c->run[i].skipped)
			return &c->run[i];
	return NULL;
}

u32 figures_costs(const struct stats *s, const struct cost_sheet *sheet,
		  enum cost_tag tag)
{
	u32 n = 0;

	for (u32 i = 0; i < COST_NR; i++)
		if (s->charged[i] &&
		    (tag == COST_TAG_NR || sheet->row[i].tag == tag))
			n++;
	return n;
}

const char *verdict_name(u32 n)
{
	static const char *const names[VERDICT_BITS] = {
		"internal", "I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8",
	};

	BUG_ON(n >= VERDICT_BITS);
	return names[n];
}

/* Appends the names of @bits as far as they fit; returns how many did not. */
static u32 verdict_append(char *to, size_t size, const char *kind, u32 bits)
{
	const char *sep = kind;
	u32 left = 0;

	for (u32 n = 0; n < VERDICT_BITS; n++) {
		size_t used = strlen(to);
		const char *name = verdict_name(n);
		size_t reserve = sizeof(" +9");

		if (!(bits & VERDICT_BIT(n)))
			continue;
		if (left || used + strlen(sep) + strlen(name) + reserve > size) {
			left++;
			continue;
		}
		snprintf(to + used, size - used, "%s%s", sep, name);
		sep = ",";
	}
	return left;
}

void verdict_text(char *to, size_t size, const struct run_result *r)
{
	u32 possible = r->found_possible & ~r->found_real;
	char wide[VERDICT_TEXT_MAX] = "";
	size_t used;
	u32 left;

	BUG_ON(size < sizeof("not checked"));
	if (r->unchecked) {
		snprintf(to, size, "not checked");
		return;
	}
	if (!figures_found(r)) {
		snprintf(to, size, "none seen");
		return;
	}

	verdict_append(wide, sizeof(wide), "real ", r->found_real);
	verdict_append(wide, sizeof(wide), *wide ? " possible " : "possible ",
		       possible);
	if (strlen(wide) < size) {
		memcpy(to, wide, strlen(wide) + 1);
		return;
	}

	*to = '\0';
	left = verdict_append(to, size, "real ", r->found_real);
	left += verdict_append(to, size, *to ? " possible " : "possible ",
			       possible);
	used = strlen(to);
	snprintf(to + used, size - used, " +%u", left);
}
