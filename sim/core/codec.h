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
 * struct codec - a string being written or read
 * @words: the bits, lowest first
 * @room: words that fit
 * @pos: word being filled or taken apart
 * @acc: its bits: those written so far, or those not yet read
 * @fill: how many bits @acc holds
 * @reading: direction
 * @full: writing: takes the words away when all are in use, and the next one
 *        is the first again; NULL: running out of room is a bug
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
	void (*full)(struct codec *c);
	void *arg;
	const struct codec_rename *rename;
};

/**
 * codec_spill() - write a full word, or fetch the next one
 * @c: string
 * @value: number being written; ignored when reading
 * @bits: its size
 *
 * Return: the number read; @value when writing.
 */
u64 codec_spill(struct codec *c, u64 value, u32 bits);

/**
 * codec_bits() - write or read one number
 * @c: string
 * @value: number; set when reading
 * @bits: how many bits it has, 0..57; a larger number is a bug
 */
static inline void codec_bits(struct codec *c, u64 *value, u32 bits)
{
	if (c->reading) {
		if (bits > c->fill) {
			*value = codec_spill(c, 0, bits);
			return;
		}
		*value = c->acc & (BIT64(bits) - 1);
		c->acc >>= bits;
		c->fill -= bits;
		return;
	}
	BUG_ON(*value >> bits);
	if (c->fill + bits >= 64) {
		codec_spill(c, *value, bits);
		return;
	}
	c->acc |= *value << c->fill;
	c->fill += bits;
}

/**
 * codec_end() - write what is left in the last word
 * @c: string being written
 *
 * Return: number of words, those that @full took away not counted.
 */
u32 codec_end(struct codec *c);

/**
 * codec_index() - write or read an index, or "none"
 * @c: string
 * @index: index, or IDX_NONE; set when reading
 * @kind: what it is an index of
 */
void codec_index(struct codec *c, u32 *index, enum codec_kind kind);

/**
 * codec_nth() - the entity whose turn it is when a table is visited
 * @c: string
 * @kind: kind of the table
 * @n: position
 *
 * Return: index of the entity that stands at @n under the renaming.
 */
static inline u32 codec_nth(const struct codec *c, enum codec_kind kind, u32 n)
{
	const u8 *from = c->reading ? NULL : c->rename->from[kind];

	return from ? from[n] : n;
}

/**
 * codec_bits_for() - bits that hold a number
 * @largest: largest value
 *
 * Return: number of bits, 0 if @largest is 0.
 */
static inline u32 codec_bits_for(u64 largest)
{
	return largest ? 64 - (u32)__builtin_clzll(largest) : 0;
}

/* Fields of any unsigned type; the expression is evaluated twice. */
#define CODEC_BITS(c, field, bits)					\
	do {								\
		u64 codec_value_ = (field);				\
		codec_bits(c, &codec_value_, bits);			\
		(field) = (__typeof__(field))codec_value_;		\
	} while (0)

#endif /* SIM_CORE_CODEC_H */
