/* The shipped JSON Schemas say what the rows say. */
#include "sim/config/rows.h"

#include <stdio.h>

#include "sim/cli/litmus.h"
#include "sim/cli/machine_file.h"
#include "sim/cli/scenario_read.h"
#include "tests/unit/config/util.h"

static json_t *schema(const char *name)
{
	const char *top = getenv("TOP") ? getenv("TOP") : ".";
	char path[512];
	json_t *s;

	snprintf(path, sizeof(path), "%s/configs/schema/%s.json", top, name);
	s = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(s != NULL, "%s", path);
	return s;
}

/* The definition @name of @s is exactly what the rows make. */
static void same(const json_t *s, const char *name,
		 const struct param_desc *rows, bool partial)
{
	const struct rows_spec spec = { .rows = rows, .partial = partial };
	json_t *wanted = rows_schema(&spec);
	json_t *got = json_object_get(json_object_get(s, "$defs"), name);

	if (!json_equal(got, wanted)) {
		char *text = json_dumps(wanted, JSON_INDENT(2));

		ck_abort_msg("$defs.%s should be: %s", name, text);
	}
	json_decref(wanted);
}

/* The top of @s holds what the rows make, among other things. */
static void within(const json_t *s, const struct param_desc *rows)
{
	const struct rows_spec spec = { .rows = rows };
	json_t *wanted = rows_schema(&spec), *v;
	const char *key;

	json_object_foreach(json_object_get(wanted, "properties"), key, v)
		ck_assert_msg(json_equal(json_object_get(json_object_get(s, "properties"),
							 key), v),
			      "properties.%s differs from its row", key);
	json_decref(wanted);
}

/* Is @word among the strings of @list? */
static bool among(const json_t *list, const char *word)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(json_string_value(json_array_get(list, i)), word))
			return true;
	return false;
}

START_TEST(the_scenario_schema_follows_the_rows)
{
	json_t *s = schema("scenario");
	json_t *props = json_object_get(s, "properties");

	same(s, "workload", workload_rows, false);
	same(s, "workload_part", workload_rows, true);
	same(s, "l0", l0_rows, false);
	within(s, scenario_rows);
	for (u32 i = 0; scenario_keys[i]; i++)
		ck_assert_msg(json_object_get(props, scenario_keys[i]) != NULL,
			      "%s is missing", scenario_keys[i]);
	json_decref(s);
}
END_TEST

START_TEST(the_machine_schema_follows_the_rows)
{
	json_t *s = schema("machine");

	same(s, "tlb", tlb_struct_rows, false);
	within(s, hw_geometry_rows);
	within(s, machine_file_rows);
	json_decref(s);
}
END_TEST

START_TEST(the_litmus_schema_follows_the_rows)
{
	json_t *s = schema("litmus");
	json_t *properties = json_object_get(s, "properties");

	within(s, litmus_rows);
	for (u32 i = 0; litmus_keys[i]; i++)
		ck_assert_ptr_nonnull(json_object_get(properties,
						      litmus_keys[i]));
	json_decref(s);
}
END_TEST

START_TEST(the_cost_schema_lists_every_cost)
{
	json_t *s = schema("costs");
	json_t *costs = json_object_get(json_object_get(s, "properties"),
					"costs");
	json_t *required = json_object_get(costs, "required");

	ck_assert_uint_eq(json_object_size(json_object_get(costs, "properties")),
			  COST_NR);
	ck_assert_uint_eq(json_array_size(required), COST_NR);
	for (u32 i = 0; i < COST_NR; i++)
		ck_assert_msg(among(required, cost_name((enum cost_id)i)),
			      "%s is missing", cost_name((enum cost_id)i));
	json_decref(s);
}
END_TEST

START_TEST(the_result_schema_requires_every_category_of_cycles)
{
	json_t *s = schema("results");
	json_t *run = json_object_get(json_object_get(s, "$defs"), "run");
	json_t *cycles = json_object_get(json_object_get(run, "properties"),
					 "cycles");
	json_t *required = json_object_get(cycles, "required");

	ck_assert_uint_eq(json_array_size(required), CYC_NR);
	for (u32 i = 0; i < CYC_NR; i++)
		ck_assert(among(required,
				cycle_category_name((enum cycle_category)i)));
	json_decref(s);
}
END_TEST

START_TEST(the_exploration_schema_knows_every_kind_of_event)
{
	json_t *s = schema("explore");
	json_t *kind = json_object_get(json_object_get(s, "$defs"), "kind");
	json_t *words = json_object_get(kind, "enum");
	u32 nr = 0;

	for (u32 k = 0; k < ACTION_NR; k++) {
		if (ACTIONS_ALWAYS & 1u << k)
			continue;
		ck_assert_msg(among(words, action_name(k)), "%s is missing",
			      action_name(k));
		nr++;
	}
	ck_assert_uint_eq(json_array_size(words), nr);
	json_decref(s);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_scenario_schema_follows_the_rows,
		the_machine_schema_follows_the_rows,
		the_litmus_schema_follows_the_rows,
		the_cost_schema_lists_every_cost,
		the_result_schema_requires_every_category_of_cycles,
		the_exploration_schema_knows_every_kind_of_event,
	};

	return run_cases("schema", tests, ARRAY_SIZE(tests));
}
