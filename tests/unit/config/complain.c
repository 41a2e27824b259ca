/* Collecting complaints, and guessing what a misspelt name was meant to be. */
#include "sim/config/complain.h"

#include "tests/unit/config/util.h"

START_TEST(complaints_beyond_the_limit_are_counted)
{
	struct complaints c;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	complaints_init(&c);
	for (u32 i = 0; i < COMPLAINTS_MAX + 7; i++)
		complain(&c, "f:%u: wrong", i);
	ck_assert_uint_eq(c.nr, COMPLAINTS_MAX + 7);
	ck_assert_uint_eq(c.nr_kept, COMPLAINTS_MAX);
	complaints_print(&c, f);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "f:99: wrong\nand 7 more\n"));
	free(text);
	complaints_release(&c);
	ck_assert_uint_eq(c.nr, 0);
}
END_TEST

START_TEST(text_of_a_file_cannot_drive_the_terminal)
{
	struct complaints c;

	complaints_init(&c);
	complain(&c, "a%sb", "\x1b[2J\n\xc2\x9b" "31m");
	ck_assert_str_eq(c.text[0], "a\\x1b[2J\\x0a\\xc2\\x9b31mb");
	complaints_release(&c);
}
END_TEST

START_TEST(the_nearest_name_is_found_unless_it_is_far)
{
	static const char *const names[] = { "strict_per_s", "strict_by",
					     "ways", "seed" };
	static const struct { const char *word, *near; } cases[] = {
		{ "strict_pers", "strict_per_s" },
		{ "stirct_by", "strict_by" },
		{ "way", "ways" },
		{ "sede", "seed" },
		{ "Seed", "seed" },
		{ "turnip", NULL },
		{ "", NULL },
		{ "x", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *near = nearest_name(cases[i].word, names,
						ARRAY_SIZE(names));

		ck_assert_msg(near == cases[i].near ||
			      (near && cases[i].near &&
			       !strcmp(near, cases[i].near)),
			      "\"%s\": got %s", cases[i].word,
			      near ? near : "nothing");
	}
}
END_TEST

START_TEST(a_huge_word_has_no_near_name)
{
	static const char *const names[] = { "seed" };
	char word[5000];

	memset(word, 's', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	ck_assert_ptr_null(nearest_name(word, names, 1));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		complaints_beyond_the_limit_are_counted,
		text_of_a_file_cannot_drive_the_terminal,
		the_nearest_name_is_found_unless_it_is_far,
		a_huge_word_has_no_near_name,
	};

	return run_cases("complain", tests, ARRAY_SIZE(tests));
}
