/*
 * Makes the successors of states: a machine to try actions on, and the names
 * under which what comes out is written.  One for each thread that explores.
 */
#ifndef SIM_DRIVER_EXPANDER_H
#define SIM_DRIVER_EXPANDER_H

#include <stdatomic.h>

#include "sim/driver/explore.h"
#include "sim/driver/frontier.h"
#include "sim/machine/names.h"

/**
 * struct expander - what one thread works with
 * @x: what is explored
 * @states: store of all threads
 * @reduce: take steps at once that machine_step_alone() allows
 * @m: machine
 * @environ: environment in the state of @m
 * @names: names
 * @world: the state whose successors are made
 * @found: states found that were new
 * @full: a state found no room
 * @violated: a step violates
 * @from: ... which is done in this state; the least of all such steps
 * @by: ... and this
 * @transitions: steps tried; read by other threads
 * @words: strings being written
 */
struct expander {
	const struct exploration *x;
	struct states *states;
	bool reduce;
	struct machine *m;
	struct environ environ;
	struct names names;
	void *world;
	struct frontier_block *found;
	bool full;
	bool violated;
	u32 from;
	struct action by;
	_Atomic u64 transitions;
	u64 words[2][STATE_WORDS_MAX];
};

/**
 * expander_open() - get ready
 * @e: zeroed, with @x, @states and @reduce set
 * @err: set on failure
 *
 * Return: 0 with the machine in its first state; -ENOMEM.  Call
 * expander_close() in any case.
 */
int expander_open(struct expander *e, struct err *err);

/**
 * expander_close() - free machine and states found
 * @e: expander
 */
void expander_close(struct expander *e);

/**
 * expander_add() - add the state of the machine unless it is known
 * @e: expander
 * @parent: state it was reached from, or STATE_NONE
 * @action: by what
 *
 * A new state joins @found.
 */
void expander_add(struct expander *e, u32 parent, struct action action);

/**
 * expander_expand() - add all successors of a state
 * @e: expander
 * @id: state
 * @ref: its string
 */
void expander_expand(struct expander *e, u32 id, const struct state_ref *ref);

/**
 * expander_alone() - is there a step that is to be taken at once?
 * @e: expander
 * @step: set to it
 *
 * Return: true if there is.
 */
bool expander_alone(struct expander *e, struct action *step);

/**
 * expander_rename() - a step in the names of the machine's state
 * @e: expander
 * @a: step in the names of the canonical form of that state
 *
 * Return: the step.
 */
struct action expander_rename(struct expander *e, struct action a);

#endif /* SIM_DRIVER_EXPANDER_H */
