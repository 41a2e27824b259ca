#include "sim/driver/small.h"

#include <string.h>

#include "sim/base/err.h"

static u32 nr_frames(u32 nr_vms, u32 nr_vcpus, u32 allowed)
{
	u32 roles = allowed & ACTIONS_NESTED ? SMALL_ROLES_MAX : 1;

	return allowed & 1u << ACTION_MEMSLOT ?
	       2 * roles * nr_vms + nr_vcpus : roles * nr_vms;
}

void small_machine_init(struct small_machine *s, u32 nr_pcpus, u32 nr_vms,
			u32 vcpus_per_vm, u32 allowed)
{
	u32 nr_vcpus = nr_vms * vcpus_per_vm;

	BUG_ON(nr_vms > ACTIONS_VMS_MAX || nr_vcpus > ACTIONS_VCPUS_MAX ||
	       nr_pcpus > ACTIONS_PCPUS_MAX);
	memset(s, 0, sizeof(*s));
	s->workload = (struct workload_params){
		.working_set_pages = 1, .shared_pages = 1,
		.accesses_per_us = 1, .prefault = true,
		.nested_per_s = allowed & ACTIONS_NESTED ? 1 : 0,
		.nested_epts = 2,
	};
	s->no_costs.clock_khz = 1000000;
	for (u32 k = 0; k < COST_NR; k++)
		s->no_costs.row[k].applies = true;
	s->l0.kind = L0_BARE;
	for (u32 vm = 0; vm < nr_vms; vm++)
		s->workloads[vm] = &s->workload;
	for (u32 v = 0; v < nr_vcpus; v++)
		s->vm_of_vcpu[v] = v / vcpus_per_vm;
	s->config = (struct machine_config){
		.nr_pcpus = nr_pcpus, .nr_vms = nr_vms, .nr_vcpus = nr_vcpus,
		.vm_of_vcpu = s->vm_of_vcpu, .geometry = &s->no_geometry,
		.costs = &s->no_costs, .l0 = &s->l0, .workload = s->workloads,
		.access_model = ACCESS_TOUCH, .policy = &s->policy,
		.explore = true,
		.nr_pcids = 1,
		.pv_flush = allowed & 1u << ACTION_PV_FLUSH,
		.nr_roots = nr_frames(nr_vms, nr_vcpus, allowed),
	};
}

void small_machine_below(struct small_machine *s, u32 l0)
{
	s->l0.kind = l0;
	s->l0.shadow_shared = s->l0.flush_hypercall = l0 == L0_HYPERV;
}
