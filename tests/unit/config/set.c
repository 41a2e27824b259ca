/* Values from the command line: where they go, and how they are blamed. */
#include "sim/config/set.h"

#include <errno.h>
#include <stdio.h>

#include "sim/config/rows.h"
#include "tests/unit/config/util.h"

static const char base[] = "{\"a\":{\"b\":1,\"l\":[{\"c\":1},2]},\"s\":\"x\"}";

START_TEST(a_path_leads_to_its_value)
{
	static const struct { const char *set, *result; } cases[] = {
		{ "a.b=2", "{\"a\":{\"b\":2,\"l\":[{\"c\":1},2]},\"s\":\"x\"}" },
		{ "a.l[0].c=true", "{\"a\":{\"b\":1,\"l\":[{\"c\":true},2]},\"s\":\"x\"}" },
		{ "a.l[1]=[]", "{\"a\":{\"b\":1,\"l\":[{\"c\":1},[]]},\"s\":\"x\"}" },
		{ "s=plain words=1", "{\"a\":{\"b\":1,\"l\":[{\"c\":1},2]},\"s\":\"plain words=1\"}" },
		{ "s=\"7\"", "{\"a\":{\"b\":1,\"l\":[{\"c\":1},2]},\"s\":\"7\"}" },
		{ "s=", "{\"a\":{\"b\":1,\"l\":[{\"c\":1},2]},\"s\":\"\"}" },
		{ "n.m=0", "{\"a\":{\"b\":1,\"l\":[{\"c\":1},2]},\"s\":\"x\",\"n\":{\"m\":0}}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_doc *doc = doc_of(base);
		json_t *wanted = json_loads(cases[i].result, 0, NULL);
		struct complaints c;

		complaints_init(&c);
		ck_assert_int_eq(set_apply(doc, cases[i].set, cases[i].set,
					   &c), 0);
		ck_assert_msg(json_equal(doc->root, wanted), "%s",
			      cases[i].set);
		json_decref(wanted);
		json_doc_free(doc);
	}
}
END_TEST

START_TEST(a_path_that_leads_nowhere_is_refused)
{
	static const struct { const char *set, *complaint; } cases[] = {
		{ "a", "--set a: expected PATH=VALUE" },
		{ "=1", "--set =1: expected PATH=VALUE" },
		{ "a..b=1", "--set a..b=1: \"a..b\" is no path" },
		{ "a.=1", "--set a.=1: \"a.\" is no path" },
		{ "a.l[x]=1", "--set a.l[x]=1: \"a.l[x]\" is no path" },
		{ "a.l[1=1", "--set a.l[1=1: \"a.l[1\" is no path" },
		{ "a.l[99999999999999999999]=1", "--set a.l[99999999999999999999]=1: \"a.l[99999999999999999999]\" is no path" },
		{ "a.l[-1]=1", "--set a.l[-1]=1: \"a.l[-1]\" is no path" },
		{ "a.l[2]=1", "--set a.l[2]=1: nothing at \"a.l[2]\" to set" },
		{ "a.l[2].c=1", "--set a.l[2].c=1: nothing at \"a.l[2]\"" },
		{ "a.b.c=1", "--set a.b.c=1: nothing at \"a.b.c\" to set" },
		{ "s[0]=1", "--set s[0]=1: nothing at \"s[0]\" to set" },
		{ "s.x.y=1", "--set s.x.y=1: nothing at \"s.x\"" },
		{ "n..b=1", "--set n..b=1: \"n..b\" is no path" },
		{ "n.m[0]=1", "--set n.m[0]=1: nothing at \"n.m[0]\" to set" },
		{ "n.m[0].c=1", "--set n.m[0].c=1: nothing at \"n.m[0]\"" },
		{ "--seed", "--seed: expected PATH=VALUE" },
		{ "a.b=\xff", "--set a.b=\\xff: the value is not valid UTF-8" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const wanted[] = { cases[i].complaint, NULL };
		json_t *before = json_loads(base, 0, NULL);
		struct json_doc *doc = doc_of(base);
		struct complaints c;

		complaints_init(&c);
		ck_assert_int_eq(set_apply(doc, cases[i].set, cases[i].set,
					   &c), -EINVAL);
		ck_assert_msg(json_equal(doc->root, before), "%s left something",
			      cases[i].set);
		complaints_are(&c, wanted);
		json_decref(before);
		json_doc_free(doc);
	}
}
END_TEST

START_TEST(paths_and_values_have_limits)
{
	struct json_doc *doc = doc_of(base);
	struct complaints c;
	char set[8192];

	complaints_init(&c);
	memset(set, 'k', 300);
	snprintf(set + 300, sizeof(set) - 300, "=1");
	ck_assert_int_eq(set_apply(doc, set, set, &c), -EINVAL);
	snprintf(set, sizeof(set), "s=%05000d", 0);
	ck_assert_int_eq(set_apply(doc, set, set, &c), -EINVAL);
	snprintf(set, sizeof(set), "s=");
	memset(set + 2, '[', 100);
	set[102] = 0;
	ck_assert_int_eq(set_apply(doc, set, set, &c), -EINVAL);
	for (size_t i = 0; i < 100; i++)
		memcpy(set + 2 * i, "a.", 2);
	memcpy(set + 200, "a=1", 4);
	ck_assert_int_eq(set_apply(doc, set, set, &c), -EINVAL);
	ck_assert_uint_eq(c.nr, 4);
	complaints_release(&c);
	json_doc_free(doc);
}
END_TEST

START_TEST(what_was_set_is_blamed_on_the_command_line)
{
	static const struct param_desc rows[] = {
		{ .name = "b", .unit = "", .type = PARAM_U32, .max = 9,
		  .required = true, .help = "" },
		{ .name = NULL },
	};
	static const char *const wanted[] = {
		"t.json:1: a.l: unknown key",
		"--set a.bee=[1]: a.bee: unknown key",
		"--set a.n.m=1: a.n: unknown key",
		"--set a.b=x: a.b: found \"x\", expected integer 0..9", NULL
	};
	const struct rows_spec spec = { .rows = rows };
	struct json_doc *doc = doc_of(base);
	struct json_node top = json_top(doc), a;
	struct complaints c;
	u32 out;

	complaints_init(&c);
	ck_assert_int_eq(set_apply(doc, "a.b=5", "a.b=5", &c), 0);
	ck_assert_int_eq(set_apply(doc, "a.b=x", "a.b=x", &c), 0);
	ck_assert_int_eq(set_apply(doc, "a.bee=[1]", "a.bee=[1]", &c), 0);
	ck_assert_int_eq(set_apply(doc, "a.n.m=1", "a.n.m=1", &c), 0);
	a = json_member(&top, "a");
	rows_read(&a, &spec, &out, &c);
	complaints_are(&c, wanted);
	json_doc_free(doc);
}
END_TEST

START_TEST(an_option_that_stands_for_a_setting_is_named_itself)
{
	static const char *const wanted[] = {
		"--seed=x: a.b: found \"x\", expected a number", NULL
	};
	struct json_doc *doc = doc_of(base);
	struct json_node top = json_top(doc), a, b;
	struct complaints c;

	complaints_init(&c);
	ck_assert_int_eq(set_apply(doc, "--seed=x", "a.b=", &c), 0);
	a = json_member(&top, "a");
	b = json_member(&a, "b");
	json_complain_type(&b, &c, "a number");
	complaints_are(&c, wanted);
	json_doc_free(doc);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_path_leads_to_its_value,
		a_path_that_leads_nowhere_is_refused,
		paths_and_values_have_limits,
		what_was_set_is_blamed_on_the_command_line,
		an_option_that_stands_for_a_setting_is_named_itself,
	};

	return run_cases("set", tests, ARRAY_SIZE(tests));
}
