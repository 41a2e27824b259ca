/*
 * per-root-mask as posted in August 2025: the first arrival on a pCPU sets the
 * bit and flushes; only the allocation of the root clears it.
 */
#include "tests/plan_text.h"

static const u8 elide[] = { 1 };

static const struct plan_case cases[] = {
	{ "a migration flushes each root once per pCPU, the bit first",
	  HOOK_vcpu_load, { .migrated = true, TWO_ROOTS },
	  "unless cpu_flushed_mask[here,6]=1 {; "
	  "cpu_flushed_mask[here,6]=1; INVEPT-single 6; }; "
	  "unless cpu_flushed_mask[here,7]=1 {; "
	  "cpu_flushed_mask[here,7]=1; INVEPT-single 7; }" },
	{ "a load on the same pCPU flushes nothing",
	  HOOK_vcpu_load, { TWO_ROOTS },
	  "" },
	{ "a new root starts with an empty mask",
	  HOOK_root_alloc, { TWO_ROOTS },
	  "cpu_flushed_mask[all,6]=0" },
	{ "a strict change clears no bit",
	  HOOK_strict_change, { TWO_ROOTS },
	  "" },
	{ "a root load flushes and sets no bit",
	  HOOK_root_load, { TWO_ROOTS },
	  "INVEPT-single 6" },
	{ "load=elide tests and sets the bit at a root load",
	  HOOK_root_load, { .option = elide, TWO_ROOTS },
	  "preempt-off; unless cpu_flushed_mask[here,6]=1 {; "
	  "cpu_flushed_mask[here,6]=1; INVEPT-single 6; }; preempt-on" },
	{ "a fast PGD switch flushes nothing",
	  HOOK_root_switch, { TWO_ROOTS },
	  "" },
	SERVES_AS_KVM,
};

int main(void)
{
	return plan_cases_main(&flush_policy_per_root_mask, cases, ARRAY_SIZE(cases));
}
