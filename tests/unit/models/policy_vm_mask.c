/*
 * vm-mask knows on which pCPUs a VM has run: the first run there flushes
 * everything, a new root is flushed there and nowhere else.
 */
#include "tests/plan_text.h"

static const u8 strict_mask[] = { 1, 0, 0 }, invvpid_on[] = { 0, 1, 0 },
		offline_keep[] = { 0, 0, 1 };

static const struct plan_case cases[] = {
	{ "the first run on a pCPU sets the bit, then flushes everything",
	  HOOK_vcpu_load, { .vm = 3, .migrated = true, TWO_ROOTS },
	  "unless vm_mask[here,3]=1 {; vm_mask[here,3]=1; INVEPT-global; }" },
	{ "a load on the same pCPU looks at nothing",
	  HOOK_vcpu_load, { .vm = 3, TWO_ROOTS },
	  "" },
	{ "invvpid=on makes a migration INVVPID",
	  HOOK_vcpu_load, { .vm = 3, .option = invvpid_on, .migrated = true, TWO_ROOTS },
	  "unless vm_mask[here,3]=1 {; vm_mask[here,3]=1; INVEPT-global; }; "
	  "INVVPID-single 4" },
	{ "... of both VPIDs where there are two",
	  HOOK_nested_transition,
	  { .vm = 3, .option = invvpid_on, .migrated = true, .vpid02 = true, TWO_ROOTS },
	  "unless vm_mask[here,3]=1 {; vm_mask[here,3]=1; INVEPT-global; }; "
	  "INVVPID-single 4; INVVPID-single 4/02" },
	{ "a new root is flushed where the VM has run",
	  HOOK_root_alloc, { .vm = 3, TWO_ROOTS },
	  "on mask INVEPT-single 6" },
	{ "a strict change leaves it to the requests",
	  HOOK_strict_change, { .vm = 3, TWO_ROOTS },
	  "" },
	{ "strict=mask flushes every root where the VM has run",
	  HOOK_strict_change, { .vm = 3, .option = strict_mask, TWO_ROOTS },
	  "on mask INVEPT-single 6; on mask INVEPT-single 7" },
	{ "a pCPU that goes offline is forgotten by every VM",
	  HOOK_pcpu_offline, { .root = IDX_NONE },
	  "vm_mask[here,all]=0" },
	{ "offline=keep keeps the bit",
	  HOOK_pcpu_offline, { .option = offline_keep, .root = IDX_NONE },
	  "" },
	SERVES_AS_KVM,
};

int main(void)
{
	return plan_cases_main(&flush_policy_vm_mask, cases, ARRAY_SIZE(cases));
}
