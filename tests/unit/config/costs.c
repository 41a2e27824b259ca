/* Cost sheets: the shipped ones are good, and every way to be bad is told. */
#include "sim/config/costs.h"

#include <errno.h>
#include <stdio.h>

#include "tests/unit/config/util.h"

#define TOP(n) (getenv("TOP") ? getenv("TOP") : "."), n

/* A good sheet in which the row of one cost has been replaced. */
static int read_with(const char *name, const char *row, struct cost_sheet *out,
		     struct complaints *c)
{
	json_t *root, *costs = json_object();
	struct json_doc *doc;
	struct json_node top;
	char *text;
	int ret;

	for (u32 i = 0; i < COST_NR; i++)
		json_object_set_new(costs, cost_name((enum cost_id)i),
				    json_pack("{s:i, s:s, s:s, s:s, s:s}",
					      "value", 100, "unit", "ns",
					      "class", "exact", "tag", "manual",
					      "source", "book"));
	if (row)
		json_object_set_new(costs, name,
				    json_loads(row, JSON_DECODE_ANY, NULL));
	else
		json_object_del(costs, name);
	root = json_pack("{s:s, s:s, s:s, s:i, s:o}", "name", "test", "vendor",
			 "intel", "l0", "bare", "clock_khz", 2000000, "costs",
			 costs);
	text = json_dumps(root, 0);
	json_decref(root);
	doc = doc_of(text);
	top = json_top(doc);
	complaints_init(c);
	ret = costs_read(&top, out, c);
	json_doc_free(doc);
	free(text);
	return ret;
}

START_TEST(times_become_cycles_of_the_clock_of_the_sheet)
{
	static const struct {
		const char *row;
		u64 lo, value, hi;
	} cases[] = {
		{ "\"unit\":\"ns\",\"value\":100,\"range\":[50,1000]", 100, 200, 2000 },
		{ "\"unit\":\"cycles\",\"value\":100,\"range\":[100,100]", 100, 100, 100 },
		{ "\"unit\":\"ns\",\"value\":100,\"class\":\"exact\"", 200, 200, 200 },
		{ "\"unit\":\"ns\",\"value\":100,\"class\":\"walk\"", 100, 200, 300 },
		{ "\"unit\":\"ns\",\"value\":99,\"class\":\"invalidation\"", 66, 198, 594 },
		{ "\"unit\":\"cycles\",\"value\":100,\"class\":\"hyperv\"", 25, 100, 400 },
		{ "\"unit\":\"cycles\",\"value\":0,\"class\":\"hyperv\"", 0, 0, 0 },
		{ "\"unit\":\"ns\",\"value\":1000000000,\"class\":\"exact\"", 2000000000, 2000000000, 2000000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct cost_row *r;
		struct cost_sheet sheet;
		struct complaints c;
		char row[256];

		snprintf(row, sizeof(row), "{%s,\"tag\":\"assumed\",\"source\":\"s\"}",
			 cases[i].row);
		ck_assert_int_eq(read_with("invlpg", row, &sheet, &c), 0);
		r = &sheet.row[COST_INVLPG];
		ck_assert(r->applies);
		ck_assert_uint_eq(r->lo_cycles, cases[i].lo);
		ck_assert_uint_eq(r->cycles, cases[i].value);
		ck_assert_uint_eq(r->hi_cycles, cases[i].hi);
		ck_assert_str_eq(r->source, "s");
		ck_assert_uint_eq(costs_assumed(&sheet), 1);
	}
}
END_TEST

#define REST ",\"tag\":\"manual\",\"source\":\"s\"}"

static const struct {
	const char *name;
	const char *row;	/* NULL: absent */
	const char *complaint;
} bad[] = {
	{ "invlpg", NULL, "t.json:1: costs.invlpg: missing, expected an object" },
	{ "invlgp", "1", "t.json:1: costs.invlgp: unknown key, did you mean \"invlpg\"?" },
	{ "invlpg", "5", "t.json:1: costs.invlpg: found 5, expected an object" },
	{ "invlpg", "{\"unit\":\"us\",\"value\":1,\"class\":\"exact\"" REST,
	  "t.json:1: costs.invlpg.unit: found \"us\", expected one of \"ns\", \"cycles\"" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":-1,\"class\":\"exact\"" REST,
	  "t.json:1: costs.invlpg.value: found -1, expected integer 0..1000000000 ns" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":1.5,\"class\":\"exact\"" REST,
	  "t.json:1: costs.invlpg.value: found 1.5, expected integer" },
	{ "invlpg", "{\"unit\":\"cycles\",\"value\":10000000001,\"class\":\"exact\"" REST,
	  "t.json:1: costs.invlpg.value: found 10000000001, expected integer 0..10000000000 cycles" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5" REST,
	  "t.json:1: costs.invlpg: missing \"range\"" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"range\":[6,7]" REST,
	  "t.json:1: costs.invlpg.range: found [6, 7], expected a range around the value 5" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"range\":[5]" REST,
	  "t.json:1: costs.invlpg.range: found a list, expected a list of two: [low, high]" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"range\":[1,\"9\"]" REST,
	  "t.json:1: costs.invlpg.range[1]: found \"9\", expected integer" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"range\":[1,9],\"class\":\"walk\"" REST,
	  "t.json:1: costs.invlpg.class: found \"range\" and \"class\", expected one of them" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"class\":\"guess\"" REST,
	  "t.json:1: costs.invlpg.class: found \"guess\", expected one of \"exact\"" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"class\":\"walk\",\"source\":\"s\"}",
	  "t.json:1: costs.invlpg.tag: missing, expected one of \"measured\"" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"class\":\"walk\",\"tag\":\"sure\",\"source\":\"s\"}",
	  "t.json:1: costs.invlpg.tag: found \"sure\", expected one of \"measured\", \"manual\", \"paper\", \"derived\", \"assumed\"" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"class\":\"walk\",\"tag\":\"paper\",\"source\":\"\"}",
	  "t.json:1: costs.invlpg.source: found \"\", expected text of 1..199 bytes" },
	{ "invlpg", "{\"unit\":\"ns\",\"value\":5,\"class\":\"walk\",\"soruce\":\"x\"" REST,
	  "t.json:1: costs.invlpg.soruce: unknown key, did you mean \"source\"?" },
	{ "invlpg", "{\"applies\":true,\"why\":\"x\"}",
	  "t.json:1: costs.invlpg.applies: found true, expected false" },
	{ "invlpg", "{\"applies\":false}",
	  "t.json:1: costs.invlpg.why: missing, expected text" },
	{ "invlpg", "{\"applies\":false,\"why\":\"x\",\"value\":3}",
	  "t.json:1: costs.invlpg.value: unknown key" },
};

START_TEST(every_bad_row_has_its_sentence)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *const wanted[] = { bad[i].complaint, NULL };
		struct cost_sheet sheet;
		struct complaints c;

		ck_assert_int_eq(read_with(bad[i].name, bad[i].row, &sheet, &c),
				 -EINVAL);
		complaints_are(&c, wanted);
	}
}
END_TEST

START_TEST(a_cost_may_be_marked_as_not_applicable)
{
	struct cost_sheet sheet;
	struct complaints c;

	ck_assert_int_eq(read_with("l0_trap", "{\"applies\":false,\"why\":\"bare\"}",
				   &sheet, &c), 0);
	ck_assert(!sheet.row[COST_L0_TRAP].applies);
	ck_assert_str_eq(sheet.row[COST_L0_TRAP].source, "bare");
	ck_assert_uint_eq(sheet.row[COST_L0_TRAP].cycles, 0);
}
END_TEST

START_TEST(the_shipped_sheets_are_good_and_have_ranges)
{
	static const char *const names[] = { "icx-bare", "icx-hyperv" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct cost_sheet sheet;
		struct complaints c;
		char path[512];

		snprintf(path, sizeof(path), "%s/configs/costs/%s.json",
			 TOP(names[i]));
		complaints_init(&c);
		costs_load(path, &sheet, &c);
		ck_assert_msg(!c.nr, "%s", c.nr ? c.text[0] : "");
		ck_assert_str_eq(sheet.name, names[i]);
		for (u32 k = 0; k < COST_NR; k++)
			ck_assert(!sheet.row[k].applies ||
				  sheet.row[k].lo_cycles < sheet.row[k].hi_cycles);
	}
}
END_TEST

/* The bands of page walks that the two walk costs were fitted to. */
START_TEST(the_shipped_walk_costs_stay_in_their_bands)
{
	static const struct { u64 refs, lo, hi; } bands[] = {
		{ 1, 15, 30 }, { 2, 30, 80 }, { 4, 40, 250 }, { 24, 80, 600 },
	};
	struct cost_sheet sheet;
	struct complaints c;
	char path[512];

	snprintf(path, sizeof(path), "%s/configs/costs/%s.json", TOP("icx-bare"));
	complaints_init(&c);
	ck_assert_int_eq(costs_load(path, &sheet, &c), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bands); i++) {
		u64 t = sheet.row[COST_WALK_START].cycles +
			sheet.row[COST_WALK_REF].cycles * bands[i].refs;

		ck_assert_uint_ge(t, bands[i].lo);
		ck_assert_uint_le(t, bands[i].hi);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		times_become_cycles_of_the_clock_of_the_sheet,
		every_bad_row_has_its_sentence,
		a_cost_may_be_marked_as_not_applicable,
		the_shipped_sheets_are_good_and_have_ranges,
		the_shipped_walk_costs_stay_in_their_bands,
	};

	return run_cases("costs", tests, ARRAY_SIZE(tests));
}
