/*
 * active-roots - on migration, flush only what this vCPU can select
 *
 * INVEPT-single of root and prev_roots of both MMUs, at once and with
 * preemption off.  A root that is in neither list can only come back through
 * kvm_mmu_load(), which flushes it.  INVEPT-single also removes the combined
 * mappings of every VPID under that root, so guest flushes that were missed
 * while the vCPU was away are made good.
 */
#include "models/flush_policy.h"

static void active_roots_vmcs_load(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_flush(p, PLAN_INVEPT_SINGLE, e->roots[i]);
}

const struct flush_policy_ops flush_policy_active_roots = {
	.name		= "active-roots",
	.brief		= "INVEPT-single of root and prev_roots of both MMUs on migration",
	.vcpu_load	= active_roots_vmcs_load,
	.nested_transition = active_roots_vmcs_load,
	.root_load	= policy_root_load_as_kvm,
	.request	= policy_service_as_kvm,
};
