/*
 * per-root-mask - elide by a cpumask per root, as posted in August 2025
 *
 * A bit says that the pCPU has flushed the root once.  Nothing ever clears it
 * but the allocation of the root, so a flush that a pCPU missed while the vCPU
 * was elsewhere is never made good.
 *
 * The posts flush at every kvm_mmu_load(), without looking at the bit;
 * load=elide tests and sets it there as well.
 */
#include "models/flush_policy.h"

static const char *const load_words[] = { "flush", "elide", NULL };

enum { ROW_MASK };
enum { OPT_LOAD };
enum { LOAD_FLUSH, LOAD_ELIDE };

static void flush_unless_set(struct plan *p, u32 root)
{
	u32 seen = plan_skip_if(p, ROW_MASK, 1, PLAN_HERE, root);

	plan_set(p, ROW_MASK, 1, PLAN_HERE, root);
	plan_flush(p, PLAN_INVEPT_SINGLE, root);
	plan_land(p, seen);
}

static void per_root_mask_vmcs_load(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_unless_set(p, e->roots[i]);
}

static void per_root_mask_root_load(const struct policy_event *e, struct plan *p)
{
	if (e->option[OPT_LOAD] == LOAD_FLUSH) {
		policy_root_load_as_kvm(e, p);
		return;
	}
	plan_preempt_off(p);
	flush_unless_set(p, e->root);
	plan_preempt_on(p);
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
	.options	= {
		{ "load", load_words, "whether kvm_mmu_load looks at the bit" },
	},
	.vcpu_load	= per_root_mask_vmcs_load,
	.nested_transition = per_root_mask_vmcs_load,
	.root_alloc	= per_root_mask_root_alloc,
	.root_load	= per_root_mask_root_load,
	.request	= policy_service_as_kvm,
};
