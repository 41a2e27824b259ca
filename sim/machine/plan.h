/* Calling policy hooks and carrying out the plans they leave. */
#ifndef SIM_MACHINE_PLAN_H
#define SIM_MACHINE_PLAN_H

#include "sim/machine/world.h"

/**
 * plan_call() - call a hook and prepare to carry out what it asks for
 * @m: machine
 * @task: task on whose pCPU it runs
 * @hook: enum policy_hook
 * @e: event; machine-wide members are filled in here
 *
 * Return: true if the plan has steps; plan_step() carries them out.
 */
bool plan_call(struct machine *m, u32 task, enum policy_hook hook,
	       struct policy_event *e);

/**
 * plan_then() - call a hook; continue with a step when its plan is done
 * @m: machine
 * @task: task
 * @hook: enum policy_hook
 * @e: event
 * @then: enum step
 */
void plan_then(struct machine *m, u32 task, enum policy_hook hook,
	       struct policy_event *e, enum step then);

/**
 * plan_step() - carry out one step of a plan
 * @m: machine
 * @task: task
 * @p: its plan or load_plan, not at its end
 */
void plan_step(struct machine *m, u32 task, struct plan *p);

/**
 * plan_pending() - is there a step left to carry out?
 * @p: plan
 *
 * Return: false for a plan that is done, or empty.
 */
static inline bool plan_pending(const struct plan *p)
{
	return p->next < p->nr;
}

/**
 * plan_is_on_state() - does a step read or write state of the policy?
 * @s: step
 *
 * Return: true for steps that name a row of state.
 */
static inline bool plan_is_on_state(const struct plan_step *s)
{
	return s->op >= PLAN_SKIP_IF && s->op <= PLAN_STORE;
}

/**
 * plan_event() - an event about a vCPU
 * @m: machine
 * @vcpu: vCPU
 *
 * Return: event with vm, vcpu, current root, listed roots and APIC mode.
 */
struct policy_event plan_event(const struct machine *m, u32 vcpu);

/**
 * plan_event_vm() - an event about a VM, told to a task
 * @m: machine
 * @vm: VM; every live root is listed
 * @task: task that executes the hook
 *
 * Return: event.
 */
struct policy_event plan_event_vm(const struct machine *m, u32 vm, u32 task);

#endif /* SIM_MACHINE_PLAN_H */
