/*
 * Where the time of a pCPU goes.  A span is the time one thread has a pCPU.
 * Inside a span costs are charged as they arise; when it ends, its length is
 * known, and what was charged is fitted into it: the rest is the base
 * category's, an excess leaves the sums as overrun.  So the categories of a
 * run add up to pCPUs x time by construction.
 */
#include "sim/machine/account.h"

#include "sim/machine/observe.h"

/* Who gives way first when a span is too short for what was charged. */
static const u8 squeeze_order[] = {
	CYC_EXIT, CYC_SCHED, CYC_IPI, CYC_LOCK_WAIT, CYC_HYPERCALL, CYC_FLUSH,
	CYC_L0_SHADOW, CYC_WALK, CYC_HOST, CYC_GUEST,
};

static void book(struct machine *m, u32 pcpu, enum cycle_category cat,
		 u64 cycles)
{
	m->pcpu_time[pcpu].cycles[cat] += cycles;
}

void charge_many(struct machine *m, u32 task, enum cost_id cost, u64 times)
{
	u64 cycles = m->cost[cost] * times;

	if (!times)
		return;
	BUG_ON(m->cost[cost] == COST_ABSENT);
	m->w->stats.charged[cost] += times;
	m->task_time[task].clock += cycles;
	book(m, m->task[task].pcpu, m->category[cost], cycles);
}

void charge(struct machine *m, u32 task, enum cost_id cost)
{
	charge_many(m, task, cost, 1);
}

void charge_pcpu(struct machine *m, u32 pcpu, enum cost_id cost)
{
	BUG_ON(m->cost[cost] == COST_ABSENT);
	m->w->stats.charged[cost]++;
	book(m, pcpu, m->category[cost], m->cost[cost]);
}

void account_wait(struct machine *m, u32 task, enum cycle_category cat,
		  u64 until)
{
	struct task_time *t = &m->task_time[task];

	if (until <= t->clock)
		return;
	book(m, m->task[task].pcpu, cat, until - t->clock);
	t->clock = until;
}

static u64 span_charged(const struct pcpu_time *pt)
{
	u64 sum = 0;

	for (u32 c = 0; c < CYC_NR; c++)
		sum += pt->cycles[c];
	return sum;
}

static u64 squeeze(struct pcpu_time *pt, u64 excess)
{
	u64 overrun = excess, cut;

	for (size_t i = 0; i < ARRAY_SIZE(squeeze_order) && excess; i++) {
		cut = min_u64(pt->cycles[squeeze_order[i]], excess);
		pt->cycles[squeeze_order[i]] -= cut;
		excess -= cut;
	}
	BUG_ON(excess);
	return overrun;
}

void span_close(struct machine *m, u32 pcpu, u64 now, enum cycle_category base)
{
	struct pcpu_time *pt = &m->pcpu_time[pcpu];
	u64 length = now - pt->span_start;
	u64 charged = span_charged(pt);
	u64 overrun = 0;
	struct probe_rec r;

	BUG_ON(now < pt->span_start);
	if (charged > length)
		overrun = squeeze(pt, charged - length);
	else
		pt->cycles[pt->base] += length - charged;

	m->w->stats.overrun_cycles += overrun;
	if (occupant_is_vcpu(m->pcpu[pcpu].occupant) && length) {
		m->w->stats.slices++;
		m->w->stats.slices_overrun += overrun > 0;
	}
	if (probe_on(m, PROBE_SPAN) && length) {
		r = probe_make(m, PROBE_SPAN, pcpu, now);
		if (occupant_is_vcpu(m->pcpu[pcpu].occupant))
			r.vcpu = m->pcpu[pcpu].occupant;
		r.a = pt->span_start;
		r.b = overrun;
		for (u32 c = 0; c < CYC_NR; c++)
			r.cycles[c] = pt->cycles[c];
		probe_emit(m, &r);
	}
	for (u32 c = 0; c < CYC_NR; c++) {
		m->w->stats.cycles[c] += pt->cycles[c];
		pt->cycles[c] = 0;
	}
	pt->span_start = now;
	pt->base = (u8)base;
}

void set_next(struct machine *m, u32 actor, u64 at)
{
	u32 nr_tasks = m->cfg->nr_vcpus + m->cfg->nr_vms;
	u64 *next = actor < nr_tasks ? &m->task_time[actor].next :
				       &m->ipi_next[actor - nr_tasks];

	if (*next == at)
		return;
	*next = at;
	if (!m->is_changed[actor]) {
		m->is_changed[actor] = 1;
		m->changed[m->nr_changed++] = actor;
	}
}
