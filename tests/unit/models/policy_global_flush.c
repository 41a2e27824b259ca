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
	{ "TLB_FLUSH is INVEPT-global",
	  HOOK_request, { .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "INVEPT-global" },
	{ "CURRENT is INVEPT-single of the current root only",
	  HOOK_request, { .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "INVEPT-single 6" },
	{ "CURRENT without a root is nothing",
	  HOOK_request, { .request = REQ_TLB_FLUSH_CURRENT, .vcpu = 4, .root = IDX_NONE },
	  "" },
	{ "GUEST is INVVPID",
	  HOOK_request, { .request = REQ_TLB_FLUSH_GUEST, TWO_ROOTS },
	  "INVVPID-single 4" },
	{ "FREE_OBSOLETE_ROOTS flushes nothing",
	  HOOK_request, { .request = REQ_FREE_OBSOLETE_ROOTS, TWO_ROOTS },
	  "" },
	{ "a fast PGD switch flushes nothing",
	  HOOK_root_switch, { TWO_ROOTS },
	  "" },
	{ "leaving a pCPU flushes nothing",
	  HOOK_vcpu_put, { TWO_ROOTS },
	  "" },
	{ "an entry flushes nothing",
	  HOOK_vm_enter, { TWO_ROOTS },
	  "" },
	{ "allocating a root flushes nothing",
	  HOOK_root_alloc, { TWO_ROOTS },
	  "" },
	{ "a strict change leaves it to the requests",
	  HOOK_strict_change, { TWO_ROOTS },
	  "" },
};

int main(void)
{
	return plan_cases_main(&flush_policy_global_flush, cases, ARRAY_SIZE(cases));
}
