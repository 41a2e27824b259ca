/*
 * The canonical form: what decides the future, and nothing else.  Fields are
 * fed one by one, so padding, times, sums and serial numbers cannot leak in.
 * Versions and incarnations do not enter: no step of the machine reads them,
 * only checkers compare them.  Counters enter by rank.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>

#include "sim/machine/world.h"

struct canon {
	XXH3_state_t xxh;
	const struct machine *m;
	const u64 *rank;		/* sorted distinct counter values */
	u64 nr_ranks;
};

static void feed(struct canon *c, u64 value)
{
	XXH3_128bits_update(&c->xxh, &value, sizeof(value));
}

static u64 rank_of(const struct canon *c, u64 value)
{
	u64 lo = 0, hi = c->nr_ranks;

	while (lo < hi) {
		u64 mid = (lo + hi) / 2;

		if (c->rank[mid] < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void feed_plan(struct canon *c, const struct plan *p)
{
	feed(c, p->nr - p->next);
	if (p->next == p->nr)
		return;
	feed(c, p->cause);
	feed(c, rank_of(c, p->reg));
	for (u32 k = p->next; k < p->nr; k++) {
		const struct plan_step *s = &p->step[k];

		feed(c, (u64)s->op << 24 | s->arg << 16 | s->value << 8 | s->skip);
		feed(c, (u64)s->i << 32 | s->j);
	}
}

static void feed_task(struct canon *c, const struct task *t)
{
	feed(c, (u64)t->pcpu << 32 | (u64)t->step << 16 | t->after_plan << 8 |
		t->after_flush);
	feed(c, (u64)t->waiting << 3 | t->loading << 2 | t->flushing_all << 1);
	feed(c, (u64)t->arriving << 8 | t->change);
	feed(c, t->change ? (u64)t->page << 32 | t->next_vcpu : 0);
	feed_plan(c, &t->plan);
	feed_plan(c, &t->load_plan);
}

static void feed_vcpu(struct canon *c, const struct vcpu *v)
{
	feed(c, (u64)v->vmcs_cpu << 32 | v->cpu);
	feed(c, (u64)v->requests << 32 | (u64)v->mode << 16 | v->role << 8 |
		v->exit_reason);
	feed(c, (u64)v->in_run << 2 | v->virtual_apic << 1 | v->mmu_active);
	feed(c, (u64)v->fault_page << 32 | v->touch_next);
	for (u32 k = 0; k < 2; k++) {
		feed(c, v->mmu[k].root);
		for (u32 i = 0; i < PREV_ROOTS_NR; i++)
			feed(c, v->mmu[k].prev[i]);
	}
}

static void feed_pcpu(struct canon *c, u32 p)
{
	const struct pcpu *q = &c->m->pcpu[p];

	feed(c, (u64)q->occupant << 32 | q->context);
	feed(c, (u64)q->host_task << 32 | q->call_left);
	feed(c, (u64)q->preempt_off << 8 | q->irq_off << 1 | q->online);
	if (q->call_left)
		feed(c, (u64)q->call_task << 40 | (u64)q->call_operand << 8 |
			q->call_flush);
	for (u32 w = 0; w < c->m->ipi_words; w++) {
		feed(c, c->m->ipi_pending[(u64)p * c->m->ipi_words + w]);
		feed(c, c->m->ipi_mask[(u64)p * c->m->ipi_words + w]);
	}
}

static const u64 *state_of(const struct machine *m, u32 row, u64 *nr)
{
	const struct state_area *a = &m->state[row];

	*nr = (u64)a->nr_i * a->nr_j;
	return (const u64 *)((const u8 *)m->block + a->offset);
}

static void feed_state(struct canon *c)
{
	const struct state_row *rows = c->m->ops->rows;
	u64 nr;

	for (u32 r = 0; r < POLICY_ROWS_MAX && rows[r].name; r++) {
		const u64 *value = state_of(c->m, r, &nr);

		for (u64 i = 0; i < nr; i++)
			feed(c, rows[r].kind == STATE_COUNTER ?
				rank_of(c, value[i]) : value[i]);
	}
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Counters are compared with one another only: their order is their value. */
static void rank_counters(struct canon *c)
{
	const struct machine *m = c->m;
	u64 n = 0, out = 0, nr;

	for (u32 r = 0; r < POLICY_ROWS_MAX && m->ops->rows[r].name; r++) {
		const u64 *value = state_of(m, r, &nr);

		if (m->ops->rows[r].kind != STATE_COUNTER)
			continue;
		for (u64 i = 0; i < nr; i++)
			m->scratch[n++] = value[i];
	}
	for (u32 t = 0; t < m->cfg->nr_vcpus + m->cfg->nr_vms; t++) {
		m->scratch[n++] = m->task[t].plan.reg;
		m->scratch[n++] = m->task[t].load_plan.reg;
	}
	qsort(m->scratch, n, sizeof(*m->scratch), compare_u64);
	for (u64 i = 0; i < n; i++)
		if (!i || m->scratch[i] != m->scratch[out - 1])
			m->scratch[out++] = m->scratch[i];
	c->rank = m->scratch;
	c->nr_ranks = out;
}

struct machine_hash machine_hash(const struct machine *m)
{
	struct canon c = { .m = m };
	XXH128_hash_t h;

	XXH3_128bits_reset(&c.xxh);
	rank_counters(&c);
	for (u32 p = 0; p < m->cfg->nr_pcpus; p++)
		feed_pcpu(&c, p);
	for (u32 v = 0; v < m->cfg->nr_vcpus; v++)
		feed_vcpu(&c, &m->vcpu[v]);
	for (u32 t = 0; t < m->cfg->nr_vcpus + m->cfg->nr_vms; t++)
		feed_task(&c, &m->task[t]);
	for (u32 vm = 0; vm < m->cfg->nr_vms; vm++) {
		feed(&c, (u64)m->vm[vm].change << 1 | m->vm[vm].change_taken);
		feed(&c, (u64)m->vm[vm].change_owner << 32 | m->vm[vm].change_turn);
		for (u32 r = 0; r < ROLES_NR; r++)
			feed(&c, m->vm[vm].root[r]);
		for (u32 p = 0; p < m->vm[vm].nr_pages; p++)
			feed(&c, m->s2_present[m->vm[vm].first_page + p] |
				 m->s2_condemned[m->vm[vm].first_page + p] << 1);
	}
	for (u32 r = 0; r < m->nr_roots; r++) {
		const struct root *q = &m->root[r];

		feed(&c, (u64)q->owned << 60 | (u64)q->state << 56 |
			 (u64)q->role << 48 |
			 (u64)q->refs << 24 | q->vm);
	}
	feed(&c, m->w->free_frame);
	feed_state(&c);
	h = XXH3_128bits_digest(&c.xxh);
	return (struct machine_hash){ h.low64, h.high64 };
}
