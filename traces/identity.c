#include "traces/identity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "traces/schedule.h"
#include "traces/trace.h"
#include "traces/vcpu_names.h"

struct life {
	u32 tid;
	u32 tgid;
	u32 comm;
	u32 index;			/* vCPU number, or IDX_NONE */
	u32 vcpu;			/* index into the schedule, at the end */
	const char *form;		/* of the name; NULL: no vCPU's */
	bool weak;			/* the name may be stale */
	bool kvm;			/* current thread of a KVM event */
	bool ran;
	bool over;
};

struct identity {
	const struct trace *t;
	struct life *life;
	u32 nr;
	u32 room;
	u32 *slot;			/* life + 1 of a tid; 0 is free */
	u32 nr_slots;			/* power of two */
	u32 nr_tids;
};

#define SLOTS_FIRST 1024u

struct identity *identity_create(const struct trace *t, struct err *err)
{
	struct identity *id = calloc(1, sizeof(*id));

	if (id) {
		id->t = t;
		id->nr_slots = SLOTS_FIRST;
		id->slot = calloc(SLOTS_FIRST, sizeof(*id->slot));
	}
	if (id && id->slot)
		return id;
	identity_destroy(id);
	err_set(err, -ENOMEM, "no memory for thread identities");
	return NULL;
}

static u32 *identity_slot(struct identity *id, u32 tid)
{
	u32 i = (tid * 0x9e3779b1u >> 7) & (id->nr_slots - 1);

	while (id->slot[i] && id->life[id->slot[i] - 1].tid != tid)
		i = (i + 1) & (id->nr_slots - 1);
	return &id->slot[i];
}

static int identity_grow_slots(struct identity *id)
{
	u32 *old = id->slot;
	u32 nr_old = id->nr_slots;

	id->slot = calloc(nr_old * 2, sizeof(*id->slot));
	if (!id->slot) {
		id->slot = old;
		return -ENOMEM;
	}
	id->nr_slots = nr_old * 2;
	for (u32 i = 0; i < nr_old; i++)
		if (old[i])
			*identity_slot(id, id->life[old[i] - 1].tid) = old[i];
	free(old);
	return 0;
}

static void identity_name(struct identity *id, struct life *l, u32 comm,
			  enum identity_name how)
{
	l->comm = comm;
	l->weak = how == IDENTITY_NAME_WEAK;
	l->form = comm == TRACE_STR_NONE ? NULL :
		  vcpu_name_match(trace_string(id->t, comm), &l->index);
}

/* Begin a life; an older one of the same tid is over. */
static int identity_begin(struct identity *id, u32 tid, u32 comm,
			  enum identity_name how, u32 *life)
{
	struct life *l;
	u32 *slot;

	if (id->nr == id->room) {
		u32 room = id->room ? id->room * 2 : 256;
		struct life *grown = realloc(id->life, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		id->life = grown;
		id->room = room;
	}
	if (2 * (id->nr_tids + 1) >= id->nr_slots && identity_grow_slots(id))
		return -ENOMEM;
	slot = identity_slot(id, tid);
	if (*slot)
		id->life[*slot - 1].over = true;
	else
		id->nr_tids++;
	l = &id->life[id->nr];
	memset(l, 0, sizeof(*l));
	l->tid = tid;
	l->index = IDX_NONE;
	l->vcpu = IDX_NONE;
	identity_name(id, l, comm, how);
	*slot = ++id->nr;
	*life = id->nr - 1;
	return 0;
}

/* Does the new name mean that @l is a vCPU no more, or has become one? */
static bool identity_is_other(struct identity *id, const struct life *l,
			      u32 comm)
{
	u32 index = IDX_NONE;
	const char *form = vcpu_name_match(trace_string(id->t, comm), &index);

	return form != l->form || (form && index != l->index);
}

int identity_see(struct identity *id, u32 tid, u32 comm,
		 enum identity_name how, u32 *life)
{
	struct life *l;
	u32 at;

	if (tid == 0) {
		*life = LIFE_IDLE;
		return 0;
	}
	at = *identity_slot(id, tid);
	if (!at || id->life[at - 1].over)
		return identity_begin(id, tid, comm, how, life);
	*life = at - 1;
	l = &id->life[at - 1];
	if (likely(comm == l->comm)) {
		l->weak = l->weak && how == IDENTITY_NAME_WEAK;
		return 0;
	}
	if (comm == TRACE_STR_NONE)
		return 0;
	if (l->comm == TRACE_STR_NONE ||
	    (l->weak && how == IDENTITY_NAME_SURE)) {
		identity_name(id, l, comm, how);
		return 0;
	}
	if (how == IDENTITY_NAME_WEAK)
		return 0;
	if (identity_is_other(id, l, comm)) {
		u32 tgid = l->tgid;
		int ret = identity_begin(id, tid, comm, how, life);

		/* The same thread under a new name: same process. */
		if (ret == 0)
			id->life[*life].tgid = tgid;
		return ret;
	}
	l->comm = comm;
	return 0;
}

void identity_tgid(struct identity *id, u32 life, u32 tgid)
{
	if (life < id->nr && tgid != TRACE_TGID_NONE)
		id->life[life].tgid = tgid;
}

void identity_kvm(struct identity *id, u32 life, u32 vcpu)
{
	struct life *l;

	if (life >= id->nr)
		return;
	l = &id->life[life];
	l->kvm = true;
	l->ran = true;
	if (l->index == IDX_NONE)
		l->index = vcpu;
}

void identity_ran(struct identity *id, u32 life)
{
	if (life < id->nr)
		id->life[life].ran = true;
}

void identity_end(struct identity *id, u32 tid)
{
	u32 at = *identity_slot(id, tid);

	if (at)
		id->life[at - 1].over = true;
}

static int life_cmp(const void *va, const void *vb)
{
	const struct life *a = *(const struct life *const *)va;
	const struct life *b = *(const struct life *const *)vb;

	/* Known processes first, then what has to be guessed. */
	if ((a->tgid == 0) != (b->tgid == 0))
		return a->tgid == 0 ? 1 : -1;
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->tgid && a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool life_starts_vm(const struct life *l, const struct life *before)
{
	if (!before || l->tgid != before->tgid)
		return true;
	if (l->tgid)
		return false;
	/* Without a number there is nothing to go by. */
	if (l->index == IDX_NONE)
		return before->index != IDX_NONE;
	return l->form != before->form || l->index <= before->index ||
	       before->index == IDX_NONE;
}

static void identity_fill(struct identity *id, struct schedule *s,
			  struct life **sorted)
{
	u32 nth = 0;			/* vCPU of its VM */

	for (u32 i = 0; i < s->nr_vcpus; i++) {
		struct life *l = sorted[i];
		struct schedule_vcpu *v = &s->vcpu[i];

		if (life_starts_vm(l, i ? sorted[i - 1] : NULL)) {
			struct schedule_vm *vm = &s->vm[s->nr_vms++];

			vm->tgid = l->tgid;
			vm->assumed = l->tgid == 0;
			vm->monitor = l->form ? l->form : "unknown";
			nth = 0;
		}
		l->vcpu = i;
		v->tid = l->tid;
		v->vm = s->nr_vms - 1;
		v->index = l->index == IDX_NONE ? nth : l->index;
		snprintf(v->comm, sizeof(v->comm), "%s",
			 trace_string(id->t, l->comm));
		s->vm[v->vm].nr_vcpus++;
		nth++;
	}
}

int identity_finish(struct identity *id, struct schedule *s, struct err *err)
{
	struct life **sorted = malloc((id->nr + 1) * sizeof(*sorted));
	u32 nr = 0;
	u32 nr_vms = 0;

	if (!sorted)
		return err_set(err, -ENOMEM, "no memory for the vCPUs");
	for (u32 i = 0; i < id->nr; i++)
		if (id->life[i].ran && (id->life[i].form || id->life[i].kvm))
			sorted[nr++] = &id->life[i];
	qsort(sorted, nr, sizeof(*sorted), life_cmp);
	for (u32 i = 0; i < nr; i++)
		nr_vms += life_starts_vm(sorted[i], i ? sorted[i - 1] : NULL);
	if (nr > VCPU_MAX || nr_vms > VM_MAX) {
		free(sorted);
		return err_set(err, -EPROTO,
			       "the trace has %u vCPU threads in %u VMs; at most %u in %u are handled",
			       nr, nr_vms, VCPU_MAX, VM_MAX);
	}
	s->nr_vcpus = nr;
	s->vcpu = calloc(nr + 1, sizeof(*s->vcpu));
	s->vm = calloc(nr_vms + 1, sizeof(*s->vm));
	if (s->vcpu && s->vm)
		identity_fill(id, s, sorted);
	free(sorted);
	return s->vcpu && s->vm ? 0 :
	       err_set(err, -ENOMEM, "no memory for the vCPUs");
}

u32 identity_vcpu(const struct identity *id, u32 life)
{
	return life < id->nr ? id->life[life].vcpu : IDX_NONE;
}

u32 identity_tid(const struct identity *id, u32 life)
{
	return life < id->nr ? id->life[life].tid : 0;
}

u32 identity_nr_lives(const struct identity *id)
{
	return id->nr;
}

void identity_destroy(struct identity *id)
{
	if (!id)
		return;
	free(id->life);
	free(id->slot);
	free(id);
}
