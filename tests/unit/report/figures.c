/* What all reports derive alike: ratios, verdict words. */
#include "sim/report/figures.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/report/fixture.h"

static const struct {
	u32 real, possible;
	const char *wide, *narrow;
} verdicts[] = {
	{ 0, 0, "none seen", "none seen" },
	{ 0x2, 0, "real I1", "real I1" },
	{ 0, 0x8, "possible I3", "possible I3" },
	{ 0x2, 0xa, "real I1 possible I3", "real I1 possible I3" },
	{ 0xa, 0xa, "real I1,I3", "real I1,I3" },
	{ 0x1, 0, "real internal", "real internal" },
	{ 0x1fe, 0, "real I1,I2,I3,I4,I5,I6,I7,I8", "real I1,I2,I3,I4 +4" },
	{ 0, 0x1fe, "possible I1,I2,I3,I4,I5,I6,I7,I8", "possible I1,I2,I3 +5" },
	{ 0x2, 0x1fe, "real I1 possible I2,I3,I4,I5,I6,I7,I8", "real I1 +7" },
};

START_TEST(a_verdict_says_the_worse_kind_and_counts_what_does_not_fit)
{
	struct run_result r = {
		.found_real = verdicts[_i].real,
		.found_possible = verdicts[_i].possible,
	};
	char wide[VERDICT_TEXT_MAX], narrow[21];

	verdict_text(wide, sizeof(wide), &r);
	ck_assert_str_eq(wide, verdicts[_i].wide);
	verdict_text(narrow, sizeof(narrow), &r);
	ck_assert_str_eq(narrow, verdicts[_i].narrow);
}
END_TEST

START_TEST(slowdown_counts_overhead_and_overrun_against_guest_time)
{
	struct stats s = {
		.cycles = {
			[CYC_GUEST] = 1000, [CYC_WALK] = 1, [CYC_FLUSH] = 2,
			[CYC_IPI] = 4, [CYC_HYPERCALL] = 8, [CYC_L0_SHADOW] = 16,
			[CYC_LOCK_WAIT] = 32, [CYC_EXIT] = 64, [CYC_SCHED] = 128,
			[CYC_HOST] = 10000, [CYC_IDLE] = 10000,
			[CYC_OFFLINE] = 10000, [CYC_UNKNOWN] = 10000,
		},
		.overrun_cycles = 245,
	};

	ck_assert_uint_eq(figures_overhead(&s), 500);
	ck_assert(fabs(figures_slowdown(&s) - 1.5) < 1e-12);
	ck_assert_uint_eq(figures_cycles(&s, L0_CATEGORIES), 56);
	s.cycles[CYC_GUEST] = 0;
	ck_assert(isnan(figures_slowdown(&s)));
}
END_TEST

START_TEST(rates_are_per_simulated_second)
{
	struct run_result *r;

	fx_begin();
	r = fx_run("a");
	r->simulated_cycles = SECOND_CYCLES / 2;
	ck_assert(figures_seconds(&fx.c, r) == 0.5);
	ck_assert(figures_rate(&fx.c, r, COUNT_MIGRATIONS) == 12.0);
	r->simulated_cycles = 0;
	ck_assert(isnan(figures_rate(&fx.c, r, COUNT_MIGRATIONS)));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/figures");
	TCase *tc = tcase_create("figures");

	tcase_add_loop_test(tc, a_verdict_says_the_worse_kind_and_counts_what_does_not_fit,
			    0, (int)ARRAY_SIZE(verdicts));
	tcase_add_test(tc, slowdown_counts_overhead_and_overrun_against_guest_time);
	tcase_add_test(tc, rates_are_per_simulated_second);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
