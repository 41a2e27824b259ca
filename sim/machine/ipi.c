/*
 * Interrupts between pCPUs: smp_call_function_many() with wait.  A sender has
 * preemption off and at most one call in flight; a target holds a bit per
 * sender.
 */
#include "sim/machine/ipi.h"

#include "sim/machine/account.h"
#include "sim/machine/invalidate.h"
#include "sim/machine/lag.h"
#include "sim/machine/observe.h"
#include "sim/machine/task.h"
#include "sim/machine/vcpu.h"

static u64 *pending_of(struct machine *m, u32 target)
{
	return &m->ipi_pending[(u64)target * m->ipi_words];
}

static void emit_ipi(struct machine *m, enum probe_kind kind, u32 pcpu, u32 peer,
		     u64 time)
{
	struct probe_rec r;

	if (!probe_on(m, kind))
		return;
	r = probe_make(m, kind, pcpu, time);
	r.a = peer;
	r.cause = m->pcpu[kind == PROBE_IPI ? pcpu : peer].call_cause;
	if (kind == PROBE_IPI)
		r.b = m->pcpu_time[pcpu].call_arrival;
	probe_emit(m, &r);
}

void ipi_mask_set(struct machine *m, u32 sender, u32 target)
{
	m->ipi_mask[(u64)sender * m->ipi_words + target / 64] |=
		BIT64(target % 64);
}

/* Earliest call addressed to a target; ties go to the lower sender. */
static u32 earliest(struct machine *m, u32 target, u64 *at)
{
	const u64 *pending = pending_of(m, target);
	u32 best = IDX_NONE;

	*at = TIME_NEVER;
	for (u32 w = 0; w < m->ipi_words; w++) {
		for (u64 bits = pending[w]; bits; bits &= bits - 1) {
			u32 s = w * 64 + (u32)__builtin_ctzll(bits);

			if (m->pcpu_time[s].call_arrival >= *at)
				continue;
			*at = m->pcpu_time[s].call_arrival;
			best = s;
		}
	}
	return best;
}

u32 ipi_send(struct machine *m, u32 task, const struct flush_order *f)
{
	u32 sender = m->task[task].pcpu, nr = 0;
	struct pcpu *c = &m->pcpu[sender];
	u64 *mask = &m->ipi_mask[(u64)sender * m->ipi_words];
	u64 first = m->task_time[task].clock + m->cost[COST_IPI_FIRST];

	BUG_ON(c->call_left);
	c->call_flush = f->what;
	c->call_operand = f->operand;
	c->call_cause = f->cause;
	c->call_task = task;
	m->pcpu_time[sender].call_arrival = first;
	m->pcpu_time[sender].call_latest = first;
	for (u32 w = 0; w < m->ipi_words; w++) {
		for (u64 bits = mask[w]; bits; bits &= bits - 1) {
			u32 t = w * 64 + (u32)__builtin_ctzll(bits);

			pending_of(m, t)[sender / 64] |= BIT64(sender % 64);
			set_next(m, actor_of_pcpu(m, t),
				 min_u64(m->ipi_next[t], first));
			emit_ipi(m, PROBE_IPI, sender, t,
				 m->task_time[task].clock);
			nr++;
		}
		mask[w] = 0;
	}
	if (!nr)
		return 0;
	c->call_left = nr;
	m->task[task].waiting = true;
	count_add(m, COUNT_IPIS, f->cause, nr);
	charge(m, task, COST_IPI_FIRST);
	charge_many(m, task, COST_IPI_EXTRA, nr - 1);
	return nr;
}

/*
 * The handler runs on whatever is there.  A guest is left first: that is the
 * point of the kick, and the moment from which it executes nothing more.
 */
u64 pcpu_interrupt(struct machine *m, u32 pcpu, u64 at)
{
	struct pcpu *p = &m->pcpu[pcpu];
	u32 task = IDX_NONE;

	if (occupant_is_vcpu(p->occupant) && m->vcpu[p->occupant].in_run)
		task = p->occupant;
	else if (p->host_task != IDX_NONE)
		task = p->host_task;
	if (task == IDX_NONE) {
		charge_pcpu(m, pcpu, COST_IPI_RECEIVE);
		return at + m->cost[COST_IPI_RECEIVE];
	}
	if (task_is_vcpu(m, task)) {
		catch_up(m, task, at);
		if (task_in_guest(&m->task[task]))
			vcpu_exit(m, task, EXIT_INTERRUPT);
	}
	if (!m->task[task].waiting)
		m->task_time[task].clock = max_u64(m->task_time[task].clock, at);
	charge(m, task, COST_IPI_RECEIVE);
	task_schedule(m, task);
	return m->task_time[task].clock;
}

static void acknowledge(struct machine *m, u32 sender, u32 target, u64 at,
			u64 done)
{
	struct pcpu *s = &m->pcpu[sender];
	struct pcpu_time *st = &m->pcpu_time[sender];
	struct task *t = &m->task[s->call_task];

	emit_ipi(m, PROBE_IPI_ACK, target, sender, at);
	st->call_latest = max_u64(st->call_latest, done);
	BUG_ON(!s->call_left);
	if (--s->call_left)
		return;
	t->waiting = false;
	account_wait(m, s->call_task, CYC_IPI, st->call_latest);
	task_schedule(m, s->call_task);
}

/* What the call carries is executed by the handler, before it acknowledges. */
static u64 handle(struct machine *m, u32 pcpu, u32 sender, u64 at)
{
	const struct pcpu *s = &m->pcpu[sender];
	const struct flush_order f = {
		.what = s->call_flush, .cause = s->call_cause,
		.operand = s->call_operand,
	};
	u64 done = pcpu_interrupt(m, pcpu, at), before;

	if (f.what == PLAN_FLUSH_NR)
		return done;
	before = m->pcpu_time[pcpu].cycles[CYC_FLUSH];
	flush_here(m, s->call_task, pcpu, &f);
	return done + m->pcpu_time[pcpu].cycles[CYC_FLUSH] - before;
}

void ipi_take_from(struct machine *m, u32 pcpu, u32 sender, u64 now)
{
	u64 at;

	pending_of(m, pcpu)[sender / 64] &= ~BIT64(sender % 64);
	acknowledge(m, sender, pcpu, now, handle(m, pcpu, sender, now));
	earliest(m, pcpu, &at);
	set_next(m, actor_of_pcpu(m, pcpu), at);
}

void ipi_take(struct machine *m, u32 pcpu, u64 now)
{
	struct pcpu *p = &m->pcpu[pcpu];
	u32 sender;
	u64 at;

	sender = earliest(m, pcpu, &at);
	BUG_ON(sender == IDX_NONE);
	if (p->irq_off) {
		/* Delivered as soon as the section with IRQs off has ended. */
		task_step(m, p->occupant);
		task_schedule(m, p->occupant);
		return;
	}
	ipi_take_from(m, pcpu, sender, max_u64(now, at));
}
