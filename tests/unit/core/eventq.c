/*
 * The tournament tree against a plain array that is searched: the order is
 * total, by time and then by slot, whatever moves and in whatever order.
 */
#include "sim/core/eventq.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/rng.h"
#include "tests/suite.h"

#define SLOTS_MAX 1000u

struct reference {
	u32 slots;
	u64 time[SLOTS_MAX];
};

static struct eventq *queue_new(u32 slots)
{
	struct eventq *q = aligned_alloc(64, eventq_bytes(slots));

	ck_assert_ptr_nonnull(q);
	memset(q, 0xa5, eventq_bytes(slots));
	eventq_init(q, slots);
	return q;
}

static void reference_init(struct reference *r, u32 slots)
{
	r->slots = slots;
	for (u32 i = 0; i < slots; i++)
		r->time[i] = TIME_NEVER;
}

static u32 reference_first(const struct reference *r, u64 *time)
{
	u32 best = 0;

	for (u32 i = 1; i < r->slots; i++)
		if (r->time[i] < r->time[best])
			best = i;
	*time = r->time[best];
	return best;
}

static u64 reference_second(const struct reference *r)
{
	u64 time, best = TIME_NEVER;
	u32 first = reference_first(r, &time);

	for (u32 i = 0; i < r->slots; i++)
		if (i != first)
			best = min_u64(best, r->time[i]);
	return best;
}

static void agree(const struct eventq *q, const struct reference *r)
{
	u64 time, want;
	u32 slot = eventq_first(q, &time), first = reference_first(r, &want);

	ck_assert_uint_eq(time, want);
	if (want != TIME_NEVER)
		ck_assert_uint_eq(slot, first);
	ck_assert_uint_eq(eventq_second(q), reference_second(r));
}

START_TEST(an_empty_queue_has_nothing_to_do)
{
	for (u32 slots = 1; slots < 20; slots++) {
		struct eventq *q = queue_new(slots);
		u64 time = 0;

		eventq_first(q, &time);
		ck_assert_uint_eq(time, TIME_NEVER);
		ck_assert_uint_eq(eventq_second(q), TIME_NEVER);
		free(q);
	}
}
END_TEST

START_TEST(at_equal_times_the_lower_slot_comes_first)
{
	struct eventq *q = queue_new(5);
	u64 time;

	for (u32 slot = 5; slot--;)
		eventq_set(q, slot, 7);
	for (u32 slot = 0; slot < 5; slot++) {
		ck_assert_uint_eq(eventq_first(q, &time), slot);
		ck_assert_uint_eq(time, 7);
		ck_assert_uint_eq(eventq_second(q), slot < 4 ? 7 : 8);
		eventq_set(q, slot, 8);
	}
	free(q);
}
END_TEST

START_TEST(the_only_slot_has_no_second)
{
	struct eventq *q = queue_new(1);
	u64 time;

	eventq_set(q, 0, 3);
	ck_assert_uint_eq(eventq_first(q, &time), 0);
	ck_assert_uint_eq(time, 3);
	ck_assert_uint_eq(eventq_second(q), TIME_NEVER);
	free(q);
}
END_TEST

START_TEST(a_slot_that_does_not_lead_can_move_too)
{
	struct eventq *q = queue_new(3);
	u64 time;

	eventq_set(q, 0, 10);
	eventq_set(q, 1, 20);
	eventq_set(q, 2, 30);
	eventq_set(q, 2, 5);
	ck_assert_uint_eq(eventq_first(q, &time), 2);
	eventq_set(q, 1, TIME_NEVER);
	ck_assert_uint_eq(eventq_second(q), 10);
	eventq_set(q, 2, TIME_NEVER);
	ck_assert_uint_eq(eventq_first(q, &time), 0);
	ck_assert_uint_eq(eventq_second(q), TIME_NEVER);
	free(q);
}
END_TEST

START_TEST(the_latest_moment_is_not_never)
{
	struct eventq *q = queue_new(6);
	u64 time;

	eventq_set(q, 4, TIME_NEVER - 1);
	ck_assert_uint_eq(eventq_first(q, &time), 4);
	ck_assert_uint_eq(time, TIME_NEVER - 1);
	free(q);
}
END_TEST

static const u32 sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, SLOTS_MAX };

/* Few different times: ties are the rule.  Many: they are the exception. */
static void random_moves(u32 slots, u64 range, u64 seed)
{
	struct eventq *q = queue_new(slots);
	struct reference ref;
	struct rng r;

	reference_init(&ref, slots);
	rng_init(&r, seed, 1, slots);
	for (u32 k = 0; k < 3000; k++) {
		u32 slot = (u32)rng_below(&r, slots);
		u64 time = rng_below(&r, 6) ? rng_below(&r, range) : TIME_NEVER;

		ref.time[slot] = time;
		eventq_set(q, slot, time);
		agree(q, &ref);
	}
	free(q);
}

START_TEST(random_moves_agree_with_a_search)
{
	random_moves(sizes[_i], 4, 1);
	random_moves(sizes[_i], 1u << 20, 2);
	random_moves(sizes[_i], TIME_NEVER, 3);
}
END_TEST

/* As a run uses it: the first acts and names a later moment, or none. */
START_TEST(playing_a_queue_to_its_end_gives_the_sorted_order)
{
	struct eventq *q = queue_new(sizes[_i]);
	struct reference ref;
	u64 time, want, last = 0;
	struct rng r;

	reference_init(&ref, sizes[_i]);
	rng_init(&r, 5, 2, sizes[_i]);
	for (u32 slot = 0; slot < sizes[_i]; slot++) {
		ref.time[slot] = rng_below(&r, 50);
		eventq_set(q, slot, ref.time[slot]);
	}
	for (;;) {
		u32 slot = eventq_first(q, &time);

		agree(q, &ref);
		if (time == TIME_NEVER)
			break;
		ck_assert_uint_ge(time, last);
		last = time;
		want = rng_below(&r, 4) ? time + rng_below(&r, 10) : TIME_NEVER;
		ref.time[slot] = want;
		eventq_set(q, slot, want);
	}
	free(q);
}
END_TEST

START_TEST(a_queue_may_be_moved)
{
	struct eventq *q = queue_new(9);
	struct eventq *copy = aligned_alloc(64, eventq_bytes(9));
	u64 time;

	ck_assert_ptr_nonnull(copy);
	for (u32 slot = 0; slot < 9; slot++)
		eventq_set(q, slot, 100 - slot);
	memcpy(copy, q, eventq_bytes(9));
	free(q);
	ck_assert_uint_eq(eventq_first(copy, &time), 8);
	ck_assert_uint_eq(time, 92);
	ck_assert_uint_eq(eventq_second(copy), 93);
	free(copy);
}
END_TEST

START_TEST(sizes_are_whole_cache_lines)
{
	for (u32 slots = 1; slots < 200; slots++)
		ck_assert_uint_eq(eventq_bytes(slots) % 64, 0);
}
END_TEST

START_TEST(a_slot_that_does_not_exist_is_a_bug)
{
	struct eventq *q = queue_new(5);

	eventq_set(q, 5, 1);
}
END_TEST

START_TEST(a_queue_without_slots_is_a_bug)
{
	eventq_bytes(0);
}
END_TEST

START_TEST(more_slots_than_the_limit_are_a_bug)
{
	eventq_bytes(EVENTQ_SLOTS_MAX + 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("eventq");
	TCase *t = tcase_create("order");
	int nr = (int)ARRAY_SIZE(sizes);

	tcase_add_test(t, an_empty_queue_has_nothing_to_do);
	tcase_add_test(t, at_equal_times_the_lower_slot_comes_first);
	tcase_add_test(t, the_only_slot_has_no_second);
	tcase_add_test(t, a_slot_that_does_not_lead_can_move_too);
	tcase_add_test(t, the_latest_moment_is_not_never);
	tcase_add_loop_test(t, random_moves_agree_with_a_search, 0, nr);
	tcase_add_loop_test(t, playing_a_queue_to_its_end_gives_the_sorted_order,
			    0, nr);
	tcase_add_test(t, a_queue_may_be_moved);
	tcase_add_test(t, sizes_are_whole_cache_lines);
	tcase_add_exit_test(t, a_slot_that_does_not_exist_is_a_bug, 3);
	tcase_add_exit_test(t, a_queue_without_slots_is_a_bug, 3);
	tcase_add_exit_test(t, more_slots_than_the_limit_are_a_bug, 3);
	suite_add_tcase(s, t);
	return suite_main(s);
}
