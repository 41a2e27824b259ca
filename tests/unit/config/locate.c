/* Finding a member in text again, however its key is written. */
#include "sim/config/locate.h"

#include <stdio.h>

#include "tests/unit/config/util.h"

START_TEST(escaped_keys_are_the_keys_they_stand_for)
{
	static const struct { const char *written, *key; } cases[] = {
		{ "seed", "seed" },
		{ "s\\u0065ed", "seed" },
		{ "\\u0073\\u0065\\u0065\\u0064", "seed" },
		{ "see\\u0064", "seed" },
		{ "a\\\"b", "a\"b" },
		{ "a\\\\", "a\\" },
		{ "\\\\\\\"x", "\\\"x" },
		{ "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
		{ "\\u00e9t\\u00e9s", "\xc3\xa9t\xc3\xa9s" },
		{ "\\/path", "/path" },
		{ "", "" },
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *end, *at;

		snprintf(text, sizeof(text),
			 "{ \"x\\u0061\" : [1, {\"%s\": \"}]\"}], \"%s\" : 2}",
			 cases[i].written, cases[i].written);
		end = text + strlen(text);
		at = locate_member(text, end, cases[i].key);
		ck_assert_msg(at != NULL, "%s", text);
		ck_assert_int_eq(*locate_value(at, end), '2');
	}
}
END_TEST

START_TEST(a_key_that_is_not_there_is_not_found)
{
	static const char text[] =
		"{\"seeds\":1,\"\\u0073eeds\":1,\"see\":1,\"\\u0053eed\":1,\"a\":\"seed\"}";
	static const char empty[] = "{}";
	const char *end = text + sizeof(text) - 1;

	ck_assert_ptr_null(locate_member(text, end, "seed"));
	ck_assert_ptr_null(locate_member(empty, empty + 2, "seed"));
}
END_TEST

START_TEST(of_duplicates_the_last_one_is_found)
{
	static const char text[] = "{\"a\":1,\"a\":2}";

	ck_assert_ptr_eq(locate_member(text, text + sizeof(text) - 1, "a"),
			 text + 7);
}
END_TEST

START_TEST(elements_are_found_by_position)
{
	static const char text[] = "[ 1, [2,\"]\"] ,{\"a\":[]}, null]";
	const char *end = text + sizeof(text) - 1;

	ck_assert_int_eq(*locate_element(text, end, 0), '1');
	ck_assert_int_eq(*locate_element(text, end, 1), '[');
	ck_assert_int_eq(*locate_element(text, end, 2), '{');
	ck_assert_int_eq(*locate_element(text, end, 3), 'n');
	ck_assert_ptr_null(locate_element(text, end, 4));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		escaped_keys_are_the_keys_they_stand_for,
		a_key_that_is_not_there_is_not_found,
		of_duplicates_the_last_one_is_found,
		elements_are_found_by_position,
	};

	return run_cases("locate", tests, ARRAY_SIZE(tests));
}
