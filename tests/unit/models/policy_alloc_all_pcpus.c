/*
 * alloc-all-pcpus is the first sketch of August 2025: a new root is flushed
 * everywhere, and nothing later.
 */
#include "tests/plan_text.h"

static const u8 flush[] = { 1 };

static const struct plan_case cases[] = {
	{ "a new root is flushed everywhere",
	  HOOK_root_alloc, { TWO_ROOTS },
	  "everywhere INVEPT-single 6" },
	{ "a migration flushes nothing",
	  HOOK_vcpu_load, { .migrated = true, TWO_ROOTS },
	  "" },
	{ "a nested transition flushes nothing",
	  HOOK_nested_transition, { .migrated = true, TWO_ROOTS },
	  "" },
	{ "a root load flushes nothing",
	  HOOK_root_load, { TWO_ROOTS },
	  "" },
	{ "a strict change leaves it to the requests",
	  HOOK_strict_change, { TWO_ROOTS },
	  "" },
	{ "a pCPU that comes online flushes nothing",
	  HOOK_pcpu_online, { .root = IDX_NONE },
	  "" },
	{ "online=flush has it flush everything",
	  HOOK_pcpu_online, { .option = flush, .root = IDX_NONE },
	  "INVEPT-global" },
	SERVES_AS_KVM,
};

int main(void)
{
	return plan_cases_main(&flush_policy_alloc_all_pcpus, cases,
			       ARRAY_SIZE(cases));
}
