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
	return plan_cases_main(&flush_policy_active_roots, cases, ARRAY_SIZE(cases));
}
