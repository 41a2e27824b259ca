/*
 * per-root-mask-clear: the sound version.  A strict change clears the bits,
 * whoever flushes sets the bit before INVEPT inside one section with
 * preemption off, a migration is INVVPID as well, and the last APIC mode per
 * (pCPU, root) is tested at every entry.
 */
#include "tests/plan_text.h"

static const u8 flush_set[] = { 1, 0, 0, 0 }, split[] = { 0, 1, 0, 0 },
		clear_after[] = { 0, 0, 1, 0 }, current[] = { 0, 0, 0, 1 };

static const struct plan_case cases[] = {
	{ "order=flush-set flushes first",
	  HOOK_request,
	  { .option = flush_set, .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "preempt-off; INVEPT-single 6; cpu_flushed_mask[here,6]=1; "
	  "last_apic_mode[here,6]=1; preempt-on" },
	{ "section=split leaves preemption on",
	  HOOK_request,
	  { .option = split, .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "cpu_flushed_mask[here,6]=1; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6" },
	{ "clear=after leaves a strict change to the requests",
	  HOOK_strict_change, { .option = clear_after, TWO_ROOTS },
	  "" },
	{ "... which clear",
	  HOOK_request,
	  { .option = clear_after, .request = REQ_TLB_FLUSH, .vcpu = 4,
	    .root = 6, .nr_roots = 1, .roots = { 6 } },
	  "cpu_flushed_mask[all,6]=0; preempt-off; "
	  "unless cpu_flushed_mask[here,6]=1 {; cpu_flushed_mask[here,6]=1; "
	  "last_apic_mode[here,6]=1; INVEPT-single 6; }; preempt-on" },
	{ "roots=current looks at no other",
	  HOOK_vcpu_load, { .option = current, .migrated = true, TWO_ROOTS },
	  "unless cpu_flushed_mask[here,6]=1 {; cpu_flushed_mask[here,6]=1; "
	  "last_apic_mode[here,6]=1; INVEPT-single 6; }; INVVPID-single 4" },
	{ "a migration flushes unclean roots, then the vCPU's own VPID",
	  HOOK_vcpu_load, { .migrated = true, TWO_ROOTS },
	  "unless cpu_flushed_mask[here,6]=1 {; "
	  "cpu_flushed_mask[here,6]=1; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; unless cpu_flushed_mask[here,7]=1 {; "
	  "cpu_flushed_mask[here,7]=1; last_apic_mode[here,7]=1; "
	  "INVEPT-single 7; }; INVVPID-single 4" },
	{ "a migration without roots is INVVPID still",
	  HOOK_vcpu_load, { .migrated = true, .vcpu = 4, .root = IDX_NONE },
	  "INVVPID-single 4" },
	{ "a load on the same pCPU flushes nothing",
	  HOOK_vcpu_load, { TWO_ROOTS },
	  "" },
	{ "TLB_FLUSH treats every listed root in one section",
	  HOOK_request, { .request = REQ_TLB_FLUSH, TWO_ROOTS },
	  "preempt-off; unless cpu_flushed_mask[here,6]=1 {; "
	  "cpu_flushed_mask[here,6]=1; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; unless cpu_flushed_mask[here,7]=1 {; "
	  "cpu_flushed_mask[here,7]=1; last_apic_mode[here,7]=1; "
	  "INVEPT-single 7; }; preempt-on" },
	{ "CURRENT flushes whatever the bit says",
	  HOOK_request, { .request = REQ_TLB_FLUSH_CURRENT, TWO_ROOTS },
	  "preempt-off; cpu_flushed_mask[here,6]=1; "
	  "last_apic_mode[here,6]=1; INVEPT-single 6; preempt-on" },
	SERVES_WEAKER_AS_KVM,
	{ "a root load may be elided by the bit",
	  HOOK_root_load, { TWO_ROOTS },
	  "preempt-off; unless cpu_flushed_mask[here,6]=1 {; "
	  "cpu_flushed_mask[here,6]=1; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; preempt-on" },
	{ "a fast PGD switch tests the bit too",
	  HOOK_root_switch, { TWO_ROOTS },
	  "preempt-off; unless cpu_flushed_mask[here,6]=1 {; "
	  "cpu_flushed_mask[here,6]=1; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }; preempt-on" },
	{ "a new root starts with an empty mask and no APIC mode",
	  HOOK_root_alloc, { TWO_ROOTS },
	  "cpu_flushed_mask[all,6]=0; last_apic_mode[all,6]=0" },
	{ "a strict change clears the bits of every root on every pCPU",
	  HOOK_strict_change, { TWO_ROOTS },
	  "cpu_flushed_mask[all,6]=0; cpu_flushed_mask[all,7]=0" },
	{ "an entry in x2APIC mode flushes after one in xAPIC mode",
	  HOOK_vm_enter, { TWO_ROOTS },
	  "unless last_apic_mode[here,6]=1 {; "
	  "cpu_flushed_mask[here,6]=1; last_apic_mode[here,6]=1; "
	  "INVEPT-single 6; }" },
	{ "an entry in xAPIC mode flushes after one in x2APIC mode",
	  HOOK_vm_enter, { .virtual_apic = true, TWO_ROOTS },
	  "unless last_apic_mode[here,6]=2 {; "
	  "cpu_flushed_mask[here,6]=1; last_apic_mode[here,6]=2; "
	  "INVEPT-single 6; }" },
	{ "leaving a pCPU needs nothing",
	  HOOK_vcpu_put, { TWO_ROOTS },
	  "" },
};

int main(void)
{
	return plan_cases_main(&flush_policy_per_root_mask_clear, cases, ARRAY_SIZE(cases));
}
