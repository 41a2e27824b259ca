/*
 * Shrinking: of a schedule that violates something, what is needed for that.
 *
 * A schedule that lacks some of its actions is played under the rule that what
 * is not possible is skipped; and also with a thread brought to where it can do
 * what comes next, by its own steps and the interrupts it waits for.  If it
 * still violates the same invariant, and is not longer, it takes the place of
 * the one before, as it was played.  Tried are: to leave out all that a VM, a
 * vCPU or a pCPU does; to let one vCPU or pCPU do what two did; a machine
 * without those that are left over; and to leave out stretches of actions, ever
 * shorter ones (A. Zeller, "Yesterday, my program worked", 1999), until there
 * is no single action that can be left out.
 */
#ifndef SIM_DRIVER_SHRINK_H
#define SIM_DRIVER_SHRINK_H

#include <signal.h>

#include "sim/driver/small.h"

/**
 * struct shrinking - a schedule to shrink
 * @machine: machine it was found on; policy and observers set
 * @path: @nr_path actions from its start
 * @nr_path: their number
 * @finding: what they violate
 * @stop: when it becomes nonzero, what has been reached has to do; may be NULL
 */
struct shrinking {
	const struct small_machine *machine;
	const struct action *path;
	u32 nr_path;
	const struct finding *finding;
	const volatile sig_atomic_t *stop;
};

/**
 * struct shrunk - what is left
 * @minimal: no single action can be left out
 * @plain: its machine is what small_machine_init() makes for the kinds of
 *         @path alone, as a litmus file has it
 * @finding: what is violated
 * @path: @nr_path actions; shrunk_release() frees it
 * @nr_path: their number
 * @replays: schedules tried
 */
struct shrunk {
	bool minimal;
	bool plain;
	struct finding finding;
	struct action *path;
	u32 nr_path;
	u64 replays;
};

/**
 * shrink() - shrink a schedule
 * @s: what
 * @machine: made on success, for the path that is left; policy and observers
 *           are as before; must not move afterwards
 * @out: filled in on success
 * @err: set on failure
 *
 * Return: 0 or -ENOMEM.
 */
int shrink(const struct shrinking *s, struct small_machine *machine,
	   struct shrunk *out, struct err *err);

/**
 * shrunk_release() - free the path
 * @s: outcome; the struct itself stays the caller's
 */
void shrunk_release(struct shrunk *s);

#endif /* SIM_DRIVER_SHRINK_H */
