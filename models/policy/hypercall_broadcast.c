/*
 * hypercall-broadcast - the RFC of June 2025 for KVM on Hyper-V
 *
 * A root load, and every flush of the current root, is the guest-physical
 * flush hypercall, which reaches all pCPUs; a migration then flushes nothing.
 * What the guest flushed for itself on another pCPU is not made good.
 */
#include "models/flush_policy.h"

static const char *const migrate_words[] = { "none", "invept-single", NULL };

enum { OPT_MIGRATE };
enum { MIGRATE_NONE, MIGRATE_INVEPT_SINGLE };

static void hypercall_broadcast_vmcs_load(const struct policy_event *e,
					  struct plan *p)
{
	if (!e->migrated || e->option[OPT_MIGRATE] != MIGRATE_INVEPT_SINGLE)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_flush(p, PLAN_INVEPT_SINGLE, e->roots[i]);
}

static void hypercall_broadcast_root_load(const struct policy_event *e,
					  struct plan *p)
{
	plan_hypercall(p, e->root);
}

static void hypercall_broadcast_request(const struct policy_event *e,
					struct plan *p)
{
	if (e->request != REQ_TLB_FLUSH_CURRENT)
		policy_service_as_kvm(e, p);
	else if (e->root != IDX_NONE)
		plan_hypercall(p, e->root);
}

const struct flush_policy_ops flush_policy_hypercall_broadcast = {
	.name		= "hypercall-broadcast",
	.brief		= "RFC June 2025: flush hypercall at root load, nothing on migration",
	.options	= {
		{ "migrate", migrate_words, "what a migration flushes" },
	},
	.needs_hypercall = true,
	.vcpu_load	= hypercall_broadcast_vmcs_load,
	.nested_transition = hypercall_broadcast_vmcs_load,
	.root_load	= hypercall_broadcast_root_load,
	.request	= hypercall_broadcast_request,
};
