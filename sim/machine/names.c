#include "sim/machine/names.h"

#include <string.h>

#include "sim/machine/plan.h"
#include "sim/machine/world.h"

/* --- keys: what can be said of a VM or a pCPU without names --- */

static u64 mix(u64 key, u64 value)
{
	return ((key ^ value) * 0x9e3779b97f4a7c15ULL) ^ (key >> 29);
}

static u64 task_key(const struct machine *m, u32 i, u64 key)
{
	const struct task *t = &m->task[i];
	bool plan = plan_pending(&t->plan);

	key = mix(key, (u64)(plan ? t->after_plan : t->step) << 3 |
		       (u64)plan << 2 | (u64)t->waiting << 1 |
		       (t->pcpu == IDX_NONE));
	return mix(key, (u64)t->loading << 16 | (u64)t->arriving << 8 | t->change);
}

static u64 vm_key(const struct machine *m, u32 i)
{
	const struct vm *vm = &m->vm[i];
	u64 key = task_key(m, task_of_host(m, i), vm->change);

	for (u32 p = vm->first_page; p < vm->first_page + vm->nr_pages; p++)
		key = mix(key, (u64)m->s2_present[p] << 1 | m->s2_condemned[p]);
	for (u32 r = 0; r < m->nr_roles; r++)
		key = mix(key, vm->root[r] == IDX_NONE);
	FOR_EACH_VCPU_OF(m, i, u) {
		const struct vcpu *v = &m->vcpu[u];

		key = task_key(m, u, key);
		key = mix(key, (u64)v->requests << 24 | (u64)v->mode << 16 |
			       (u64)v->exit_reason << 8 | v->role);
	}
	return key;
}

/* VMs and vCPUs have their names by now. */
static u64 pcpu_key(const struct names *n, const struct machine *m, u32 i)
{
	const struct pcpu *p = &m->pcpu[i];
	const u8 *vcpu = n->to[CODEC_VCPU];
	u64 key = 0;

	for (u32 v = 0; v < m->cfg->nr_vcpus; v++) {
		const struct vcpu *u = &m->vcpu[v];

		key |= (u64)(u->vmcs_cpu[VMCS01] == i) << vcpu[v];
		key |= (u64)(u->vmcs_cpu[VMCS02] == i) << (8 + vcpu[v]);
		key |= (u64)(u->cpu == i) << (16 + vcpu[v]);
	}
	if (occupant_is_vcpu(p->occupant))
		key |= (u64)(1 + vcpu[p->occupant]) << 24;
	if (p->host_task != IDX_NONE)
		key |= (u64)(1 + n->to[CODEC_VM][vm_of_task(m, p->host_task)]) << 28;
	return key | (u64)p->preempt_off << 32 | (u64)p->irq_off << 40 |
	       (u64)p->online << 41 | (u64)(p->context != IDX_NONE) << 42;
}

/* --- orders --- */

static void list_orders(struct name_orders *o, u32 n)
{
	u8 left[NAMES_PERMUTED], rest;
	u32 digit, k = 0;

	for (o->nr = 1; k < n; k++)
		o->nr *= k + 1;
	for (u32 i = 0; i < o->nr; i++) {
		rest = (u8)i;
		for (k = 0; k < n; k++)
			left[k] = (u8)k;
		for (k = 0; k < n; k++) {
			digit = rest % (n - k);
			rest = (u8)(rest / (n - k));
			o->from[i][k] = left[digit];
			memmove(&left[digit], &left[digit + 1], n - k - digit - 1);
		}
	}
}

/* The next order, from @at on, in which keys do not fall. */
static bool find_order(struct names *n, enum codec_kind kind, u32 nr)
{
	const struct name_orders *o = &n->orders[kind];
	const u64 *key = n->key[kind];
	u32 i;

	for (; n->at[kind] < o->nr; n->at[kind]++) {
		const u8 *from = o->from[n->at[kind]];

		for (i = 1; i < nr && key[from[i - 1]] <= key[from[i]]; i++)
			;
		if (i >= nr)
			return true;
	}
	return false;
}

static void set_name(struct names *n, enum codec_kind kind, u32 who, u32 name)
{
	n->to[kind][who] = (u8)name;
	n->from[kind][name] = (u8)who;
}

static void apply(struct names *n, enum codec_kind kind, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		set_name(n, kind, n->orders[kind].from[n->at[kind]][i], i);
}

/* --- frames --- */

static u32 name_frame(struct names *n, u64 *named, u32 frame, u32 next)
{
	if (frame == IDX_NONE || *named & BIT64(frame))
		return next;
	*named |= BIT64(frame);
	set_name(n, CODEC_ROOT, frame, next);
	return next + 1;
}

static u32 name_obsolete(struct names *n, const struct machine *m, u32 vm,
			 u64 *named, u32 next)
{
	for (u32 role = 0; role < m->nr_roles; role++)
		for (u32 f = 0; f < m->nr_roots; f++)
			if (m->root[f].state == ROOT_OBSOLETE &&
			    m->root[f].owned && m->root[f].vm == vm &&
			    m->root[f].role == role)
				next = name_frame(n, named, f, next);
	return next;
}

static u32 name_held(struct names *n, const struct vcpu *v, u64 *named, u32 next)
{
	next = name_frame(n, named, v->swap_held, next);
	for (u32 k = 0; k < MMUS_NR; k++) {
		next = name_frame(n, named, v->mmu[k].root, next);
		for (u32 i = 0; i < PREV_ROOTS_NR; i++)
			next = name_frame(n, named, v->mmu[k].prev[i], next);
	}
	return next;
}

/* Found by their VM, let go of by it, held by vCPUs only, free: that is all. */
static void name_frames(struct names *n, const struct machine *m)
{
	const u8 *vm = n->from[CODEC_VM], *vcpu = n->from[CODEC_VCPU];
	u32 next = 0, f;
	u64 named = 0;

	for (u32 i = 0; i < m->cfg->nr_vms; i++)
		for (u32 r = 0; r < m->nr_roles; r++)
			next = name_frame(n, &named, m->vm[vm[i]].root[r], next);
	for (u32 i = 0; i < m->cfg->nr_vms; i++)
		next = name_obsolete(n, m, vm[i], &named, next);
	for (u32 i = 0; i < m->cfg->nr_vcpus; i++)
		next = name_held(n, &m->vcpu[vcpu[i]], &named, next);
	for (f = m->w->free_frame; f != IDX_NONE; f = m->root[f].next_free)
		next = name_frame(n, &named, f, next);
	BUG_ON(next != m->nr_roots);
}

/* --- names --- */

/* Which VMs are alike, and nobody goes through them by number. */
static bool vms_alike(const struct machine *m)
{
	const struct vm *first = &m->vm[0];

	if (m->cfg->nr_vms > NAMES_PERMUTED || m->ops->pcpu_online ||
	    m->ops->pcpu_offline)
		return false;
	for (u32 i = 1; i < m->cfg->nr_vms; i++)
		if (m->vm[i].nr_vcpus != first->nr_vcpus ||
		    m->vm[i].nr_pages != first->nr_pages)
			return false;
	return true;
}

void names_init(struct names *n, const struct machine *m, bool symmetric)
{
	struct codec_rename *r = &n->rename;

	memset(n, 0, sizeof(*n));
	r->nr[CODEC_PCPU] = m->cfg->nr_pcpus;
	r->nr[CODEC_VCPU] = m->cfg->nr_vcpus;
	r->nr[CODEC_VM] = m->cfg->nr_vms;
	r->nr[CODEC_ROOT] = m->nr_roots;
	for (u32 k = 0; k < CODEC_KIND_NR; k++)
		BUG_ON(r->nr[k] > NAMES_MAX);
	if (!symmetric)
		return;
	list_orders(&n->orders[CODEC_PCPU], m->cfg->nr_pcpus <= NAMES_PERMUTED ?
					    m->cfg->nr_pcpus : 0);
	list_orders(&n->orders[CODEC_VM], vms_alike(m) ? m->cfg->nr_vms : 0);
	for (u32 k = 0; k < CODEC_KIND_NR; k++) {
		for (u32 i = 0; i < r->nr[k]; i++)
			set_name(n, k, i, i);
		r->to[k] = n->to[k];
		r->from[k] = n->from[k];
	}
}

/* How many of a kind may change places. */
static u32 movable(const struct names *n, enum codec_kind kind)
{
	return n->orders[kind].nr > 1 ? n->rename.nr[kind] : 0;
}

static bool find_pcpus(struct names *n)
{
	u32 nr = movable(n, CODEC_PCPU);

	if (!find_order(n, CODEC_PCPU, nr))
		return false;
	apply(n, CODEC_PCPU, nr);
	return true;
}

/* The next order of VMs, and the first of pCPUs under it. */
static bool find_vms(struct names *n, const struct machine *m)
{
	u32 nr = movable(n, CODEC_VM);

	if (!find_order(n, CODEC_VM, nr))
		return false;
	apply(n, CODEC_VM, nr);
	for (u32 i = 0; i < nr; i++)
		FOR_EACH_VCPU_OF(m, i, v)
			set_name(n, CODEC_VCPU, v,
				 m->vm[n->to[CODEC_VM][i]].first_vcpu + v -
				 m->vm[i].first_vcpu);
	name_frames(n, m);
	for (u32 p = 0; p < movable(n, CODEC_PCPU); p++)
		n->key[CODEC_PCPU][p] = pcpu_key(n, m, p);
	n->at[CODEC_PCPU] = 0;
	return find_pcpus(n);
}

void names_first(struct names *n, const struct machine *m)
{
	if (!n->rename.to[CODEC_PCPU])
		return;
	for (u32 i = 0; i < movable(n, CODEC_VM); i++)
		n->key[CODEC_VM][i] = vm_key(m, i);
	n->at[CODEC_VM] = 0;
	BUG_ON(!find_vms(n, m));
}

bool names_next(struct names *n, const struct machine *m)
{
	if (!n->rename.to[CODEC_PCPU])
		return false;
	n->at[CODEC_PCPU]++;
	if (find_pcpus(n))
		return true;
	n->at[CODEC_VM]++;
	return find_vms(n, m);
}
