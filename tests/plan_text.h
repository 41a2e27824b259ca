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

/* Cases of whoever leaves requests below TLB_FLUSH and CURRENT to KVM. */
#define SERVES_WEAKER_AS_KVM						\
	{ "CURRENT without a root is nothing",				\
	  HOOK_request, { .request = REQ_TLB_FLUSH_CURRENT, .vcpu = 4,	\
			  .root = IDX_NONE },				\
	  "" },								\
	{ "GUEST is INVVPID",						\
	  HOOK_request, { .request = REQ_TLB_FLUSH_GUEST, TWO_ROOTS },	\
	  "INVVPID-single 4" }

/* Cases of whoever serves requests as policy_service_as_kvm() does. */
#define SERVES_AS_KVM							\
	{ "TLB_FLUSH is INVEPT-global",					\
	  HOOK_request, { .request = REQ_TLB_FLUSH, TWO_ROOTS },	\
	  "INVEPT-global" },						\
	{ "CURRENT is INVEPT-single of the current root only",		\
	  HOOK_request, { .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },	\
	  "INVEPT-single 6" },						\
	SERVES_WEAKER_AS_KVM,						\
	{ "FREE_OBSOLETE_ROOTS flushes nothing",			\
	  HOOK_request, { .request = REQ_FREE_OBSOLETE_ROOTS, TWO_ROOTS },	\
	  "" }

/* Cases of whoever relies on requests wherever roots and pages change. */
#define LEAVES_THE_REST_ALONE						\
	{ "leaving a pCPU flushes nothing",				\
	  HOOK_vcpu_put, { TWO_ROOTS },					\
	  "" },								\
	{ "an entry flushes nothing",					\
	  HOOK_vm_enter, { TWO_ROOTS },					\
	  "" },								\
	{ "allocating a root flushes nothing",				\
	  HOOK_root_alloc, { TWO_ROOTS },				\
	  "" },								\
	{ "a strict change leaves it to the requests",			\
	  HOOK_strict_change, { TWO_ROOTS },				\
	  "" }

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
