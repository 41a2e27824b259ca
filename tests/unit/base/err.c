/* Messages quote hostile files: they must fit, and must not drive a terminal. */
#include "sim/base/err.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/types.h"
#include "tests/suite.h"

START_TEST(the_code_comes_back_and_the_sentence_is_kept)
{
	struct err err = { "" };

	ck_assert_int_eq(err_set(&err, -EPROTO, "%s:%d: %s", "x.vst", 7, "torn"),
			 -EPROTO);
	ck_assert_str_eq(err.msg, "x.vst:7: torn");
}
END_TEST

static const struct {
	const char *given, *kept;
} texts[] = {
	{ "\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m" },
	{ "bell\a back\b tab\t", "bell\\x07 back\\x08 tab\\x09" },
	{ "over\rwritten", "over\\x0dwritten" },
	{ "two\nlines", "two\\x0alines" },
	{ "del\177", "del\\x7f" },
	{ "caf\xc3\xa9", "caf\\xc3\\xa9" },
	{ "\x9b" "31m\xff", "\\x9b31m\\xff" },
	{ "C:\\dir \\x41", "C:\\dir \\x41" },
	{ "100%s %n", "100%s %n" },
	{ "", "" },
};

START_TEST(what_is_not_printable_is_spelled_out)
{
	struct err err = { "" };

	err_set(&err, -EINVAL, "%s", texts[_i].given);
	ck_assert_str_eq(err.msg, texts[_i].kept);
}
END_TEST

START_TEST(a_long_message_is_cut_and_ends)
{
	struct err err;
	char text[2 * ERR_MSG_MAX];

	memset(&err, 'x', sizeof(err));
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, -EINVAL, "%s", text);
	ck_assert_uint_eq(strlen(err.msg), ERR_MSG_MAX - 1);
}
END_TEST

START_TEST(a_byte_is_never_cut_in_its_spelling)
{
	char to[8];

	ck_assert_uint_eq(err_escape(to, sizeof(to), "abc\n"), 7);
	ck_assert_str_eq(to, "abc\\x0a");
	ck_assert_uint_eq(err_escape(to, sizeof(to), "abcd\n"), 4);
	ck_assert_str_eq(to, "abcd");
	ck_assert_uint_eq(err_escape(to, 1, "abcd"), 0);
	ck_assert_str_eq(to, "");
}
END_TEST

START_TEST(a_bug_ends_the_program_with_status_3)
{
	BUG_ON(_i == 0);
}
END_TEST

START_TEST(a_code_that_is_no_error_is_a_bug)
{
	struct err err = { "" };

	err_set(&err, _i, "fine");
}
END_TEST

START_TEST(no_bug_no_end)
{
	BUG_ON(_i != 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("err");
	TCase *tc = tcase_create("err");

	tcase_add_test(tc, the_code_comes_back_and_the_sentence_is_kept);
	tcase_add_loop_test(tc, what_is_not_printable_is_spelled_out, 0,
			    (int)ARRAY_SIZE(texts));
	tcase_add_test(tc, a_long_message_is_cut_and_ends);
	tcase_add_test(tc, a_byte_is_never_cut_in_its_spelling);
	tcase_add_exit_test(tc, a_bug_ends_the_program_with_status_3, 3);
	tcase_add_loop_exit_test(tc, a_code_that_is_no_error_is_a_bug, 3, 0, 2);
	tcase_add_test(tc, no_bug_no_end);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
