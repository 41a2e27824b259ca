/*
 * The machine as a transition system: what can happen in a state, each an
 * atomic step of one actor.  For a driver that tries them all.
 *
 * Only machines whose configuration says "explore" have actions: their time
 * stands still, nothing costs anything, and guests do not run by themselves:
 * whatever a guest may do is an action.
 */
#ifndef SIM_MACHINE_ACTIONS_H
#define SIM_MACHINE_ACTIONS_H

#include "sim/machine/machine.h"

#define ACTIONS_MAX	256u

/*
 * Kinds, with the operands a and b.
 *
 * STEP          task: micro-step of a thread
 * INTERRUPT     pCPU, sender: a pCPU takes an IPI
 * SCHED_IN      vCPU, pCPU: the scheduler runs a vCPU
 * SCHED_OUT     vCPU: the scheduler preempts it
 * EXIT          vCPU: an external interrupt ends guest mode
 * FAULT         vCPU, page: the guest touches an absent page
 * GUEST_FLUSH   vCPU, 1 if full: the guest changes a mapping and flushes
 * RELOAD        vCPU: the guest changes CR0, CR4 or EFER: roots are dropped
 * NESTED_EPT    vCPU, role: L1 enters L2 for which it has an EPT
 * NESTED_OTHER  vCPU, role: ... under another EPT than that one
 * NESTED_SHADOW vCPU, role: ... for which it uses shadow paging
 * NESTED_EXIT   vCPU: L2 leaves to L1
 * CHANGE        VM, pCPU: the host zaps a page
 * MEMSLOT       VM, pCPU: the host deletes a memslot: all roots go
 */
#define ACTIONS(X)							\
	X(STEP, "step") X(INTERRUPT, "interrupt")			\
	X(SCHED_IN, "sched_in") X(SCHED_OUT, "sched_out")		\
	X(EXIT, "exit") X(FAULT, "fault") X(GUEST_FLUSH, "guest_flush")	\
	X(RELOAD, "reload") X(NESTED_EPT, "nested_ept")			\
	X(NESTED_OTHER, "nested_other")					\
	X(NESTED_SHADOW, "nested_shadow")				\
	X(NESTED_EXIT, "nested_exit")					\
	X(CHANGE, "change") X(MEMSLOT, "memslot")

#define X(id, name) ACTION_##id,
enum action_kind { ACTIONS(X) ACTION_NR };
#undef X

/* The kinds that an actor does by itself: no environment forbids them. */
#define ACTIONS_ALWAYS	(1u << ACTION_STEP | 1u << ACTION_INTERRUPT |	\
			 1u << ACTION_NESTED_EXIT)

/* The kinds that need machines whose vCPUs have an L2. */
#define ACTIONS_NESTED	(1u << ACTION_NESTED_EPT | 1u << ACTION_NESTED_OTHER | \
			 1u << ACTION_NESTED_SHADOW)

/**
 * struct action - one thing that can happen
 * @kind: enum action_kind
 * @a: vCPU, task, pCPU or VM, as above
 * @b: second operand
 */
struct action {
	u8 kind;
	u8 a;
	u8 b;
};

/**
 * machine_actions() - what can happen now
 * @m: machine with an exploring configuration
 * @allowed: BIT(ACTION_...) of the kinds that may happen; ACTIONS_ALWAYS may
 *           in any case
 * @list: ACTIONS_MAX entries, filled in
 *
 * Return: number of actions; the order is fixed.
 */
u32 machine_actions(struct machine *m, u32 allowed, struct action *list);

/**
 * machine_act() - let one thing happen
 * @m: machine
 * @a: an action of machine_actions() in this state
 */
void machine_act(struct machine *m, const struct action *a);

/**
 * machine_describe() - what a micro-step will do to the policy's state
 * @m: machine
 * @a: action about to happen
 * @to: where to write one clause
 * @size: size of @to, 160 is enough
 *
 * Return: true if it reads or writes policy state; all else that happens
 * leaves records.
 */
bool machine_describe(const struct machine *m, const struct action *a, char *to,
		      size_t size);

/**
 * action_name() - short name of a kind
 * @kind: enum action_kind
 *
 * Return: a static string.
 */
const char *action_name(enum action_kind kind);

#endif /* SIM_MACHINE_ACTIONS_H */
