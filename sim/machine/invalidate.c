/*
 * Carrying out flushes: what the instruction removes on the pCPU that executes
 * it, what the hypervisor below adds in cost and in victims, and the record.
 *
 * The record states the architected effect only.  What Hyper-V tears down on
 * other processors is a matter of cost: it may hide a stale entry of the real
 * geometry, never make the checkers believe in a flush nobody owes.
 */
#include "sim/machine/invalidate.h"

#include "sim/machine/account.h"
#include "sim/machine/guest.h"
#include "sim/machine/lag.h"
#include "sim/machine/observe.h"
#include "sim/machine/roots.h"
#include "sim/machine/task.h"

static const struct {
	enum vtx_op vtx;
	enum flush_op op;
	enum cost_id cost;
	enum count_id count;
	enum fault fault;
} flushes[PLAN_FLUSH_NR] = {
	[PLAN_INVEPT_SINGLE] = { VTX_INVEPT_SINGLE, FLUSH_INVEPT_SINGLE,
				 COST_INVEPT_SINGLE, COUNT_INVEPT_SINGLE,
				 FAULT_INVEPT_SINGLE },
	[PLAN_INVEPT_GLOBAL] = { VTX_INVEPT_GLOBAL, FLUSH_INVEPT_GLOBAL,
				 COST_INVEPT_GLOBAL, COUNT_INVEPT_GLOBAL,
				 FAULT_INVEPT_GLOBAL },
	[PLAN_INVVPID_SINGLE] = { VTX_INVVPID_SINGLE, FLUSH_INVVPID_SINGLE,
				  COST_INVVPID_SINGLE, COUNT_INVVPID,
				  FAULT_INVVPID_SINGLE },
	[PLAN_INVVPID_VPID02] = { VTX_INVVPID_SINGLE, FLUSH_INVVPID_SINGLE,
				  COST_INVVPID_SINGLE, COUNT_INVVPID,
				  FAULT_INVVPID_SINGLE },
	[PLAN_INVVPID_ALL] = { VTX_INVVPID_ALL, FLUSH_INVVPID_ALL,
			       COST_INVVPID_ALL, COUNT_INVVPID,
			       FAULT_INVVPID_ALL },
};

bool hw_invalidate(struct machine *m, u32 pcpu, enum vtx_op op,
		   const struct vtx_operand *o)
{
	u32 v = m->pcpu[pcpu].occupant;
	struct tlb_ctx ctx;

	/* In guest mode or not: what it had touched may be gone. */
	if (occupant_is_vcpu(v) && root_current(&m->vcpu[v]) != IDX_NONE) {
		ctx = (struct tlb_ctx){ .ep4ta = root_current(&m->vcpu[v]),
					.vpid = vcpu_vpid(m, v), .ept = true };
		if (vtx_covers_context(op, o, &ctx)) {
			guest_forget(m, v);
			if (!m->vcpu_time[v].catching_up)
				task_schedule(m, v);
		}
	}
	m->pcpu_time[pcpu].invalidations++;
	if (m->cfg->explore)
		return true;
	return vtx_invalidate(tlb_of(m, pcpu), op, o);
}

bool fault_is_on(const struct machine *m, enum fault f)
{
	return m->cfg->faults & 1u << f;
}

const char *fault_name(enum fault f)
{
	static const char *const names[FAULT_NR] = {
#define X(id, name) [FAULT_##id] = name,
		FAULTS(X)
#undef X
	};

	BUG_ON(f >= FAULT_NR);
	return names[f];
}

static void rate_tick(struct machine *m, u64 now)
{
	u64 b = now / m->rate_width;

	m->flush_rate[min_u64(b, RATE_BUCKETS - 1)]++;
}

static void emit_flush(struct machine *m, u32 task, struct probe_rec *r,
		       bool removed)
{
	r->vm = vm_of_task(m, task);
	r->vcpu = task_is_vcpu(m, task) ? task : IDX_NONE;
	r->a = removed;
	probe_emit(m, r);
}

/*
 * L0: the shadow tables of a root go, and with them every entry that was
 * derived from them, on all processors that use this set of tables.
 */
static void l0_drop(struct machine *m, u32 set, u32 root)
{
	u32 *live = &m->shadow_live[set * m->nr_roots + root];
	struct vtx_operand o = { .ep4ta = root };

	count_add(m, COUNT_SHADOW_PAGES_DROPPED, CAUSE_NONE, *live);
	*live = 0;
	m->shadow_epoch[set * m->nr_roots + root] = ++m->w->shadow_epoch;
	for (u32 p = 0; p < m->cfg->nr_pcpus; p++)
		if (shadow_set_of(m, p) == set)
			hw_invalidate(m, p, VTX_INVEPT_SINGLE, &o);
}

/* A flush may run in the interrupt of another pCPU, which then bears it. */
static void pay(struct machine *m, u32 task, u32 pcpu, enum cost_id cost,
		u64 times)
{
	if (m->task[task].pcpu == pcpu)
		charge_many(m, task, cost, times);
	else
		for (u64 i = 0; i < times; i++)
			charge_pcpu(m, pcpu, cost);
}

/* When a flush happens that a task has asked for, and who acts then. */
static u64 moment(const struct machine *m, u32 task, u32 pcpu, u32 *actor)
{
	bool own = m->task[task].pcpu == pcpu;

	*actor = own ? task : actor_of_pcpu(m, pcpu);
	return own ? m->task_time[task].clock : m->w->now;
}

static void l0_flush(struct machine *m, u32 task, u32 pcpu,
		     const struct flush_order *f)
{
	bool serial = m->cfg->l0->serial_teardown && m->task[task].pcpu == pcpu;
	u32 set = shadow_set_of(m, pcpu);
	u64 dropped = 0;

	pay(m, task, pcpu, COST_L0_TRAP, 1);
	if (serial)
		account_wait(m, task, CYC_LOCK_WAIT, m->w->l0_busy_until);
	for (u32 r = 0; r < m->nr_roots; r++) {
		if (!m->shadow_live[set * m->nr_roots + r] ||
		    (f->what == PLAN_INVEPT_SINGLE && r != f->operand))
			continue;
		l0_drop(m, set, r);
		dropped++;
	}
	pay(m, task, pcpu, COST_L0_ROOT_TEARDOWN, dropped);
	if (serial)
		m->w->l0_busy_until = m->task_time[task].clock;
}

void flush_here(struct machine *m, u32 task, u32 pcpu,
		const struct flush_order *f)
{
	bool l0 = m->cfg->l0->kind == L0_HYPERV &&
		  (f->what == PLAN_INVEPT_SINGLE ||
		   f->what == PLAN_INVEPT_GLOBAL);
	struct vtx_operand o = { 0 };
	struct probe_rec r;
	bool removed;
	u32 actor;
	u64 at = moment(m, task, pcpu, &actor);

	if (l0)
		catch_up_all(m, actor, at);
	r = probe_make(m, PROBE_FLUSH, pcpu, at);
	r.op = (u8)flushes[f->what].op;
	r.cause = f->cause;
	if (f->what == PLAN_INVEPT_SINGLE)
		r.frame = r.root = o.ep4ta = f->operand;
	if (f->what == PLAN_INVVPID_SINGLE)
		r.vpid = o.vpid = shape_vpid(&m->shape, f->operand, VIEW_L1);
	if (f->what == PLAN_INVVPID_VPID02)
		r.vpid = o.vpid = shape_vpid(&m->shape, f->operand, VIEW_L2);

	if (fault_is_on(m, flushes[f->what].fault)) {
		r.kind = PROBE_FLUSH_LOST;
		emit_flush(m, task, &r, false);
		return;
	}
	removed = hw_invalidate(m, pcpu, flushes[f->what].vtx, &o);
	count_add(m, flushes[f->what].count, f->cause, 1);
	if (!removed)
		count_add(m, COUNT_FLUSHES_NEEDLESS, f->cause, 1);
	rate_tick(m, r.time);
	emit_flush(m, task, &r, removed);

	if (l0)
		l0_flush(m, task, pcpu, f);
	else
		pay(m, task, pcpu, flushes[f->what].cost, 1);
}

bool flush_hypercall(struct machine *m, u32 task, u32 root, u8 cause, u64 at)
{
	struct vtx_operand o = { .ep4ta = root };
	struct probe_rec r;
	bool removed = false;

	r = probe_make(m, PROBE_FLUSH, m->task[task].pcpu, at);
	r.op = FLUSH_HYPERCALL;
	r.cause = cause;
	r.frame = r.root = root;
	if (fault_is_on(m, FAULT_HYPERCALL_LOST) ||
	    fault_is_on(m, FAULT_HYPERCALL_FAILS)) {
		r.kind = PROBE_FLUSH_LOST;
		emit_flush(m, task, &r, false);
		return !fault_is_on(m, FAULT_HYPERCALL_FAILS);
	}
	catch_up_all(m, task, at);
	for (u32 p = 0; p < m->cfg->nr_pcpus; p++)
		removed |= hw_invalidate(m, p, VTX_INVEPT_SINGLE, &o);
	for (u32 set = 0; set < m->nr_shadow_sets; set++)
		l0_drop(m, set, root);

	count_add(m, COUNT_FLUSH_HYPERCALLS, cause, 1);
	if (!removed)
		count_add(m, COUNT_FLUSHES_NEEDLESS, cause, 1);
	rate_tick(m, r.time);
	emit_flush(m, task, &r, removed);
	charge(m, task, COST_FLUSH_HYPERCALL);
	return true;
}
