/* The list of checkers. */
#include "tests/unit/check/stream.h"

START_TEST(every_checker_is_complete_and_found_by_name_and_invariant)
{
	for (u32 i = 0; i < CHECKERS_NR; i++) {
		const struct observer_ops *c = checker_list[i];

		ck_assert(c->name && c->brief && c->wants);
		ck_assert(c->state_bytes && c->on_probe);
		ck_assert_ptr_eq(checker_find(c->name), c);
		if (c->invariant)
			ck_assert_ptr_eq(checker_find(c->invariant), c);
	}
	ck_assert_ptr_null(checker_find("nothing"));
}
END_TEST

/* State is plain bytes: a copy at another address goes on as the original. */
START_TEST(state_may_be_moved_in_the_middle_of_a_run)
{
	struct watch w;

	for (u32 i = 0; i < CHECKERS_NR; i++) {
		struct arena_layout l = { 0 };
		struct err err;
		void *copy;

		watch_start(&w, checker_list[i]);
		alloc_root(&w, 0, 1, 1);
		enter(&w, 0, 0, 1);
		leave(&w, 0);
		arena_reserve(&l, 1, w.ops->state_bytes(&w.shape));
		copy = arena_create(&l, "copy", &err);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, w.state, w.ops->state_bytes(&w.shape));
		memset(w.state, 0xff, w.ops->state_bytes(&w.shape));
		arena_destroy(w.state);
		w.state = copy;
		alloc_root(&w, 1, 1, 2);
		ck_assert(enter(&w, 0, 2, 1) ==
			  (w.ops == &checker_lifetime ||
			   w.ops == &checker_isolation));
		watch_end(&w);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		every_checker_is_complete_and_found_by_name_and_invariant,
		state_may_be_moved_in_the_middle_of_a_run,
	};

	return run_suite("check/list", tests, ARRAY_SIZE(tests));
}
