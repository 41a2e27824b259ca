/* The keys of the JSON result, and sums over causes. */
#include "sim/core/stats.h"

#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/core/names.h"

START_TEST(every_count_has_a_name_of_its_own)
{
	const char *name[COUNT_NR];

	for (u32 i = 0; i < COUNT_NR; i++)
		name[i] = count_name((enum count_id)i);
	names_check(name, COUNT_NR);
}
END_TEST

START_TEST(every_cause_has_a_name_of_its_own)
{
	const char *name[CAUSE_NR];

	for (u32 i = 0; i < CAUSE_NR; i++)
		name[i] = cause_name((enum cause)i);
	names_check(name, CAUSE_NR);
}
END_TEST

/* Promised to users: keys may be added, never changed. */
START_TEST(the_promised_counts_are_there)
{
	static const char *const promised[] = {
		"migrations", "invept_global", "invept_single", "invvpid",
		"flush_hypercalls", "asid_flushes", "invlpgb", "ipis",
		"tlb_lookups", "tlb_misses", "walk_refs", "l0_faults",
		"shadow_pages_dropped", "flushes_elided", "flushes_needless",
	};

	for (u32 i = 0; i < ARRAY_SIZE(promised); i++) {
		u32 found = 0;

		for (u32 c = 0; c < COUNT_NR; c++)
			found += !strcmp(promised[i], count_name((enum count_id)c));
		ck_assert_msg(found == 1, "no count \"%s\"", promised[i]);
	}
}
END_TEST

START_TEST(the_promised_causes_are_there)
{
	static const char *const promised[] = {
		"migration", "load", "strict", "cr_apic", "guest", "nested",
	};

	for (u32 i = 0; i < ARRAY_SIZE(promised); i++)
		ck_assert_str_eq(promised[i], cause_name((enum cause)i));
}
END_TEST

START_TEST(a_total_adds_up_all_causes_of_one_count_only)
{
	static struct stats s;
	u64 unit = 1;

	for (u32 c = 0; c < CAUSE_NR; c++, unit *= 10) {
		s.count[COUNT_INVEPT_SINGLE][c] = unit;
		s.count[COUNT_IPIS][c] = 5;
	}
	ck_assert_uint_eq(stats_total(&s, COUNT_INVEPT_SINGLE), 1111111);
	ck_assert_uint_eq(stats_total(&s, COUNT_IPIS), 5 * CAUSE_NR);
	ck_assert_uint_eq(stats_total(&s, COUNT_INVEPT_GLOBAL), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stats");
	TCase *tc = tcase_create("stats");

	tcase_add_test(tc, every_count_has_a_name_of_its_own);
	tcase_add_test(tc, every_cause_has_a_name_of_its_own);
	tcase_add_test(tc, the_promised_counts_are_there);
	tcase_add_test(tc, the_promised_causes_are_there);
	tcase_add_test(tc, a_total_adds_up_all_causes_of_one_count_only);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
