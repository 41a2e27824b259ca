/*
 * Plans as text, so that a test of a policy reads as events in, words out:
 *
 *   preempt-off; unless mask[here,3]=1 {; mask[here,3]=1; INVEPT-single 3; };
 *   preempt-on
 *
 * Steps are separated by "; "; "{" follows a skip and "}" stands where it
 * lands.
 */
#ifndef TESTS_PLAN_TEXT_H
#define TESTS_PLAN_TEXT_H

#include "models/flush_policy.h"

#define PLAN_TEXT_MAX 4096

/**
 * plan_text() - spell a plan out
 * @ops: policy whose rows give the names
 * @p: plan
 * @to: PLAN_TEXT_MAX bytes
 *
 * Return: @to.
 */
const char *plan_text(const struct flush_policy_ops *ops, const struct plan *p,
		      char *to);

/**
 * plan_of() - call a hook and spell out what it asks for
 * @ops: policy
 * @hook: enum policy_hook; one that is NULL asks for nothing
 * @e: event
 * @to: PLAN_TEXT_MAX bytes
 *
 * Return: @to, "" for an empty plan.
 */
const char *plan_of(const struct flush_policy_ops *ops, u32 hook,
		    const struct policy_event *e, char *to);

/* The event most cases are about: vCPU 4 with root 6, and 7 in prev_roots. */
#define TWO_ROOTS .vcpu = 4, .root = 6, .nr_roots = 2, .roots = { 6, 7 }

/**
 * struct plan_case - one event in, one plan out
 * @says: sentence about the behaviour, shown when it does not hold
 * @hook: enum policy_hook
 * @e: event
 * @plan: the plan as text
 */
struct plan_case {
	const char *says;
	u32 hook;
	struct policy_event e;
	const char *plan;
};

/**
 * plan_cases_main() - run a table of cases as a test program
 * @ops: policy
 * @cases: table
 * @nr: its entries
 *
 * Return: exit status for main().
 */
int plan_cases_main(const struct flush_policy_ops *ops,
		    const struct plan_case *cases, u32 nr);

#endif /* TESTS_PLAN_TEXT_H */
