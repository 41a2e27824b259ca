/*
 * always flushes everything at every entry and on all pCPUs at a strict
 * change; nothing else needs a flush then.
 */
#include "tests/plan_text.h"

static const struct plan_case cases[] = {
	{ "every entry flushes everything",
	  HOOK_vm_enter, { TWO_ROOTS },
	  "INVEPT-global; INVVPID-all" },
	{ "a strict change flushes every pCPU",
	  HOOK_strict_change, { TWO_ROOTS },
	  "everywhere INVEPT-global" },
	{ "a migration needs nothing, the entry flushes",
	  HOOK_vcpu_load, { .migrated = true, TWO_ROOTS },
	  "" },
	{ "a root load needs nothing, the entry flushes",
	  HOOK_root_load, { TWO_ROOTS },
	  "" },
	{ "a root switch needs nothing, the entry flushes",
	  HOOK_root_switch, { TWO_ROOTS },
	  "" },
	{ "a request needs nothing, the entry flushes",
	  HOOK_request, { .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
};

int main(void)
{
	return plan_cases_main(&flush_policy_always, cases, ARRAY_SIZE(cases));
}
