/*
 * The store of states against a list that is searched from its beginning:
 * what is known is found, what is new is kept in order, and what does not fit
 * is refused.
 */
#include "sim/driver/states.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "tests/suite.h"

#define PLENTY	(256ULL << 20)

static struct states *store_new(u64 mem_bytes)
{
	struct err err;
	struct states *s = states_create(mem_bytes, &err);

	if (!s)
		ck_abort_msg("%s", err.msg);
	return s;
}

/* What ck_assert_int_eq() says, but quick where it says nothing. */
static void same(u64 got, u64 want, u32 i)
{
	if (got != want)
		ck_abort_msg("%u: %lld, expected %lld", i, (long long)got,
			     (long long)want);
}

static int add(struct states *s, const u64 *words, u32 nr, u32 parent)
{
	return states_add(s, &(struct state_ref){
		.words = words, .nr_words = nr, .parent = parent,
		.action = { .kind = (u8)nr, .a = (u8)words[0], .b = 7 },
	});
}

START_TEST(an_empty_store_has_nothing)
{
	struct states *s = store_new(PLENTY);

	ck_assert_uint_eq(states_count(s), 0);
	states_destroy(s);
	states_destroy(NULL);
}
END_TEST

START_TEST(a_state_is_new_once)
{
	struct states *s = store_new(PLENTY);
	u64 words[] = { 1, 2, 3 }, again[] = { 1, 2, 3 };

	ck_assert_int_eq(add(s, words, 3, STATE_NONE), 1);
	ck_assert_int_eq(add(s, words, 3, STATE_NONE), 0);
	ck_assert_int_eq(add(s, again, 3, 17), 0);
	ck_assert_uint_eq(states_count(s), 1);
	again[2] = 4;
	ck_assert_int_eq(add(s, again, 3, 0), 1);
	ck_assert_uint_eq(states_count(s), 2);
	states_destroy(s);
}
END_TEST

START_TEST(a_beginning_of_a_state_is_another_state)
{
	static const u64 words[] = { 0, 0, 0, 0, 0 };
	struct states *s = store_new(PLENTY);

	for (u32 nr = 5; nr >= 1; nr--)
		ck_assert_int_eq(add(s, words, nr, STATE_NONE), 1);
	for (u32 nr = 1; nr <= 5; nr++)
		ck_assert_int_eq(add(s, words, nr, STATE_NONE), 0);
	ck_assert_uint_eq(states_count(s), 5);
	states_destroy(s);
}
END_TEST

START_TEST(what_was_added_is_kept_and_the_first_finder_is_the_parent)
{
	struct states *s = store_new(PLENTY);
	u64 words[2] = { 5, 6 };
	struct state_ref ref = {
		.words = words, .nr_words = 2, .parent = STATE_NONE,
		.action = { .kind = 9, .a = 8, .b = 255 },
	}, got;

	ck_assert_int_eq(states_add(s, &ref), 1);
	ref.parent = 12345;
	ref.action = (struct action){ 1, 2, 3 };
	ck_assert_int_eq(states_add(s, &ref), 0);
	words[0] = 77;
	ck_assert_int_eq(states_add(s, &ref), 1);
	words[0] = words[1] = 0;

	states_get(s, 0, &got);
	ck_assert_uint_eq(got.nr_words, 2);
	ck_assert_uint_eq(got.words[0], 5);
	ck_assert_uint_eq(got.words[1], 6);
	ck_assert_uint_eq(got.parent, STATE_NONE);
	ck_assert_uint_eq(got.action.kind, 9);
	ck_assert_uint_eq(got.action.a, 8);
	ck_assert_uint_eq(got.action.b, 255);
	states_get(s, states_last(s), &got);
	ck_assert_uint_eq(got.words[0], 77);
	ck_assert_uint_eq(got.parent, 12345);
	ck_assert_uint_eq(got.action.kind, 1);
	ck_assert_uint_eq(got.action.a, 2);
	ck_assert_uint_eq(got.action.b, 3);
	states_destroy(s);
}
END_TEST

START_TEST(states_come_in_the_order_they_were_found)
{
	struct states *s = store_new(PLENTY);
	u64 words[40] = { 0 };
	u32 id, n = 0;

	for (u32 i = 0; i < 1000; i++) {
		words[0] = i ^ 0x155;
		ck_assert_int_eq(add(s, words, 1 + i % 40, i), 1);
		ck_assert_uint_eq(states_count(s), i + 1);
		ck_assert_uint_eq(states_next(s, states_last(s)), STATE_NONE);
	}
	for (id = 0; id != STATE_NONE; id = states_next(s, id), n++) {
		struct state_ref ref;

		states_get(s, id, &ref);
		ck_assert_uint_eq(ref.parent, n);
		ck_assert_uint_eq(ref.words[0], n ^ 0x155);
		ck_assert_uint_eq(ref.nr_words, 1 + n % 40);
		ck_assert_uint_eq(states_next(s, id) == STATE_NONE, n == 999);
		ck_assert_uint_eq(id == states_last(s), n == 999);
	}
	ck_assert_uint_eq(n, 1000);
	states_destroy(s);
}
END_TEST

START_TEST(the_longest_string_fits)
{
	struct states *s = store_new(PLENTY);
	u64 words[STATE_WORDS_MAX];
	struct state_ref ref;

	for (u32 i = 0; i < STATE_WORDS_MAX; i++)
		words[i] = i * 0x9e3779b97f4a7c15ULL;
	ck_assert_int_eq(add(s, words, STATE_WORDS_MAX, 1), 1);
	words[STATE_WORDS_MAX - 1]++;
	ck_assert_int_eq(add(s, words, STATE_WORDS_MAX, 2), 1);
	ck_assert_int_eq(add(s, words, STATE_WORDS_MAX, 2), 0);
	states_get(s, states_last(s), &ref);
	ck_assert_uint_eq(ref.nr_words, STATE_WORDS_MAX);
	ck_assert_mem_eq(ref.words, words, sizeof(words));
	states_destroy(s);
}
END_TEST

/* --- against a list --- */

#define LIST_MAX	1500u
#define LIST_WORDS	6u

struct list {
	u64 words[LIST_MAX][LIST_WORDS];
	u32 nr_words[LIST_MAX];
	u32 nr;
};

static bool list_add(struct list *l, const u64 *words, u32 nr)
{
	for (u32 i = 0; i < l->nr; i++)
		if (l->nr_words[i] == nr &&
		    !memcmp(l->words[i], words, nr * sizeof(u64)))
			return false;
	ck_assert_uint_lt(l->nr, LIST_MAX);
	memcpy(l->words[l->nr], words, nr * sizeof(u64));
	l->nr_words[l->nr++] = nr;
	return true;
}

static void same_as_list(const struct states *s, const struct list *l)
{
	struct state_ref ref;
	u32 id = 0;

	ck_assert_uint_eq(states_count(s), l->nr);
	for (u32 i = 0; i < l->nr; i++, id = states_next(s, id)) {
		ck_assert_uint_ne(id, STATE_NONE);
		states_get(s, id, &ref);
		ck_assert_uint_eq(ref.nr_words, l->nr_words[i]);
		ck_assert_mem_eq(ref.words, l->words[i],
				 ref.nr_words * sizeof(u64));
	}
	ck_assert_uint_eq(id, STATE_NONE);
}

/* Few different words: what is known is the rule.  Many: the exception. */
START_TEST(random_strings_agree_with_a_list)
{
	static const u64 ranges[] = { 2, 3, 6, 1000, UINT64_MAX };
	struct list *l = calloc(1, sizeof(*l));
	struct states *s = store_new(PLENTY);
	u64 words[LIST_WORDS];
	struct rng r;

	ck_assert_ptr_nonnull(l);
	rng_init(&r, 1, 2, (u64)_i);
	for (u32 k = 0; k < LIST_MAX; k++) {
		u32 nr = 1 + (u32)rng_below(&r, LIST_WORDS);
		bool fresh;

		for (u32 i = 0; i < nr; i++)
			words[i] = rng_below(&r, ranges[_i]);
		fresh = list_add(l, words, nr);
		ck_assert_int_eq(add(s, words, nr, k), fresh);
	}
	same_as_list(s, l);
	states_destroy(s);
	free(l);
}
END_TEST

/* More than the first table holds, so that it grows and is filled anew. */
START_TEST(the_table_grows_and_forgets_nothing)
{
	const u32 nr = 100000;
	struct states *s = store_new(PLENTY);
	u64 bytes = states_bytes(s);
	struct state_ref ref;
	u64 words[3] = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < nr; i++) {
		words[0] = i / 2;
		same((u64)add(s, words, 1 + i % 2, i), 1, i);
	}
	ck_assert_uint_eq(states_count(s), nr);
	ck_assert_uint_ge(states_bytes(s), bytes + nr * 20ULL);
	for (u32 i = nr; i--;) {
		words[0] = i / 2;
		same((u64)add(s, words, 1 + i % 2, 0), 0, i);
	}
	for (u32 id = 0; id != STATE_NONE; id = states_next(s, id), n++) {
		states_get(s, id, &ref);
		same(ref.parent, n, n);
		same(ref.words[0], n / 2, n);
	}
	ck_assert_uint_eq(n, nr);
	states_destroy(s);
}
END_TEST

/* --- room --- */

START_TEST(out_of_room_is_told_and_nothing_is_lost)
{
	struct states *s = store_new(4096);
	u64 table = states_bytes(s), words[9] = { 0 };
	const u64 mem = table + 10000;
	struct state_ref ref;
	u32 nr = 0;
	int ret;

	states_destroy(s);
	s = store_new(mem);
	for (;;) {
		words[0] = nr;
		ret = add(s, words, 9, nr);
		if (ret != 1)
			break;
		ck_assert_uint_le(states_bytes(s), mem);
		nr++;
	}
	ck_assert_int_eq(ret, -1);
	ck_assert_uint_eq(nr, 10000 / 80);
	ck_assert_uint_eq(states_count(s), nr);
	states_get(s, states_last(s), &ref);
	ck_assert_uint_eq(ref.parent, nr - 1);
	/* What is known is still known, what is new still does not fit. */
	for (u32 i = 0; i <= nr; i++) {
		words[0] = i;
		ck_assert_int_eq(add(s, words, 9, 0), i < nr ? 0 : -1);
	}
	ck_assert_uint_eq(states_count(s), nr);
	states_destroy(s);
}
END_TEST

START_TEST(a_table_that_cannot_grow_is_out_of_room)
{
	struct states *s = store_new(2 << 20);
	u64 word = 0, table = states_bytes(s);
	int ret;

	do {
		word++;
		ret = add(s, &word, 1, 0);
	} while (ret == 1 && word < 1000000);
	ck_assert_int_eq(ret, -1);
	ck_assert_uint_le(states_bytes(s), 2 << 20);
	ck_assert_uint_gt(word, 40000);
	ck_assert_uint_ge(states_bytes(s), table);
	states_destroy(s);
}
END_TEST

START_TEST(no_memory_at_all_is_an_error)
{
	struct err err = { "" };

	ck_assert_ptr_null(states_create(0, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot reserve 0 bytes"));
}
END_TEST

START_TEST(too_long_a_string_is_a_bug)
{
	static const u64 words[STATE_WORDS_MAX + 1];

	add(store_new(PLENTY), words, STATE_WORDS_MAX + 1, STATE_NONE);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("states");
	TCase *t = tcase_create("states"), *room = tcase_create("room");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, an_empty_store_has_nothing);
	tcase_add_test(t, a_state_is_new_once);
	tcase_add_test(t, a_beginning_of_a_state_is_another_state);
	tcase_add_test(t, what_was_added_is_kept_and_the_first_finder_is_the_parent);
	tcase_add_test(t, states_come_in_the_order_they_were_found);
	tcase_add_test(t, the_longest_string_fits);
	tcase_add_loop_test(t, random_strings_agree_with_a_list, 0, 5);
	tcase_add_test(t, the_table_grows_and_forgets_nothing);
	tcase_add_test(room, out_of_room_is_told_and_nothing_is_lost);
	tcase_add_test(room, a_table_that_cannot_grow_is_out_of_room);
	tcase_add_test(room, no_memory_at_all_is_an_error);
	tcase_add_exit_test(room, too_long_a_string_is_a_bug, 3);
	suite_add_tcase(s, t);
	suite_add_tcase(s, room);
	return suite_main(s);
}
