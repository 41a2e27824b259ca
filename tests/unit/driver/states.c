/*
 * The store of states against a list that is searched from its beginning:
 * what is known is found, what is new is kept, by the least way that leads to
 * it, and what does not fit is refused.  Kept as strings or as hashes, filled
 * by one thread or by several.
 */
#include "sim/driver/states.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "sim/driver/frontier.h"
#include "tests/suite.h"

#define PLENTY	(256ULL << 20)

static struct states *store_new(u64 mem_bytes, bool exact, u32 nr_threads)
{
	struct err err;
	struct states *s = states_create(mem_bytes, exact, nr_threads, &err);

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

static enum state_added add(struct states *s, const u64 *words, u32 nr, u32 *id)
{
	return states_add(s, &(struct state_ref){
		.words = words, .nr_words = nr, .parent = STATE_NONE,
	}, id);
}

/* A state of one word, or two, by some way. */
static enum state_added put(struct states *s, u64 word, u32 parent,
			    struct action action, u32 *id)
{
	const u64 words[] = { word / 2, 0 };

	return states_add(s, &(struct state_ref){
		.words = words, .nr_words = 1 + word % 2, .parent = parent,
		.action = action,
	}, id);
}

START_TEST(an_empty_store_has_nothing)
{
	struct states *s = store_new(PLENTY, _i, 1);

	ck_assert_uint_eq(states_count(s), 0);
	states_destroy(s);
	states_destroy(NULL);
}
END_TEST

START_TEST(a_state_is_new_once)
{
	struct states *s = store_new(PLENTY, _i, 1);
	u64 words[] = { 1, 2, 3 }, again[] = { 1, 2, 3 };
	u32 id, other;

	ck_assert_int_eq(add(s, words, 3, &id), STATE_NEW);
	ck_assert_int_eq(add(s, words, 3, &other), STATE_KNOWN);
	ck_assert_uint_eq(id, other);
	ck_assert_int_eq(add(s, again, 3, &other), STATE_KNOWN);
	ck_assert_uint_eq(states_count(s), 1);
	again[2] = 4;
	ck_assert_int_eq(add(s, again, 3, &other), STATE_NEW);
	ck_assert_uint_ne(id, other);
	ck_assert_uint_eq(states_count(s), 2);
	states_destroy(s);
}
END_TEST

START_TEST(a_beginning_of_a_state_is_another_state)
{
	static const u64 words[] = { 0, 0, 0, 0, 0 };
	struct states *s = store_new(PLENTY, _i, 1);
	u32 id;

	for (u32 nr = 5; nr >= 1; nr--)
		ck_assert_int_eq(add(s, words, nr, &id), STATE_NEW);
	for (u32 nr = 1; nr <= 5; nr++)
		ck_assert_int_eq(add(s, words, nr, &id), STATE_KNOWN);
	ck_assert_uint_eq(states_count(s), 5);
	states_destroy(s);
}
END_TEST

/* --- ways --- */

static const struct action low = { 1, 2, 3 }, high = { 1, 2, 4 };

START_TEST(of_one_level_the_least_way_is_kept)
{
	struct states *s = store_new(PLENTY, false, 1);
	struct action a;
	u64 word = 1;
	u32 top, id, again;

	put(s, word, STATE_NONE, low, &top);
	states_new_level(s);
	word = 2;
	put(s, word, top, _i ? high : low, &id);
	ck_assert_int_eq(put(s, word, top, _i ? low : high, &again),
			 STATE_KNOWN);
	ck_assert_uint_eq(id, again);
	ck_assert_uint_eq(states_parent(s, id, &a), top);
	ck_assert_mem_eq(&a, &low, sizeof(a));
	states_destroy(s);
}
END_TEST

START_TEST(a_state_of_an_earlier_level_keeps_its_way)
{
	struct states *s = store_new(PLENTY, false, 1);
	struct action a;
	u64 word = 1;
	u32 top, id;

	put(s, word, STATE_NONE, low, &top);
	states_new_level(s);
	word = 2;
	put(s, word, top, high, &id);
	states_new_level(s);
	put(s, word, top, low, &id);
	ck_assert_uint_eq(states_parent(s, id, &a), top);
	ck_assert_mem_eq(&a, &high, sizeof(a));
	word = 1;
	put(s, word, id, low, &top);
	ck_assert_uint_eq(states_parent(s, top, &a), STATE_NONE);
	states_destroy(s);
}
END_TEST

START_TEST(ways_are_ordered)
{
	struct states *s = store_new(PLENTY, false, 2);
	u32 id[2];

	for (u64 word = 0; word < 2; word++)
		add(s, &word, 1, &id[word]);
	ck_assert_int_eq(states_compare(s, id[0], low, id[0], low), 0);
	ck_assert_int_lt(states_compare(s, id[0], low, id[0], high), 0);
	ck_assert_int_gt(states_compare(s, id[0], high, id[0], low), 0);
	/* The state comes first, and either way round it is the same. */
	ck_assert_int_eq(states_compare(s, id[0], low, id[1], high) < 0,
			 states_compare(s, id[1], low, id[0], high) > 0);
	ck_assert_int_eq(states_compare(s, id[0], low, id[1], high) < 0,
			 states_compare(s, id[0], high, id[1], low) < 0);
	states_destroy(s);
}
END_TEST

/* --- against a list --- */

#define LIST_MAX	1500u
#define LIST_WORDS	6u

struct list {
	u64 words[LIST_MAX][LIST_WORDS];
	u32 nr_words[LIST_MAX];
	u32 id[LIST_MAX];
	u32 nr;
};

static u32 list_find(const struct list *l, const u64 *words, u32 nr)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (l->nr_words[i] == nr &&
		    !memcmp(l->words[i], words, nr * sizeof(u64)))
			break;
	return i;
}

/* Few different words: what is known is the rule.  Many: the exception. */
START_TEST(random_strings_agree_with_a_list)
{
	static const u64 ranges[] = { 2, 3, 6, 1000, UINT64_MAX };
	struct list *l = calloc(1, sizeof(*l));
	struct states *s = store_new(PLENTY, _i % 2, 1 + _i % 3);
	u64 words[LIST_WORDS];
	struct rng r;
	u32 id, at;

	ck_assert_ptr_nonnull(l);
	rng_init(&r, 1, 2, (u64)_i);
	for (u32 k = 0; k < LIST_MAX; k++) {
		u32 nr = 1 + (u32)rng_below(&r, LIST_WORDS);

		for (u32 i = 0; i < nr; i++)
			words[i] = rng_below(&r, ranges[_i / 2]);
		at = list_find(l, words, nr);
		ck_assert_int_eq(add(s, words, nr, &id),
				 at < l->nr ? STATE_KNOWN : STATE_NEW);
		if (at == l->nr) {
			memcpy(l->words[at], words, nr * sizeof(u64));
			l->nr_words[at] = nr;
			l->id[l->nr++] = id;
		}
		ck_assert_uint_eq(l->id[at], id);
	}
	ck_assert_uint_eq(states_count(s), l->nr);
	states_destroy(s);
	free(l);
}
END_TEST

/* More than the first table holds, so that it grows and is filled anew. */
START_TEST(the_table_grows_and_forgets_nothing)
{
	const u32 nr = 100000;
	struct states *s = store_new(PLENTY, _i, 1);
	u32 *ids = calloc(nr, sizeof(*ids)), id;
	u64 bytes = states_bytes(s);
	struct action a;

	ck_assert_ptr_nonnull(ids);
	for (u32 i = 0; i < nr; i++) {
		same(put(s, i, i, low, &ids[i]), STATE_NEW, i);
	}
	states_new_level(s);
	ck_assert_uint_eq(states_count(s), nr);
	ck_assert_uint_ge(states_bytes(s), bytes + nr * (_i ? 40 : 24));
	for (u32 i = nr; i--;) {
		same(put(s, i, 0, low, &id), STATE_KNOWN, i);
		same(id, ids[i], i);
		same(states_parent(s, id, &a), i, i);
	}
	free(ids);
	states_destroy(s);
}
END_TEST

/* --- threads --- */

#define CROWD		4u
#define CROWD_STATES	20000u

struct crowd {
	struct states *s;
	u64 seed;
	u32 nr_new;
	pthread_t thread;
};

static void *add_many(void *arg)
{
	struct crowd *c = arg;
	struct rng r;
	u64 word;
	u32 id;

	rng_init(&r, c->seed, 0, 0);
	for (u32 i = 0; i < CROWD_STATES; i++) {
		word = rng_below(&r, CROWD_STATES);
		c->nr_new += put(c->s, word, STATE_NONE, low, &id) ==
			     STATE_NEW;
	}
	return NULL;
}

START_TEST(several_threads_add_each_state_once)
{
	struct states *s = store_new(PLENTY, _i, CROWD);
	struct crowd c[CROWD];
	u32 nr_new = 0, id;

	for (u32 i = 0; i < CROWD; i++) {
		c[i] = (struct crowd){ .s = s, .seed = i };
		ck_assert_int_eq(pthread_create(&c[i].thread, NULL, add_many,
						&c[i]), 0);
	}
	for (u32 i = 0; i < CROWD; i++) {
		pthread_join(c[i].thread, NULL);
		nr_new += c[i].nr_new;
	}
	ck_assert_uint_eq(states_count(s), nr_new);
	for (u64 word = 0; word < CROWD_STATES; word++)
		nr_new += put(s, word, STATE_NONE, low, &id) == STATE_NEW;
	ck_assert_uint_eq(nr_new, CROWD_STATES);
	states_destroy(s);
}
END_TEST

/* --- room --- */

START_TEST(out_of_room_is_told_and_nothing_is_lost)
{
	const u64 mem = 100000;
	struct states *s = store_new(mem, _i, 1);
	enum state_added added;
	u64 words[9] = { 0 };
	u32 nr = 0, id;

	for (;;) {
		words[0] = nr;
		added = add(s, words, 9, &id);
		if (added != STATE_NEW)
			break;
		ck_assert_uint_le(states_bytes(s), mem);
		nr++;
	}
	ck_assert_int_eq(added, STATE_NO_ROOM);
	ck_assert_uint_eq(states_count(s), nr);
	ck_assert_uint_gt(nr, _i ? 600 : 1500);
	ck_assert_uint_lt(nr, mem / (_i ? 100 : 24));
	/* What is known is still known, what is new still does not fit. */
	for (u32 i = 0; i <= nr; i++) {
		words[0] = i;
		ck_assert_int_eq(add(s, words, 9, &id),
				 i < nr ? STATE_KNOWN : STATE_NO_ROOM);
	}
	ck_assert_uint_eq(states_count(s), nr);
	states_destroy(s);
}
END_TEST

START_TEST(what_is_taken_elsewhere_counts)
{
	struct states *s = store_new(100000, false, 1);
	u64 before = states_bytes(s), word = 1;
	u32 id;

	ck_assert(!states_take(s, 100001));
	ck_assert_uint_eq(states_bytes(s), before);
	ck_assert(states_take(s, 100000 - before));
	ck_assert_uint_eq(states_bytes(s), 100000);
	ck_assert_int_eq(add(s, &word, 1, &id), STATE_NO_ROOM);
	states_give(s, 100000 - before);
	ck_assert_int_eq(add(s, &word, 1, &id), STATE_NEW);
	states_destroy(s);
}
END_TEST

START_TEST(no_memory_at_all_is_an_error)
{
	struct err err = { "" };

	ck_assert_ptr_null(states_create(0, _i, 1, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "0 bytes are too few"));
}
END_TEST

START_TEST(too_long_a_string_is_a_bug)
{
	static const u64 words[STATE_WORDS_MAX + 1];
	u32 id;

	add(store_new(PLENTY, false, 1), words, STATE_WORDS_MAX + 1, &id);
}
END_TEST

/* --- states that wait --- */

START_TEST(what_waits_comes_back)
{
	struct states *s = store_new(PLENTY, false, 1);
	struct frontier_block *list = NULL, *b;
	u64 words[STATE_WORDS_MAX], bytes = states_bytes(s);
	u32 left = 0, at, id, blocks = 0;
	struct state_ref ref = { .words = words };

	for (u32 i = 0; i < 3000; i++) {
		ref.nr_words = 1 + i % STATE_WORDS_MAX;
		for (u32 k = 0; k < ref.nr_words; k++)
			words[k] = i * 1000 + k;
		ck_assert(frontier_push(&list, s, i, &ref));
		left += i;
	}
	for (b = list; b; b = b->next, blocks++)
		for (at = 0; (id = frontier_get(b, &at, &ref)) != STATE_NONE;) {
			same(ref.nr_words, 1 + id % STATE_WORDS_MAX, id);
			for (u32 k = 0; k < ref.nr_words; k++)
				same(ref.words[k], id * 1000 + k, id);
			left -= id;
		}
	ck_assert_uint_eq(left, 0);
	ck_assert_uint_gt(blocks, 3000 * 128 / FRONTIER_BLOCK_WORDS);
	ck_assert_uint_eq(states_bytes(s), bytes + blocks * sizeof(*b));
	frontier_free(&list, s);
	ck_assert_ptr_null(list);
	ck_assert_uint_eq(states_bytes(s), bytes);
	states_destroy(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("states");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, an_empty_store_has_nothing, 0, 2);
	tcase_add_loop_test(t, a_state_is_new_once, 0, 2);
	tcase_add_loop_test(t, a_beginning_of_a_state_is_another_state, 0, 2);
	tcase_add_loop_test(t, of_one_level_the_least_way_is_kept, 0, 2);
	tcase_add_test(t, a_state_of_an_earlier_level_keeps_its_way);
	tcase_add_test(t, ways_are_ordered);
	tcase_add_loop_test(t, random_strings_agree_with_a_list, 0, 10);
	tcase_add_loop_test(t, the_table_grows_and_forgets_nothing, 0, 2);
	tcase_add_loop_test(t, several_threads_add_each_state_once, 0, 2);
	tcase_add_loop_test(t, out_of_room_is_told_and_nothing_is_lost, 0, 2);
	tcase_add_test(t, what_is_taken_elsewhere_counts);
	tcase_add_loop_test(t, no_memory_at_all_is_an_error, 0, 2);
	tcase_add_exit_test(t, too_long_a_string_is_a_bug, 3);
	tcase_add_test(t, what_waits_comes_back);
	suite_add_tcase(s, t);
	return suite_main(s);
}
