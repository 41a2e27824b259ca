/*
 * per-root-gen: a strict change bumps the generation of each root; whoever
 * arrives reads it first, flushes if the pCPU has seen an older one only, and
 * records what was read before INVEPT.
 */
#include "tests/plan_text.h"

static const u8 after[] = { 1, 0 }, split[] = { 0, 1 };

static const struct plan_case cases[] = {
	{ "record=after records what was read before, after INVEPT",
	  HOOK_request,
	  { .option = after, .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "preempt-off; reg=gen[6]; INVEPT-single 6; seen_gen[here,6]=reg; "
	  "last_apic_mode[here,6]=1; preempt-on" },
	{ "section=split leaves preemption on",
	  HOOK_request,
	  { .option = split, .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "reg=gen[6]; seen_gen[here,6]=reg; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6" },
	{ "a migration flushes roots that are behind, then the vCPU's own VPID",
	  HOOK_vcpu_load, { .migrated = true, TWO_ROOTS },
	  "reg=gen[6]; if seen_gen[here,6]<reg {; "
	  "seen_gen[here,6]=reg; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; reg=gen[7]; "
	  "if seen_gen[here,7]<reg {; seen_gen[here,7]=reg; "
	  "last_apic_mode[here,7]=1; INVEPT-single 7; }; "
	  "INVVPID-single 4" },
	{ "a migration without roots is INVVPID still",
	  HOOK_vcpu_load, { .migrated = true, .vcpu = 4, .root = IDX_NONE },
	  "INVVPID-single 4" },
	{ "a load on the same pCPU flushes nothing",
	  HOOK_vcpu_load, { TWO_ROOTS },
	  "" },
	{ "TLB_FLUSH treats every listed root in one section",
	  HOOK_request, { .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "preempt-off; reg=gen[6]; if seen_gen[here,6]<reg {; "
	  "seen_gen[here,6]=reg; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; reg=gen[7]; "
	  "if seen_gen[here,7]<reg {; seen_gen[here,7]=reg; "
	  "last_apic_mode[here,7]=1; INVEPT-single 7; }; preempt-on" },
	{ "CURRENT flushes whatever was seen",
	  HOOK_request, { .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "preempt-off; reg=gen[6]; seen_gen[here,6]=reg; "
	  "last_apic_mode[here,6]=1; INVEPT-single 6; preempt-on" },
	SERVES_WEAKER_AS_KVM,
	{ "a root load flushes only if behind",
	  HOOK_root_load, { TWO_ROOTS },
	  "preempt-off; reg=gen[6]; if seen_gen[here,6]<reg {; "
	  "seen_gen[here,6]=reg; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; preempt-on" },
	{ "a fast PGD switch flushes only if behind",
	  HOOK_root_switch, { TWO_ROOTS },
	  "preempt-off; reg=gen[6]; if seen_gen[here,6]<reg {; "
	  "seen_gen[here,6]=reg; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; preempt-on" },
	{ "a new root has a generation nobody has seen and no APIC mode",
	  HOOK_root_alloc, { TWO_ROOTS },
	  "gen[6]++; last_apic_mode[all,6]=0" },
	{ "a strict change bumps every root",
	  HOOK_strict_change, { TWO_ROOTS },
	  "gen[6]++; gen[7]++" },
	{ "an entry in another APIC mode flushes",
	  HOOK_vm_enter, { .virtual_apic = true, TWO_ROOTS },
	  "unless last_apic_mode[here,6]=2 {; reg=gen[6]; "
	  "seen_gen[here,6]=reg; last_apic_mode[here,6]=2; "
	  "INVEPT-single 6; }" },
	{ "an entry in the same APIC mode is tested all the same",
	  HOOK_vm_enter, { TWO_ROOTS },
	  "unless last_apic_mode[here,6]=1 {; reg=gen[6]; "
	  "seen_gen[here,6]=reg; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }" },
};

int main(void)
{
	return plan_cases_main(&flush_policy_per_root_gen, cases, ARRAY_SIZE(cases));
}
