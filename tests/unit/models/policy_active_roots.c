/*
 * active-roots flushes root and prev_roots of both MMUs at a migration, at
 * once, and is KVM today in everything else.
 */
#include "tests/plan_text.h"

static const struct plan_case cases[] = {
	{ "a migration flushes every listed root",
	  HOOK_vcpu_load, { .migrated = true, TWO_ROOTS },
	  "INVEPT-single 6; INVEPT-single 7" },
	{ "a migration without roots flushes nothing",
	  HOOK_vcpu_load, { .migrated = true, .vcpu = 4, .root = IDX_NONE },
	  "" },
	{ "a migration without a current root still flushes prev_roots",
	  HOOK_vcpu_load, { .migrated = true, .root = IDX_NONE, .nr_roots = 1, .roots = { 7 } },
	  "INVEPT-single 7" },
	{ "eight roots are eight flushes",
	  HOOK_vcpu_load, { .migrated = true, .nr_roots = 8, .roots = { 1, 2, 3, 4, 5, 6, 7, 8 } },
	  "INVEPT-single 1; INVEPT-single 2; INVEPT-single 3; "
	  "INVEPT-single 4; INVEPT-single 5; INVEPT-single 6; "
	  "INVEPT-single 7; INVEPT-single 8" },
	{ "a load on the same pCPU flushes nothing",
	  HOOK_vcpu_load, { TWO_ROOTS },
	  "" },
	{ "a root load flushes that root here",
	  HOOK_root_load, { TWO_ROOTS },
	  "INVEPT-single 6" },
	SERVES_AS_KVM,
	{ "a fast PGD switch flushes nothing",
	  HOOK_root_switch, { TWO_ROOTS },
	  "" },
	LEAVES_THE_REST_ALONE,
};

int main(void)
{
	return plan_cases_main(&flush_policy_active_roots, cases, ARRAY_SIZE(cases));
}
