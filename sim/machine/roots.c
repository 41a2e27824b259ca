/*
 * Roots: TDP roots as KVM keeps them.  One root per VM and role, found again
 * by role, counted by its users and by the VM itself; it dies when it has been
 * invalidated and the last user lets go.  Its frame is its EP4TA, and a freed
 * frame is the next to be handed out: reuse is where tags come back to life.
 *
 * A root is made under a lock and put in the list when it is ready.  While it
 * is being made its place is taken, and that is the lock.
 */
#include "sim/machine/roots.h"

#include "sim/machine/account.h"
#include "sim/machine/observe.h"
#include "sim/machine/task.h"

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
	r->state = ROOT_MAKING;
	r->refs = 1;			/* the VM's own */
	r->owned = true;
	m->vm[vm].root[r->role] = root;
	for (u32 set = 0; set < m->nr_shadow_sets; set++)
		m->shadow_epoch[set * m->nr_roots + root] = ++m->w->shadow_epoch;
	emit_root(m, PROBE_ROOT_ALLOC, vcpu, root);
	return root;
}

static u32 root_in_place(const struct machine *m, u32 vcpu)
{
	const struct vcpu *v = &m->vcpu[vcpu];

	return m->vm[v->vm].root[v->role];
}

static void use(struct machine *m, u32 vcpu, u32 root)
{
	struct vcpu *v = &m->vcpu[vcpu];

	m->root[root].refs++;
	v->mmu[mmu_of_role(v->role)].root = root;
	count_add(m, COUNT_ROOT_LOADS, CAUSE_NONE, 1);
	emit_root(m, PROBE_ROOT_LOAD, vcpu, root);
}

static bool is_locked(const struct machine *m, u32 vcpu)
{
	u32 root = root_in_place(m, vcpu);

	return root != IDX_NONE && m->root[root].state == ROOT_MAKING;
}

/* Not one that is frozen there. */
static bool at_lock(const struct machine *m, u32 vcpu)
{
	const struct task *t = &m->task[vcpu];

	return t->step == STEP_RELOAD && t->pcpu != IDX_NONE && !t->loading;
}

bool root_waits(const struct machine *m, u32 vcpu)
{
	return at_lock(m, vcpu) && is_locked(m, vcpu);
}

bool root_find(struct machine *m, u32 vcpu)
{
	u32 root = root_in_place(m, vcpu);

	BUG_ON(is_locked(m, vcpu));
	if (root == IDX_NONE)
		return false;
	use(m, vcpu, root);
	return true;
}

u32 root_make(struct machine *m, u32 vcpu)
{
	m->pcpu[m->task[vcpu].pcpu].preempt_off++;
	return alloc_root(m, vcpu);
}

void root_publish(struct machine *m, u32 vcpu)
{
	u32 root = root_in_place(m, vcpu);

	BUG_ON(m->root[root].state != ROOT_MAKING);
	m->root[root].state = ROOT_VALID;
	m->pcpu[m->task[vcpu].pcpu].preempt_off--;
	FOR_EACH_VCPU_OF(m, m->vcpu[vcpu].vm, v) {
		if (!at_lock(m, v) || root_in_place(m, v) != root)
			continue;
		account_wait(m, v, CYC_LOCK_WAIT, m->task_time[vcpu].clock);
		task_schedule(m, v);
	}
	use(m, vcpu, root);
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

static bool usable(const struct machine *m, const struct vcpu *v, u32 root)
{
	return root != IDX_NONE && m->root[root].role == v->role &&
	       m->root[root].state == ROOT_VALID;
}

static struct mmu *mmu_of(struct machine *m, u32 vcpu)
{
	return &m->vcpu[vcpu].mmu[mmu_of_role(m->vcpu[vcpu].role)];
}

bool root_usable(const struct machine *m, u32 vcpu)
{
	const struct vcpu *v = &m->vcpu[vcpu];

	return usable(m, v, root_current(v));
}

bool root_find_cached(struct machine *m, u32 vcpu)
{
	struct mmu *mmu = mmu_of(m, vcpu);
	u32 i = 0;

	while (i < PREV_ROOTS_NR && !usable(m, &m->vcpu[vcpu], mmu->prev[i]))
		i++;
	if (i == PREV_ROOTS_NR)
		return false;
	mmu->root = mmu->prev[i];
	for (; i < PREV_ROOTS_NR - 1; i++)
		mmu->prev[i] = mmu->prev[i + 1];
	mmu->prev[i] = IDX_NONE;
	return true;
}

void root_swap_begin(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	struct mmu *mmu = mmu_of(m, vcpu);

	v->swap_held = mmu->root;
	mmu->root = mmu->prev[v->swap_at];
}

void root_swap_end(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];

	mmu_of(m, vcpu)->prev[v->swap_at] = v->swap_held;
	v->swap_held = IDX_NONE;
}

void root_drop_current(struct machine *m, u32 vcpu)
{
	struct mmu *mmu = mmu_of(m, vcpu);

	put_root(m, vcpu, mmu->root);
	mmu->root = IDX_NONE;
}

void root_obsolete_all(struct machine *m, u32 vm)
{
	for (u32 role = 0; role < m->nr_roles; role++) {
		u32 root = m->vm[vm].root[role];

		/* One that is being made counts as made afterwards. */
		if (root == IDX_NONE || m->root[root].state == ROOT_MAKING)
			continue;
		m->root[root].state = ROOT_OBSOLETE;
		m->vm[vm].root[role] = IDX_NONE;
	}
}

static void release(struct machine *m, u32 task, u32 vm, u32 root)
{
	struct root *r = &m->root[root];

	if (r->vm != vm || r->state != ROOT_OBSOLETE || !r->owned)
		return;
	r->owned = false;
	put_root(m, task, root);
}

void root_release_obsolete(struct machine *m, u32 task)
{
	u32 vm = vm_of_task(m, task);

	/* By role, so that the order of free frames does not depend on names. */
	for (u32 role = 0; role < m->nr_roles; role++)
		for (u32 root = 0; root < m->nr_roots; root++)
			if (m->root[root].role == role)
				release(m, task, vm, root);
}
