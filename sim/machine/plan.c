/* Calling policy hooks and carrying out the plans they leave. */
#include "sim/machine/plan.h"

#include "sim/machine/account.h"
#include "sim/machine/invalidate.h"
#include "sim/machine/ipi.h"
#include "sim/machine/lag.h"
#include "sim/machine/observe.h"
#include "sim/machine/roots.h"

struct policy_event plan_event(const struct machine *m, u32 vcpu)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	struct policy_event e = {
		.vm = v->vm, .vcpu = vcpu, .pcpu = m->task[vcpu].pcpu,
		.root = root_current(v), .virtual_apic = v->virtual_apic,
		.guest_mode = vcpu_view(v) == VIEW_L2,
		.vpid02 = machine_is_nested(m),
	};

	/* The active MMU first, so that the current root leads the list. */
	for (u32 k = 0; k < MMUS_NR; k++) {
		const struct mmu *mmu = &v->mmu[mmu_of_role(v->role) ^ k];

		for (u32 i = 0; i <= PREV_ROOTS_NR; i++) {
			u32 r = i ? mmu->prev[i - 1] : mmu->root;
			u32 seen = 0;

			while (seen < e.nr_roots && e.roots[seen] != r)
				seen++;
			if (r != IDX_NONE && seen == e.nr_roots)
				e.roots[e.nr_roots++] = r;
		}
	}
	return e;
}

struct policy_event plan_event_vm(const struct machine *m, u32 vm, u32 task)
{
	struct policy_event e = {
		.vm = vm, .pcpu = m->task[task].pcpu, .root = IDX_NONE,
		.vcpu = task_is_vcpu(m, task) ? task : IDX_NONE,
	};

	for (u32 role = 0; role < m->nr_roles; role++) {
		u32 root = m->vm[vm].root[role];

		if (root != IDX_NONE && m->root[root].state == ROOT_VALID)
			e.roots[e.nr_roots++] = root;
	}
	return e;
}

static policy_hook_fn hook_fn(const struct flush_policy_ops *ops,
			      enum policy_hook hook)
{
	switch (hook) {
#define X(name) case HOOK_##name: return ops->name;
	POLICY_HOOKS(X)
#undef X
	default:
		BUG_ON(1);
	}
	return NULL;
}

static void emit_plan(struct machine *m, u32 task, enum probe_kind kind,
		      const struct plan *p)
{
	struct probe_rec r;

	if (!probe_on(m, kind))
		return;
	r = probe_make(m, kind, m->task[task].pcpu, m->task_time[task].clock);
	r.vcpu = task_is_vcpu(m, task) ? task : IDX_NONE;
	r.a = p->hook;
	r.b = p->serial;
	probe_emit(m, &r);
}

/* A flush is blamed on what made KVM call the hook. */
static u8 cause_of(const struct machine *m, enum policy_hook hook,
		   const struct policy_event *e)
{
	static const u8 cause[HOOK_NR] = {
		[HOOK_vcpu_load] = CAUSE_MIGRATION,
		[HOOK_vcpu_put] = CAUSE_NONE,
		[HOOK_nested_transition] = CAUSE_NESTED,
		[HOOK_vm_enter] = CAUSE_CR_APIC,
		[HOOK_root_alloc] = CAUSE_LOAD,
		[HOOK_root_load] = CAUSE_LOAD,
		[HOOK_root_switch] = CAUSE_LOAD,
		[HOOK_strict_change] = CAUSE_STRICT,
		[HOOK_pcpu_online] = CAUSE_NONE,
		[HOOK_pcpu_offline] = CAUSE_NONE,
	};

	return hook == HOOK_request ?
	       m->vcpu[e->vcpu].request_cause[e->request] : cause[hook];
}

static u32 root_of_step(const struct machine *m, const struct plan_step *s)
{
	return m->ops->rows[s->arg].scope == STATE_ROOT ? s->i : s->j;
}

/* What is read of one root must not be compared with another: see pack.c. */
static void plan_check(const struct machine *m, const struct plan *p)
{
	u32 from = IDX_NONE;

	for (u32 k = 0; k < p->nr; k++) {
		const struct plan_step *s = &p->step[k];

		if (s->op == PLAN_LATCH)
			from = root_of_step(m, s);
		else if (s->op == PLAN_STORE || s->op == PLAN_SKIP_UNLESS_LESS)
			BUG_ON(root_of_step(m, s) != from);
	}
}

bool plan_call(struct machine *m, u32 task, enum policy_hook hook,
	       struct policy_event *e)
{
	policy_hook_fn fn = hook_fn(m->ops, hook);
	struct task *t = &m->task[task];
	struct plan *p = t->loading ? &t->load_plan : &t->plan;

	if (!fn)
		return false;
	BUG_ON(plan_pending(p));
	p->nr = p->next = 0;
	p->cause = cause_of(m, hook, e);
	p->hook = (u8)hook;
	p->reg = 0;
	e->nr_pcpus = m->cfg->nr_pcpus;
	e->nr_vms = m->cfg->nr_vms;
	e->option = m->cfg->policy->option;
	fn(e, p);
	if (m->cfg->mutation)
		mutation_apply(m->cfg->mutation, hook, e, p);
	if (m->nr_ranks > 1)
		plan_check(m, p);
	if (!p->nr)
		return false;
	p->serial = m->w->next_plan++;
	emit_plan(m, task, PROBE_PLAN_BEGIN, p);
	return true;
}

void plan_then(struct machine *m, u32 task, enum policy_hook hook,
	       struct policy_event *e, enum step then)
{
	struct task *t = &m->task[task];

	t->step = (u8)then;
	if (!plan_call(m, task, hook, e))
		return;
	t->after_plan = (u8)then;
	t->step = STEP_NONE;
}

/* --- policy state --- */

static u64 *state_at(struct machine *m, u32 row, u32 i, u32 j, u32 here)
{
	const struct state_area *a = &m->state[row];
	u64 *base = (u64 *)((u8 *)m->block + a->offset);

	if (i == PLAN_HERE)
		i = here;
	BUG_ON(row >= POLICY_ROWS_MAX || i >= a->nr_i || j >= a->nr_j);
	return &base[(u64)j * a->nr_i + i];
}

static void state_set(struct machine *m, const struct plan_step *s, u64 value,
		      u32 here)
{
	const struct state_area *a = &m->state[s->arg];
	u32 j = s->j == PLAN_ALL ? 0 : s->j;
	u32 last = s->j == PLAN_ALL ? a->nr_j - 1 : s->j;

	for (; j <= last; j++) {
		if (s->i != PLAN_ALL)
			*state_at(m, s->arg, s->i, j, here) = value;
		else
			for (u32 i = 0; i < a->nr_i; i++)
				*state_at(m, s->arg, i, j, here) = value;
	}
}

static void skip(struct machine *m, struct plan *p, const struct plan_step *s)
{
	for (u32 k = 0; k < s->skip; k++)
		if (p->step[p->next + k].op == PLAN_FLUSH ||
		    p->step[p->next + k].op == PLAN_HYPERCALL)
			count_add(m, COUNT_FLUSHES_ELIDED, p->cause, 1);
	p->next = (u16)(p->next + s->skip);
}

static void raise_request(struct machine *m, u32 task, u32 vcpu, u8 req,
			  u8 cause)
{
	struct vcpu *v = &m->vcpu[vcpu];
	struct probe_rec r;

	if (!(v->requests & (1u << req)))
		v->request_cause[req] = cause;
	v->requests |= 1u << req;
	if (!probe_on(m, PROBE_REQUEST))
		return;
	r = probe_make(m, PROBE_REQUEST, m->task[task].pcpu,
		       m->task_time[task].clock);
	r.vm = v->vm;
	r.vcpu = vcpu;
	r.a = req;
	r.cause = cause;
	probe_emit(m, &r);
}

static struct flush_order order_of(const struct plan *p,
				   const struct plan_step *s)
{
	return (struct flush_order){ .what = s->arg, .cause = p->cause,
				     .operand = s->i };
}

/* Does a flush of several pCPUs include this one? */
static bool flushes_on(struct machine *m, const struct plan_step *s, u32 pcpu)
{
	return m->pcpu[pcpu].online &&
	       (s->op == PLAN_FLUSH_ALL_PCPUS ||
		*state_at(m, s->value, pcpu, s->j, pcpu) == 1);
}

/*
 * on_each_cpu() or on_each_cpu_mask(), with wait: the others by interrupt, this
 * one directly.
 */
static void flush_pcpus(struct machine *m, u32 task, const struct plan *p,
			const struct plan_step *s)
{
	const struct flush_order f = order_of(p, s);
	u32 here = m->task[task].pcpu;

	m->pcpu[here].preempt_off++;
	for (u32 t = 0; t < m->cfg->nr_pcpus; t++)
		if (t != here && flushes_on(m, s, t))
			ipi_mask_set(m, here, t);
	/* Which of the two comes first nobody can tell; the clock can. */
	if (flushes_on(m, s, here))
		flush_here(m, task, here, &f);
	ipi_send(m, task, &f);
	m->task[task].flushing_all = true;
}

static void state_step(struct machine *m, u32 task, struct plan *p,
		       const struct plan_step *s)
{
	u32 here = m->task[task].pcpu;

	/* State of other pCPUs: siblings must have read it up to now. */
	if (s->i != PLAN_HERE)
		catch_up_vm(m, vm_of_task(m, task), task,
			    m->task_time[task].clock);
	switch (s->op) {
	case PLAN_SKIP_IF:
		charge(m, task, COST_STATE_READ);
		if (*state_at(m, s->arg, s->i, s->j, here) == s->value)
			skip(m, p, s);
		break;
	case PLAN_SKIP_UNLESS_LESS:
		charge(m, task, COST_STATE_READ);
		if (*state_at(m, s->arg, s->i, s->j, here) >= p->reg)
			skip(m, p, s);
		break;
	case PLAN_SET:
		state_set(m, s, s->value, here);
		charge(m, task, COST_STATE_RMW);
		break;
	case PLAN_INC:
		++*state_at(m, s->arg, s->i, s->j, here);
		charge(m, task, COST_STATE_RMW);
		break;
	case PLAN_LATCH:
		p->reg = *state_at(m, s->arg, s->i, s->j, here);
		charge(m, task, COST_STATE_READ);
		break;
	case PLAN_STORE:
		state_set(m, s, p->reg, here);
		charge(m, task, COST_STATE_RMW);
		break;
	default:
		BUG_ON(1);
	}
}

void plan_step(struct machine *m, u32 task, struct plan *p)
{
	const struct plan_step *s = &p->step[p->next++];
	struct flush_order f = order_of(p, s);
	u32 here = m->task[task].pcpu;

	switch (s->op) {
	case PLAN_PREEMPT_OFF:
		m->pcpu[here].preempt_off++;
		break;
	case PLAN_PREEMPT_ON:
		BUG_ON(!m->pcpu[here].preempt_off);
		m->pcpu[here].preempt_off--;
		break;
	case PLAN_FLUSH:
		flush_here(m, task, here, &f);
		break;
	case PLAN_FLUSH_ALL_PCPUS:
	case PLAN_FLUSH_MASK:
		flush_pcpus(m, task, p, s);
		break;
	case PLAN_HYPERCALL:
		flush_hypercall(m, task, s->i, p->cause,
				m->task_time[task].clock);
		break;
	case PLAN_REQUEST:
		raise_request(m, task, s->i, s->value, p->cause);
		break;
	default:
		state_step(m, task, p, s);
	}
	if (!plan_pending(p))
		emit_plan(m, task, PROBE_PLAN_END, p);
}
