/*
 * What the world around the machine may still do.  The machine says what can
 * happen; an environment strikes out what may not, and keeps what it must
 * remember for that as part of every explored state.
 */
#ifndef SIM_DRIVER_ENVIRON_H
#define SIM_DRIVER_ENVIRON_H

#include "sim/core/codec.h"
#include "sim/machine/actions.h"

#define ENVIRON_STATE_MAX	32u

struct environ;

/**
 * struct environ_ops - a kind of environment
 *
 * State is @state of struct environ, zeroed before init(); it holds no
 * pointers.
 */
struct environ_ops {
	/**
	 * @symmetric: it treats all pCPUs, vCPUs and VMs alike, so that states
	 * which differ in names only may be taken for one.
	 */
	bool symmetric;

	/** @init: Set up the zeroed state.  Optional. */
	void (*init)(struct environ *e, const struct machine *m);

	/**
	 * @filter: Strike out of @list, @nr actions of machine_actions(), what
	 * may not happen now, keeping the order.
	 *
	 * Return: how many are left.
	 */
	u32 (*filter)(const struct environ *e, const struct machine *m,
		      struct action *list, u32 nr);

	/** @acted: @a, one of those left, has just happened.  Optional. */
	void (*acted)(struct environ *e, const struct machine *m,
		      const struct action *a);

	/** @visit: Write the state to @c or read it from there.  Optional. */
	void (*visit)(struct environ *e, struct codec *c);
};

/**
 * struct environ - an environment
 * @ops: what it is
 * @arg: its parameters; lent
 * @state: what it remembers
 */
struct environ {
	const struct environ_ops *ops;
	const void *arg;
	u8 state[ENVIRON_STATE_MAX];
};

/**
 * environ_start() - bring an environment to its first state
 * @e: environment, @ops and @arg set
 * @m: machine in its first state
 */
void environ_start(struct environ *e, const struct machine *m);

/**
 * environ_actions() - what can and may happen now
 * @e: environment
 * @m: machine with an exploring configuration
 * @list: ACTIONS_MAX entries, filled in
 *
 * Return: number of actions; the order is that of machine_actions().
 */
u32 environ_actions(const struct environ *e, struct machine *m,
		    struct action *list);

/**
 * environ_allows() - may this happen now?
 * @e: environment
 * @m: machine
 * @a: an action that can happen
 *
 * Return: true if environ_actions() has it.
 */
bool environ_allows(const struct environ *e, struct machine *m, struct action a);

/**
 * environ_act() - let one thing happen
 * @e: environment
 * @m: machine
 * @a: one of environ_actions() in this state
 */
void environ_act(struct environ *e, struct machine *m, const struct action *a);

/**
 * environ_visit() - write what it remembers to a string, or read it
 * @e: environment
 * @c: string and direction
 */
void environ_visit(struct environ *e, struct codec *c);

#endif /* SIM_DRIVER_ENVIRON_H */
