/* Nested VMX: L1 enters L2, L2 leaves to L1. */
#ifndef SIM_MACHINE_NESTED_H
#define SIM_MACHINE_NESTED_H

#include "sim/machine/world.h"

/**
 * nested_step() - one micro-step of a nested transition
 * @m: machine
 * @vcpu: vCPU at one of STEP_NESTED .. STEP_SWAPPED
 */
void nested_step(struct machine *m, u32 vcpu);

/**
 * vmcs_clear() - VMCLEAR a VMCS where it was loaded last
 * @m: machine
 * @vcpu: vCPU, on a pCPU, preemption off; waits if that was another pCPU
 * @vmcs: enum loaded_vmcs
 * @cause: enum cause of the IPI
 */
void vmcs_clear(struct machine *m, u32 vcpu, u8 vmcs, u8 cause);

#endif /* SIM_MACHINE_NESTED_H */
