/*
 * hypercall-broadcast is the RFC of June 2025: the guest-physical flush
 * hypercall at a root load and for CURRENT, and nothing on migration unless an
 * option asks for it.
 */
#include "tests/plan_text.h"

static const u8 none[] = { 0 }, invept_single[] = { 1 };

static const struct plan_case cases[] = {
	{ "a migration flushes nothing",
	  HOOK_vcpu_load, { .option = none, .migrated = true, TWO_ROOTS },
	  "" },
	{ "migrate=invept-single flushes every listed root",
	  HOOK_vcpu_load, { .option = invept_single, .migrated = true, TWO_ROOTS },
	  "INVEPT-single 6; INVEPT-single 7" },
	{ "migrate=invept-single leaves other loads alone",
	  HOOK_vcpu_load, { .option = invept_single, TWO_ROOTS },
	  "" },
	{ "a root load is the hypercall",
	  HOOK_root_load, { .option = none, TWO_ROOTS },
	  "hypercall 6" },
	{ "a root load is the hypercall with either option",
	  HOOK_root_load, { .option = invept_single, TWO_ROOTS },
	  "hypercall 6" },
	{ "CURRENT is the hypercall",
	  HOOK_request, { .option = none, .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "hypercall 6" },
	{ "CURRENT without a root is nothing",
	  HOOK_request,
	  { .option = none, .request = REQ_TLB_FLUSH_CURRENT, .vcpu = 4, .root = IDX_NONE },
	  "" },
	{ "TLB_FLUSH stays at least as strong",
	  HOOK_request, { .option = none, .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "INVEPT-global" },
	{ "GUEST is INVVPID",
	  HOOK_request, { .option = none, .request = REQ_TLB_FLUSH_GUEST, TWO_ROOTS },
	  "INVVPID-single 4" },
	{ "a fast PGD switch flushes nothing",
	  HOOK_root_switch, { .option = none, TWO_ROOTS },
	  "" },
	{ "a strict change leaves it to the machine",
	  HOOK_strict_change, { .option = none, TWO_ROOTS },
	  "" },
};

int main(void)
{
	return plan_cases_main(&flush_policy_hypercall_broadcast, cases, ARRAY_SIZE(cases));
}
