/*
 * Several threads find what one finds: the same states, the same verdict, and
 * the same schedule to the violation.
 */
#include <check.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/check/adversary.h"
#include "sim/driver/budget.h"
#include "sim/driver/explore.h"
#include "sim/driver/small.h"
#include "tests/suite.h"

#define ALLOWED	(ACTIONS_SCHED | 1u << ACTION_CHANGE | 1u << ACTION_GUEST_FLUSH)

static void run(const char *policy, u32 nr_threads, u64 mem_bytes,
		struct explored *e)
{
	const struct observer_ops *observer = &checker_adversary;
	struct small_machine m;
	struct budget budget;
	struct err err;
	struct exploration x = {
		.config = &m.config,
		.environ = { .ops = &environ_budget, .arg = &budget },
		.mem_bytes = mem_bytes, .nr_threads = nr_threads,
		.symmetry = true, .reduce = true,
	};

	small_machine_init(&m, 2, 1, 1, ALLOWED);
	budget_init(&budget, ALLOWED);
	if (flush_policy_parse(policy, strlen(policy), &m.policy, &err))
		ck_abort_msg("%s", err.msg);
	m.config.observers = &observer;
	m.config.nr_observers = 1;
	if (explore(&x, e, &err))
		ck_abort_msg("%s", err.msg);
}

START_TEST(threads_find_what_one_finds)
{
	static const char *const policies[] = {
		"per-root-mask", "never", "active-roots", "per-root-mask-clear",
	};
	struct explored one, several;

	run(policies[_i / 3], 1, 64u << 20, &one);
	run(policies[_i / 3], 2 + (u32)_i % 3, 64u << 20, &several);
	ck_assert_uint_eq(one.exhausted, several.exhausted);
	ck_assert_uint_eq(one.violated, several.violated);
	ck_assert_uint_eq(one.states, several.states);
	ck_assert_uint_eq(one.transitions, several.transitions);
	ck_assert_uint_eq(one.depth, several.depth);
	ck_assert_uint_eq(one.nr_path, several.nr_path);
	if (one.nr_path)
		ck_assert_mem_eq(one.path, several.path,
				 one.nr_path * sizeof(*one.path));
	ck_assert_str_eq(one.finding.text, several.finding.text);
	explored_release(&one);
	explored_release(&several);
}
END_TEST

START_TEST(they_stop_where_memory_ends)
{
	struct explored e;

	run("per-root-mask-clear", 4, 400000, &e);
	ck_assert(!e.exhausted && !e.violated);
	ck_assert_uint_gt(e.states, 100);
	ck_assert(e.state_bytes * (double)e.states <= 400000);
	explored_release(&e);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("threads");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, threads_find_what_one_finds, 0, 12);
	tcase_add_test(t, they_stop_where_memory_ends);
	suite_add_tcase(s, t);
	return suite_main(s);
}
