/* Text from files of other people must fit a mail and must not drive a terminal. */
#include "sim/report/text.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/suite.h"

static char *printed;
static size_t printed_size;

static FILE *begin(void)
{
	return open_memstream(&printed, &printed_size);
}

static void end(FILE *f, const char *want)
{
	fclose(f);
	ck_assert_str_eq(printed, want);
	free(printed);
}

START_TEST(control_characters_are_escaped)
{
	char to[64];

	ck_assert_uint_eq(text_clean(to, sizeof(to), "a\033[31m\n\xc3\xa9z"), 22);
	ck_assert_str_eq(to, "a\\x1b[31m\\x0a\\xc3\\xa9z");
	text_clean(to, sizeof(to), NULL);
	ck_assert_str_eq(to, "unknown");
}
END_TEST

START_TEST(an_escape_is_never_cut_in_two)
{
	char to[8];

	ck_assert_uint_eq(text_clean(to, sizeof(to), "abcd\001"), 4);
	ck_assert_str_eq(to, "abcd");
	ck_assert_uint_eq(text_clean(to, 1, "abc"), 0);
	ck_assert_str_eq(to, "");
}
END_TEST

static const struct {
	const char *given, *kept;
} utf8[] = {
	{ "caf\xc3\xa9", "caf\xc3\xa9" },
	{ "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "cut \xe2\x82", "cut ??" },
	{ "overlong \xc0\xaf", "overlong ??" },
	{ "surrogate \xed\xa0\x80", "surrogate ???" },
	{ "beyond \xf4\x90\x80\x80", "beyond ????" },
	{ "\xff\xfe", "??" },
};

START_TEST(only_valid_utf8_is_kept)
{
	char to[64];

	text_utf8(to, sizeof(to), utf8[_i].given);
	ck_assert_str_eq(to, utf8[_i].kept);
}
END_TEST

static const struct {
	double value;
	const char *rate, *percent;
} numbers[] = {
	{ 0.0, "0", "0" },
	{ 0.001, "<0.1", "<0.01" },
	{ 0.06, "0.1", "0.06" },
	{ 3.14159, "3.1", "3.14" },
	{ 9.996, "10", "10.0" },
	{ 99.96, "100", "100" },
	{ 999.4, "999", "999" },
	{ 999.6, "1.0k", "1.0k" },
	{ 12345.0, "12.3k", "12.3k" },
	{ 999600.0, "1.0M", "1.0M" },
	{ 123456789.0, "123M", "123M" },
	{ 1e18, "1.0E", "1.0E" },
	{ NAN, "-", "-" },
};

START_TEST(numbers_take_five_characters_at_most)
{
	char to[32];

	text_rate(to, sizeof(to), numbers[_i].value);
	ck_assert_str_eq(to, numbers[_i].rate);
	text_percent(to, sizeof(to), numbers[_i].value);
	ck_assert_str_eq(to, numbers[_i].percent);
}
END_TEST

START_TEST(a_paragraph_wraps_and_splits_what_is_too_long)
{
	char text[200], want[300];
	FILE *f = begin();

	memset(text, 'x', 160);
	memcpy(text + 160, " yy", 4);
	text_paragraph(f, "ab ", 4, text);
	snprintf(want, sizeof(want), "ab %.77s\n    %.76s\n    %.7s yy\n", text,
		 text, text);
	end(f, want);
}
END_TEST

START_TEST(a_line_of_eighty_columns_stays_one_line)
{
	char text[100], want[102];
	FILE *f = begin();

	memset(text, 'x', 80);
	text[40] = ' ';
	text[80] = '\0';
	text_paragraph(f, "", 0, text);
	snprintf(want, sizeof(want), "%s\n", text);
	end(f, want);
}
END_TEST

START_TEST(a_note_escapes_what_it_is_given)
{
	FILE *f = begin();

	text_note(f, "trace", "%s: %d", "a\tb", 3);
	end(f, "trace       a\\x09b: 3\n");
}
END_TEST

START_TEST(a_command_breaks_between_words_only)
{
	FILE *f = begin();

	text_command(f, 2, "eptsim compare configs/scenarios/recorded.json --set 'a b=1' --seed 7 --policies never ");
	end(f, "  eptsim compare configs/scenarios/recorded.json --set 'a b=1' --seed 7 \\\n"
	    "      --policies never\n");
}
END_TEST

/* What /bin/sh makes of the printed command is what went in. */
START_TEST(a_shell_reads_the_same_words_back)
{
	static const char *const quotes[] = { "", "'", "\"" };
	char command[600], word[300], script[] = "/tmp/eptsim-text-XXXXXX";
	char got[400] = "", line[100];
	int fd = mkstemp(script);
	FILE *f = fdopen(fd, "w+");
	const char *q = quotes[_i];

	memset(word, 'w', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	snprintf(command, sizeof(command), "echo %s%s%s z >%s.out", q, word, q,
		 script);
	text_command(f, 4, command);
	rewind(f);
	while (fgets(line, sizeof(line), f))
		ck_assert_uint_le(strcspn(line, "\n"), TEXT_COLUMNS);
	fclose(f);
	snprintf(line, sizeof(line), "%s.out", script);
	/* The test's own shell, on a file of the test's own making. */
	if (!fork()) {
		execl("/bin/sh", "sh", script, (char *)NULL);
		_exit(127);
	}
	wait(NULL);
	f = fopen(line, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(got, sizeof(got), f));
	fclose(f);
	unlink(line);
	unlink(script);
	snprintf(command, sizeof(command), "%s z\n", word);
	ck_assert_str_eq(got, command);
}
END_TEST

static const struct {
	const char *word, *quoted;
} words[] = {
	{ "per-root-mask:load=elide", "per-root-mask:load=elide" },
	{ "a b", "'a b'" },
	{ "it's", "'it'\\''s'" },
	{ "$(x)", "'$(x)'" },
	{ "", "''" },
};

START_TEST(a_word_is_quoted_only_if_it_must_be)
{
	char to[64];

	text_quote(to, sizeof(to), words[_i].word);
	ck_assert_str_eq(to, words[_i].quoted);
}
END_TEST

static const struct {
	const char *given, *kept;
} xml[] = {
	{ "a < b && \"c\" > d", "a &lt; b &amp;&amp; &quot;c&quot; &gt; d" },
	{ "]]>", "]]&gt;" },
	{ "two\nlines\tand a tab", "two\nlines\tand a tab" },
	{ "bell \a, escape \033, return \r", "bell ?, escape ?, return ?" },
	{ "caf\xc3\xa9 \xff", "caf\xc3\xa9 ?" },
	{ "no character \xef\xbf\xbe \xef\xbf\xbf", "no character ??? ???" },
	{ "one \xef\xbf\xbd", "one \xef\xbf\xbd" },
	{ "", "" },
};

START_TEST(xml_text_holds_no_markup_and_no_bytes_that_xml_lacks)
{
	FILE *f = begin();

	text_xml(f, xml[_i].given);
	end(f, xml[_i].kept);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/text");
	TCase *tc = tcase_create("text");

	tcase_add_test(tc, control_characters_are_escaped);
	tcase_add_test(tc, an_escape_is_never_cut_in_two);
	tcase_add_loop_test(tc, only_valid_utf8_is_kept, 0, (int)ARRAY_SIZE(utf8));
	tcase_add_loop_test(tc, numbers_take_five_characters_at_most, 0,
			    (int)ARRAY_SIZE(numbers));
	tcase_add_test(tc, a_paragraph_wraps_and_splits_what_is_too_long);
	tcase_add_test(tc, a_line_of_eighty_columns_stays_one_line);
	tcase_add_test(tc, a_note_escapes_what_it_is_given);
	tcase_add_test(tc, a_command_breaks_between_words_only);
	tcase_add_loop_test(tc, a_shell_reads_the_same_words_back, 0, 3);
	tcase_add_loop_test(tc, a_word_is_quoted_only_if_it_must_be, 0,
			    (int)ARRAY_SIZE(words));
	tcase_add_loop_test(tc, xml_text_holds_no_markup_and_no_bytes_that_xml_lacks,
			    0, (int)ARRAY_SIZE(xml));
	suite_add_tcase(s, tc);
	return suite_main(s);
}
