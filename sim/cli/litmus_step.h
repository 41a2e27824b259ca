/*
 * Steps and actors of litmus files as words.  The words of steps and what
 * operands they take are those of sim/machine/actions.h.
 */
#ifndef SIM_CLI_LITMUS_STEP_H
#define SIM_CLI_LITMUS_STEP_H

#include "sim/driver/script.h"

struct err;
struct litmus;

#define LITMUS_STEP_MAX	64u	/* bytes of a step as text, NUL included */

/**
 * struct litmus_actor - who does something
 * @what: OPERAND_VCPU, OPERAND_VM (its host thread) or OPERAND_PCPU
 * @index: which one
 */
struct litmus_actor {
	u8 what;
	u32 index;
};

/**
 * litmus_actor_parse() - read "vcpu N", "host VM" or "pcpu N"
 * @text: text
 * @l: test, its sizes known
 * @out: set on success
 * @err: set on failure
 *
 * Return: 0 or -EINVAL.
 */
int litmus_actor_parse(const char *text, const struct litmus *l,
		       struct litmus_actor *out, struct err *err);

/**
 * litmus_step_parse() - read "WORD [OPERAND]", "run" or "wait [WHOM] CONDITION"
 * @text: text
 * @l: test, its sizes known
 * @actor: who does it; NULL: the text begins with the actor
 * @out: set on success
 * @err: set on failure
 *
 * Return: 0 or -EINVAL.
 */
int litmus_step_parse(const char *text, const struct litmus *l,
		      const struct litmus_actor *actor,
		      struct script_step *out, struct err *err);

/**
 * litmus_step_format() - an action as a step that begins with its actor
 * @a: action
 * @nr_vcpus: vCPUs of the machine
 * @to: LITMUS_STEP_MAX bytes
 */
void litmus_step_format(const struct action *a, u32 nr_vcpus, char *to);

#endif /* SIM_CLI_LITMUS_STEP_H */
