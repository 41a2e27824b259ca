/* Who is best, who is tied, and which cost decides: on sums done by hand. */
#include "sim/report/recost.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "sim/base/err.h"
#include "tests/suite.h"
#include "tests/unit/report/fixture.h"

#define MILLION 1000000u

static void setup(void)
{
	fx_begin();
}

static void teardown(void)
{
	recost_release(&fx.rc);
}

START_TEST(a_policy_that_wins_over_all_ranges_is_best)
{
	fx_cost(COST_INVEPT_GLOBAL, 50, 100, 200);
	fx_cost(COST_INVEPT_SINGLE, 5, 10, 20);
	fx_pay(fx_run("dear"), COST_INVEPT_GLOBAL, MILLION);
	fx_pay(fx_run("cheap"), COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.best, 1);
	ck_assert_uint_eq(fx.rc.run[1].won, 1000);
	ck_assert_uint_eq(fx.rc.run[0].won, 0);
	ck_assert(!fx.rc.run[0].tied && !fx.rc.run[1].tied);
	ck_assert(fx.rc.run[0].overhead == 100e6);
	ck_assert(fx.rc.run[1].overhead == 10e6);
	ck_assert_uint_eq(fx.rc.first, 1);
	ck_assert_uint_eq(fx.rc.second, 0);
	ck_assert_uint_eq(fx.rc.flip.cost, IDX_NONE);
	ck_assert_uint_eq(fx.rc.close, 0);
}
END_TEST

START_TEST(overlapping_ranges_are_a_tie)
{
	fx_cost(COST_INVEPT_GLOBAL, 1, 10, 100);
	fx_cost(COST_INVEPT_SINGLE, 1, 12, 100);
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.best, IDX_NONE);
	ck_assert(fx.rc.run[0].tied && fx.rc.run[1].tied);
	ck_assert_uint_eq(fx.rc.run[0].won + fx.rc.run[1].won, 1000);
	ck_assert_uint_ge(fx.rc.run[0].won, 440);
	ck_assert_uint_le(fx.rc.run[0].won, 560);
}
END_TEST

START_TEST(a_shared_cost_moves_all_policies_alike)
{
	fx_cost(COST_INVEPT_SINGLE, 1, 10, 100);
	fx_pay(fx_run("more"), COST_INVEPT_SINGLE, 20 * MILLION);
	fx_pay(fx_run("less"), COST_INVEPT_SINGLE, 10 * MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.best, 1);
	ck_assert_uint_eq(fx.rc.run[1].won, 1000);
}
END_TEST

START_TEST(identical_policies_tie)
{
	fx_cost(COST_INVEPT_SINGLE, 1, 10, 100);
	fx_pay(fx_run("a"), COST_INVEPT_SINGLE, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.best, IDX_NONE);
	ck_assert(fx.rc.run[0].tied && fx.rc.run[1].tied);
	ck_assert_uint_eq(fx.rc.close, 1000);
}
END_TEST

START_TEST(a_lead_below_the_resolution_is_no_victory)
{
	/* 0.01 % of guest time apart, in every draw the same one in front */
	fx_cost(COST_INVEPT_SINGLE, 10, 10, 10);
	fx_pay(fx_run("a"), COST_INVEPT_SINGLE, 20000);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, 10000);
	fx_pay(fx_run("far"), COST_INVEPT_SINGLE, 10 * MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.run[1].won, 1000);
	ck_assert_uint_eq(fx.rc.best, IDX_NONE);
	ck_assert(fx.rc.run[0].tied && fx.rc.run[1].tied && !fx.rc.run[2].tied);
	ck_assert_uint_eq(fx.rc.close, 0);
}
END_TEST

START_TEST(the_cost_that_flips_the_order_upwards_is_named)
{
	char text[400];

	fx_cost(COST_INVEPT_GLOBAL, 1, 10, 100);
	fx_cost(COST_INVEPT_SINGLE, 50, 50, 50);
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.flip.cost, COST_INVEPT_GLOBAL);
	ck_assert(fx.rc.flip.at_cycles == 50.0);
	ck_assert(fx.rc.flip.above);
	ck_assert_uint_eq(fx.rc.flip.nr_others, 0);
	recost_flip_text(text, sizeof(text), &fx.c, &fx.rc);
	ck_assert_str_eq(text, "b overtakes a once invept_global is above 50.0 cycles (assumed: 10, range 1..100).");
}
END_TEST

START_TEST(the_cost_that_flips_the_order_downwards_is_named)
{
	fx_cost(COST_INVEPT_GLOBAL, 10, 10, 10);
	fx_cost(COST_INVEPT_SINGLE, 5, 50, 60);
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.flip.cost, COST_INVEPT_SINGLE);
	ck_assert(fx.rc.flip.at_cycles == 10.0);
	ck_assert(!fx.rc.flip.above);
}
END_TEST

START_TEST(of_several_flips_the_smallest_step_is_named)
{
	fx_cost(COST_INVEPT_GLOBAL, 1, 10, 100);
	fx_cost(COST_INVEPT_SINGLE, 1, 20, 100);
	fx_cost(COST_VM_EXIT, 1, 1, 100);
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, MILLION);
	fx_pay(&fx.run[0], COST_VM_EXIT, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	/* 11 against 20: single at 11, global at 19, exit at 10 */
	ck_assert_uint_eq(fx.rc.flip.cost, COST_INVEPT_SINGLE);
	ck_assert(fx.rc.flip.at_cycles == 11.0);
	ck_assert_uint_eq(fx.rc.flip.nr_others, 2);
}
END_TEST

START_TEST(a_value_at_the_end_of_the_range_flips_nothing)
{
	fx_cost(COST_INVEPT_GLOBAL, 1, 10, 50);
	fx_cost(COST_INVEPT_SINGLE, 50, 50, 50);
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.flip.cost, IDX_NONE);
	ck_assert_uint_eq(fx.rc.best, 0);
}
END_TEST

START_TEST(only_clean_and_finished_runs_compete)
{
	fx_cost(COST_INVEPT_SINGLE, 1, 10, 100);
	fx_find(fx_run("never"), 1, false, "stale");
	fx_run("cut")->completed = false;
	fx_skip("skipped", "no");
	fx_pay(fx_run("a"), COST_INVEPT_SINGLE, 10 * MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, 20 * MILLION);
	fx_recost();

	ck_assert_uint_eq(fx.rc.nr_competing, 2);
	ck_assert_uint_eq(fx.rc.best, 3);
	ck_assert(!fx.rc.run[0].competes && !fx.rc.run[1].competes);
	ck_assert_uint_eq(fx.rc.run[0].won, 1000);
	ck_assert_uint_eq(fx.rc.run[2].won, 0);
	ck_assert_uint_eq(fx.rc.run[2].near, 0);
}
END_TEST

START_TEST(alone_nobody_is_best)
{
	fx_pay(fx_run("a"), COST_INVEPT_SINGLE, MILLION);
	fx_find(fx_run("never"), 1, true, "stale");
	fx_recost();

	ck_assert_uint_eq(fx.rc.nr_competing, 1);
	ck_assert_uint_eq(fx.rc.best, IDX_NONE);
	ck_assert(!fx.rc.run[0].tied);
	ck_assert_uint_eq(fx.rc.second, IDX_NONE);
}
END_TEST

START_TEST(nobody_clean_means_nobody_ranked)
{
	fx_find(fx_run("never"), 1, true, "stale");
	fx_recost();
	ck_assert_uint_eq(fx.rc.nr_competing, 0);
	ck_assert_uint_eq(fx.rc.first, IDX_NONE);
}
END_TEST

START_TEST(costs_are_counted_once_and_by_tag)
{
	fx_cost(COST_INVEPT_GLOBAL, 1, 10, 100);
	fx_cost(COST_INVEPT_SINGLE, 1, 10, 100);
	fx.sheet.row[COST_INVEPT_SINGLE].tag = COST_TAG_DERIVED;
	fx_cost(COST_L0_FAULT, 1, 10, 100);		/* charged by nobody */
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, 1);
	fx_pay(&fx.run[0], COST_WALK_REF, 1);	/* measured */
	fx_pay(fx_run("b"), COST_INVEPT_GLOBAL, 1);
	fx_pay(&fx.run[1], COST_INVEPT_SINGLE, 1);
	fx_recost();

	ck_assert_uint_eq(fx.rc.nr_costs, 3);
	ck_assert_uint_eq(fx.rc.nr_assumed, 1);
	ck_assert_uint_eq(fx.rc.nr_derived, 1);
}
END_TEST

START_TEST(waiting_is_taken_as_it_is)
{
	struct run_result *a, *b;

	fx_cost(COST_INVEPT_SINGLE, 1, 10, 100);
	a = fx_run("waits");
	a->stats.cycles[CYC_LOCK_WAIT] = 200 * MILLION;
	a->stats.cycles[CYC_IDLE] -= 200 * MILLION;
	b = fx_run("flushes");
	fx_pay(b, COST_INVEPT_SINGLE, MILLION);
	fx_recost();

	/* 200 million cycles whatever the costs; the other at most 100 million */
	ck_assert(fx.rc.run[0].overhead == 200e6);
	ck_assert_uint_eq(fx.rc.best, 1);
	ck_assert_uint_eq(fx.rc.flip.cost, IDX_NONE);
}
END_TEST

START_TEST(overrun_is_overhead)
{
	fx_run("a")->stats.overrun_cycles = 5 * MILLION;
	fx_run("b");
	fx_recost();
	ck_assert(fx.rc.run[0].overhead == 5e6);
	ck_assert_uint_eq(fx.rc.best, 1);
}
END_TEST

START_TEST(work_of_the_host_does_not_count)
{
	fx_cost(COST_SPTE_WRITE, 1, 10, 100);
	fx_pay(fx_run("a"), COST_SPTE_WRITE, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, 1);
	fx_recost();
	ck_assert(fx.rc.run[0].overhead == 0.0);
	ck_assert_uint_eq(fx.rc.nr_costs, 2);
	ck_assert_uint_eq(fx.rc.flip.cost, IDX_NONE);
}
END_TEST

START_TEST(draws_depend_on_the_seed_and_on_nothing_else)
{
	struct recost_options opt = {
		.nr_draws = 500, .seed = 3, .categories = OVERHEAD_CATEGORIES,
		.resolution = 0.0,
	};
	struct recost one, two;
	struct err err;

	fx_cost(COST_INVEPT_GLOBAL, 0, 10, 100);
	fx_cost(COST_INVEPT_SINGLE, 1, 12, 100);
	fx_pay(fx_run("a"), COST_INVEPT_GLOBAL, MILLION);
	fx_pay(fx_run("b"), COST_INVEPT_SINGLE, MILLION);
	ck_assert_int_eq(recost(&fx.c, &opt, &one, &err), 0);
	/* Both now pay for one more cost: the other draws must not move. */
	fx_cost(COST_WALK_REF, 1, 2, 3);
	fx_pay(&fx.run[0], COST_WALK_REF, 1);
	fx_pay(&fx.run[1], COST_WALK_REF, 1);
	ck_assert_int_eq(recost(&fx.c, &opt, &two, &err), 0);
	ck_assert_uint_eq(one.run[0].won, two.run[0].won);
	ck_assert_uint_eq(one.run[1].won, two.run[1].won);
	recost_release(&one);
	recost_release(&two);
}
END_TEST

START_TEST(options_out_of_range_are_refused)
{
	struct recost_options opt = { .nr_draws = 0, .resolution = 0.1 };
	struct recost rc;
	struct err err = { "" };

	fx_run("a");
	ck_assert_int_eq(recost(&fx.c, &opt, &rc, &err), -EINVAL);
	ck_assert_str_eq(err.msg, "re-costing: 0 draws, want 1..1000000");
	opt.nr_draws = 1;
	opt.resolution = 1.5;
	ck_assert_int_eq(recost(&fx.c, &opt, &rc, &err), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/recost");
	TCase *tc = tcase_create("recost");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_policy_that_wins_over_all_ranges_is_best);
	tcase_add_test(tc, overlapping_ranges_are_a_tie);
	tcase_add_test(tc, a_shared_cost_moves_all_policies_alike);
	tcase_add_test(tc, identical_policies_tie);
	tcase_add_test(tc, a_lead_below_the_resolution_is_no_victory);
	tcase_add_test(tc, the_cost_that_flips_the_order_upwards_is_named);
	tcase_add_test(tc, the_cost_that_flips_the_order_downwards_is_named);
	tcase_add_test(tc, of_several_flips_the_smallest_step_is_named);
	tcase_add_test(tc, a_value_at_the_end_of_the_range_flips_nothing);
	tcase_add_test(tc, only_clean_and_finished_runs_compete);
	tcase_add_test(tc, alone_nobody_is_best);
	tcase_add_test(tc, nobody_clean_means_nobody_ranked);
	tcase_add_test(tc, costs_are_counted_once_and_by_tag);
	tcase_add_test(tc, waiting_is_taken_as_it_is);
	tcase_add_test(tc, overrun_is_overhead);
	tcase_add_test(tc, work_of_the_host_does_not_count);
	tcase_add_test(tc, draws_depend_on_the_seed_and_on_nothing_else);
	tcase_add_test(tc, options_out_of_range_are_refused);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
