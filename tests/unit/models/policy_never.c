/*
 * never asks for nothing, whatever happens; and the machine must not flush or
 * kick for it either.
 */
#include "tests/plan_text.h"

static const struct plan_case cases[] = {
	{ "vcpu_load asks for nothing",
	  HOOK_vcpu_load, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
	{ "vcpu_put asks for nothing",
	  HOOK_vcpu_put, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
	{ "vm_enter asks for nothing",
	  HOOK_vm_enter, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
	{ "root_alloc asks for nothing",
	  HOOK_root_alloc, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
	{ "root_load asks for nothing",
	  HOOK_root_load, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
	{ "root_switch asks for nothing",
	  HOOK_root_switch, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
	{ "strict_change asks for nothing",
	  HOOK_strict_change, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
	{ "request asks for nothing",
	  HOOK_request, { .migrated = true, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "" },
};

int main(void)
{
	return plan_cases_main(&flush_policy_never, cases, ARRAY_SIZE(cases));
}
