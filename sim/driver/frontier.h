/*
 * The states of a level that wait to be expanded: their strings, in blocks
 * that are handed out whole.  Each thread fills a list of its own; the lists
 * of all together are the next level.
 */
#ifndef SIM_DRIVER_FRONTIER_H
#define SIM_DRIVER_FRONTIER_H

#include "sim/driver/states.h"

#define FRONTIER_BLOCK_WORDS	2048u

/**
 * struct frontier_block - some states
 * @next: block filled before, or NULL
 * @used: words in use
 * @words: for each state its id and length, then its string
 */
struct frontier_block {
	struct frontier_block *next;
	u32 used;
	u64 words[FRONTIER_BLOCK_WORDS];
};

/**
 * frontier_push() - let a state wait
 * @list: list, NULL while empty
 * @s: store, to account for memory
 * @id: state
 * @ref: its string; copied
 *
 * Return: false if there is no room.
 */
bool frontier_push(struct frontier_block **list, struct states *s, u32 id,
		   const struct state_ref *ref);

/**
 * frontier_get() - look at a waiting state
 * @b: block
 * @at: where to look; moved on to the next state
 * @ref: string set; points into the block
 *
 * Return: the state, or STATE_NONE behind the last one.
 */
u32 frontier_get(const struct frontier_block *b, u32 *at, struct state_ref *ref);

/**
 * frontier_free() - forget a list
 * @list: list; empty afterwards
 * @s: store that was told of it
 */
void frontier_free(struct frontier_block **list, struct states *s);

#endif /* SIM_DRIVER_FRONTIER_H */
