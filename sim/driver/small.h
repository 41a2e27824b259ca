/*
 * The machines that are explored: VMs of one page each, nothing that costs
 * time; few pCPUs and VMs where every interleaving is tried, many where some
 * are drawn at random.  Holds everything their configuration points at.
 */
#ifndef SIM_DRIVER_SMALL_H
#define SIM_DRIVER_SMALL_H

#include "sim/machine/actions.h"
#include "sim/machine/machine.h"

#define SMALL_PCPUS_MAX	4u	/* where every interleaving is tried */
#define SMALL_VMS_MAX	4u
#define SMALL_VCPUS_MAX	8u
#define SMALL_PER_VM_MAX 4u
#define SMALL_ROLES_MAX	4u	/* L1, and L2 in three ways */

/**
 * struct small_machine - an exploring configuration and what it points at
 * @config: policy and observers are the caller's to set
 * @policy: @config points at it
 * @l0: bare
 * @workload: of every VM: one page, which is shared and mapped
 * @no_geometry: exploring machines have no TLB
 * @no_costs: every cost applies and nothing is charged
 * @workloads: one pointer per VM
 * @vm_of_vcpu: VM of each vCPU
 */
struct small_machine {
	struct machine_config config;
	struct flush_policy policy;
	struct l0_params l0;
	struct workload_params workload;
	struct hw_geometry no_geometry;
	struct cost_sheet no_costs;
	const struct workload_params *workloads[ACTIONS_VMS_MAX];
	u32 vm_of_vcpu[ACTIONS_VCPUS_MAX];
};

/**
 * small_machine_init() - VMs of equal size
 * @s: filled in; must not move afterwards
 * @nr_pcpus: pCPUs, at most ACTIONS_PCPUS_MAX
 * @nr_vms: VMs, at most ACTIONS_VMS_MAX
 * @vcpus_per_vm: vCPUs of each, at most ACTIONS_VCPUS_MAX in all
 * @allowed: BIT(ACTION_...) of what may happen
 *
 * vCPUs have an L2 if @allowed can bring them there.  There are as many frames
 * for roots as VMs have roles; where roots are invalidated, twice as many and
 * one more for each vCPU, which may still hold an old one.
 */
void small_machine_init(struct small_machine *s, u32 nr_pcpus, u32 nr_vms,
			u32 vcpus_per_vm, u32 allowed);

/**
 * small_machine_below() - say which hypervisor is below
 * @s: machine
 * @l0: enum l0_kind; one that is not bare offers the flush hypercall and has
 *      shadow tables that all pCPUs share
 */
void small_machine_below(struct small_machine *s, u32 l0);

#endif /* SIM_DRIVER_SMALL_H */
