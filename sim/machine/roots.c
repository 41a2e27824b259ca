/*
 * Roots: TDP roots as KVM keeps them.  One root per VM and role, found again
 * by role, counted by its users and by the VM itself; it dies when it has been
 * invalidated and the last user lets go.  Its frame is its EP4TA, and a freed
 * frame is the next to be handed out: reuse is where tags come back to life.
 */
#include "sim/machine/roots.h"

#include "sim/machine/account.h"
#include "sim/machine/observe.h"

static void emit_root(struct machine *m, enum probe_kind kind, u32 task, u32 root)
{
	struct probe_rec r;

	if (!probe_on(m, kind))
		return;
	r = probe_make(m, kind, m->task[task].pcpu, m->task_time[task].clock);
	r.vm = m->root[root].vm;
	r.vcpu = task_is_vcpu(m, task) ? task : IDX_NONE;
	r.root = r.frame = root;
	r.view = (u8)view_of_role(m->root[root].role);
	r.a = m->root[root].incarnation;
	probe_emit(m, &r);
}

static void put_root(struct machine *m, u32 task, u32 root)
{
	struct root *r = &m->root[root];

	if (root == IDX_NONE)
		return;
	BUG_ON(!r->refs || r->state == ROOT_UNUSED);
	if (--r->refs)
		return;
	emit_root(m, PROBE_ROOT_FREE, task, root);
	r->state = ROOT_UNUSED;
	r->incarnation++;
	r->next_free = m->w->free_frame;
	m->w->free_frame = root;
}

static u32 alloc_root(struct machine *m, u32 vcpu)
{
	u32 root = m->w->free_frame, vm = m->vcpu[vcpu].vm;
	struct root *r;

	BUG_ON(root == IDX_NONE);
	r = &m->root[root];
	m->w->free_frame = r->next_free;
	r->vm = vm;
	r->role = m->vcpu[vcpu].role;
	r->state = ROOT_VALID;
	r->refs = 1;			/* the VM's own */
	r->owned = true;
	m->vm[vm].root[r->role] = root;
	for (u32 set = 0; set < m->nr_shadow_sets; set++)
		m->shadow_epoch[set * m->nr_roots + root] = ++m->w->shadow_epoch;
	emit_root(m, PROBE_ROOT_ALLOC, vcpu, root);
	return root;
}

u32 root_get(struct machine *m, u32 vcpu, bool *fresh)
{
	struct vcpu *v = &m->vcpu[vcpu];
	u32 root = m->vm[v->vm].root[v->role];

	*fresh = root == IDX_NONE;
	if (*fresh)
		root = alloc_root(m, vcpu);
	m->root[root].refs++;
	v->mmu[mmu_of_role(v->role)].root = root;
	count_add(m, COUNT_ROOT_LOADS, CAUSE_NONE, 1);
	emit_root(m, PROBE_ROOT_LOAD, vcpu, root);
	return root;
}

static void drop(struct machine *m, u32 vcpu, bool obsolete_only)
{
	struct vcpu *v = &m->vcpu[vcpu];

	for (u32 k = 0; k < MMUS_NR; k++) {
		for (u32 i = 0; i <= PREV_ROOTS_NR; i++) {
			u32 *slot = i ? &v->mmu[k].prev[i - 1] : &v->mmu[k].root;

			if (*slot == IDX_NONE ||
			    (obsolete_only &&
			     m->root[*slot].state != ROOT_OBSOLETE))
				continue;
			put_root(m, vcpu, *slot);
			*slot = IDX_NONE;
		}
	}
}

void root_drop_all(struct machine *m, u32 vcpu)
{
	drop(m, vcpu, false);
}

void root_drop_obsolete(struct machine *m, u32 vcpu)
{
	drop(m, vcpu, true);
}

/* is_root_usable() */
static bool usable(const struct machine *m, const struct vcpu *v, u32 root)
{
	return root != IDX_NONE && m->root[root].role == v->role &&
	       m->root[root].state == ROOT_VALID;
}

bool root_switch(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	struct mmu *mmu = &v->mmu[mmu_of_role(v->role)];
	u32 current = mmu->root;

	if (usable(m, v, current))
		return true;
	for (u32 i = 0; i < PREV_ROOTS_NR; i++) {
		u32 r = mmu->prev[i];

		if (!usable(m, v, r))
			continue;
		mmu->prev[i] = current;
		mmu->root = r;
		return true;
	}
	if (current == IDX_NONE)
		return false;
	/* Not cached: the current root joins prev_roots, the oldest leaves. */
	put_root(m, vcpu, mmu->prev[PREV_ROOTS_NR - 1]);
	for (u32 i = PREV_ROOTS_NR - 1; i; i--)
		mmu->prev[i] = mmu->prev[i - 1];
	mmu->prev[0] = current;
	mmu->root = IDX_NONE;
	return false;
}

void root_obsolete_all(struct machine *m, u32 vm)
{
	for (u32 role = 0; role < m->nr_roles; role++) {
		u32 root = m->vm[vm].root[role];

		if (root == IDX_NONE)
			continue;
		m->root[root].state = ROOT_OBSOLETE;
		m->vm[vm].root[role] = IDX_NONE;
	}
}

void root_release_obsolete(struct machine *m, u32 task)
{
	u32 vm = vm_of_task(m, task);

	for (u32 root = 0; root < m->nr_roots; root++) {
		struct root *r = &m->root[root];

		if (r->vm != vm || r->state != ROOT_OBSOLETE || !r->owned)
			continue;
		r->owned = false;
		put_root(m, task, root);
	}
}
