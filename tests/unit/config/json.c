/* Reading hostile files, and saying where in them something stands. */
#include "sim/config/json.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/config/util.h"

static const struct {
	const char *text;
	size_t len;		/* 0: strlen() */
	const char *complaint;
} bad[] = {
	{ "", 0, "t.json:1: found nothing, expected a JSON object" },
	{ " \n\t", 0, "t.json:1: found nothing" },
	{ "\xef\xbb\xbf{}", 0, "t.json:1: begins with a byte order mark" },
	{ "{\n\"a\": \0 1}", 10, "t.json:2: NUL byte at offset 7" },
	{ "{\n\"a\": \"\\u0000\"}", 0, "t.json:2: column" },
	{ "[1]", 0, "t.json:1: found a list, expected a JSON object" },
	{ "{\"a\":9223372036854775808}", 0, "t.json:1: column 24: too big integer" },
	{ "{\"a\":1e400}", 0, "t.json:1: column 10: real number overflow" },
	{ "{\"a\":NaN}", 0, "t.json:1: column 8: invalid token near 'NaN'" },
	{ "{\"a\":\"\xff\"}", 0, "t.json:1: column" },
	{ "{\"a\":1,}", 0, "t.json:1: column 8" },
	{ "{\"a\":1} x", 0, "t.json:1: column 9" },
	{ "{\"a\":\n1", 0, "t.json:2: column 1" },
	{ "/* no */ {}", 0, "t.json:1: column 1" },
};

START_TEST(text_that_is_no_json_object_is_refused_with_its_line)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *const wanted[] = { bad[i].complaint, NULL };
		size_t len = bad[i].len ? bad[i].len : strlen(bad[i].text);
		struct json_doc *doc = NULL;
		struct complaints c;

		complaints_init(&c);
		ck_assert_int_eq(json_doc_parse("t.json", bad[i].text, len,
						&doc, &c), -EINVAL);
		ck_assert_ptr_null(doc);
		complaints_are(&c, wanted);
	}
}
END_TEST

/* {"a":OPEN...CLOSE...} with @nr of each; the result is to be freed. */
static char *nested(char open, size_t nr, char close)
{
	static const char head[] = "{\"a\":";
	char *text = malloc(2 * nr + sizeof(head) + 2);
	char *p = text + sizeof(head) - 1;

	memcpy(text, head, sizeof(head));
	memset(p, open, nr);
	memset(p + nr, close, nr);
	p[2 * nr] = '}';
	p[2 * nr + 1] = 0;
	return text;
}

START_TEST(nesting_has_a_limit)
{
	static const char *const wanted[] = {
		"t.json:1: nested too deeply; the limit is 32", NULL };
	char *text = nested('[', JSON_DEPTH_MAX, ']');
	struct json_doc *doc = NULL;
	struct complaints c;

	complaints_init(&c);
	json_doc_parse("t.json", text, strlen(text), &doc, &c);
	complaints_are(&c, wanted);
	free(text);

	text = nested('[', JSON_DEPTH_MAX - 1, ']');
	json_doc_free(doc_of(text));
	free(text);

	/* Far beyond what a recursive parser could bear. */
	text = nested('[', 1000000, ']');
	json_doc_parse("t.json", text, strlen(text), &doc, &c);
	complaints_are(&c, wanted);
	free(text);
}
END_TEST

START_TEST(strings_have_a_limit)
{
	static const char *const wanted[] = {
		"t.json:1: string of too many bytes; the limit is 4096", NULL };
	char *text = nested('x', (JSON_STRING_MAX + 2) / 2, 'x');
	struct json_doc *doc = NULL;
	struct complaints c;

	complaints_init(&c);
	text[5] = '"';
	text[strlen(text) - 2] = '"';
	json_doc_free(doc_of(text));
	free(text);

	text = nested('x', (JSON_STRING_MAX + 4) / 2, 'x');
	text[5] = '"';
	text[strlen(text) - 2] = '"';
	json_doc_parse("t.json", text, strlen(text), &doc, &c);
	complaints_are(&c, wanted);
	free(text);
}
END_TEST

START_TEST(files_have_a_limit)
{
	static const char *const wanted[] = { "big.json: larger than the limit of 4194304 bytes",
					      NULL };
	char name[] = "/tmp/eptsim-json-XXXXXX";
	int fd = mkstemp(name);
	struct json_doc *doc = NULL;
	struct complaints c;
	char *text = malloc(17u << 20);

	complaints_init(&c);
	memset(text, ' ', 17u << 20);
	json_doc_parse("big.json", text, 17u << 20, &doc, &c);
	complaints_are(&c, wanted);

	ck_assert_int_eq(write(fd, text, 17u << 20), 17u << 20);
	close(fd);
	ck_assert_int_eq(json_doc_read(name, &doc, &c), -EINVAL);
	ck_assert_ptr_nonnull(strstr(c.text[0], "larger than the limit"));
	complaints_release(&c);
	unlink(name);
	free(text);
}
END_TEST

START_TEST(what_is_no_file_is_said_to_be_unreadable)
{
	static const char *const no[] = {
		"/nowhere/at/all: cannot be read: No such file", NULL };
	static const char *const dir[] = {
		"/: cannot be read: Is a directory", NULL };
	struct json_doc *doc = NULL;
	struct complaints c;

	complaints_init(&c);
	ck_assert_int_eq(json_doc_read("/nowhere/at/all", &doc, &c), -ENOENT);
	complaints_are(&c, no);
	ck_assert_int_eq(json_doc_read("/", &doc, &c), -EISDIR);
	complaints_are(&c, dir);
}
END_TEST

START_TEST(a_duplicate_key_is_named_and_the_rest_still_read)
{
	static const char *const wanted[] = {
		"t.json:2: column 3: duplicate object key near '\"a\"'", NULL };
	const char *text = "{\"a\": 1,\n\"a\": 2, \"b\": 3}";
	struct json_doc *doc = NULL;
	struct complaints c;

	complaints_init(&c);
	ck_assert_int_eq(json_doc_parse("t.json", text, strlen(text), &doc,
					&c), 0);
	complaints_are(&c, wanted);
	ck_assert_int_eq(json_integer_value(json_object_get(doc->root, "b")), 3);
	json_doc_free(doc);
}
END_TEST

static const char layout[] =
	"\n{ \"a\": \"x,{[\\\"\",\n"
	"  \"b\": { \"c\": [ 1, [2, {}],\n"
	"     { \"d\\u0065\": true } ],\n"
	"    \"f\":\n"
	"      null }\n"
	"}\n";

START_TEST(values_are_found_by_line)
{
	struct json_doc *doc = doc_of(layout);
	struct json_node top = json_top(doc), b = json_member(&top, "b");
	struct json_node a = json_member(&top, "a");
	struct json_node list = json_member(&b, "c");
	struct json_node el = json_element(&list, 2);
	struct json_node de = json_member(&el, "de");
	struct json_node f = json_member(&b, "f");
	struct json_node none = json_member(&b, "g");
	char path[64];

	ck_assert_uint_eq(json_line(&top), 2);
	ck_assert_uint_eq(json_line(&a), 2);
	ck_assert_uint_eq(json_line(&b), 3);
	ck_assert_uint_eq(json_line(&list), 3);
	ck_assert_uint_eq(json_line(&el), 4);
	ck_assert_uint_eq(json_line(&de), 4);
	ck_assert_uint_eq(json_line(&f), 5);
	ck_assert_uint_eq(json_line(&none), 3);
	ck_assert(json_is_true(de.v));
	json_path(&de, path, sizeof(path));
	ck_assert_str_eq(path, "b.c[2].de");
	json_path(&de, path, 6);
	ck_assert_str_eq(path, "b.c[2");
	json_path(&top, path, sizeof(path));
	ck_assert_str_eq(path, "");
	json_doc_free(doc);
}
END_TEST

START_TEST(what_was_found_is_shown_briefly)
{
	struct json_doc *doc = doc_of("{\"i\": 12, \"s\": \"\\u001b[m\\u00e9\", \"r\": 0.1, \"l\": [], \"o\": {},"
				      "\"long\": \"0123456789012345678901234567890123456789\"}");
	static const struct { const char *key, *shown; } cases[] = {
		{ "i", "12" }, { "s", "\"\\u001B[m\\u00E9\"" }, { "r", "0.1" },
		{ "l", "a list" }, { "o", "an object" }, { "none", "nothing" },
		{ "long", "\"012345678901234567890123456789012345..." },
	};
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_show(json_object_get(doc->root, cases[i].key), text,
			  sizeof(text));
		ck_assert_str_eq(text, cases[i].shown);
	}
	json_doc_free(doc);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		text_that_is_no_json_object_is_refused_with_its_line,
		nesting_has_a_limit,
		strings_have_a_limit,
		files_have_a_limit,
		what_is_no_file_is_said_to_be_unreadable,
		a_duplicate_key_is_named_and_the_rest_still_read,
		values_are_found_by_line,
		what_was_found_is_shown_briefly,
	};

	return run_cases("json", tests, ARRAY_SIZE(tests));
}
