/* The vCPU thread outside guest mode: load, enter, exit, put. */
#ifndef SIM_MACHINE_VCPU_H
#define SIM_MACHINE_VCPU_H

#include "sim/machine/world.h"

/**
 * vcpu_step() - one micro-step of a vCPU thread outside guest mode
 * @m: machine
 * @vcpu: vCPU
 */
void vcpu_step(struct machine *m, u32 vcpu);

/**
 * vcpu_serve() - service one request
 * @m: machine
 * @vcpu: vCPU thread, outside guest mode
 * @req: enum kvm_request, raised
 * @then: enum step to go on with
 */
void vcpu_serve(struct machine *m, u32 vcpu, u32 req, enum step then);

/**
 * vcpu_emit_context() - tell what context is active, or was
 * @m: machine
 * @vcpu: vCPU, on a pCPU
 * @kind: PROBE_CONTEXT or PROBE_CONTEXT_END
 */
void vcpu_emit_context(struct machine *m, u32 vcpu, enum probe_kind kind);

/**
 * vcpu_exit() - VM exit
 * @m: machine
 * @vcpu: vCPU at STEP_GUEST
 * @reason: enum exit_reason
 */
void vcpu_exit(struct machine *m, u32 vcpu, enum exit_reason reason);

/**
 * vcpu_load() - kvm_arch_vcpu_load
 * @m: machine
 * @vcpu: vCPU, on a pCPU
 * @now: cycles
 * @switched: a context switch brought it there
 */
void vcpu_load(struct machine *m, u32 vcpu, u64 now, bool switched);

/**
 * vcpu_arrive() - one step of the sched-in notifier
 * @m: machine
 * @vcpu: vCPU that vcpu_load() has begun to load
 */
void vcpu_arrive(struct machine *m, u32 vcpu);

/**
 * vcpu_put() - kvm_arch_vcpu_put, forced to be complete at a moment
 * @m: machine
 * @vcpu: vCPU, loaded
 * @now: cycles
 */
void vcpu_put(struct machine *m, u32 vcpu, u64 now);

#endif /* SIM_MACHINE_VCPU_H */
