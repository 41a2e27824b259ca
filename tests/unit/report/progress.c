/* A bar must not flicker, must not outlive its work, must not show for short runs. */
#include "sim/report/progress.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

#define MS 1000000ULL

static char *text;
static size_t text_size;

START_TEST(nothing_is_drawn_in_the_first_second)
{
	FILE *f = open_memstream(&text, &text_size);
	struct progress p;

	progress_begin(&p, f);
	progress_at(&p, p.start_ns + 999 * MS, "x", 1, 2);
	progress_update(&p, "x", 1, 2);
	progress_end(&p);
	fclose(f);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

START_TEST(then_it_is_drawn_ten_times_a_second_and_erased)
{
	FILE *f = open_memstream(&text, &text_size);
	struct progress p;

	progress_begin(&p, f);
	progress_at(&p, p.start_ns + 1000 * MS, "global\033-flush", 1, 4);
	progress_at(&p, p.start_ns + 1050 * MS, "too early", 2, 4);
	progress_at(&p, p.start_ns + 1100 * MS, "never", 9, 4);
	progress_end(&p);
	fclose(f);
	ck_assert_str_eq(text,
		"\rglobal\\x1b-flush             [#########...........................]  25 %\033[K"
		"\rnever                        [####################################] 100 %\033[K"
		"\r\033[K");
	free(text);
}
END_TEST

START_TEST(an_unknown_total_shows_no_percentage)
{
	FILE *f = open_memstream(&text, &text_size);
	struct progress p;

	progress_begin(&p, f);
	progress_at(&p, p.start_ns + 2000 * MS, "x", 5, 0);
	fclose(f);
	ck_assert_ptr_null(strchr(text, '%'));
	free(text);
}
END_TEST

START_TEST(huge_numbers_do_not_overflow)
{
	FILE *f = open_memstream(&text, &text_size);
	struct progress p;

	progress_begin(&p, f);
	progress_at(&p, p.start_ns + 2000 * MS, "x", UINT64_MAX / 2, UINT64_MAX);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, " 49 %"));
	free(text);
}
END_TEST

START_TEST(without_a_stream_nothing_happens)
{
	struct progress p;

	progress_begin(&p, NULL);
	progress_update(&p, "x", 1, 2);
	progress_at(&p, UINT64_MAX, "x", 1, 2);
	progress_end(&p);
	ck_assert_uint_eq(p.drawn_ns, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/progress");
	TCase *tc = tcase_create("progress");

	tcase_add_test(tc, nothing_is_drawn_in_the_first_second);
	tcase_add_test(tc, then_it_is_drawn_ten_times_a_second_and_erased);
	tcase_add_test(tc, an_unknown_total_shows_no_percentage);
	tcase_add_test(tc, huge_numbers_do_not_overflow);
	tcase_add_test(tc, without_a_stream_nothing_happens);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
