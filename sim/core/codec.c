#include "sim/core/codec.h"

void codec_no_room(codec_full_fn full, void *arg, const u64 *words, u32 nr)
{
	BUG_ON(!full);
	full(arg, words, nr);
}

u32 codec_end(struct codec *c)
{
	if (c->fill) {
		codec_word(c, c->acc);
		c->acc = c->fill = 0;
	}
	return c->pos;
}
