/*
 * The state of the machine as a string of bits: what decides the future, and
 * nothing else.  One visit names every field; written it gives the canonical
 * form, read it restores a state that behaves the same.
 *
 * Left out: times, sums, serial numbers and causes; versions and incarnations,
 * which no step of the machine reads; what follows from other fields (who is
 * where, how many acknowledgements are missing).  Counters are written as
 * their rank among all counters, since they are compared by order only.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "sim/machine/ipi.h"
#include "sim/machine/plan.h"
#include "sim/machine/ranks.h"

#define PREEMPT_BITS	3u
#define STEP_BITS	5u
#define EXIT_BITS	4u
#define ROW_VALUE_BITS	3u

/* What the first index of a row counts. */
static const enum codec_kind kind_of_scope[STATE_SCOPE_NR] = {
	[STATE_GLOBAL] = CODEC_KIND_NR, [STATE_VM] = CODEC_VM,
	[STATE_ROOT] = CODEC_ROOT, [STATE_VCPU] = CODEC_VCPU,
	[STATE_PCPU] = CODEC_PCPU, [STATE_PCPU_ROOT] = CODEC_PCPU,
	[STATE_PCPU_VM] = CODEC_PCPU,
};

/* ... and the second. */
CODEC_INLINE enum codec_kind second_kind(enum state_scope scope)
{
	return scope == STATE_PCPU_ROOT ? CODEC_ROOT :
	       scope == STATE_PCPU_VM ? CODEC_VM : CODEC_KIND_NR;
}

CODEC_INLINE void visit_flag(struct codec *c, bool *flag)
{
	u64 v = *flag;

	codec_bits(c, &v, 1);
	*flag = v;
}

CODEC_INLINE void visit_bit(struct codec *c, u64 *words, u32 bit)
{
	u64 v = words[bit / 64] >> (bit % 64) & 1;

	codec_bits(c, &v, 1);
	if (c->reading)
		words[bit / 64] = (words[bit / 64] & ~BIT64(bit % 64)) |
				  v << (bit % 64);
}

/* --- counters --- */

CODEC_INLINE u64 *row_values(const struct machine *m, u32 row)
{
	return (u64 *)((u8 *)m->block + m->state[row].offset);
}

/* Which counters a value is compared with: all, or those of its root. */
CODEC_INLINE struct ranks *ranks_at(const struct machine *m,
				    enum state_scope scope, u32 i, u32 j)
{
	return &m->ranks[m->nr_ranks == 1 ? 0 : scope == STATE_ROOT ? i : j];
}

/*
 * The step for which the register makes a difference, or NULL.  (The root it
 * was read from is the one it is compared with: plan_check().)
 */
static const struct plan_step *register_reader(const struct plan *p)
{
	for (u32 k = p->next; k < p->nr; k++) {
		if (p->step[k].op == PLAN_STORE ||
		    p->step[k].op == PLAN_SKIP_UNLESS_LESS)
			return &p->step[k];
		if (p->step[k].op == PLAN_LATCH)
			return NULL;
	}
	return NULL;
}

static struct ranks *register_ranks(const struct machine *m, const struct plan *p)
{
	const struct plan_step *s = register_reader(p);

	return s ? ranks_at(m, m->ops->rows[s->arg].scope, s->i, s->j) : NULL;
}

static void rank_row(struct machine *m, u32 row)
{
	const struct state_area *a = &m->state[row];
	const u64 *value = row_values(m, row);
	enum state_scope scope = m->ops->rows[row].scope;

	for (u32 j = 0; j < a->nr_j; j++)
		for (u32 i = 0; i < a->nr_i; i++, value++)
			ranks_add(ranks_at(m, scope, i, j), *value);
}

/* Values of a state that was read are small: they were ranks there. */
static void rank_counters(struct machine *m)
{
	struct ranks *r;

	for (u32 k = 0; k < m->nr_ranks; k++)
		m->ranks[k].low = m->ranks[k].nr_low = m->ranks[k].nr_large = 0;
	for (u32 k = 0; k < POLICY_ROWS_MAX && m->ops->rows[k].name; k++)
		if (m->ops->rows[k].kind == STATE_COUNTER)
			rank_row(m, k);
	for (u32 t = 0; t < m->cfg->nr_vcpus + m->cfg->nr_vms; t++) {
		const struct plan *p[] = { &m->task[t].plan,
					   &m->task[t].load_plan };

		for (u32 k = 0; k < 2; k++)
			if ((r = register_ranks(m, p[k])) != NULL)
				ranks_add(r, p[k]->reg);
	}
	for (u32 k = 0; k < m->nr_ranks; k++)
		ranks_close(&m->ranks[k]);
}

/* As many ranks as there are counters; zero keeps its rank, being the least. */
CODEC_INLINE void visit_counter(const struct machine *m, struct codec *c,
				const struct ranks *r, u64 *value)
{
	u64 rank = c->reading ? 0 : ranks_of(r, *value);

	codec_bits(c, &rank, m->rank_bits);
	if (c->reading)
		*value = rank;
}

CODEC_INLINE void visit_row(struct machine *m, struct codec *c, u32 row)
{
	const struct state_row *r = &m->ops->rows[row];
	const struct state_area *a = &m->state[row];
	u64 *first = row_values(m, row);

	for (u64 n = 0; n < (u64)a->nr_i * a->nr_j; n++) {
		u32 i = (u32)(n % a->nr_i), j = (u32)(n / a->nr_i);
		u64 *v;

		if (r->scope != STATE_GLOBAL)
			i = codec_nth(c, kind_of_scope[r->scope], i);
		if (second_kind(r->scope) != CODEC_KIND_NR)
			j = codec_nth(c, second_kind(r->scope), j);
		v = &first[(u64)j * a->nr_i + i];
		if (r->kind == STATE_COUNTER)
			visit_counter(m, c, ranks_at(m, r->scope, i, j), v);
		else
			codec_bits(c, v, r->kind == STATE_BIT ? 1 :
					 ROW_VALUE_BITS);
	}
}

CODEC_INLINE void visit_rows(struct machine *m, struct codec *c)
{
	for (u32 r = 0; r < POLICY_ROWS_MAX && m->ops->rows[r].name; r++)
		visit_row(m, c, r);
}

/* --- plans --- */

/* What the first operand of a step is an index of. */
CODEC_INLINE enum codec_kind operand_kind(const struct machine *m,
				    const struct plan_step *s)
{
	switch (s->op) {
	case PLAN_FLUSH:
	case PLAN_FLUSH_ALL_PCPUS:
	case PLAN_FLUSH_MASK:
		return s->arg == PLAN_INVEPT_SINGLE ? CODEC_ROOT :
		       s->arg == PLAN_INVVPID_SINGLE ||
		       s->arg == PLAN_INVVPID_VPID02 ? CODEC_VCPU :
						       CODEC_KIND_NR;
	case PLAN_HYPERCALL:
		return CODEC_ROOT;
	case PLAN_REQUEST:
		return CODEC_VCPU;
	case PLAN_PREEMPT_OFF:
	case PLAN_PREEMPT_ON:
		return CODEC_KIND_NR;
	default:
		return kind_of_scope[m->ops->rows[s->arg].scope];
	}
}

/* An index, or one of the operands that are resolved when carried out. */
CODEC_INLINE void visit_operand(struct codec *c, u32 *i, enum codec_kind kind)
{
	u64 special = *i == PLAN_HERE ? 1 : *i == PLAN_ALL ? 2 : 0;

	codec_bits(c, &special, 2);
	if (c->reading && special)
		*i = special == 1 ? PLAN_HERE : PLAN_ALL;
	if (!special)
		codec_index(c, i, kind);
}

CODEC_INLINE void visit_plan_step(const struct machine *m, struct codec *c,
			    struct plan_step *s)
{
	enum codec_kind kind;

	CODEC_BITS(c, s->op, 4);
	CODEC_BITS(c, s->arg, 3);
	CODEC_BITS(c, s->value, ROW_VALUE_BITS);
	CODEC_BITS(c, s->skip, 3);
	if (c->reading)
		s->i = s->j = 0;
	kind = operand_kind(m, s);
	if (kind != CODEC_KIND_NR)
		visit_operand(c, &s->i, kind);
	kind = plan_is_on_state(s) ? second_kind(m->ops->rows[s->arg].scope) :
	       s->op == PLAN_FLUSH_MASK ? second_kind(m->ops->rows[s->value].scope) :
					  CODEC_KIND_NR;
	if (kind != CODEC_KIND_NR)
		visit_operand(c, &s->j, kind);
}

CODEC_INLINE void visit_plan(const struct machine *m, struct codec *c, struct plan *p)
{
	u64 left = p->nr - p->next;
	const struct ranks *r;

	codec_bits(c, &left, codec_bits_for(PLAN_STEPS_MAX));
	if (c->reading) {
		p->next = 0;
		p->nr = (u16)left;
		p->reg = 0;
	}
	if (!left)
		return;
	for (u32 k = p->next; k < p->nr; k++)
		visit_plan_step(m, c, &p->step[k]);
	r = register_ranks(m, p);
	if (r)
		visit_counter(m, c, r, &p->reg);
}

/* --- entities --- */

CODEC_INLINE void visit_pcpu(struct machine *m, struct codec *c, u32 p)
{
	struct pcpu *q = &m->pcpu[p];
	u32 occupant = occupant_is_vcpu(q->occupant) ? q->occupant : IDX_NONE;
	u32 host = q->host_task == IDX_NONE ? IDX_NONE :
		   q->host_task - m->cfg->nr_vcpus;
	bool guest = q->context != IDX_NONE;

	codec_index(c, &occupant, CODEC_VCPU);
	codec_index(c, &host, CODEC_VM);
	visit_flag(c, &guest);
	if (c->reading) {
		q->occupant = occupant == IDX_NONE ? OCCUPANT_IDLE : occupant;
		q->host_task = host == IDX_NONE ? IDX_NONE :
			       host + m->cfg->nr_vcpus;
		q->context = guest ? occupant : IDX_NONE;
		if (occupant != IDX_NONE)
			m->task[occupant].pcpu = p;
		if (host != IDX_NONE)
			m->task[q->host_task].pcpu = p;
	}
	CODEC_BITS(c, q->preempt_off, PREEMPT_BITS);
	visit_flag(c, &q->irq_off);
	visit_flag(c, &q->online);
	for (u32 k = 0; k < m->cfg->nr_pcpus; k++) {
		u32 other = codec_nth(c, CODEC_PCPU, k);

		visit_bit(c, &m->ipi_pending[(u64)p * m->ipi_words], other);
		visit_bit(c, &m->ipi_mask[(u64)p * m->ipi_words], other);
	}
}

/* The call a pCPU waits for; its missing answers are the pending bits. */
CODEC_INLINE void visit_call(struct machine *m, struct codec *c, u32 p)
{
	struct pcpu *q = &m->pcpu[p];
	u32 left = 0, host = q->host_task;

	for (u32 t = 0; t < m->cfg->nr_pcpus; t++)
		left += ipi_is_pending(m, t, p);
	if (c->reading) {
		q->call_left = left;
		q->call_task = host != IDX_NONE && m->task[host].waiting ?
			       host : q->occupant;
	}
	if (!left)
		return;
	CODEC_BITS(c, q->call_flush, codec_bits_for(PLAN_FLUSH_NR));
	if (q->call_flush == PLAN_INVEPT_SINGLE)
		codec_index(c, &q->call_operand, CODEC_ROOT);
	if (q->call_flush == PLAN_INVVPID_SINGLE ||
	    q->call_flush == PLAN_INVVPID_VPID02)
		codec_index(c, &q->call_operand, CODEC_VCPU);
}

/* Without an L2 there is one role, and prev_roots stay empty. */
CODEC_INLINE void visit_nested(const struct machine *m, struct codec *c, struct vcpu *v)
{
	bool under_way = v->role != v->next_role;

	codec_index(c, &v->vmcs_cpu[VMCS02], CODEC_PCPU);
	CODEC_BITS(c, v->loaded, 1);
	CODEC_BITS(c, v->role, codec_bits_for(m->nr_roles - 1));
	visit_flag(c, &under_way);
	if (c->reading)
		v->next_role = v->role;
	if (under_way)
		CODEC_BITS(c, v->next_role, codec_bits_for(m->nr_roles - 1));
	codec_index(c, &v->mmu[1].root, CODEC_ROOT);
	for (u32 k = 0; k < MMUS_NR; k++)
		for (u32 r = 0; r < PREV_ROOTS_NR; r++)
			codec_index(c, &v->mmu[k].prev[r], CODEC_ROOT);
}

CODEC_INLINE void visit_vcpu(struct machine *m, struct codec *c, u32 i)
{
	struct vcpu *v = &m->vcpu[i];

	codec_index(c, &v->vmcs_cpu[VMCS01], CODEC_PCPU);
	codec_index(c, &v->cpu, CODEC_PCPU);
	CODEC_BITS(c, v->requests, REQ_NR);
	CODEC_BITS(c, v->mode, 2);
	CODEC_BITS(c, v->exit_reason, EXIT_BITS);
	visit_flag(c, &v->in_run);
	visit_flag(c, &v->virtual_apic);
	visit_flag(c, &v->asked);
	if (m->cfg->pv_flush)
		visit_flag(c, &v->pv_flush);
	for (u32 k = 0; m->cfg->nr_pcids > 1 && k < m->shape.nr_views; k++)
		CODEC_BITS(c, v->pcid[k], codec_bits_for(PCIDS_MAX - 1));
	codec_index(c, &v->mmu[0].root, CODEC_ROOT);
	if (machine_is_nested(m))
		visit_nested(m, c, v);
	if (v->exit_reason == EXIT_FAULT)
		CODEC_BITS(c, v->fault_page,
			   codec_bits_for(m->vm[v->vm].nr_pages));
}

/* The step that asked for a plan is over; what counts is where it leads. */
CODEC_INLINE void visit_step(struct codec *c, struct task *t)
{
	if (!plan_pending(&t->plan)) {
		CODEC_BITS(c, t->step, STEP_BITS);
		return;
	}
	CODEC_BITS(c, t->after_plan, STEP_BITS);
	if (c->reading)
		t->step = STEP_NONE;
}

CODEC_INLINE void visit_swap(struct codec *c, const struct task *t,
			     struct vcpu *v)
{
	if (t->step == STEP_SWAP || t->step == STEP_SWAPPED)
		CODEC_BITS(c, v->swap_at, codec_bits_for(PREV_ROOTS_NR - 1));
	if (t->step == STEP_SWAPPED)
		codec_index(c, &v->swap_held, CODEC_ROOT);
	else if (c->reading)
		v->swap_held = IDX_NONE;
}

/* Whose turn it is in a remote flush: counted in the VM, while it matters. */
CODEC_INLINE void visit_next_vcpu(struct codec *c, struct task *t, const struct vm *vm)
{
	u64 nth = t->next_vcpu - vm->first_vcpu;

	if (t->step != STEP_FLUSH_REQUEST && t->step != STEP_FLUSH_MODE) {
		if (c->reading)
			t->next_vcpu = vm->first_vcpu;
		return;
	}
	codec_bits(c, &nth, codec_bits_for(vm->nr_vcpus));
	t->next_vcpu = vm->first_vcpu + (u32)nth;
}

CODEC_INLINE void visit_task(struct machine *m, struct codec *c, u32 i)
{
	struct task *t = &m->task[i];
	const struct vm *vm = &m->vm[vm_of_task(m, i)];

	CODEC_BITS(c, t->arriving, 2);
	visit_flag(c, &t->waiting);
	visit_flag(c, &t->loading);
	visit_flag(c, &t->flushing_all);
	visit_plan(m, c, &t->plan);
	visit_plan(m, c, &t->load_plan);
	visit_step(c, t);
	if (task_is_vcpu(m, i) && machine_is_nested(m))
		visit_swap(c, t, &m->vcpu[i]);
	CODEC_BITS(c, t->change, codec_bits_for(CHANGE_NR - 1));
	if (t->change == CHANGE_NONE) {
		/* What a state does not say must not come from the one before. */
		if (c->reading)
			t->next_vcpu = t->page = 0;
		return;
	}
	CODEC_BITS(c, t->after_flush, STEP_BITS);
	CODEC_BITS(c, t->page, codec_bits_for(vm->nr_pages));
	visit_next_vcpu(c, t, vm);
	if (c->reading)
		t->obligation = i * m->shape.nr_pages_max;
}

CODEC_INLINE void visit_vm(struct machine *m, struct codec *c, u32 i)
{
	struct vm *vm = &m->vm[i];

	CODEC_BITS(c, vm->change, codec_bits_for(CHANGE_NR - 1));
	visit_flag(c, &vm->change_taken);
	codec_index(c, &vm->change_owner, CODEC_VCPU);
	CODEC_BITS(c, vm->change_turn, codec_bits_for(vm->nr_vcpus));
	if (vm->change != CHANGE_NONE)
		CODEC_BITS(c, vm->change_page, codec_bits_for(vm->nr_pages));
	for (u32 r = 0; r < m->nr_roles; r++)
		codec_index(c, &vm->root[r], CODEC_ROOT);
	for (u32 p = vm->first_page; p < vm->first_page + vm->nr_pages; p++) {
		CODEC_BITS(c, m->s2_present[p], 1);
		CODEC_BITS(c, m->s2_condemned[p], 1);
	}
}

CODEC_INLINE void visit_root(struct machine *m, struct codec *c, u32 i)
{
	struct root *r = &m->root[i];

	CODEC_BITS(c, r->state, 2);
	if (r->state == ROOT_UNUSED) {
		codec_index(c, &r->next_free, CODEC_ROOT);
		return;
	}
	codec_index(c, &r->vm, CODEC_VM);
	visit_flag(c, &r->owned);
	CODEC_BITS(c, r->role, codec_bits_for(m->nr_roles - 1));
	CODEC_BITS(c, r->refs, codec_bits_for(1 + m->cfg->nr_vcpus *
						  MMUS_NR * (1 + PREV_ROOTS_NR)));
}

CODEC_INLINE void visit(struct machine *m, struct codec *c)
{
	for (u32 k = 0; k < m->cfg->nr_pcpus; k++)
		visit_pcpu(m, c, codec_nth(c, CODEC_PCPU, k));
	for (u32 k = 0; k < m->cfg->nr_vcpus; k++) {
		visit_vcpu(m, c, codec_nth(c, CODEC_VCPU, k));
		visit_task(m, c, codec_nth(c, CODEC_VCPU, k));
	}
	for (u32 k = 0; k < m->cfg->nr_vms; k++) {
		visit_vm(m, c, codec_nth(c, CODEC_VM, k));
		visit_task(m, c, task_of_host(m, codec_nth(c, CODEC_VM, k)));
	}
	for (u32 k = 0; k < m->cfg->nr_pcpus; k++)
		visit_call(m, c, codec_nth(c, CODEC_PCPU, k));
	for (u32 k = 0; k < m->nr_roots; k++)
		visit_root(m, c, codec_nth(c, CODEC_ROOT, k));
	codec_index(c, &m->w->free_frame, CODEC_ROOT);
	visit_rows(m, c);
}

void machine_visit(struct machine *m, struct codec *c)
{
	if (c->reading)
		for (u32 t = 0; t < m->cfg->nr_vcpus + m->cfg->nr_vms; t++)
			m->task[t].pcpu = IDX_NONE;
	else if (!c->again)
		rank_counters(m);
	CODEC_SPLIT(c, w, visit(m, &w));
}

#define HASH_WORDS	64u

static void hash_words(void *xxh, const u64 *words, u32 nr)
{
	XXH3_128bits_update(xxh, words, nr * sizeof(*words));
}

struct machine_hash machine_hash(struct machine *m)
{
	const struct codec_rename names = {
		.nr = { [CODEC_PCPU] = m->cfg->nr_pcpus,
			[CODEC_VCPU] = m->cfg->nr_vcpus,
			[CODEC_VM] = m->cfg->nr_vms,
			[CODEC_ROOT] = m->nr_roots },
	};
	u64 words[HASH_WORDS];
	XXH3_state_t xxh;
	struct codec c = { .words = words, .room = HASH_WORDS,
			   .full = hash_words, .arg = &xxh, .rename = &names };
	XXH128_hash_t h;

	XXH3_128bits_reset(&xxh);
	machine_visit(m, &c);
	codec_end(&c);
	hash_words(&xxh, words, c.pos);
	h = XXH3_128bits_digest(&xxh);
	return (struct machine_hash){ h.low64, h.high64 };
}
