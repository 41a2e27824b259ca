/* The arena divides one block: what it hands out must not overlap or overflow. */
#include "sim/base/arena.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/suite.h"

START_TEST(arrays_follow_each_other_on_64_byte_boundaries)
{
	struct arena_layout l = { 0 };

	ck_assert_uint_eq(arena_reserve(&l, 3, 8), 0);
	ck_assert_uint_eq(arena_reserve(&l, 1, 64), 64);
	ck_assert_uint_eq(arena_reserve(&l, 65, 1), 128);
	ck_assert_uint_eq(arena_reserve(&l, 1, 1), 256);
	ck_assert_uint_eq(l.size, 320);
}
END_TEST

START_TEST(an_empty_array_takes_no_room)
{
	struct arena_layout l = { 0 };
	u64 first, second;

	arena_reserve(&l, 1, 8);
	first = arena_reserve(&l, 0, 4096);
	second = arena_reserve(&l, 1, 8);
	ck_assert_uint_eq(first, 64);
	ck_assert_uint_eq(second, 64);
}
END_TEST

static const struct {
	u64 start, nr, elem_bytes;
} too_much[] = {
	{ 0, UINT64_MAX, 2 },			/* the product */
	{ 0, 1ULL << 32, 1ULL << 32 },
	{ 128, UINT64_MAX - 127, 1 },		/* the sum */
	{ 64, UINT64_MAX - 64 - 10, 1 },	/* the rounding up */
	{ UINT64_MAX, 0, 8 },			/* already stuck */
};

START_TEST(a_sum_that_overflows_sticks_and_is_refused)
{
	struct arena_layout l = { .size = too_much[_i].start };
	struct err err = { "" };

	arena_reserve(&l, too_much[_i].nr, too_much[_i].elem_bytes);
	ck_assert_uint_eq(l.size, UINT64_MAX);
	arena_reserve(&l, 1, 1);
	ck_assert_uint_eq(l.size, UINT64_MAX);
	ck_assert_ptr_null(arena_create(&l, "world", &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "world: cannot allocate"));
}
END_TEST

START_TEST(more_memory_than_there_is_gives_a_message)
{
	struct arena_layout l = { 0 };
	struct err err = { "" };

	arena_reserve(&l, 1ULL << 62, 1);
	ck_assert_ptr_null(arena_create(&l, "world", &err));
	ck_assert_str_eq(err.msg, "world: cannot allocate 4611686018427387904 bytes");
}
END_TEST

START_TEST(a_block_is_zeroed_and_aligned)
{
	struct arena_layout l = { 0 };
	struct err err = { "" };
	unsigned char *block;

	arena_reserve(&l, 1000, 3);
	block = arena_create(&l, "world", &err);
	ck_assert_ptr_nonnull(block);
	ck_assert_uint_eq((uintptr_t)block % 64, 0);
	for (u64 i = 0; i < l.size; i++)
		ck_assert_uint_eq(block[i], 0);
	arena_destroy(block);
}
END_TEST

START_TEST(an_empty_layout_gives_a_block_all_the_same)
{
	struct arena_layout l = { 0 };
	struct err err = { "" };
	void *block = arena_create(&l, "nothing", &err);

	ck_assert_ptr_nonnull(block);
	arena_destroy(block);
	arena_destroy(NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("arena");
	TCase *tc = tcase_create("arena");

	tcase_add_test(tc, arrays_follow_each_other_on_64_byte_boundaries);
	tcase_add_test(tc, an_empty_array_takes_no_room);
	tcase_add_loop_test(tc, a_sum_that_overflows_sticks_and_is_refused, 0,
			    (int)ARRAY_SIZE(too_much));
	tcase_add_test(tc, more_memory_than_there_is_gives_a_message);
	tcase_add_test(tc, a_block_is_zeroed_and_aligned);
	tcase_add_test(tc, an_empty_layout_gives_a_block_all_the_same);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
