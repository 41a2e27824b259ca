/* Rows against objects: every kind of mistake has a sentence of its own. */
#include "sim/config/rows.h"

#include <errno.h>

#include "tests/unit/config/util.h"

struct thing {
	u32 pages;
	u64 big;
	bool on;
	double rate;
	u32 word;
	char name[PARAM_STR_MAX];
	u32 maybe;
};

static const char *const words[] = { "red", "green", NULL };
static const char *const also[] = { "parts", NULL };

#define ROW(f, t, u, lo, hi)						\
	.name = #f, .unit = u, .type = t, .min = lo, .max = hi,		\
	.offset = offsetof(struct thing, f), .help = "a " #f

static const struct param_desc rows[] = {
	{ ROW(pages, PARAM_U32, "pages", 1, 100), .required = true },
	{ ROW(big, PARAM_U64, "", 0, 9e15), .required = true },
	{ ROW(on, PARAM_BOOL, "", 0, 1), .required = true },
	{ ROW(rate, PARAM_DOUBLE, "per second", 0, 1e6), .required = true },
	{ ROW(word, PARAM_ENUM, "", 0, 1), .required = true, .choices = words },
	{ ROW(name, PARAM_STR, "", 1, 5), .required = true },
	{ ROW(maybe, PARAM_U32, "", 5, 9), .required = false, .def = 7 },
	{ .name = NULL },
};

static const struct rows_spec spec = { .rows = rows, .also = also };

#define GOOD "{\"pages\":1,\"big\":9000000000000000,\"on\":true,\"rate\":2," \
	     "\"word\":\"green\",\"name\":\"abcde\",\"notes\":[\"x\"],\"parts\":[]}"

static int read_text(const char *text, const struct rows_spec *sp,
		     struct thing *out, struct complaints *c)
{
	struct json_doc *doc = doc_of(text);
	struct json_node top = json_top(doc);
	int ret;

	complaints_init(c);
	ret = rows_read(&top, sp, out, c);
	json_doc_free(doc);
	return ret;
}

START_TEST(a_good_object_fills_the_struct)
{
	struct thing t = { 0 };
	struct complaints c;

	ck_assert_int_eq(read_text(GOOD, &spec, &t, &c), 0);
	ck_assert_uint_eq(c.nr, 0);
	ck_assert_uint_eq(t.pages, 1);
	ck_assert_uint_eq(t.big, 9000000000000000);
	ck_assert(t.on);
	ck_assert(t.rate == 2);
	ck_assert_uint_eq(t.word, 1);
	ck_assert_str_eq(t.name, "abcde");
	ck_assert_uint_eq(t.maybe, 7);
}
END_TEST

START_TEST(all_mistakes_are_told_at_once)
{
	static const char text[] =
		"{\"pages\":0,\n\"big\":1.5,\n\"on\":1,\n\"rate\":\"2\",\n"
		"\"word\":\"gren\",\n\"name\":\"abcdef\",\n\"maybe\":10,\n"
		"\"ratte\":1,\n\"\":2,\n\"notes\":[1]}";
	static const char *const wanted[] = {
		"t.json:8: ratte: unknown key, did you mean \"rate\"?",
		"t.json:9: \"\": unknown key",
		"t.json:10: notes[0]: found 1, expected text",
		"t.json:1: pages: found 0, expected integer 1..100 pages",
		"t.json:2: big: found 1.5, expected integer 0..9000000000000000",
		"t.json:3: on: found 1, expected true or false",
		"t.json:4: rate: found \"2\", expected number 0..1000000 per second",
		"t.json:5: word: found \"gren\", expected one of \"red\", \"green\"",
		"t.json:6: name: found \"abcdef\", expected text of 1..5 bytes",
		"t.json:7: maybe: found 10, expected integer 5..9",
		NULL
	};
	struct thing t = { 0 };
	struct complaints c;

	ck_assert_int_eq(read_text(text, &spec, &t, &c), -EINVAL);
	complaints_are(&c, wanted);
}
END_TEST

START_TEST(every_missing_key_is_told)
{
	static const char *const wanted[] = {
		"t.json:1: pages: missing, expected integer 1..100 pages",
		"t.json:1: big: missing", "t.json:1: on: missing",
		"t.json:1: rate: missing", "t.json:1: word: missing",
		"t.json:1: name: missing", NULL
	};
	struct thing t = { 0 };
	struct complaints c;

	ck_assert_int_eq(read_text("{}", &spec, &t, &c), -EINVAL);
	complaints_are(&c, wanted);
}
END_TEST

START_TEST(a_partial_object_leaves_the_rest_alone)
{
	const struct rows_spec part = { .rows = rows, .partial = true };
	struct thing t = { .pages = 42, .maybe = 6 };
	struct complaints c;

	ck_assert_int_eq(read_text("{\"on\":true}", &part, &t, &c), 0);
	ck_assert_uint_eq(t.pages, 42);
	ck_assert_uint_eq(t.maybe, 6);
	ck_assert(t.on);
}
END_TEST

START_TEST(null_and_wrong_kinds_are_no_values)
{
	static const char *const values[] = { "null", "{}", "[]", "-1",
					      "1e300", "\"\"" };
	static const char *const keys[] = { "pages", "big", "on", "rate",
					    "word", "name" };
	const struct rows_spec part = { .rows = rows, .partial = true };
	char text[64];

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			struct thing t = { 0 }, before = { 0 };
			struct complaints c;

			snprintf(text, sizeof(text), "{\"%s\":%s}", keys[k],
				 values[v]);
			ck_assert_msg(read_text(text, &part, &t, &c) == -EINVAL,
				      "%s was taken", text);
			ck_assert(!memcmp(&t, &before, sizeof(t)));
			complaints_release(&c);
		}
	}
}
END_TEST

START_TEST(rows_become_a_schema)
{
	json_t *s = rows_schema(&spec);
	json_t *wanted = json_loads(
		"{\"type\":\"object\",\"additionalProperties\":false,"
		"\"required\":[\"pages\",\"big\",\"on\",\"rate\",\"word\",\"name\"],"
		"\"properties\":{"
		"\"pages\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"description\":\"a pages (pages)\"},"
		"\"big\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9000000000000000,\"description\":\"a big\"},"
		"\"on\":{\"type\":\"boolean\",\"description\":\"a on\"},"
		"\"rate\":{\"type\":\"number\",\"minimum\":0.0,\"maximum\":1000000.0,\"description\":\"a rate (per second)\"},"
		"\"word\":{\"enum\":[\"red\",\"green\"],\"description\":\"a word\"},"
		"\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,\"description\":\"a name\"},"
		"\"maybe\":{\"type\":\"integer\",\"minimum\":5,\"maximum\":9,\"description\":\"a maybe\"},"
		"\"parts\":true,\"notes\":{\"$ref\":\"#/$defs/notes\"}}}", 0, NULL);

	ck_assert(json_equal(s, wanted));
	json_decref(s);
	json_decref(wanted);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_good_object_fills_the_struct,
		all_mistakes_are_told_at_once,
		every_missing_key_is_told,
		a_partial_object_leaves_the_rest_alone,
		null_and_wrong_kinds_are_no_values,
		rows_become_a_schema,
	};

	return run_cases("rows", tests, ARRAY_SIZE(tests));
}
