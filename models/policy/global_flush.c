/*
 * global-flush - KVM today
 *
 * Loading a VMCS on another pCPU raises KVM_REQ_TLB_FLUSH, which the next
 * vcpu_enter_guest() serves with INVEPT-global (vmx_vcpu_load_vmcs()).  Between
 * two stays of a vCPU on one pCPU with another pCPU in between everything is
 * flushed; without a change of pCPU every flush was executed here.
 */
#include "models/flush_policy.h"

static void global_flush_vmcs_load(const struct policy_event *e, struct plan *p)
{
	if (e->migrated)
		plan_request(p, e->vcpu, REQ_TLB_FLUSH);
}

const struct flush_policy_ops flush_policy_global_flush = {
	.name		= "global-flush",
	.brief		= "KVM today: INVEPT-global when a VMCS is loaded on another pCPU",
	.vcpu_load	= global_flush_vmcs_load,
	.nested_transition = global_flush_vmcs_load,
	.root_load	= policy_root_load_as_kvm,
	.request	= policy_service_as_kvm,
};
