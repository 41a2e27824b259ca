/*
 * The states an exploration has found: their strings one after the other in
 * the order they were found, which is the queue of a breadth-first search, and
 * a table that finds them again by content.
 */
#ifndef SIM_DRIVER_STATES_H
#define SIM_DRIVER_STATES_H

#include "sim/base/types.h"
#include "sim/machine/actions.h"

struct err;
struct states;

#define STATE_WORDS_MAX	255u	/* longest string */
#define STATE_NONE	UINT32_MAX

/**
 * struct state_ref - a state that was found
 * @words: its string
 * @nr_words: length
 * @parent: state it was first reached from, or STATE_NONE
 * @action: by what
 */
struct state_ref {
	const u64 *words;
	u32 nr_words;
	u32 parent;
	struct action action;
};

/**
 * states_create() - start with no state
 * @mem_bytes: room in all
 * @err: set on failure
 *
 * Return: the store, which the caller hands to states_destroy(); NULL when
 * memory is short.
 */
struct states *states_create(u64 mem_bytes, struct err *err);

/**
 * states_destroy() - free a store
 * @s: store; NULL is allowed
 */
void states_destroy(struct states *s);

/**
 * states_add() - add a state unless it is known
 * @s: store
 * @ref: string, parent and action; copied
 *
 * Return: 1 if it is new, 0 if it was known, -1 if there is no room.
 */
int states_add(struct states *s, const struct state_ref *ref);

/**
 * states_get() - look a state up
 * @s: store
 * @id: state; 0 is the first
 * @ref: filled in; @words points into the store
 */
void states_get(const struct states *s, u32 id, struct state_ref *ref);

/**
 * states_next() - the state found after another
 * @s: store
 * @id: state
 *
 * Return: its id, or STATE_NONE if @id is the last one so far.
 */
u32 states_next(const struct states *s, u32 id);

/**
 * states_last() - the state found last
 * @s: store that is not empty
 *
 * Return: its id.
 */
u32 states_last(const struct states *s);

/**
 * states_count() - number of states
 * @s: store
 *
 * Return: the number.
 */
u64 states_count(const struct states *s);

/**
 * states_bytes() - memory in use
 * @s: store
 *
 * Return: bytes, table included.
 */
u64 states_bytes(const struct states *s);

#endif /* SIM_DRIVER_STATES_H */
