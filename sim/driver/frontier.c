#include "sim/driver/frontier.h"

#include <stdlib.h>
#include <string.h>

bool frontier_push(struct frontier_block **list, struct states *s, u32 id,
		   const struct state_ref *ref)
{
	struct frontier_block *b = *list;

	if (!b || b->used + 1 + ref->nr_words > FRONTIER_BLOCK_WORDS) {
		if (!states_take(s, sizeof(*b)))
			return false;
		b = malloc(sizeof(*b));
		if (!b)
			return false;
		b->used = 0;
		b->next = *list;
		*list = b;
	}
	b->words[b->used++] = (u64)id << 32 | ref->nr_words;
	memcpy(&b->words[b->used], ref->words, ref->nr_words * sizeof(u64));
	b->used += ref->nr_words;
	return true;
}

u32 frontier_get(const struct frontier_block *b, u32 *at, struct state_ref *ref)
{
	u64 head;

	if (*at == b->used)
		return STATE_NONE;
	head = b->words[(*at)++];
	ref->nr_words = (u32)head;
	ref->words = &b->words[*at];
	*at += ref->nr_words;
	return (u32)(head >> 32);
}

void frontier_free(struct frontier_block **list, struct states *s)
{
	struct frontier_block *b;

	while ((b = *list) != NULL) {
		*list = b->next;
		free(b);
		states_give(s, sizeof(*b));
	}
}
