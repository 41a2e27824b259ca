/*
 * global-flush is KVM today: a load on another pCPU raises TLB_FLUSH for the
 * vCPU itself, which is served as INVEPT-global.
 */
#include "tests/plan_text.h"

static const struct plan_case cases[] = {
	{ "a migration raises TLB_FLUSH for itself",
	  HOOK_vcpu_load, { .migrated = true, TWO_ROOTS },
	  "request TLB_FLUSH of 4" },
	{ "a load on the same pCPU asks for nothing",
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
	return plan_cases_main(&flush_policy_global_flush, cases, ARRAY_SIZE(cases));
}
