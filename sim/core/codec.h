/*
 * A state as a short string of bits, and back.  One function names every
 * field once and serves both directions; written through a renaming of pCPUs,
 * vCPUs, VMs and roots it gives the string of a symmetric state.
 *
 * What is written is what counts: two states are the same iff their strings
 * are.
 */
#ifndef SIM_CORE_CODEC_H
#define SIM_CORE_CODEC_H

#include "sim/base/err.h"
#include "sim/base/types.h"

/* What an index is an index of; each can be renamed. */
enum codec_kind { CODEC_PCPU, CODEC_VCPU, CODEC_VM, CODEC_ROOT, CODEC_KIND_NR };

/**
 * struct codec_rename - one name for every index, and back
 * @nr: how many there are of each kind
 * @to: @to[kind][i] is the new name of i; NULL leaves names as they are
 * @from: inverse of @to; NULL where @to is
 */
struct codec_rename {
	u32 nr[CODEC_KIND_NR];
	const u8 *to[CODEC_KIND_NR];
	const u8 *from[CODEC_KIND_NR];
};

/**
 * typedef codec_full_fn - takes words away
 * @arg: of struct codec
 * @words: the words, all that there is room for; the next is the first again
 * @nr: their number
 */
typedef void (*codec_full_fn)(void *arg, const u64 *words, u32 nr);

/**
 * struct codec - a string being written or read
 * @words: the bits, lowest first
 * @room: words that fit
 * @pos: word being filled or taken apart
 * @acc: its bits: those written so far, or those not yet read
 * @fill: how many bits @acc holds
 * @reading: direction
 * @again: writing: the state is the one of the visit before, under other names
 * @full: writing: called when all words are in use; NULL: running out of room
 *        is a bug
 * @arg: for @full
 * @rename: names; when reading every name stands for itself
 */
struct codec {
	u64 *words;
	u32 room;
	u32 pos;
	u64 acc;
	u32 fill;
	bool reading;
	bool again;
	codec_full_fn full;
	void *arg;
	const struct codec_rename *rename;
};

/* What CODEC_SPLIT() calls, and what that calls. */
#define CODEC_INLINE static inline __attribute__((always_inline))

/**
 * codec_no_room() - hand out the words of a string that does not fit
 * @full: as in struct codec
 * @arg: for @full
 * @words: the words
 * @nr: their number
 */
void codec_no_room(codec_full_fn full, void *arg, const u64 *words, u32 nr);

/**
 * codec_word() - append a full word
 * @c: string being written
 * @word: the word
 */
CODEC_INLINE void codec_word(struct codec *c, u64 word)
{
	if (c->pos >= c->room) {
		codec_no_room(c->full, c->arg, c->words, c->pos);
		c->pos = 0;
	}
	c->words[c->pos++] = word;
}

/**
 * codec_put() - write one number
 * @c: string being written
 * @value: number
 * @bits: how many bits it has, 0..57; a larger number is a bug
 */
CODEC_INLINE void codec_put(struct codec *c, u64 value, u32 bits)
{
	BUG_ON(bits > 57 || value >> bits);
	c->acc |= value << c->fill;
	c->fill += bits;
	if (c->fill < 64)
		return;
	codec_word(c, c->acc);
	c->fill -= 64;
	c->acc = value >> (bits - c->fill);
}

/**
 * codec_take() - read one number
 * @c: string being read
 * @bits: how many bits it has, 0..57
 *
 * Return: the number.
 */
CODEC_INLINE u64 codec_take(struct codec *c, u32 bits)
{
	u64 value = c->acc, word;

	if (bits <= c->fill) {
		c->acc >>= bits;
		c->fill -= bits;
		return value & (BIT64(bits) - 1);
	}
	BUG_ON(c->pos >= c->room);
	word = c->words[c->pos++];
	value |= word << c->fill;
	c->fill += 64 - bits;
	c->acc = word >> (64 - c->fill);
	return value & (BIT64(bits) - 1);
}

/**
 * codec_bits() - write or read one number
 * @c: string
 * @value: number; set when reading
 * @bits: how many bits it has, 0..57; a larger number is a bug
 */
CODEC_INLINE void codec_bits(struct codec *c, u64 *value, u32 bits)
{
	if (c->reading)
		*value = codec_take(c, bits);
	else
		codec_put(c, *value, bits);
}

/**
 * codec_end() - write what is left in the last word
 * @c: string being written
 *
 * Return: number of words, those that @full took away not counted.
 */
u32 codec_end(struct codec *c);

/**
 * codec_bits_for() - bits that hold a number
 * @largest: largest value
 *
 * Return: number of bits, 0 if @largest is 0.
 */
CODEC_INLINE u32 codec_bits_for(u64 largest)
{
	return largest ? 64 - (u32)__builtin_clzll(largest) : 0;
}

/**
 * codec_nth() - the entity whose turn it is when a table is visited
 * @c: string
 * @kind: kind of the table
 * @n: position
 *
 * Return: index of the entity that stands at @n under the renaming.
 */
CODEC_INLINE u32 codec_nth(const struct codec *c, enum codec_kind kind, u32 n)
{
	const u8 *from = c->reading ? NULL : c->rename->from[kind];

	return from ? from[n] : n;
}

/**
 * codec_index() - write or read an index, or "none"
 * @c: string
 * @index: index, or IDX_NONE; set when reading
 * @kind: what it is an index of
 */
CODEC_INLINE void codec_index(struct codec *c, u32 *index, enum codec_kind kind)
{
	u32 nr = c->rename->nr[kind];
	const u8 *to = c->rename->to[kind];
	u64 v = *index == IDX_NONE ? nr : *index;

	if (!c->reading) {
		BUG_ON(v > nr);
		if (to && v < nr)
			v = to[v];
	}
	codec_bits(c, &v, codec_bits_for(nr));
	if (c->reading)
		*index = v == nr ? IDX_NONE : (u32)v;
}

/*
 * A visit that goes both ways, made into one function per direction whose
 * string lives in registers: @call visits @copy, a struct codec.  All that it
 * calls must be inlined.
 */
#define CODEC_SPLIT(c, copy, call)					\
	do {								\
		struct codec copy = *(c);				\
									\
		if (copy.reading) {					\
			copy.reading = true;				\
			call;						\
		} else {						\
			copy.reading = false;				\
			call;						\
		}							\
		*(c) = copy;						\
	} while (0)

/* Fields of any unsigned type; the expression is evaluated twice. */
#define CODEC_BITS(c, field, bits)					\
	do {								\
		u64 codec_value_ = (field);				\
		codec_bits(c, &codec_value_, bits);			\
		(field) = (__typeof__(field))codec_value_;		\
	} while (0)

#endif /* SIM_CORE_CODEC_H */
