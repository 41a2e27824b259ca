#include "sim/core/codec.h"

static void make_room(struct codec *c)
{
	if (c->pos < c->room)
		return;
	BUG_ON(c->reading || !c->full);
	c->full(c);
	c->pos = 0;
}

u64 codec_spill(struct codec *c, u64 value, u32 bits)
{
	u32 have = c->fill, rest;

	BUG_ON(bits > 57);
	make_room(c);
	if (!c->reading) {
		rest = have + bits - 64;
		c->words[c->pos++] = c->acc | value << have;
		c->acc = rest ? value >> (bits - rest) : 0;
		c->fill = rest;
		return value;
	}
	rest = bits - have;
	value = c->acc | c->words[c->pos] << have;
	value &= BIT64(bits) - 1;
	c->acc = c->words[c->pos++] >> rest;
	c->fill = 64 - rest;
	return value;
}

u32 codec_end(struct codec *c)
{
	if (c->fill) {
		make_room(c);
		c->words[c->pos++] = c->acc;
		c->acc = c->fill = 0;
	}
	return c->pos;
}

void codec_index(struct codec *c, u32 *index, enum codec_kind kind)
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
