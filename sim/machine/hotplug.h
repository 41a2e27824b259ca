/* CPU hotplug: VMXON and VMXOFF on one pCPU. */
#ifndef SIM_MACHINE_HOTPLUG_H
#define SIM_MACHINE_HOTPLUG_H

#include "sim/machine/world.h"

/**
 * hotplug_can() - may a pCPU change over now?
 * @m: machine
 * @pcpu: pCPU
 *
 * Return: true if it is offline, or if it runs nobody, owes nobody an answer
 * and is not the last one online; and a host thread is free to do it.
 */
bool hotplug_can(const struct machine *m, u32 pcpu);

/**
 * hotplug_begin() - a pCPU goes offline, or comes online
 * @m: machine
 * @pcpu: pCPU for which hotplug_can() holds
 */
void hotplug_begin(struct machine *m, u32 pcpu);

/**
 * hotplug_step() - one micro-step of it
 * @m: machine
 * @task: host thread at one of STEP_ONLINE .. STEP_OFFLINE_DONE
 */
void hotplug_step(struct machine *m, u32 task);

#endif /* SIM_MACHINE_HOTPLUG_H */
