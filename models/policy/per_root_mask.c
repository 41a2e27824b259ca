/*
 * per-root-mask - elide by a cpumask per root, as posted in August 2025
 *
 * A bit says that the pCPU has flushed the root once.  Nothing ever clears it
 * but the allocation of the root, so a flush that a pCPU missed while the vCPU
 * was elsewhere is never made good.
 */
#include "models/flush_policy.h"

enum { ROW_MASK };

static void per_root_mask_vmcs_load(const struct policy_event *e, struct plan *p)
{
	u32 seen;

	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++) {
		seen = plan_skip_if(p, ROW_MASK, 1, PLAN_HERE, e->roots[i]);
		plan_set(p, ROW_MASK, 1, PLAN_HERE, e->roots[i]);
		plan_flush(p, PLAN_INVEPT_SINGLE, e->roots[i]);
		plan_land(p, seen);
	}
}

static void per_root_mask_root_alloc(const struct policy_event *e, struct plan *p)
{
	plan_set(p, ROW_MASK, 0, PLAN_ALL, e->root);
}

const struct flush_policy_ops flush_policy_per_root_mask = {
	.name		= "per-root-mask",
	.brief		= "per-root cpumask as posted: flush once per (root, pCPU), never cleared",
	.rows		= {
		[ROW_MASK] = { "cpu_flushed_mask", STATE_PCPU_ROOT, STATE_BIT },
	},
	.vcpu_load	= per_root_mask_vmcs_load,
	.nested_transition = per_root_mask_vmcs_load,
	.root_alloc	= per_root_mask_root_alloc,
	.root_load	= policy_root_load_as_kvm,
	.request	= policy_service_as_kvm,
};
