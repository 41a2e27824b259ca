/* Letting vCPUs that lag behind in guest mode reach a moment. */
#ifndef SIM_MACHINE_LAG_H
#define SIM_MACHINE_LAG_H

#include "sim/machine/world.h"

/**
 * catch_up() - play a vCPU that lags behind up to and at a moment
 * @m: machine
 * @vcpu: vCPU; one that does not lag, or is being caught up, stays as it is
 * @last: cycles
 */
void catch_up(struct machine *m, u32 vcpu, u64 last);

/**
 * catch_up_vm() - let a VM's vCPUs reach the moment an actor acts at
 * @m: machine
 * @vm: VM
 * @actor: actor that is about to act; vCPUs with a higher number than its
 *         own stop just before @time
 * @time: cycles
 */
void catch_up_vm(struct machine *m, u32 vm, u32 actor, u64 time);

/**
 * catch_up_all() - let every vCPU reach the moment an actor acts at
 * @m: machine
 * @actor: as catch_up_vm()
 * @time: cycles
 */
void catch_up_all(struct machine *m, u32 actor, u64 time);

#endif /* SIM_MACHINE_LAG_H */
