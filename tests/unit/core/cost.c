/* The rows of costs and categories are complete, and time converts exactly. */
#include "sim/core/cost.h"

#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/core/names.h"

START_TEST(every_cost_has_a_name_of_its_own)
{
	const char *name[COST_NR];

	for (u32 i = 0; i < COST_NR; i++)
		name[i] = cost_name((enum cost_id)i);
	names_check(name, COST_NR);
}
END_TEST

START_TEST(every_category_has_a_name_of_its_own)
{
	const char *name[CYC_NR];

	for (u32 i = 0; i < CYC_NR; i++)
		name[i] = cycle_category_name((enum cycle_category)i);
	names_check(name, CYC_NR);
}
END_TEST

START_TEST(every_tag_has_a_name_of_its_own)
{
	const char *name[COST_TAG_NR];

	for (u32 i = 0; i < COST_TAG_NR; i++)
		name[i] = cost_tag_name((enum cost_tag)i);
	names_check(name, COST_TAG_NR);
}
END_TEST

START_TEST(every_cost_says_what_it_covers_and_where_it_is_charged)
{
	for (u32 i = 0; i < COST_NR; i++) {
		ck_assert_ptr_nonnull(cost_help((enum cost_id)i));
		ck_assert_uint_gt(strlen(cost_help((enum cost_id)i)), 5);
		ck_assert_uint_lt(cost_category((enum cost_id)i), CYC_NR);
	}
}
END_TEST

/* Nobody pays for time that is not spent on anything. */
START_TEST(no_cost_is_charged_as_idle_offline_unknown_or_guest)
{
	for (u32 i = 0; i < COST_NR; i++) {
		enum cycle_category cat = cost_category((enum cost_id)i);

		ck_assert_uint_ne(cat, CYC_IDLE);
		ck_assert_uint_ne(cat, CYC_OFFLINE);
		ck_assert_uint_ne(cat, CYC_UNKNOWN);
		ck_assert_uint_ne(cat, CYC_GUEST);
	}
}
END_TEST

START_TEST(the_rows_that_the_result_names_are_where_they_belong)
{
	ck_assert_str_eq(cost_name(COST_INVEPT_SINGLE), "invept_single");
	ck_assert_uint_eq(cost_category(COST_INVEPT_SINGLE), CYC_FLUSH);
	ck_assert_uint_eq(cost_category(COST_WALK_REF), CYC_WALK);
	ck_assert_uint_eq(cost_category(COST_FLUSH_HYPERCALL), CYC_HYPERCALL);
	ck_assert_uint_eq(cost_category(COST_L0_FAULT), CYC_L0_SHADOW);
	ck_assert_str_eq(cycle_category_name(CYC_LOCK_WAIT), "lock_wait");
	ck_assert_str_eq(cost_tag_name(COST_TAG_ASSUMED), "assumed");
}
END_TEST

static const struct {
	u64 ns, khz, cycles;
} times[] = {
	{ 0, 2500000, 0 },
	{ 1, 1000000, 1 },
	{ 1, 2500000, 2 },		/* 2.5 rounds down */
	{ 2, 2500000, 5 },
	{ 999999, 1, 0 },
	{ 1000000, 1, 1 },
	{ UINT64_MAX, 1000000, UINT64_MAX },
	{ 6000000000000000000ULL, 3000000, 18000000000000000000ULL },
};

START_TEST(nanoseconds_become_cycles_rounded_down)
{
	ck_assert_uint_eq(ns_to_cycles(times[_i].ns, times[_i].khz),
			  times[_i].cycles);
}
END_TEST

START_TEST(there_and_back_loses_less_than_one_unit)
{
	for (u64 ns = 0; ns < 10000000000ULL; ns = ns * 3 + 1) {
		u64 back = cycles_to_ns(ns_to_cycles(ns, 2900000), 2900000);

		ck_assert_uint_le(back, ns);
		ck_assert_uint_le(ns - back, 1);
	}
	ck_assert_uint_eq(cycles_to_ns(5, 2500000), 2);
	ck_assert_uint_eq(cycles_to_ns(UINT64_MAX, 1000000), UINT64_MAX);
}
END_TEST

START_TEST(an_unknown_cost_is_a_bug)
{
	cost_name(COST_NR);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cost");
	TCase *tc = tcase_create("cost");

	tcase_add_test(tc, every_cost_has_a_name_of_its_own);
	tcase_add_test(tc, every_category_has_a_name_of_its_own);
	tcase_add_test(tc, every_tag_has_a_name_of_its_own);
	tcase_add_test(tc, every_cost_says_what_it_covers_and_where_it_is_charged);
	tcase_add_test(tc, no_cost_is_charged_as_idle_offline_unknown_or_guest);
	tcase_add_test(tc, the_rows_that_the_result_names_are_where_they_belong);
	tcase_add_loop_test(tc, nanoseconds_become_cycles_rounded_down, 0,
			    (int)ARRAY_SIZE(times));
	tcase_add_test(tc, there_and_back_loses_less_than_one_unit);
	tcase_add_exit_test(tc, an_unknown_cost_is_a_bug, 3);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
