/* EPT changes from outside the guest. */
#ifndef SIM_MACHINE_HOST_H
#define SIM_MACHINE_HOST_H

#include "sim/machine/world.h"

/**
 * host_begin() - the VM's next change is due
 * @m: machine
 * @vm: VM
 * @now: cycles
 */
void host_begin(struct machine *m, u32 vm, u64 now);

/**
 * host_change() - a host thread begins a change, now
 * @m: machine
 * @vm: VM without a change under way
 * @pcpu: pCPU that runs no vCPU and no other host thread
 * @change: enum change_op, on the VM's first page
 */
void host_change(struct machine *m, u32 vm, u32 pcpu, u8 change);

/**
 * host_detach() - a pCPU is needed for another thread
 * @m: machine
 * @pcpu: pCPU; a host thread at work there completes at once
 * @now: cycles
 */
void host_detach(struct machine *m, u32 pcpu, u64 now);

/**
 * host_take() - a vCPU takes over the change that waits for its VM
 * @m: machine
 * @vcpu: vCPU at STEP_RUN
 *
 * Return: true if there was one; the task is then at STEP_CHANGE.
 */
bool host_take(struct machine *m, u32 vcpu);

/**
 * host_vcpu_left() - a vCPU that was to make a change is put
 * @m: machine
 * @vcpu: vCPU
 * @now: cycles
 */
void host_vcpu_left(struct machine *m, u32 vcpu, u64 now);

/**
 * host_vcpu_loaded() - a vCPU is loaded and may make a waiting change
 * @m: machine
 * @vcpu: vCPU
 */
void host_vcpu_loaded(struct machine *m, u32 vcpu);

/**
 * host_done() - a change has been made; draw the next one
 * @m: machine
 * @vm: VM
 * @now: cycles
 */
void host_done(struct machine *m, u32 vm, u64 now);

#endif /* SIM_MACHINE_HOST_H */
