/*
 * active-roots - on migration, flush only what this vCPU can select
 *
 * INVEPT-single of root and prev_roots of both MMUs, at once and with
 * preemption off.  A root that is in neither list can only come back through
 * kvm_mmu_load(), which flushes it.  INVEPT-single also removes the combined
 * mappings of every VPID under that root, so guest flushes that were missed
 * while the vCPU was away are made good.
 *
 * While KVM swaps the current root and a cached one, one of them is in neither
 * list.  A vCPU that is preempted there and loaded elsewhere does not flush it,
 * and a later fast PGD switch brings it back; switch=flush makes that good.
 */
#include "models/flush_policy.h"

static const char *const switch_words[] = { "keep", "flush", NULL };

enum { OPT_SWITCH };
enum { SWITCH_KEEP, SWITCH_FLUSH };

static void active_roots_vmcs_load(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_flush(p, PLAN_INVEPT_SINGLE, e->roots[i]);
}

static void active_roots_root_switch(const struct policy_event *e,
				     struct plan *p)
{
	if (e->option[OPT_SWITCH] == SWITCH_FLUSH)
		plan_flush(p, PLAN_INVEPT_SINGLE, e->root);
}

const struct flush_policy_ops flush_policy_active_roots = {
	.name		= "active-roots",
	.brief		= "INVEPT-single of root and prev_roots of both MMUs on migration",
	.options	= {
		{ "switch", switch_words, "whether a fast PGD switch flushes the root it brings back" },
	},
	.vcpu_load	= active_roots_vmcs_load,
	.nested_transition = active_roots_vmcs_load,
	.root_load	= policy_root_load_as_kvm,
	.root_switch	= active_roots_root_switch,
	.request	= policy_service_as_kvm,
};
