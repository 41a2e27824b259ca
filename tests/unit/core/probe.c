/* The words that records and reports are spelled with. */
#include "sim/core/probe.h"

#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/core/names.h"

START_TEST(every_kind_of_record_has_a_name_of_its_own)
{
	const char *name[PROBE_KIND_NR];

	for (u32 i = 0; i < PROBE_KIND_NR; i++)
		name[i] = probe_kind_name((enum probe_kind)i);
	names_check(name, PROBE_KIND_NR);
}
END_TEST

START_TEST(every_flush_has_a_name_of_its_own)
{
	for (u32 i = 0; i < FLUSH_OP_NR; i++) {
		const char *name = flush_op_name((enum flush_op)i);

		ck_assert(name && *name);
		for (u32 j = 0; j < i; j++)
			ck_assert_str_ne(name, flush_op_name((enum flush_op)j));
	}
}
END_TEST

/* The words of the manual, since findings and plots show them. */
START_TEST(flushes_are_called_what_the_manual_calls_them)
{
	ck_assert_str_eq(flush_op_name(FLUSH_INVEPT_SINGLE), "INVEPT-single");
	ck_assert_str_eq(flush_op_name(FLUSH_INVEPT_GLOBAL), "INVEPT-global");
	ck_assert_str_eq(flush_op_name(FLUSH_INVVPID_SINGLE), "INVVPID-single");
	ck_assert_str_eq(flush_op_name(FLUSH_INVVPID_ALL), "INVVPID-all");
	ck_assert_str_eq(flush_op_name(FLUSH_INVLPG), "INVLPG");
	ck_assert_str_eq(flush_op_name(FLUSH_MOV_CR3), "MOV CR3");
}
END_TEST

/* A set of kinds is a word of 64 bits. */
START_TEST(all_kinds_fit_one_word)
{
	ck_assert_uint_lt(PROBE_KIND_NR, 64);
}
END_TEST

START_TEST(an_unknown_kind_is_a_bug)
{
	probe_kind_name(PROBE_KIND_NR);
}
END_TEST

START_TEST(an_unknown_flush_is_a_bug)
{
	flush_op_name(FLUSH_OP_NR);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe");
	TCase *t = tcase_create("names");

	tcase_add_test(t, every_kind_of_record_has_a_name_of_its_own);
	tcase_add_test(t, every_flush_has_a_name_of_its_own);
	tcase_add_test(t, flushes_are_called_what_the_manual_calls_them);
	tcase_add_test(t, all_kinds_fit_one_word);
	tcase_add_exit_test(t, an_unknown_kind_is_a_bug, 3);
	tcase_add_exit_test(t, an_unknown_flush_is_a_bug, 3);
	suite_add_tcase(s, t);
	return suite_main(s);
}
