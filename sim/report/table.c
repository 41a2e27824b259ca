#include "sim/report/table.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/report/figures.h"
#include "sim/report/notes.h"
#include "sim/report/text.h"

#define NAME_WIDTH_MIN	6u
#define NAME_WIDTH_MAX	21u
#define IN_RUN_WIDTH	20u

#define RED	"\033[31m"
#define YELLOW	"\033[33m"
#define BOLD	"\033[1m"
#define PLAIN	"\033[0m"

/* One name takes four bytes per character at worst. */
#define CLEAN_NAME_MAX	(4 * POLICY_NAME_MAX)

struct table {
	FILE *out;
	const struct comparison *c;
	const struct recost *rc;
	bool colour;
	u32 name_width;
	u32 nr_long;		/* names cut so far in this part */
};

static u32 name_width(const struct comparison *c)
{
	size_t width = NAME_WIDTH_MIN;
	char clean[CLEAN_NAME_MAX];

	for (u32 i = 0; i < c->nr_runs; i++) {
		size_t len = text_clean(clean, sizeof(clean), c->run[i].policy);

		if (len > width)
			width = len;
	}
	return width < NAME_WIDTH_MAX ? (u32)width : NAME_WIDTH_MAX;
}

/* A name that is too wide ends in "~1", "~2" ...; the legend has it in full. */
static void name_cell(struct table *t, char *to, size_t size, const char *name)
{
	char clean[CLEAN_NAME_MAX], mark[16];
	size_t len = text_clean(clean, sizeof(clean), name);

	if (len <= t->name_width) {
		snprintf(to, size, "%-*s", (int)t->name_width, clean);
		return;
	}
	snprintf(mark, sizeof(mark), "~%u", ++t->nr_long);
	snprintf(to, size, "%.*s%s", (int)(t->name_width - strlen(mark)), clean,
		 mark);
}

static void print_coloured(struct table *t, const char *colour, u32 width,
			   const char *text)
{
	bool on = t->colour && *colour;

	fprintf(t->out, "%s%-*s%s", on ? colour : "", (int)width, text,
		on ? PLAIN : "");
}

static void cheapest_text(const struct table *t, u32 i, char *to, size_t size)
{
	const struct recost_run *run = &t->rc->run[i];
	double share = 100.0 * run->won / t->rc->nr_draws;
	bool best = t->rc->best == i;

	if (!t->c->run[i].completed)
		snprintf(to, size, "cut short");
	else if (!run->competes)
		snprintf(to, size, "excluded");
	else if (t->rc->nr_competing == 1)
		snprintf(to, size, "only one");
	else if (run->tied)
		snprintf(to, size, "tie");
	else
		snprintf(to, size, "%s%.0f %%", best ? "best " : "", share);
}

static void slowdown_text(char *to, size_t size, double value)
{
	if (isfinite(value) && value < 9999.5)
		snprintf(to, size, "%.*f", value < 9.9995 ? 3 :
			 value < 99.95 ? 2 : 1, value);
	else
		text_rate(to, size, value);
}

static void verdict_row(struct table *t, u32 i)
{
	const struct run_result *r = &t->c->run[i];
	char name[CLEAN_NAME_MAX], text[IN_RUN_WIDTH + 1], lost[16], slow[16];
	char cheapest[32], first[CLEAN_NAME_MAX + 8];
	u64 overhead = figures_overhead(&r->stats);

	name_cell(t, name, sizeof(name), r->policy);
	if (r->skipped) {
		char why[4 * sizeof(r->why_skipped)];

		text_clean(why, sizeof(why), r->why_skipped);
		snprintf(first, sizeof(first), "%s  n/a: ", name);
		text_paragraph(t->out, first, t->name_width + 7, why);
		return;
	}
	verdict_text(text, sizeof(text), r);
	text_percent(lost, sizeof(lost), figures_percent(&r->stats, overhead));
	slowdown_text(slow, sizeof(slow), figures_slowdown(&r->stats));
	cheapest_text(t, i, cheapest, sizeof(cheapest));

	fprintf(t->out, "%s  ", name);
	print_coloured(t, r->found_real ? RED : r->found_possible ? YELLOW : "",
		       IN_RUN_WIDTH, text);
	fprintf(t->out, " %-7s  %5s %8s ", "not yet", lost, slow);
	print_coloured(t, t->rc->best == i ? BOLD : "", 0, cheapest);
	fputc('\n', t->out);
}

static void verdict_part(struct table *t)
{
	int w = (int)t->name_width;

	t->nr_long = 0;
	fprintf(t->out, "\n%*s  %-28s  %s\n", w, "",
		"-------- verdict -----------", "-------- cost ----------");
	fprintf(t->out, "%-*s  %-20s %-7s  lost%% slowdown cheapest\n", w,
		"policy", "in this run", "explored");
	for (u32 i = 0; i < t->c->nr_runs; i++)
		verdict_row(t, i);
}

static void where_row(struct table *t, const struct run_result *r)
{
	static const enum count_id rates[] = {
		COUNT_INVEPT_GLOBAL, COUNT_INVEPT_SINGLE, COUNT_INVVPID,
		COUNT_FLUSH_HYPERCALLS, COUNT_TLB_MISSES,
	};
	static const u64 parts[] = {
		BIT64(CYC_FLUSH), BIT64(CYC_WALK), L0_CATEGORIES, BIT64(CYC_IPI),
	};
	char name[CLEAN_NAME_MAX], cell[16], line[TEXT_COLUMNS + 1] = "";
	size_t used = 0;

	name_cell(t, name, sizeof(name), r->policy);
	if (r->skipped)
		return;
	for (u32 i = 0; i < ARRAY_SIZE(rates); i++) {
		text_rate(cell, sizeof(cell), figures_rate(t->c, r, rates[i]));
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 " %6s", cell);
	}
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++) {
		u64 cycles = figures_cycles(&r->stats, parts[i]);

		text_percent(cell, sizeof(cell), figures_percent(&r->stats, cycles));
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 " %5s", cell);
	}
	fprintf(t->out, "%s%s\n", name, line);
}

static void where_part(struct table *t)
{
	int w = (int)t->name_width;

	t->nr_long = 0;
	fprintf(t->out, "\n%*s %s\n", w, "",
		"---- per second, whole host ------ % of guest time lost to");
	fprintf(t->out, "%*s %s\n", w, "", "INVEPT INVEPT    INV  flush    TLB");
	fprintf(t->out, "%-*s %s\n", w, "policy",
		"global single   VPID  hcall misses flush  walk    L0   IPI");
	for (u32 i = 0; i < t->c->nr_runs; i++)
		where_row(t, &t->c->run[i]);
}

static void legend(struct table *t)
{
	char clean[CLEAN_NAME_MAX], first[24];
	u32 n = 0;

	for (u32 i = 0; i < t->c->nr_runs; i++) {
		size_t len = text_clean(clean, sizeof(clean), t->c->run[i].policy);

		if (len <= t->name_width)
			continue;
		snprintf(first, sizeof(first), "%s~%u = ", n ? "" : "\n", n + 1);
		text_paragraph(t->out, first, 5, clean);
		n++;
	}
}

static void head(struct table *t)
{
	const struct comparison *c = t->c;
	const struct run_result *r = figures_first_run(c);
	char sentence[1024];

	text_note(t->out, "eptsim", "%s (%s)%s", c->version, c->commit,
		  c->partial ? "; PARTIAL: interrupted, rows hold what was done" : "");
	text_note(t->out, "scenario", "%s; seed %llu", c->scenario,
		  (unsigned long long)c->seed);
	snprintf(sentence, sizeof(sentence),
		 "%.200s, L0 %.100s, costs %s; pCPUs: %u, VMs: %u, vCPUs: %u",
		 c->machine, c->l0, c->costs->name, c->nr_pcpus, c->nr_vms,
		 c->nr_vcpus);
	text_note(t->out, "machine", "%s", sentence);
	if (c->trace.file)
		text_note(t->out, "trace", "%s: %llu events, %llu lost, %llu torn, %llu chain breaks",
			  c->trace.file, (unsigned long long)c->trace.events,
			  (unsigned long long)c->trace.lost,
			  (unsigned long long)c->trace.torn,
			  (unsigned long long)c->trace.chain_breaks);
	if (r)
		text_note(t->out, "run", "%.3f s simulated; %.1f migrations/s; access model %s",
			  figures_seconds(c, r),
			  fmax(0.0, figures_rate(c, r, COUNT_MIGRATIONS)),
			  c->access_model);
}

int table_write(FILE *out, const struct comparison *c, const struct recost *rc,
		bool colour, struct err *err)
{
	struct table t = {
		.out = out, .c = c, .rc = rc, .colour = colour,
		.name_width = name_width(c),
	};

	BUG_ON(rc->nr_runs != c->nr_runs);
	head(&t);
	verdict_part(&t);
	if (figures_first_run(c))
		where_part(&t);
	legend(&t);
	fputc('\n', out);
	notes_write(out, c, rc);
	findings_write(out, c);
	if (fflush(out) || ferror(out))
		return err_set(err, -EIO, "cannot write the table: %s",
			       strerror(errno));
	return 0;
}
