/* I2: lifetime of root frames. */
#include "tests/unit/check/stream.h"

START_TEST(a_frame_flushed_before_its_new_use_is_clean)
{
	struct watch w;

	watch_start(&w, &checker_lifetime);
	alloc_root(&w, 0, 1, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	leave(&w, 0);
	alloc_root(&w, 0, 1, 2);
	flush(&w, 0, FLUSH_INVEPT_SINGLE, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!enter(&w, 1, 0, 1));
	watch_end(&w);
}
END_TEST

START_TEST(a_flush_between_free_and_reuse_is_enough)
{
	struct watch w;

	watch_start(&w, &checker_lifetime);
	alloc_root(&w, 0, 1, 1);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	flush(&w, 2, FLUSH_HYPERCALL, 1);
	alloc_root(&w, 0, 1, 2);
	ck_assert(!enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

/* Hazard G: the tag of a freed root comes back to life. */
START_TEST(a_frame_taken_anew_without_a_flush_is_told_in_one_sentence)
{
	struct watch w;

	watch_start(&w, &checker_lifetime);
	alloc_root(&w, 0, 1, 1);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	alloc_root(&w, 0, 1, 2);
	flush(&w, 0, FLUSH_INVVPID_ALL, 0);
	flush(&w, 1, FLUSH_INVEPT_SINGLE, 1);
	ck_assert(!enter(&w, 1, 0, 1));
	ck_assert(enter(&w, 0, 1, 1));
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 1 enters on pCPU 0 under root 1, whose frame was taken anew at 0.000000040 s, and may use what is left from before: pCPU 0 may hold translations of the frame from 0.000000020 s on and has not flushed them since");
	ck_assert_str_eq(w.f.invariant, "I2");
	ck_assert(!w.f.real);
	watch_end(&w);
}
END_TEST

START_TEST(a_use_through_an_earlier_incarnation_is_real)
{
	const struct probe_prov good[2] = { { 1, 1, 0, 2 }, { 2, 1, 0, 2 } };
	const struct probe_prov bad[2] = { { 2, 1, 0, 1 }, { 2, 1, 0, 2 } };
	struct watch w;

	watch_start(&w, &checker_lifetime);
	ck_assert(!use(&w, 1, 0, 2, good));
	ck_assert(use(&w, 1, 0, 2, bad));
	ck_assert(w.f.real);
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 0 used page 2 on pCPU 1 through a translation made under incarnation 1 of root 3, which is in incarnation 2");
	watch_end(&w);
}
END_TEST

START_TEST(a_root_that_lives_on_needs_no_flush)
{
	struct watch w;

	watch_start(&w, &checker_lifetime);
	alloc_root(&w, 0, 1, 1);
	alloc_root(&w, 1, 2, 1);
	for (int i = 0; i < 3; i++) {
		ck_assert(!enter(&w, 0, 0, 1));
		ck_assert(!enter(&w, 0, 2, 2));
		ck_assert(!leave(&w, 0));
	}
	watch_end(&w);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_frame_flushed_before_its_new_use_is_clean,
		a_flush_between_free_and_reuse_is_enough,
		a_frame_taken_anew_without_a_flush_is_told_in_one_sentence,
		a_use_through_an_earlier_incarnation_is_real,
		a_root_that_lives_on_needs_no_flush,
	};

	return run_suite("check/lifetime", tests, ARRAY_SIZE(tests));
}
