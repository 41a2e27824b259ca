/*
 * Policies with one bug each, run on the same random schedules as the policy
 * they come from: the bug must be caught with the invariant it breaks, and the
 * policy without it must not be objected to.
 */
#ifndef TESTS_MUTANT_H
#define TESTS_MUTANT_H

#include "tests/fixture.h"

#define MUTANT_SEEDS	40u	/* schedules a bug is looked for on, at most */

/**
 * struct mutant - one bug
 * @says: what is wrong, shown when it is not caught
 * @ops: the policy with the bug
 * @breaks: verdict bits that must be found, on all seeds together; 0: the bug
 *          is known to be harmless and nothing may be found
 * @setup: changes the machine so that the bug can show; may be NULL
 */
struct mutant {
	const char *says;
	struct flush_policy_ops ops;
	u32 breaks;
	void (*setup)(struct fixture *f);
};

/**
 * mutant_nothing() - a hook that asks for nothing: the commonest bug there is
 * @e: event
 * @p: plan, left empty
 */
void mutant_nothing(const struct policy_event *e, struct plan *p);

/**
 * mutant_load_invvpid() - a migration that is INVVPID and nothing else
 * @e: event of vcpu_load
 * @p: plan
 */
void mutant_load_invvpid(const struct policy_event *e, struct plan *p);

/**
 * mutant_nested() - setup: vCPUs go into their L2 and out all the time
 * @f: fixture
 */
void mutant_nested(struct fixture *f);

/**
 * mutant_frame_reuse() - setup: frames of dead roots become roots again
 * @f: fixture
 */
void mutant_frame_reuse(struct fixture *f);

/**
 * mutants_main() - run a table of mutants as a test program
 * @sound: the policy they come from
 * @mutants: table
 * @nr: its entries
 *
 * Return: exit status for main().
 */
int mutants_main(const struct flush_policy_ops *sound,
		 const struct mutant *mutants, u32 nr);

#endif /* TESTS_MUTANT_H */
