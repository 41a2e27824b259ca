/* What happens in guest mode. */
#ifndef SIM_MACHINE_GUEST_H
#define SIM_MACHINE_GUEST_H

#include "sim/machine/world.h"

/**
 * guest_step() - one micro-step of a vCPU in guest mode
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 * @last: cycles: what is due after this moment does not happen yet
 *
 * Return: false if nothing is left to happen up to and at @last.
 */
bool guest_step(struct machine *m, u32 vcpu, u64 last);

/**
 * guest_fault() - an EPT violation
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 * @page: guest-physical page that is absent, an index in the VM
 */
void guest_fault(struct machine *m, u32 vcpu, u32 page);

/**
 * guest_flush() - the guest changes one of its mappings and flushes it
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 * @page: page in its working set
 * @full: by MOV CR3; else by INVLPG
 */
void guest_flush(struct machine *m, u32 vcpu, u32 page, bool full);

/**
 * guest_change() - the guest changes one of the mappings that are told apart
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 * @mapping: enum guest_mapping, or 0 where there is one
 */
void guest_change(struct machine *m, u32 vcpu, u32 mapping);

/**
 * guest_write() - the guest changes a mapping of its first page, and that is all
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 */
void guest_write(struct machine *m, u32 vcpu);

/**
 * guest_nested() - L1 enters L2, or L2 leaves to L1
 * @m: machine where vCPUs have an L2
 * @vcpu: vCPU at STEP_GUEST
 * @role: enum role it goes on in; ROLE_NORMAL if and only if it is in L2
 */
void guest_nested(struct machine *m, u32 vcpu, u8 role);

/**
 * guest_eptp_switch() - L2 moves to its other EPT: nested_vmx_eptp_switching()
 * @m: machine where vCPUs have an L2
 * @vcpu: vCPU at STEP_GUEST, in L2, for which L1 has EPTs
 *
 * vmcs02 stays loaded; only the root changes.
 */
void guest_eptp_switch(struct machine *m, u32 vcpu);

/**
 * guest_apic_mode() - the guest changes between xAPIC and x2APIC mode
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST, in L1
 */
void guest_apic_mode(struct machine *m, u32 vcpu);

/**
 * guest_asks() - the guest changes a mapping and has KVM flush it
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 *
 * By an instruction that exits: INVPCID, or a move to CR0 that clears PG.
 */
void guest_asks(struct machine *m, u32 vcpu);

/**
 * guest_pv_flush() - the guest changes a mapping; a preempted vCPU flushes later
 * @m: machine whose guests use PV TLB flushes
 * @vcpu: vCPU at STEP_GUEST, in L1
 * @target: another vCPU of its VM, preempted
 */
void guest_pv_flush(struct machine *m, u32 vcpu, u32 target);

/**
 * guest_is_preempted() - does the steal time of a vCPU say "preempted"?
 * @m: machine whose guests use PV TLB flushes
 * @vcpu: vCPU
 *
 * Return: true from kvm_arch_vcpu_put() to record_steal_time().
 */
bool guest_is_preempted(const struct machine *m, u32 vcpu);

/**
 * guest_account_repeats() - charge the misses expected among repeats so far
 * @m: machine
 * @vcpu: vCPU, on a pCPU if it has accessed anything since the last time
 */
void guest_account_repeats(struct machine *m, u32 vcpu);

/**
 * guest_forget() - nothing of a vCPU is known to be cached any more
 * @m: machine
 * @vcpu: vCPU
 */
void guest_forget(struct machine *m, u32 vcpu);

#endif /* SIM_MACHINE_GUEST_H */
