/*
 * Numbers in, the same numbers out, wherever the borders of words fall; names
 * through a renaming, and the visit of a table in its order.
 */
#include "sim/core/codec.h"

#include <check.h>
#include <string.h>

#include "sim/base/rng.h"
#include "tests/suite.h"

#define FIELDS	2000u
#define ROOM	2048u
#define BITS_MAX 57u

static const struct codec_rename plain = {
	.nr = { [CODEC_PCPU] = 4, [CODEC_VCPU] = 5, [CODEC_VM] = 1,
		[CODEC_ROOT] = 8 },
};

static struct codec writing(u64 *words, u32 room)
{
	return (struct codec){ .words = words, .room = room, .rename = &plain };
}

static struct codec reading(u64 *words, u32 room)
{
	return (struct codec){ .words = words, .room = room, .reading = true,
			       .rename = &plain };
}

static void put(struct codec *c, u64 value, u32 bits)
{
	codec_bits(c, &value, bits);
}

static u64 take(struct codec *c, u32 bits)
{
	u64 value = ~0ULL;

	codec_bits(c, &value, bits);
	return value;
}

/* What ck_assert_uint_eq() says, but quick where it says nothing. */
static void same(u64 got, u64 want, u32 i)
{
	if (got != want)
		ck_abort_msg("%u: %llx, expected %llx", i,
			     (unsigned long long)got, (unsigned long long)want);
}

/* Random fields of 0 to @most bits. */
struct fields {
	u64 value[FIELDS];
	u32 bits[FIELDS];
	u64 all;
};

static void fields_draw(struct fields *f, u64 seed, u32 most)
{
	struct rng r;

	rng_init(&r, seed, 1, most);
	f->all = 0;
	for (u32 i = 0; i < FIELDS; i++) {
		u64 ones;

		f->bits[i] = (u32)rng_below(&r, most + 1);
		ones = BIT64(f->bits[i]) - 1;
		f->value[i] = rng_below(&r, 4) ? rng_next(&r) & ones : ones;
		f->all += f->bits[i];
	}
}

static void fields_write(const struct fields *f, struct codec *c)
{
	for (u32 i = 0; i < FIELDS; i++)
		put(c, f->value[i], f->bits[i]);
}

static void fields_come_back(u32 most)
{
	static struct fields f;
	static u64 words[ROOM];
	struct codec c = writing(words, ROOM);
	u32 nr;

	fields_draw(&f, 1, most);
	memset(words, 0xa5, sizeof(words));
	fields_write(&f, &c);
	nr = codec_end(&c);
	ck_assert_uint_eq(nr, (f.all + 63) / 64);
	for (u32 i = nr; i < ROOM; i++)
		same(words[i], 0xa5a5a5a5a5a5a5a5ULL, i);
	c = reading(words, nr);
	for (u32 i = 0; i < FIELDS; i++)
		same(take(&c, f.bits[i]), f.value[i], i);
}

START_TEST(random_fields_come_back)
{
	for (u32 most = 0; most <= BITS_MAX; most++)
		fields_come_back(most);
}
END_TEST

/* Bit by bit: the first field is lowest, and nothing lies between two. */
START_TEST(bits_lie_one_after_the_other)
{
	static struct fields f;
	static u64 words[ROOM];
	struct codec c = writing(words, ROOM);
	u64 at = 0;

	fields_draw(&f, 2, BITS_MAX);
	fields_write(&f, &c);
	codec_end(&c);
	for (u32 i = 0; i < FIELDS; i++)
		for (u32 b = 0; b < f.bits[i]; b++, at++)
			same(words[at / 64] >> at % 64 & 1,
			     f.value[i] >> b & 1, i);
	for (; at % 64; at++)
		ck_assert_uint_eq(words[at / 64] >> at % 64 & 1, 0);
}
END_TEST

START_TEST(a_number_may_lie_over_a_border_at_any_bit)
{
	for (u32 before = 0; before <= 64; before++) {
		u64 words[3] = { 0 };
		struct codec c = writing(words, 3);
		const u64 v = 0x123456789abcdefULL;

		put(&c, BIT64(before / 2) - 1, before / 2);
		put(&c, 0, before - before / 2);
		put(&c, v, BITS_MAX);
		put(&c, 1, 1);
		ck_assert_uint_eq(codec_end(&c), (before + BITS_MAX + 64) / 64);
		c = reading(words, 3);
		ck_assert_uint_eq(take(&c, before / 2), BIT64(before / 2) - 1);
		ck_assert_uint_eq(take(&c, before - before / 2), 0);
		ck_assert_uint_eq(take(&c, BITS_MAX), v);
		ck_assert_uint_eq(take(&c, 1), 1);
	}
}
END_TEST

START_TEST(zero_bits_take_no_room)
{
	struct codec c = writing(NULL, 0);
	u64 word;

	put(&c, 0, 0);
	put(&c, 0, 0);
	ck_assert_uint_eq(codec_end(&c), 0);
	c = reading(NULL, 0);
	ck_assert_uint_eq(take(&c, 0), 0);
	/* A full word takes them too. */
	c = writing(&word, 1);
	put(&c, 5, 32);
	put(&c, 7, 32);
	put(&c, 0, 0);
	ck_assert_uint_eq(codec_end(&c), 1);
	ck_assert_uint_eq(word, 7ULL << 32 | 5);
	c = reading(&word, 1);
	ck_assert_uint_eq(take(&c, 32), 5);
	ck_assert_uint_eq(take(&c, 32), 7);
	ck_assert_uint_eq(take(&c, 0), 0);
}
END_TEST

START_TEST(writing_leaves_the_value_alone)
{
	u64 words[4];
	struct codec c = writing(words, 4);

	for (u32 i = 0; i < 10; i++) {
		u64 v = 0x5a5a;

		codec_bits(&c, &v, 17);
		ck_assert_uint_eq(v, 0x5a5a);
	}
}
END_TEST

START_TEST(fields_of_every_type_go_both_ways)
{
	struct { bool b; u8 x; u16 y; u32 z; u64 w; } in = {
		true, 0xfe, 0xfedc, 0xfedcba98, 0x1fedcba98765432ULL,
	}, out = { 0 };
	u64 words[3];
	struct codec c = writing(words, 3);

	CODEC_BITS(&c, in.b, 1);
	CODEC_BITS(&c, in.x, 8);
	CODEC_BITS(&c, in.y, 16);
	CODEC_BITS(&c, in.z, 32);
	CODEC_BITS(&c, in.w, 57);
	ck_assert_uint_eq(codec_end(&c), 2);
	c = reading(words, 2);
	CODEC_BITS(&c, out.b, 1);
	CODEC_BITS(&c, out.x, 8);
	CODEC_BITS(&c, out.y, 16);
	CODEC_BITS(&c, out.z, 32);
	CODEC_BITS(&c, out.w, 57);
	ck_assert(out.b);
	ck_assert_uint_eq(out.x, in.x);
	ck_assert_uint_eq(out.y, in.y);
	ck_assert_uint_eq(out.z, in.z);
	ck_assert_uint_eq(out.w, 0x1fedcba98765432ULL);
}
END_TEST

START_TEST(bits_for_a_number)
{
	ck_assert_uint_eq(codec_bits_for(0), 0);
	for (u32 b = 0; b < 64; b++) {
		ck_assert_uint_eq(codec_bits_for(BIT64(b)), b + 1);
		ck_assert_uint_eq(codec_bits_for((BIT64(b) - 1) * 2 + 1), b + 1);
		ck_assert_uint_eq(codec_bits_for(BIT64(b) - 1), b);
	}
}
END_TEST

/* --- room --- */

struct taken {
	u64 word[ROOM];
	u32 nr;
};

static u64 taken_words[7];	/* the string being written */

static void take_away(void *arg, const u64 *words, u32 nr)
{
	struct taken *t = arg;

	ck_assert_ptr_eq(words, taken_words);
	memcpy(&t->word[t->nr], words, nr * sizeof(u64));
	memset(taken_words, 0xa5, nr * sizeof(u64));
	t->nr += nr;
}

START_TEST(full_words_are_taken_away)
{
	static struct fields f;
	static u64 whole[ROOM];
	static struct taken t;
	struct codec c = writing(whole, ROOM);
	u32 all, rest;

	fields_draw(&f, 3, BITS_MAX);
	fields_write(&f, &c);
	all = codec_end(&c);
	c = writing(taken_words, (u32)_i);
	c.full = take_away;
	c.arg = &t;
	fields_write(&f, &c);
	rest = codec_end(&c);
	ck_assert_uint_gt(t.nr, 0);
	ck_assert_uint_le(rest, c.room);
	ck_assert_uint_eq(t.nr + rest, all);
	memcpy(&t.word[t.nr], taken_words, rest * sizeof(u64));
	ck_assert_mem_eq(t.word, whole, all * sizeof(u64));
}
END_TEST

START_TEST(nothing_is_taken_away_before_the_next_word_comes)
{
	static struct taken t;
	struct codec c = writing(taken_words, 2);

	c.full = take_away;
	c.arg = &t;
	for (u32 i = 0; i < 4; i++)
		put(&c, i, 32);
	ck_assert_uint_eq(t.nr, 0);
	put(&c, 1, 1);
	ck_assert_uint_eq(t.nr, 0);
	ck_assert_uint_eq(codec_end(&c), 1);
	ck_assert_uint_eq(t.nr, 2);
	ck_assert_uint_eq(taken_words[0], 1);
}
END_TEST

/* --- names --- */

static const u8 pcpu_to[] = { 2, 0, 3, 1 }, pcpu_from[] = { 1, 3, 0, 2 };
static const struct codec_rename turned = {
	.nr = { [CODEC_PCPU] = 4, [CODEC_VCPU] = 5 },
	.to = { [CODEC_PCPU] = pcpu_to },
	.from = { [CODEC_PCPU] = pcpu_from },
};

static u32 index_written(const struct codec_rename *r, u32 index,
			 enum codec_kind kind, u32 *nr)
{
	u64 word = 0;
	struct codec c = writing(&word, 1);

	c.rename = r;
	codec_index(&c, &index, kind);
	put(&c, 1, 1);
	codec_end(&c);
	c = reading(&word, 1);
	c.rename = r;
	codec_index(&c, &index, kind);
	ck_assert_uint_eq(take(&c, 1), 1);
	*nr = codec_bits_for(word) - 1;
	return index;
}

START_TEST(an_index_or_none_comes_back)
{
	static const u32 bits[] = { [CODEC_PCPU] = 3, [CODEC_VCPU] = 3,
				    [CODEC_VM] = 1, [CODEC_ROOT] = 4 };
	u32 nr;

	for (u32 kind = 0; kind < CODEC_KIND_NR; kind++) {
		for (u32 i = 0; i < plain.nr[kind]; i++) {
			ck_assert_uint_eq(index_written(&plain, i, kind, &nr), i);
			ck_assert_uint_eq(nr, bits[kind]);
		}
		ck_assert_uint_eq(index_written(&plain, IDX_NONE, kind, &nr),
				  IDX_NONE);
		ck_assert_uint_eq(nr, bits[kind]);
	}
}
END_TEST

START_TEST(of_no_things_every_index_is_none)
{
	static const struct codec_rename nobody;
	u32 nr;

	ck_assert_uint_eq(index_written(&nobody, IDX_NONE, CODEC_VM, &nr),
			  IDX_NONE);
	ck_assert_uint_eq(nr, 0);
}
END_TEST

START_TEST(a_renamed_index_is_written_by_its_new_name)
{
	u32 nr;

	for (u32 p = 0; p < 4; p++)
		ck_assert_uint_eq(index_written(&turned, p, CODEC_PCPU, &nr),
				  pcpu_to[p]);
	ck_assert_uint_eq(index_written(&turned, IDX_NONE, CODEC_PCPU, &nr),
			  IDX_NONE);
	for (u32 v = 0; v < 5; v++)
		ck_assert_uint_eq(index_written(&turned, v, CODEC_VCPU, &nr), v);
}
END_TEST

START_TEST(a_table_is_visited_in_the_order_of_the_new_names)
{
	struct codec c = writing(NULL, 0);

	for (u32 n = 0; n < 4; n++)
		ck_assert_uint_eq(codec_nth(&c, CODEC_PCPU, n), n);
	c.rename = &turned;
	for (u32 n = 0; n < 4; n++) {
		ck_assert_uint_eq(codec_nth(&c, CODEC_PCPU, n), pcpu_from[n]);
		ck_assert_uint_eq(pcpu_to[codec_nth(&c, CODEC_PCPU, n)], n);
		ck_assert_uint_eq(codec_nth(&c, CODEC_VCPU, n), n);
	}
	c.reading = true;
	for (u32 n = 0; n < 4; n++)
		ck_assert_uint_eq(codec_nth(&c, CODEC_PCPU, n), n);
}
END_TEST

/* A ring of pCPUs that point at each other, written under every name. */
static void write_ring(struct codec *c, u32 *next)
{
	for (u32 n = 0; n < 4; n++)
		codec_index(c, &next[codec_nth(c, CODEC_PCPU, n)], CODEC_PCPU);
}

START_TEST(a_renamed_table_reads_back_as_the_renamed_one)
{
	u32 next[] = { 1, 2, IDX_NONE, 0 }, back[4];
	u64 word;
	struct codec c = writing(&word, 1);

	c.rename = &turned;
	write_ring(&c, next);
	codec_end(&c);
	c = reading(&word, 1);
	c.rename = &turned;
	write_ring(&c, back);
	for (u32 p = 0; p < 4; p++)
		ck_assert_uint_eq(back[pcpu_to[p]], next[p] == IDX_NONE ?
				  IDX_NONE : pcpu_to[next[p]]);
}
END_TEST

/* --- bugs --- */

static const u32 some_bits[] = { 0, 1, 8, 23, 24, 31, BITS_MAX };

START_TEST(too_large_a_number_is_a_bug)
{
	u64 words[4];
	struct codec c = writing(words, 4);

	put(&c, 0, 40);
	put(&c, BIT64(some_bits[_i]), some_bits[_i]);
}
END_TEST

START_TEST(too_many_bits_over_a_border_are_a_bug)
{
	u64 words[4];
	struct codec c = writing(words, 4);

	put(&c, 0, 40);
	put(&c, 0, BITS_MAX + 1);
}
END_TEST

START_TEST(running_out_of_room_is_a_bug)
{
	u64 words[2];
	struct codec c = writing(words, 2);

	for (u32 i = 0; i < 4; i++)
		put(&c, i, 32);
	put(&c, 1, 1);
	codec_end(&c);
}
END_TEST

START_TEST(reading_past_the_end_is_a_bug)
{
	u64 words[3] = { 0 };
	struct codec c = reading(words, 2);

	for (u32 i = 0; i < 4; i++)
		ck_assert_uint_eq(take(&c, 32), 0);
	take(&c, 1);
}
END_TEST

START_TEST(an_index_out_of_range_is_a_bug)
{
	u32 index = plain.nr[_i] + 1, nr;

	index_written(&plain, index, (enum codec_kind)_i, &nr);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("codec");
	TCase *t = tcase_create("bits"), *n = tcase_create("names");
	TCase *b = tcase_create("bugs");

	tcase_add_test(t, random_fields_come_back);
	tcase_add_test(t, bits_lie_one_after_the_other);
	tcase_add_test(t, a_number_may_lie_over_a_border_at_any_bit);
	tcase_add_test(t, zero_bits_take_no_room);
	tcase_add_test(t, writing_leaves_the_value_alone);
	tcase_add_test(t, fields_of_every_type_go_both_ways);
	tcase_add_test(t, bits_for_a_number);
	tcase_add_loop_test(t, full_words_are_taken_away, 1, 8);
	tcase_add_test(t, nothing_is_taken_away_before_the_next_word_comes);
	tcase_add_test(n, an_index_or_none_comes_back);
	tcase_add_test(n, of_no_things_every_index_is_none);
	tcase_add_test(n, a_renamed_index_is_written_by_its_new_name);
	tcase_add_test(n, a_table_is_visited_in_the_order_of_the_new_names);
	tcase_add_test(n, a_renamed_table_reads_back_as_the_renamed_one);
	tcase_add_loop_exit_test(b, too_large_a_number_is_a_bug, 3, 0,
				 (int)ARRAY_SIZE(some_bits));
	tcase_add_exit_test(b, too_many_bits_over_a_border_are_a_bug, 3);
	tcase_add_exit_test(b, running_out_of_room_is_a_bug, 3);
	tcase_add_exit_test(b, reading_past_the_end_is_a_bug, 3);
	tcase_add_loop_exit_test(b, an_index_out_of_range_is_a_bug, 3, 0,
				 CODEC_KIND_NR);
	suite_add_tcase(s, t);
	suite_add_tcase(s, n);
	suite_add_tcase(s, b);
	return suite_main(s);
}
