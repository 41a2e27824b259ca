/* The table is pasted into mails: its text is an interface, down to the column. */
#include "sim/report/table.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "sim/base/err.h"
#include "tests/suite.h"
#include "tests/unit/report/fixture.h"

static char *text;
static size_t text_size;

static void setup(void)
{
	fx_begin();
	text = NULL;
}

static void teardown(void)
{
	recost_release(&fx.rc);
	free(text);
}

static void print(bool colour)
{
	FILE *f = open_memstream(&text, &text_size);
	struct err err;

	fx_recost();
	ck_assert_int_eq(table_write(f, &fx.c, &fx.rc, colour, &err), 0);
	fclose(f);
}

static void has(const char *part)
{
	if (!strstr(text, part))
		ck_abort_msg("no \"%s\" in:\n%s", part, text);
}

static void lacks(const char *part)
{
	if (strstr(text, part))
		ck_abort_msg("\"%s\" in:\n%s", part, text);
}

/* Notes are wrapped; what they say is looked for on one line. */
static void says(const char *sentence)
{
	char *flat = malloc(text_size + 1), *to = flat;

	for (const char *c = text; *c; c++) {
		bool blank = *c == ' ' || *c == '\n';

		if (!blank || (to > flat && to[-1] != ' '))
			*to++ = blank ? ' ' : *c;
	}
	*to = '\0';
	if (!strstr(flat, sentence))
		ck_abort_msg("no \"%s\" in:\n%s", sentence, text);
	free(flat);
}

static void narrow(void)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n");

		if (len > 80)
			ck_abort_msg("%zu columns: %.*s", len, (int)len, line);
	}
}

static void one_of_each(void)
{
	struct run_result *r;

	fx_cost(COST_INVEPT_GLOBAL, 50, 100, 200);
	fx_cost(COST_INVEPT_SINGLE, 5, 10, 20);
	fx_cost(COST_WALK_REF, 1, 1, 1);
	fx.sheet.row[COST_WALK_REF].tag = COST_TAG_DERIVED;
	r = fx_run("never");
	fx_find(r, 1, true, "vCPU 2 on pCPU 1 used page 5, condemned at 0.1 s.");
	fx_find(r, 1, true, "vCPU 1 on pCPU 0 used page 6.");
	fx_find(r, 3, false, "vCPU 2 on pCPU 1 could have used page 7.");
	r->expect_known = true;
	r->expected = VERDICT_BIT(1);
	r = fx_run("global-flush");
	r->stats.count[COUNT_INVEPT_GLOBAL][CAUSE_MIGRATION] = 1000000;
	r->stats.count[COUNT_TLB_MISSES][CAUSE_NONE] = 2000000;
	fx_pay(r, COST_INVEPT_GLOBAL, 1000000);
	fx_pay(r, COST_WALK_REF, 8000000);
	r = fx_run("per-root-gen");
	r->stats.count[COUNT_INVEPT_SINGLE][CAUSE_MIGRATION] = 1000000;
	r->stats.count[COUNT_TLB_MISSES][CAUSE_NONE] = 12345;
	fx_pay(r, COST_INVEPT_SINGLE, 1000000);
	fx_pay(r, COST_WALK_REF, 4000000);
	fx_skip("hypercall-broadcast", "needs Hyper-V as L0");
	fx_recost();
}

static const char whole[] =
	"eptsim      0.1 (abc1234)\n"
	"scenario    toy; seed 7\n"
	"machine     two-pcpus, L0 bare, costs toy; pCPUs: 2, VMs: 1, vCPUs: 3\n"
	"run         1.000 s simulated; 6.0 migrations/s; access model exact\n"
	"\n"
	"                     -------- verdict -----------  -------- cost ----------\n"
	"policy               in this run          explored  lost% slowdown cheapest\n"
	"never                real I1 possible I3  not yet      0    1.000 excluded\n"
	"global-flush         none seen            not yet   10.8    1.108 0 %\n"
	"per-root-gen         none seen            not yet   1.40    1.014 best 100 %\n"
	"hypercall-broadcast  n/a: needs Hyper-V as L0\n"
	"\n"
	"                    ---- per second, whole host ------ % of guest time lost to\n"
	"                    INVEPT INVEPT    INV  flush    TLB\n"
	"policy              global single   VPID  hcall misses flush  walk    L0   IPI\n"
	"never                    0      0      0      0      0     0     0     0     0\n"
	"global-flush          1.0M      0      0      0   2.0M  10.0  0.80     0     0\n"
	"per-root-gen             0   1.0M      0      0  12.3k  1.00  0.40     0     0\n"
	"\n"
	"cheapest    best: per-root-gen, cheapest in 100.0 % of 1000 draws from the cost\n"
	"            ranges.\n"
	"flips       no single cost, moved over its range, puts global-flush before\n"
	"            per-root-gen.\n"
	"costs       2 of 3 costs assumed, 1 derived. \"lost%\": walk, flush, L0, IPI,\n"
	"            exits, context switches and overrun in % of guest time. \"cheapest\":\n"
	"            share of 1000 draws from the cost ranges; a policy with a finding is\n"
	"            excluded.\n"
	"changes     synthetic, not recorded: 2 strict EPT changes per second and VM, 1\n"
	"            guest flushes per second of vCPU run time.\n"
	"open loop   recorded times stand; work that did not fit its slice is in \"lost%\"\n"
	"            and stays below 5 % of guest time.\n"
	"in this run \"none seen\": on this one schedule; that is no proof. \"possible\": a\n"
	"            TLB that holds everything and speculates could have used a\n"
	"            translation after the flush that condemned it. \"real\": the modelled\n"
	"            TLB did.\n"
	"explored    \"not yet\": no policy was checked over all interleavings.\n"
	"SC          memory is sequentially consistent: barriers not checked.\n"
	"accesses    exact: every access is played, and the checkers judge every use.\n"
	"\n"
	"never: I1,I3; the scenario expects I1: DIFFERS\n"
	"  I1 real at 0.123456789 s: vCPU 2 on pCPU 1 used page 5, condemned at 0.1 s.\n"
	"  I3 possible at 0.123456789 s: vCPU 2 on pCPU 1 could have used page 7.\n"
	"  3 findings in all.\n"
	"  show it again:\n"
	"    eptsim compare toy.json --seed 7 --policies never\n"
	"\n"
	"All findings are in our model of v6.12, unconfirmed upstream.\n";

START_TEST(one_of_each_prints_like_this)
{
	one_of_each();
	print(false);
	ck_assert_str_eq(text, whole);
}
END_TEST

START_TEST(colour_changes_nothing_but_colour)
{
	size_t to = 0;

	one_of_each();
	print(true);
	has("\033[31mreal I1 possible I3 \033[0m");
	has("\033[1mbest 100 %\033[0m");
	for (size_t i = 0; text[i]; i++) {
		if (text[i] == '\033')
			i += strcspn(text + i, "m");
		else
			text[to++] = text[i];
	}
	text[to] = '\0';
	ck_assert_str_eq(text, whole);
}
END_TEST

START_TEST(long_names_are_cut_and_told_in_a_legend)
{
	fx_run("shadow-vpid:invlpgb=passthrough:nested=split:load=elide");
	fx_run("shadow-vpid:invlpgb=passthrough:nested=shared:load=elide");
	fx_skip("hypercall-broadcast:migrate=invept-single",
		"a reason that goes on and on, to the very last character of "
		"its room, and does not end where the line does, so it wraps");
	print(false);
	narrow();
	has("\nshadow-vpid:invlpgb~1  none seen");
	has("\nshadow-vpid:invlpgb~2  none seen");
	has("\nhypercall-broadcast~3  n/a: ");
	has("\n~1 = shadow-vpid:invlpgb=passthrough:nested=split:load=elide\n"
	    "~2 = shadow-vpid:invlpgb=passthrough:nested=shared:load=elide\n"
	    "~3 = hypercall-broadcast:migrate=invept-single\n");
}
END_TEST

START_TEST(nothing_is_wider_than_eighty_columns)
{
	char name[POLICY_NAME_MAX], path[600];
	struct run_result *r;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	fx.c.scenario = fx.c.machine = fx.c.l0 = fx.c.version = path;
	fx.c.commit = fx.c.replay = fx.c.access_model = path;
	fx.c.trace.file = fx.c.trace.recorded_policy = path;
	fx.c.trace.recorded_kernel = fx.c.trace.recorded_l0 = path;
	fx.c.trace.lost = UINT64_MAX;
	for (u32 i = 0; i < 9; i++) {
		r = fx_run(name);
		for (u32 n = 0; i && n <= 8; n++)
			fx_find(r, n, n & 1, path);
		for (u32 id = 0; id < COUNT_NR; id++)
			r->stats.count[id][CAUSE_LOAD] = UINT64_MAX / 16;
		for (u32 id = 0; id < CYC_NR; id++)
			r->stats.cycles[id] = UINT64_MAX / 16;
		r->stats.cycles[CYC_GUEST] = 1;
		r->stats.overrun_cycles = UINT64_MAX / 16;
	}
	print(false);
	narrow();
	has("+");
}
END_TEST

START_TEST(control_characters_are_escaped_wherever_text_comes_in)
{
	struct run_result *r;

	fx.c.scenario = "evil\033[2J";
	fx.c.trace.file = "tr\race";
	fx.c.trace.recorded_kernel = "6.1\n\nforged";
	fx.c.replay = "eptsim compare 'a\nb'";
	r = fx_run("po\033licy");
	fx_find(r, 1, true, "page\007 5\n\nforged");
	fx_skip("sk\tip", "why\033[31m");
	print(false);
	for (const char *c = text; *c; c++)
		ck_assert(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
	lacks("\nforged");
	has("po\\x1blicy");
	has("page\\x07 5\\x0a\\x0aforged");
}
END_TEST

START_TEST(no_verdict_claims_too_much)
{
	one_of_each();
	fx.c.trace.file = "t";
	print(false);
	lacks("sound");
	says("\"none seen\": on this one schedule; that is no proof.");
	says("\"not yet\": no policy was checked over all interleavings.");
	says("barriers not checked.");
	has("in our model of v6.12, unconfirmed upstream");
}
END_TEST

START_TEST(a_tie_names_its_members)
{
	fx_cost(COST_INVEPT_GLOBAL, 1, 10, 100);
	fx_cost(COST_INVEPT_SINGLE, 1, 12, 100);
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, 1000000);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, 1000000);
	fx_pay(fx_run("far"), COST_INVEPT_SINGLE, 90000000);
	print(false);
	says("tie: a, b. None is cheapest in 95 % of 1000 draws");
	says("flips b overtakes a once ");
	has("1.010 tie\n");
	lacks("best");
}
END_TEST

START_TEST(differences_below_the_resolution_are_called_that)
{
	fx_pay(fx_run("a"), COST_INVEPT_SINGLE, 100);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, 200);
	print(false);
	says("6.0 migrations/s: flush-on-migration is not this host's problem.");
	lacks("best");
}
END_TEST

START_TEST(close_ties_below_a_third_are_called_that)
{
	fx_pay(fx_run("a"), COST_INVEPT_SINGLE, 100);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, 200);
	fx_pay(fx_run("far"), COST_INVEPT_SINGLE, 90000000);
	print(false);
	says("a, b differ by less than 0.1 % of guest time: too little to choose by.");
	lacks("not this host's problem");
}
END_TEST

START_TEST(too_much_overrun_asks_for_the_closed_loop)
{
	fx_run("a")->stats.overrun_cycles = SECOND_CYCLES / 10;
	fx_run("b")->stats.overrun_cycles = SECOND_CYCLES / 25;
	print(false);
	says("more than 5 % of guest time did not fit the recorded slices (a 10 %): use the closed loop.");
}
END_TEST

START_TEST(holes_and_the_bias_of_a_recording_are_told)
{
	struct run_result *r = fx_run("a");

	r->stats.cycles[CYC_UNKNOWN] = SECOND_CYCLES / 2;
	fx.c.trace.file = "x.vst";
	fx.c.trace.events = 1000;
	fx.c.trace.lost = 3;
	fx.c.trace.torn = 2;
	fx.c.trace.chain_breaks = 1;
	fx.c.access_model = "touch";
	print(false);
	says("x.vst: 1000 events, 3 lost, 2 torn, 1 chain breaks");
	says("3 events lost, 2 torn, 1 chain breaks: no figure here is better than that. Time without a record is counted as unknown: 25.00 % of pCPU time.");
	says("under unknown policy (L0 unknown, kernel unknown), whose cost the schedule carries.");
	says("which is which is unknown.");
	says("accesses touch:");
	fx.c.trace.recorded_policy = fx.c.trace.recorded_l0 = "";
	free(text);
	print(false);
	says("under unknown policy (L0 unknown, kernel unknown)");
	fx.c.trace.recorded_policy = "global-flush";
	fx.c.trace.recorded_l0 = "bare";
	fx.c.trace.recorded_kernel = "6.1";
	free(text);
	print(false);
	says("under global-flush (L0 bare, kernel 6.1), whose cost the schedule carries. Bias: a cheaper policy would have migrated less than replayed (its gain is understated), a dearer one more (its cost is understated).");
}
END_TEST

START_TEST(changes_are_called_recorded_only_if_they_are)
{
	fx_run("a");
	fx.c.strict_per_s = 2.5;
	print(false);
	says("synthetic, not recorded: 2.5 strict EPT changes per second and VM, 1 guest flushes per second of vCPU run time.");
	fx.c.changes_recorded = true;
	free(text);
	print(false);
	says("mapping changes are recorded; guest flushes are synthetic");
}
END_TEST

START_TEST(the_replay_command_quotes_the_policy_for_a_shell)
{
	fx_find(fx_run("$(reboot)"), 2, false, "stale");
	print(false);
	has("eptsim compare toy.json --seed 7 --policies '$(reboot)'\n");
}
END_TEST

START_TEST(an_expected_finding_that_did_not_come_is_told)
{
	struct run_result *r = fx_run("a");

	r->expect_known = true;
	r->expected = VERDICT_BIT(3);
	print(false);
	has("a: clean; the scenario expects I3: DIFFERS\n");
}
END_TEST

START_TEST(what_was_interrupted_is_marked)
{
	fx_run("a");
	fx_run("b")->completed = false;
	fx.c.partial = true;
	print(false);
	says("PARTIAL: interrupted");
	has("1.000 cut short\n");
	says("a alone ran to the end without a finding");
}
END_TEST

START_TEST(nothing_ran_is_a_table_as_well)
{
	fx_skip("a", "no");
	print(false);
	narrow();
	has("a       n/a: no\n");
	says("none is ranked");
	lacks("per second, whole host");
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	FILE *f = fopen("/dev/full", "w");
	struct err err = { "" };

	ck_assert_ptr_nonnull(f);
	fx_run("a");
	fx_recost();
	ck_assert_int_eq(table_write(f, &fx.c, &fx.rc, false, &err), -EIO);
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot write the table"));
	fclose(f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/table");
	TCase *tc = tcase_create("table");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, one_of_each_prints_like_this);
	tcase_add_test(tc, colour_changes_nothing_but_colour);
	tcase_add_test(tc, long_names_are_cut_and_told_in_a_legend);
	tcase_add_test(tc, nothing_is_wider_than_eighty_columns);
	tcase_add_test(tc, control_characters_are_escaped_wherever_text_comes_in);
	tcase_add_test(tc, no_verdict_claims_too_much);
	tcase_add_test(tc, a_tie_names_its_members);
	tcase_add_test(tc, differences_below_the_resolution_are_called_that);
	tcase_add_test(tc, close_ties_below_a_third_are_called_that);
	tcase_add_test(tc, too_much_overrun_asks_for_the_closed_loop);
	tcase_add_test(tc, holes_and_the_bias_of_a_recording_are_told);
	tcase_add_test(tc, changes_are_called_recorded_only_if_they_are);
	tcase_add_test(tc, the_replay_command_quotes_the_policy_for_a_shell);
	tcase_add_test(tc, an_expected_finding_that_did_not_come_is_told);
	tcase_add_test(tc, what_was_interrupted_is_marked);
	tcase_add_test(tc, nothing_ran_is_a_table_as_well);
	tcase_add_test(tc, a_full_disk_is_an_error);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
