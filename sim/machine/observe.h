/* Records and those who watch: the only way facts leave the machine. */
#ifndef SIM_MACHINE_OBSERVE_H
#define SIM_MACHINE_OBSERVE_H

#include "sim/machine/world.h"

/**
 * probe_on() - does anyone want this kind of record?
 * @m: machine
 * @kind: enum probe_kind
 *
 * Return: true if probe_emit() would hand it to somebody.
 */
static inline bool probe_on(const struct machine *m, enum probe_kind kind)
{
	return m->wanted & BIT64(kind);
}

/**
 * probe_make() - start a record
 * @m: machine
 * @kind: enum probe_kind
 * @pcpu: pCPU or IDX_NONE
 * @time: cycles; cut off at the pCPU's limit during a forced completion
 *
 * Return: a record with every other member zero, indices IDX_NONE.
 */
struct probe_rec probe_make(const struct machine *m, enum probe_kind kind,
			    u32 pcpu, u64 time);

/**
 * probe_emit() - hand a record to everyone who wants it
 * @m: machine
 * @rec: record; its seq is set here
 */
void probe_emit(struct machine *m, struct probe_rec *rec);

/**
 * probe_vcpu() - emit a record that names a vCPU and nothing else
 * @m: machine
 * @kind: enum probe_kind
 * @vcpu: vCPU; its VM and pCPU are filled in
 * @time: cycles
 * @a: member @a of the record
 */
void probe_vcpu(struct machine *m, enum probe_kind kind, u32 vcpu, u64 time,
		u64 a);

/**
 * observers_finish() - let every observer conclude
 * @m: machine
 * @now: cycles
 */
void observers_finish(struct machine *m, u64 now);

#endif /* SIM_MACHINE_OBSERVE_H */
