/*
 * Which thread is which vCPU.  Thread ids are used again and names change, so
 * the unit is a life: one thread from its birth, or first sight, to its end.
 */
#ifndef TRACES_IDENTITY_H
#define TRACES_IDENTITY_H

#include "sim/base/types.h"

struct err;
struct schedule;
struct trace;
struct identity;			/* opaque */

#define LIFE_IDLE	(IDX_NONE - 1)	/* thread 0 of any CPU */

/* How much a record's name for a thread is worth. */
enum identity_name {
	IDENTITY_NAME_SURE,		/* printed with the event itself */
	IDENTITY_NAME_WEAK,		/* from a column that may be stale */
};

/**
 * identity_create() - start with no lives
 * @t: trace, for the names; outlives the identity
 * @err: set on failure
 *
 * Return: the identity, which the caller hands to identity_destroy(); NULL
 * when memory is short.
 */
struct identity *identity_create(const struct trace *t, struct err *err);

/**
 * identity_see() - a record names a thread
 * @id: identity
 * @tid: thread, 0 is idle
 * @comm: its name as an id for trace_string(), or TRACE_STR_NONE
 * @how: what that name is worth
 * @life: set to the thread's life, or LIFE_IDLE
 *
 * To be called in time order.  A vCPU that takes another name, and a thread
 * that becomes a vCPU, begin a new life; other renames do not.
 *
 * Return: 0 or -ENOMEM.
 */
int identity_see(struct identity *id, u32 tid, u32 comm,
		 enum identity_name how, u32 *life);

/**
 * identity_tgid() - a record says which process a life belongs to
 * @id: identity
 * @life: life out of identity_see()
 * @tgid: process, or TRACE_TGID_NONE, which changes nothing
 */
void identity_tgid(struct identity *id, u32 life, u32 tgid);

/**
 * identity_kvm() - a KVM event had this life as its current thread
 * @id: identity
 * @life: life out of identity_see()
 * @vcpu: vCPU number, or IDX_NONE if the event does not print it
 */
void identity_kvm(struct identity *id, u32 life, u32 vcpu);

/**
 * identity_ran() - the life was seen on a CPU
 * @id: identity
 * @life: life out of identity_see()
 */
void identity_ran(struct identity *id, u32 life);

/**
 * identity_end() - the thread is gone; its id may be used again
 * @id: identity
 * @tid: thread
 */
void identity_end(struct identity *id, u32 tid);

/**
 * identity_finish() - sort the vCPUs into VMs
 * @id: identity
 * @s: gets vcpu[], nr_vcpus, vm[] and nr_vms
 * @err: set on failure
 *
 * Only lives that ran count.  Those whose process is known make one VM per
 * process.  The others are grouped by ascending thread id: a new VM where the
 * number does not go up or the form of the name changes; that is a guess, and
 * such VMs are marked "assumed".
 *
 * Return: 0; -ENOMEM; -EPROTO past VCPU_MAX vCPUs or VM_MAX VMs.
 */
int identity_finish(struct identity *id, struct schedule *s, struct err *err);

/**
 * identity_vcpu() - vCPU of a life
 * @id: identity, after identity_finish()
 * @life: life out of identity_see()
 *
 * Return: index into vcpu[] of the schedule, IDX_NONE if it is no vCPU.
 */
u32 identity_vcpu(const struct identity *id, u32 life);

/**
 * identity_tid() - thread of a life
 * @id: identity
 * @life: life out of identity_see()
 *
 * Return: thread id, 0 for LIFE_IDLE.
 */
u32 identity_tid(const struct identity *id, u32 life);

/**
 * identity_nr_lives() - how many lives there are
 * @id: identity
 *
 * Return: number of lives; ids are below it.
 */
u32 identity_nr_lives(const struct identity *id);

/**
 * identity_destroy() - free an identity
 * @id: identity; NULL is allowed
 */
void identity_destroy(struct identity *id);

#endif /* TRACES_IDENTITY_H */
