/*
 * The states an exploration has found, each known by a hash of 128 bits of its
 * string or, if asked for, by the string itself.  Filled by several threads at
 * once.
 *
 * Two states may have the same hash: with n states the chance that there is
 * such a pair is n * n / 2^129, 1e-22 for 10^8 states.
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
 * struct state_ref - a state, and how it was reached
 * @words: its string
 * @nr_words: length
 * @parent: state it was reached from, or STATE_NONE
 * @action: by what
 */
struct state_ref {
	const u64 *words;
	u32 nr_words;
	u32 parent;
	struct action action;
};

/* What came of states_add(). */
enum state_added { STATE_NEW, STATE_KNOWN, STATE_NO_ROOM };

/**
 * states_create() - start with no state
 * @mem_bytes: room in all
 * @exact: keep and compare strings
 * @nr_threads: how many may add states at once
 * @err: set on failure
 *
 * Return: the store, which the caller hands to states_destroy(); NULL when
 * memory is short.
 */
struct states *states_create(u64 mem_bytes, bool exact, u32 nr_threads,
			     struct err *err);

/**
 * states_destroy() - free a store
 * @s: store; NULL is allowed
 */
void states_destroy(struct states *s);

/**
 * states_add() - add a state unless it is known
 * @s: store
 * @ref: string, parent and action; copied
 * @id: set to the state, unless there is no room
 *
 * A state that was added since states_new_level(), and is reached again, keeps
 * the lesser of the two ways, see states_compare(): so the outcome of a level
 * does not depend on the order in which its states are added.  May be called
 * by several threads at once.
 *
 * Return: STATE_NEW, STATE_KNOWN or STATE_NO_ROOM.
 */
enum state_added states_add(struct states *s, const struct state_ref *ref,
			    u32 *id);

/**
 * states_new_level() - from now on states are one step further away
 * @s: store; no other thread uses it meanwhile
 */
void states_new_level(struct states *s);

/**
 * states_compare() - an order of steps that does not depend on time
 * @s: store
 * @parent: state
 * @action: what is done there
 * @parent2: another one, or the same
 * @action2: what is done there
 *
 * Return: less than 0, 0 or greater than 0.
 */
int states_compare(const struct states *s, u32 parent, struct action action,
		   u32 parent2, struct action action2);

/**
 * states_parent() - how a state was reached
 * @s: store
 * @id: state
 * @action: set to what led to it
 *
 * Return: the state before, or STATE_NONE.
 */
u32 states_parent(const struct states *s, u32 id, struct action *action);

/**
 * states_take() - count memory that is used for the states elsewhere
 * @s: store
 * @bytes: how much
 *
 * Return: false if there is no room; nothing has been counted then.
 */
bool states_take(struct states *s, u64 bytes);

/**
 * states_give() - give back what was taken
 * @s: store
 * @bytes: how much
 */
void states_give(struct states *s, u64 bytes);

/**
 * states_count() - number of states
 * @s: store
 *
 * Return: the number; of a moment ago where other threads add some.
 */
u64 states_count(const struct states *s);

/**
 * states_bytes() - memory in use
 * @s: store
 *
 * Return: bytes, tables and what was taken included.
 */
u64 states_bytes(const struct states *s);

#endif /* SIM_DRIVER_STATES_H */
