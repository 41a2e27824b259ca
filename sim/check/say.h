/* How checkers put a finding into words. */
#ifndef SIM_CHECK_SAY_H
#define SIM_CHECK_SAY_H

#include "sim/core/probe.h"

/**
 * struct stamp - a moment of the run
 * @seq: position of the record plus one; 0 is "never".  All comparisons of
 *       moments use it: a total order in which there are no ties
 * @time: cycles, for messages
 */
struct stamp {
	u64 seq;
	u64 time;
};

/**
 * struct words - a piece of a sentence, returned by value
 * @text: NUL-terminated
 */
struct words {
	char text[40];
};

/**
 * struct finding_at - the members of a finding other than its sentence
 * @invariant: as in struct finding
 * @real: as in struct finding
 * @time: cycles
 * @vcpu: vCPU or IDX_NONE
 * @pcpu: pCPU or IDX_NONE
 */
struct finding_at {
	const char *invariant;
	bool real;
	u64 time;
	u32 vcpu;
	u32 pcpu;
};

/**
 * stamp_of() - the moment of a record
 * @rec: record
 *
 * Return: its stamp, later than "never".
 */
static inline struct stamp stamp_of(const struct probe_rec *rec)
{
	return (struct stamp){ .seq = rec->seq + 1, .time = rec->time };
}

/**
 * finding_say() - fill in a finding
 * @f: finding, or NULL if the caller only counts
 * @at: all members but the sentence
 * @fmt: printf format of the sentence
 *
 * Return: true, so that an on_probe() hook may end with it.
 */
__attribute__((format(printf, 3, 4)))
bool finding_say(struct finding *f, const struct finding_at *at,
		 const char *fmt, ...);

/**
 * say_seconds() - a time in seconds with nine decimals
 * @cycles: cycles since the start of the run
 * @shape: supplies the clock
 *
 * Return: digits, without the unit.
 */
struct words say_seconds(u64 cycles, const struct run_shape *shape);

/**
 * say_writer() - who changed a mapping
 * @vcpu: vCPU, or IDX_NONE for a thread of the host
 *
 * Return: "vCPU 3" or "the host".
 */
struct words say_writer(u32 vcpu);

/**
 * say_vm() - name of a VM
 * @vm: VM
 *
 * Return: "VM 3".
 */
struct words say_vm(u32 vm);

#endif /* SIM_CHECK_SAY_H */
