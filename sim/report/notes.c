#include "sim/report/notes.h"

#include <stdarg.h>
#include <string.h>

#include "sim/report/figures.h"
#include "sim/report/text.h"

/* Names joined into one sentence; a list that is too long ends in "...". */
#define LIST_MAX 1024

static void list_add(char *list, const char *name)
{
	size_t used = strlen(list);

	if (used + strlen(name) + sizeof(", ...") > LIST_MAX) {
		if (used < LIST_MAX - 6 &&
		    (used < 3 || strcmp(list + used - 3, "...")))
			snprintf(list + used, LIST_MAX - used, ", ...");
		return;
	}
	snprintf(list + used, LIST_MAX - used, "%s%s", used ? ", " : "", name);
}

static bool all_unchecked(const struct comparison *c)
{
	for (u32 i = 0; i < c->nr_runs; i++)
		if (!c->run[i].skipped && !c->run[i].unchecked)
			return false;
	return true;
}

static void note_verdicts(FILE *out, const struct comparison *c)
{
	if (all_unchecked(c))
		text_note(out, "in this run", "\"not checked\": the checkers were off, so nothing is known of any policy's correctness, and none is excluded from the ranking.");
	else
		text_note(out, "in this run", "\"none seen\": on this one schedule; that is no proof. \"possible\": a TLB that holds everything and speculates could have used a translation after the flush that condemned it. \"real\": the modelled TLB did.");
	text_note(out, "explored", "\"not yet\": no policy was checked over all interleavings.");
	text_note(out, "SC", "memory is sequentially consistent: barriers not checked.");
	if (!strcmp(c->access_model, "exact"))
		text_note(out, "accesses", "exact: every access is played%s.", all_unchecked(c) ? "" : ", and the checkers judge every use");
	else if (!strcmp(c->access_model, "touch"))
		text_note(out, "accesses", "touch: the first touch of a page per slice and after each flush is played, capacity misses are expected values.%s", all_unchecked(c) ? "" : " The checkers judge \"possible\" in full, \"real\" on the touches played.");
	else if (!strcmp(c->access_model, "fluid"))
		text_note(out, "accesses", "fluid: warm sets are counts per tag, no single page is played. The checkers judge \"possible\" only.");
	else
		text_note(out, "accesses", "%s.", c->access_model);
}

static void note_changes(FILE *out, const struct comparison *c)
{
	if (c->changes_recorded)
		text_note(out, "changes", "mapping changes are recorded; guest flushes are synthetic, %g per second of vCPU run time.",
			  c->guest_flush_per_s);
	else
		text_note(out, "changes", "synthetic, not recorded: %g strict EPT changes per second and VM, %g guest flushes per second of vCPU run time.",
			  c->strict_per_s, c->guest_flush_per_s);
}

/* A fact about the recording; readers leave it empty if it was not stored. */
static const char *known(const char *fact)
{
	return fact && *fact && strcmp(fact, "unknown") ? fact : NULL;
}

static void note_trace(FILE *out, const struct comparison *c)
{
	const char *policy = known(c->trace.recorded_policy);
	const char *kernel = known(c->trace.recorded_kernel);
	const char *l0 = known(c->trace.recorded_l0);
	const struct run_result *r = figures_first_run(c);

	if (!c->trace.file)
		return;
	text_note(out, "recorded", "under %s (L0 %s, kernel %s), whose cost the schedule carries. Bias: a cheaper policy would have migrated less than replayed (its gain is understated), a dearer one more (its cost is understated)%s.",
		  policy ? policy : "unknown policy", l0 ? l0 : "unknown",
		  kernel ? kernel : "unknown",
		  policy ? "" : "; which is which is unknown");
	if (!(c->trace.lost | c->trace.torn | c->trace.chain_breaks))
		return;
	text_note(out, "holes", "%llu events lost, %llu torn, %llu chain breaks: no figure here is better than that. Time without a record is counted as unknown: %.2f %% of pCPU time.",
		  (unsigned long long)c->trace.lost,
		  (unsigned long long)c->trace.torn,
		  (unsigned long long)c->trace.chain_breaks,
		  r && r->simulated_cycles && c->nr_pcpus ?
		  100.0 * (double)r->stats.cycles[CYC_UNKNOWN] /
		  ((double)r->simulated_cycles * c->nr_pcpus) : 0.0);
}

static void note_overrun(FILE *out, const struct comparison *c)
{
	char list[LIST_MAX] = "", one[POLICY_NAME_MAX + 32];

	for (u32 i = 0; i < c->nr_runs; i++) {
		const struct run_result *r = &c->run[i];
		double percent = figures_percent(&r->stats, r->stats.overrun_cycles);

		if (r->skipped || !(percent > OVERRUN_PERCENT_MAX))
			continue;
		snprintf(one, sizeof(one), "%s %.0f %%", r->policy, percent);
		list_add(list, one);
	}
	if (*list)
		text_note(out, "overrun", "more than %.0f %% of guest time did not fit the recorded slices (%s): use the closed loop.",
			  OVERRUN_PERCENT_MAX, list);
	else
		text_note(out, "open loop", "recorded times stand; work that did not fit its slice is in \"lost%%\" and stays below %.0f %% of guest time.",
			  OVERRUN_PERCENT_MAX);
}

static void tied_names(const struct comparison *c, const struct recost *rc,
		       char *list)
{
	for (u32 i = 0; i < c->nr_runs; i++)
		if (rc->run[i].tied)
			list_add(list, c->run[i].policy);
}

static void note_best(FILE *out, const struct comparison *c,
		      const struct recost *rc)
{
	char list[LIST_MAX] = "", flip[512];

	if (!rc->nr_competing) {
		text_note(out, "cheapest", "no policy ran to the end without a finding: none is ranked.");
		return;
	}
	if (rc->nr_competing == 1) {
		text_note(out, "cheapest", "%s alone ran to the end without a finding: there is nothing to rank it against.",
			  c->run[rc->first].policy);
		return;
	}
	tied_names(c, rc, list);
	if (rc->best != IDX_NONE)
		text_note(out, "cheapest", "best: %s, cheapest in %.1f %% of %u draws from the cost ranges.",
			  c->run[rc->best].policy,
			  100.0 * rc->run[rc->best].won / rc->nr_draws,
			  rc->nr_draws);
	else
		text_note(out, "cheapest", "tie: %s. None is cheapest in %.0f %% of %u draws from the cost ranges by more than %g %% of guest time.",
			  list, 100.0 * RECOST_BEST_SHARE, rc->nr_draws,
			  100.0 * rc->resolution);
	recost_flip_text(flip, sizeof(flip), c, rc);
	text_note(out, "flips", "%s", flip);
}

/* Are all tied runs within the resolution of the lowest, in most draws? */
static bool tie_is_close(const struct recost *rc)
{
	double enough = RECOST_BEST_SHARE * rc->nr_draws;
	u32 nr = 0;

	for (u32 i = 0; i < rc->nr_runs; i++) {
		nr += rc->run[i].tied;
		if (rc->run[i].tied && rc->run[i].near < enough)
			return false;
	}
	return nr > 1;
}

static void note_resolution(FILE *out, const struct comparison *c,
			    const struct recost *rc)
{
	const struct run_result *r = figures_first_run(c);
	double percent = 100.0 * rc->resolution;
	char list[LIST_MAX] = "";

	if (rc->nr_competing < 2)
		return;
	if (rc->close >= RECOST_BEST_SHARE * rc->nr_draws) {
		text_note(out, "resolution", "%.1f migrations/s: flush-on-migration is not this host's problem. All policies without a finding are within %g %% of guest time of each other in %.0f %% of the draws.",
			  figures_rate(c, r, COUNT_MIGRATIONS), percent,
			  100.0 * rc->close / rc->nr_draws);
		return;
	}
	if (!tie_is_close(rc))
		return;
	tied_names(c, rc, list);
	text_note(out, "resolution", "%s differ by less than %g %% of guest time: too little to choose by.",
		  list, percent);
}

static void note_costs(FILE *out, const struct recost *rc)
{
	text_note(out, "costs", "%u of %u costs assumed, %u derived. \"lost%%\": walk, flush, L0, IPI, exits, context switches and overrun in %% of guest time. \"cheapest\": share of %u draws from the cost ranges; a policy with a finding is excluded.",
		  rc->nr_assumed, rc->nr_costs, rc->nr_derived, rc->nr_draws);
}

void notes_write(FILE *out, const struct comparison *c,
		 const struct recost *rc)
{
	note_best(out, c, rc);
	note_resolution(out, c, rc);
	note_costs(out, rc);
	note_changes(out, c);
	note_trace(out, c);
	note_overrun(out, c);
	note_verdicts(out, c);
}

static bool same_kind(const struct finding *a, const struct finding *b)
{
	return a->real == b->real && !strcmp(a->invariant, b->invariant);
}

static void print_finding(FILE *out, const struct comparison *c,
			  const struct finding *f)
{
	u64 ns = c->costs->clock_khz ?
		 cycles_to_ns(f->time, c->costs->clock_khz) : 0;
	char label[64], text[4 * FINDING_TEXT_MAX], first[4 * 64];

	snprintf(label, sizeof(label), "  %.20s %s at %llu.%09llu s: ",
		 f->invariant, f->real ? "real" : "possible",
		 (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns % 1000000000));
	text_clean(first, sizeof(first), label);
	text_clean(text, sizeof(text), f->text);
	text_paragraph(out, first, 4, text);
}

static void print_heading(FILE *out, const char *note)
{
	char text[TEXT_NOTE_MAX];

	snprintf(text, sizeof(text), "show it again%s%s%s:", note ? " (" : "",
		 note ? note : "", note ? ")" : "");
	text_paragraph(out, "  ", 2, text);
}

static void print_replay(FILE *out, const struct comparison *c,
			 const struct run_result *r)
{
	char raw[TEXT_NOTE_MAX], command[TEXT_NOTE_MAX];
	char policy[4 * POLICY_NAME_MAX + 4];

	text_quote(policy, sizeof(policy), r->policy);
	snprintf(raw, sizeof(raw), "%s --policies %s",
		 c->replay ? c->replay : "eptsim compare", policy);
	text_clean(command, sizeof(command), raw);
	print_heading(out, c->replay_note);
	text_command(out, 4, command);
}

static void print_bits(char *to, size_t size, u32 bits)
{
	*to = '\0';
	for (u32 n = 0; n <= 8; n++) {
		size_t used = strlen(to);

		if (bits & VERDICT_BIT(n))
			snprintf(to + used, size - used, "%s%s",
				 used ? "," : "", verdict_name(n));
	}
	if (!bits)
		snprintf(to, size, "clean");
}

static void print_block(FILE *out, const struct comparison *c,
			const struct run_result *r)
{
	char name[4 * POLICY_NAME_MAX], found[VERDICT_TEXT_MAX];
	char expected[VERDICT_TEXT_MAX], said[3 * VERDICT_TEXT_MAX] = "";
	char first[4 * POLICY_NAME_MAX + 4];

	text_clean(name, sizeof(name), r->policy);
	print_bits(found, sizeof(found), figures_found(r));
	print_bits(expected, sizeof(expected), r->expected);
	if (r->expect_known)
		snprintf(said, sizeof(said), ", as the scenario expects");
	if (r->expect_known && r->expected != figures_found(r))
		snprintf(said, sizeof(said), "; the scenario expects %s: DIFFERS",
			 expected);
	fputc('\n', out);
	snprintf(first, sizeof(first), "%.60s: %s%s", name, found, said);
	text_paragraph(out, "", 4, first);
	for (u32 i = 0; i < r->nr_stored; i++) {
		u32 before = 0;

		while (before < i && !same_kind(&r->finding[before], &r->finding[i]))
			before++;
		if (before == i)
			print_finding(out, c, &r->finding[i]);
	}
	if (r->nr_findings > 1)
		fprintf(out, "  %llu findings in all.\n",
			(unsigned long long)r->nr_findings);
	print_replay(out, c, r);
}

void findings_write(FILE *out, const struct comparison *c)
{
	bool any = false;

	for (u32 i = 0; i < c->nr_runs; i++) {
		const struct run_result *r = &c->run[i];

		if (r->skipped || r->unchecked ||
		    (!figures_found(r) && !r->nr_findings &&
		     (!r->expect_known || !r->expected)))
			continue;
		print_block(out, c, r);
		any |= figures_found(r) != 0;
	}
	if (any) {
		fputc('\n', out);
		text_paragraph(out, "", 0, "All findings are in our model of v6.12, unconfirmed upstream.");
	}
}
