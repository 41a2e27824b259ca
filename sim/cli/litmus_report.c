#include "sim/cli/litmus_report.h"

#include <string.h>

#include "sim/core/result.h"
#include "sim/report/text.h"

#define NAME_WIDTH	30
#define CELL_WIDTH	5
#define BLOCK		10u	/* policies that fit side by side */

struct litmus_cell *litmus_cell_at(const struct litmus_table *t, u32 test,
				   u32 policy)
{
	return &t->cell[test * t->nr_policies + policy];
}

bool litmus_differs(const struct litmus_cell *c)
{
	if (!c->judged)
		return false;
	if (c->verdict == LITMUS_NA || c->expected == LITMUS_NA)
		return c->verdict != c->expected;
	if (!c->verdict)
		return c->expected || !c->exhausted || c->stuck;
	return !(c->verdict & c->expected);
}

/* Bits as words: "clean", "I1", "I1 or I3", "n/a". */
static const char *verdict_word(u32 verdict, bool exhausted, char *to,
				size_t size)
{
	size_t len = 0;

	if (verdict == LITMUS_NA)
		return "n/a";
	if (!verdict)
		return exhausted ? "clean" : "?";
	*to = '\0';
	for (u32 i = 1; i <= 8; i++)
		if (verdict & VERDICT_BIT(i) && len < size)
			len += (size_t)snprintf(to + len, size - len, "%sI%u",
						len ? " or " : "", i);
	return to;
}

/* What a cell has come to. */
static const char *cell_word(const struct litmus_cell *c, char *to, size_t size)
{
	return c->stuck ? "stuck" :
	       verdict_word(c->verdict, c->exhausted, to, size);
}

static u32 block_end(const struct litmus_table *t, u32 from)
{
	return from + BLOCK < t->nr_policies ? from + BLOCK : t->nr_policies;
}

static void print_head(const struct litmus_table *t, u32 from, FILE *out)
{
	fprintf(out, "%-*s", NAME_WIDTH, "test");
	for (u32 p = from; p < block_end(t, from); p++)
		fprintf(out, "%*u", CELL_WIDTH, p + 1);
	fprintf(out, "\n");
}

static void print_row(const struct litmus_table *t, u32 from, u32 i, FILE *out)
{
	char words[64], cell[16];

	fprintf(out, "%-*.*s", NAME_WIDTH, NAME_WIDTH - 1, t->test[i]->name);
	for (u32 p = from; p < block_end(t, from); p++) {
		const struct litmus_cell *c = litmus_cell_at(t, i, p);
		const char *word = cell_word(c, words, sizeof(words));

		snprintf(cell, sizeof(cell), "%.4s%s",
			 c->stuck ? "-" :
			 !c->verdict && c->exhausted ? "ok" : word,
			 litmus_differs(c) ? "!" : "");
		fprintf(out, "%*s", CELL_WIDTH, cell);
	}
	fprintf(out, "\n");
}

static void print_difference(const struct litmus_table *t, u32 i, u32 p,
			     FILE *out)
{
	const struct litmus_cell *c = litmus_cell_at(t, i, p);
	char found[64], expected[64];

	fprintf(out, "%s, %s: found %s, expected %s%s%s\n", t->test[i]->name,
		t->policy[p].spelling,
		c->exhausted || c->verdict ?
		cell_word(c, found, sizeof(found)) :
		"nothing before memory ran out",
		verdict_word(c->expected, true, expected, sizeof(expected)),
		*c->text ? ": " : "", c->text);
}

void litmus_print(const struct litmus_table *t, FILE *out)
{
	u32 nr = 0, judged = 0;

	for (u32 from = 0; from < t->nr_policies; from += BLOCK) {
		print_head(t, from, out);
		for (u32 i = 0; i < t->nr_tests; i++)
			print_row(t, from, i, out);
		fprintf(out, "\n");
	}
	for (u32 p = 0; p < t->nr_policies; p++)
		fprintf(out, "%4u  %s\n", p + 1, t->policy[p].spelling);
	fprintf(out, "\nok: every interleaving explored, nothing found; I1..I6: broken in the shortest\nschedule; !: not what the test expects; ?: did not fit in memory;\n-: stuck: no run gets to the end of the programs, so nothing was tested\n\n");
	for (u32 i = 0; i < t->nr_tests; i++)
		for (u32 p = 0; p < t->nr_policies; p++) {
			const struct litmus_cell *c = litmus_cell_at(t, i, p);

			judged += c->judged;
			if (!litmus_differs(c))
				continue;
			nr++;
			print_difference(t, i, p, out);
		}
	fprintf(out, "%u verdicts, %u expected: %u as expected, %u not\n",
		t->nr_tests * t->nr_policies, judged, judged - nr, nr);
}

void litmus_print_tap(const struct litmus_table *t, FILE *out)
{
	char found[64], expected[64];
	u32 nr = 0;

	fprintf(out, "TAP version 13\n");
	for (u32 i = 0; i < t->nr_tests; i++)
		for (u32 p = 0; p < t->nr_policies; p++) {
			const struct litmus_cell *c = litmus_cell_at(t, i, p);

			if (!c->judged)
				continue;
			fprintf(out, "%sok %u - %s: %s: found %s, expected %s\n",
				litmus_differs(c) ? "not " : "", ++nr,
				t->test[i]->name, t->policy[p].spelling,
				cell_word(c, found, sizeof(found)),
				verdict_word(c->expected, true, expected,
					     sizeof(expected)));
		}
	fprintf(out, "1..%u\n", nr);
}

static void print_case(const struct litmus_table *t, u32 i, u32 p, FILE *out)
{
	const struct litmus_cell *c = litmus_cell_at(t, i, p);
	char found[64], expected[64];

	fprintf(out, "    <testcase classname=\"");
	text_xml(out, t->test[i]->name);
	fprintf(out, "\" name=\"");
	text_xml(out, t->policy[p].spelling);
	fprintf(out, "\" time=\"%.3f\"", c->seconds);
	if (!litmus_differs(c)) {
		fprintf(out, "/>\n");
		return;
	}
	fprintf(out, ">\n      <failure message=\"found %s, expected %s\">",
		cell_word(c, found, sizeof(found)),
		verdict_word(c->expected, true, expected, sizeof(expected)));
	text_xml(out, c->text);
	fprintf(out, "</failure>\n    </testcase>\n");
}

void litmus_print_junit(const struct litmus_table *t, FILE *out)
{
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (u32 i = 0; i < t->nr_tests; i++) {
		u32 judged = 0, failed = 0;

		for (u32 p = 0; p < t->nr_policies; p++) {
			judged += litmus_cell_at(t, i, p)->judged;
			failed += litmus_differs(litmus_cell_at(t, i, p));
		}
		fprintf(out, "  <testsuite name=\"");
		text_xml(out, t->test[i]->name);
		fprintf(out, "\" tests=\"%u\" failures=\"%u\">\n", judged,
			failed);
		for (u32 p = 0; p < t->nr_policies; p++)
			if (litmus_cell_at(t, i, p)->judged)
				print_case(t, i, p, out);
		fprintf(out, "  </testsuite>\n");
	}
	fprintf(out, "</testsuites>\n");
}
