/*
 * vm-mask - flush a new root on the pCPUs that have run the VM
 *
 * A mask per VM, as suggested in August 2025 to keep the IPIs of alloc-all-pcpus
 * away from pCPUs that never run the VM.  The first run of a VM on a pCPU sets
 * the bit and then flushes everything there; an allocation flushes the new root
 * where bits are set; loads and migrations flush nothing.
 *
 * As suggested, a strict change reaches only the pCPUs on which vCPUs are.
 * strict=mask sends it to the whole mask, and invvpid=on makes good on a
 * migration what the guest flushed elsewhere: what is then left is hazard E.
 */
#include "models/flush_policy.h"

static const char *const strict_words[] = { "vcpus", "mask", NULL };
static const char *const invvpid_words[] = { "off", "on", NULL };
static const char *const offline_words[] = { "clear", "keep", NULL };

enum { ROW_RAN };
enum { OPT_STRICT, OPT_INVVPID, OPT_OFFLINE };
enum { STRICT_VCPUS, STRICT_MASK };
enum { INVVPID_OFF, INVVPID_ON };
enum { OFFLINE_CLEAR, OFFLINE_KEEP };

static void vm_mask_vmcs_load(const struct policy_event *e, struct plan *p)
{
	u32 known;

	if (!e->migrated)
		return;
	known = plan_skip_if(p, ROW_RAN, 1, PLAN_HERE, e->vm);
	plan_set(p, ROW_RAN, 1, PLAN_HERE, e->vm);
	plan_flush(p, PLAN_INVEPT_GLOBAL, 0);
	plan_land(p, known);
	if (e->option[OPT_INVVPID] == INVVPID_ON)
		plan_invvpid_both(e, p);
}

static void vm_mask_root_alloc(const struct policy_event *e, struct plan *p)
{
	plan_flush_mask(p, PLAN_INVEPT_SINGLE, ROW_RAN, e->root, e->vm);
}

static void vm_mask_strict_change(const struct policy_event *e, struct plan *p)
{
	if (e->option[OPT_STRICT] != STRICT_MASK)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_flush_mask(p, PLAN_INVEPT_SINGLE, ROW_RAN, e->roots[i],
				e->vm);
}

static void vm_mask_pcpu_offline(const struct policy_event *e, struct plan *p)
{
	if (e->option[OPT_OFFLINE] == OFFLINE_CLEAR)
		plan_set(p, ROW_RAN, 0, PLAN_HERE, PLAN_ALL);
}

const struct flush_policy_ops flush_policy_vm_mask = {
	.name		= "vm-mask",
	.brief		= "flush a new root on the pCPUs that have run the VM, nothing later",
	.rows		= {
		[ROW_RAN] = { "vm_mask", STATE_PCPU_VM, STATE_BIT },
	},
	.options	= {
		{ "strict", strict_words, "where a strict change flushes" },
		{ "invvpid", invvpid_words, "INVVPID on migration" },
		{ "offline", offline_words, "what becomes of the bit of a pCPU that goes offline" },
	},
	.vcpu_load	= vm_mask_vmcs_load,
	.nested_transition = vm_mask_vmcs_load,
	.root_alloc	= vm_mask_root_alloc,
	.strict_change	= vm_mask_strict_change,
	.request	= policy_service_as_kvm,
	.pcpu_offline	= vm_mask_pcpu_offline,
};
