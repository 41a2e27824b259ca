#include "sim/report/csv.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/report/figures.h"

/* RFC 4180 ends records like this. */
#define END_OF_RECORD "\r\n"

static void text_field(FILE *out, const char *text)
{
	if (!text)
		text = "";
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void int_field(FILE *out, u64 value)
{
	fprintf(out, ",%llu", (unsigned long long)value);
}

static void header(FILE *out)
{
	fputs("policy,scenario,seed,machine,l0,access_model,skipped_reason,"
	      "completed,found,expected,violations_total,simulated_ns,"
	      "overrun_ns,slowdown_ratio,draws_won_percent,best,tied", out);
	for (u32 id = 0; id < COUNT_NR; id++)
		fprintf(out, ",%s_count", count_name(id));
	for (u32 i = 0; i < CYC_NR; i++)
		fprintf(out, ",%s_cycles", cycle_category_name(i));
	fputs(",costs_assumed_count,world_bytes" END_OF_RECORD, out);
}

static void bits_field(FILE *out, u32 bits)
{
	const char *sep = "";

	fputc(',', out);
	for (u32 n = 0; n <= 8; n++)
		if (bits & VERDICT_BIT(n)) {
			fprintf(out, "%s%s", sep, verdict_name(n));
			sep = " ";
		}
	if (!bits)
		fputs("none", out);
}

static void keys(FILE *out, const struct comparison *c,
		 const struct run_result *r)
{
	text_field(out, r->policy);
	fputc(',', out);
	text_field(out, c->scenario);
	int_field(out, c->seed);
	fputc(',', out);
	text_field(out, c->machine);
	fputc(',', out);
	text_field(out, c->l0);
	fputc(',', out);
	text_field(out, c->access_model);
	fputc(',', out);
	text_field(out, r->skipped ? r->why_skipped : "");
}

static void figures(FILE *out, const struct comparison *c,
		    const struct recost *rc, u32 i)
{
	const struct run_result *r = &c->run[i];
	double slowdown = figures_slowdown(&r->stats);
	u64 khz = c->costs->clock_khz;

	fputs(r->completed ? ",yes" : ",no", out);
	if (r->unchecked)
		fputs(",not checked", out);
	else
		bits_field(out, figures_found(r));
	if (r->expect_known)
		bits_field(out, r->expected);
	else
		fputc(',', out);
	int_field(out, r->nr_findings);
	int_field(out, khz ? cycles_to_ns(r->simulated_cycles, khz) : 0);
	int_field(out, khz ? cycles_to_ns(r->stats.overrun_cycles, khz) : 0);
	fputc(',', out);
	if (isfinite(slowdown))
		fprintf(out, "%.9g", slowdown);
	fputc(',', out);
	if (rc->run[i].competes)
		fprintf(out, "%.4g", 100.0 * rc->run[i].won / rc->nr_draws);
	fputs(rc->best == i ? ",yes" : ",no", out);
	fputs(rc->run[i].tied ? ",yes" : ",no", out);
	for (u32 id = 0; id < COUNT_NR; id++)
		int_field(out, stats_total(&r->stats, id));
	for (u32 cat = 0; cat < CYC_NR; cat++)
		int_field(out, r->stats.cycles[cat]);
	int_field(out, figures_costs(&r->stats, c->costs, COST_TAG_ASSUMED));
	int_field(out, r->world_bytes);
}

/* As many empty fields as figures() fills. */
static void no_figures(FILE *out)
{
	for (u32 i = 0; i < 12 + COUNT_NR + CYC_NR; i++)
		fputc(',', out);
}

int csv_write(FILE *out, const struct comparison *c, const struct recost *rc,
	      struct err *err)
{
	BUG_ON(rc->nr_runs != c->nr_runs);
	header(out);
	for (u32 i = 0; i < c->nr_runs; i++) {
		keys(out, c, &c->run[i]);
		if (c->run[i].skipped)
			no_figures(out);
		else
			figures(out, c, rc, i);
		fputs(END_OF_RECORD, out);
	}
	if (fflush(out) || ferror(out))
		return err_set(err, -EIO, "cannot write the CSV result: %s",
			       strerror(errno));
	return 0;
}
