/* What guests do: one row per rate, and the keys that contradict each other. */
#include "models/workload/workload.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "models/workload/access.h"
#include "sim/base/err.h"
#include "tests/suite.h"

static const struct workload_params good = {
	.working_set_pages = 100, .shared_pages = 20, .locality = LOCALITY_HOT,
	.hot_pages = 10, .hot_permille = 900, .accesses_per_us = 10,
};

START_TEST(a_sensible_guest_is_accepted)
{
	struct err err;

	ck_assert_int_eq(workload_check(&good, &err), 0);
}
END_TEST

START_TEST(sharing_everything_is_accepted)
{
	struct workload_params w = good;
	struct err err;

	w.shared_pages = w.working_set_pages;
	ck_assert_int_eq(workload_check(&w, &err), 0);
	w.hot_pages = w.working_set_pages;
	ck_assert_int_eq(workload_check(&w, &err), 0);
}
END_TEST

START_TEST(sharing_more_than_there_is_names_both_keys)
{
	struct workload_params w = good;
	struct err err = { "" };

	w.shared_pages = 101;
	ck_assert_int_eq(workload_check(&w, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.msg, "shared_pages"));
	ck_assert_ptr_nonnull(strstr(err.msg, "working_set_pages"));
	ck_assert_ptr_nonnull(strstr(err.msg, "101"));
}
END_TEST

START_TEST(a_hot_part_outside_the_working_set_is_refused)
{
	struct workload_params w = good;
	struct err err = { "" };

	w.hot_pages = _i ? 101 : 0;
	ck_assert_int_eq(workload_check(&w, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.msg, "hot_pages"));
}
END_TEST

START_TEST(hot_pages_mean_nothing_where_nothing_is_hot)
{
	struct workload_params w = good;
	struct err err;

	w.hot_pages = 0;
	w.locality = LOCALITY_UNIFORM;
	ck_assert_int_eq(workload_check(&w, &err), 0);
	w.locality = LOCALITY_LOG;
	ck_assert_int_eq(workload_check(&w, &err), 0);
}
END_TEST

/* Words of the configs and numbers of the models must not drift apart. */
START_TEST(the_words_have_the_order_of_their_enums)
{
	for (u32 i = 0; workload_rows[i].name; i++) {
		const struct param_desc *d = &workload_rows[i];

		if (!strcmp(d->name, "locality")) {
			ck_assert_str_eq(d->choices[LOCALITY_UNIFORM], "uniform");
			ck_assert_str_eq(d->choices[LOCALITY_HOT], "hot");
			ck_assert_str_eq(d->choices[LOCALITY_LOG], "log");
			ck_assert_ptr_null(d->choices[LOCALITY_NR]);
		} else if (!strcmp(d->name, "strict_by")) {
			ck_assert_str_eq(d->choices[STRICT_BY_VCPU], "vcpu");
			ck_assert_str_eq(d->choices[STRICT_BY_HOST], "host");
			ck_assert_ptr_null(d->choices[STRICT_BY_NR]);
		} else if (d->type == PARAM_ENUM) {
			ck_assert_str_eq(d->choices[PAGE_SIZE_4K], "4k");
			ck_assert_str_eq(d->choices[PAGE_SIZE_2M], "2m");
			ck_assert_ptr_null(d->choices[PAGE_SIZE_NR]);
		}
	}
}
END_TEST

START_TEST(rows_are_complete_and_each_stands_for_another_member)
{
	for (u32 i = 0; workload_rows[i].name; i++) {
		const struct param_desc *d = &workload_rows[i];

		ck_assert_msg(d->required, "%s has a silent default", d->name);
		ck_assert_msg(d->help && *d->help, "%s has no help", d->name);
		ck_assert_msg(d->type == PARAM_ENUM || d->min < d->max,
			      "%s has no range", d->name);
		ck_assert_uint_lt(d->offset, sizeof(struct workload_params));
		for (u32 j = 0; j < i; j++) {
			ck_assert_str_ne(d->name, workload_rows[j].name);
			ck_assert_uint_ne(d->offset, workload_rows[j].offset);
		}
	}
}
END_TEST

/* Each of these is a rate that the first comparison has to offer. */
START_TEST(everything_that_can_happen_has_a_rate)
{
	static const char *const rate[] = {
		"strict_per_s", "upgrade_per_s", "accessed_clear_per_s",
		"guest_flush_per_s", "root_reload_per_s", "nested_per_s",
		"memslot_delete_per_s", "exit_per_s",
	};

	for (u32 k = 0; k < ARRAY_SIZE(rate); k++) {
		u32 found = 0;

		for (u32 i = 0; workload_rows[i].name; i++)
			found += !strcmp(rate[k], workload_rows[i].name) &&
				 workload_rows[i].type == PARAM_DOUBLE &&
				 workload_rows[i].min == 0;
		ck_assert_msg(found == 1, "%s: %u rows", rate[k], found);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("workload");
	TCase *t = tcase_create("parameters");

	tcase_add_test(t, a_sensible_guest_is_accepted);
	tcase_add_test(t, sharing_everything_is_accepted);
	tcase_add_test(t, sharing_more_than_there_is_names_both_keys);
	tcase_add_loop_test(t, a_hot_part_outside_the_working_set_is_refused, 0, 2);
	tcase_add_test(t, hot_pages_mean_nothing_where_nothing_is_hot);
	tcase_add_test(t, the_words_have_the_order_of_their_enums);
	tcase_add_test(t, rows_are_complete_and_each_stands_for_another_member);
	tcase_add_test(t, everything_that_can_happen_has_a_rate);
	suite_add_tcase(s, t);
	return suite_main(s);
}
