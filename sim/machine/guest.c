/*
 * What happens in guest mode: accesses, and now and then a flush by the guest
 * or an exit of its own making.
 */
#include "sim/machine/guest.h"

#include "models/hw/walker.h"
#include "sim/machine/account.h"
#include "sim/machine/invalidate.h"
#include "sim/machine/lag.h"
#include "sim/machine/observe.h"
#include "sim/machine/roots.h"
#include "sim/machine/vcpu.h"

/* Repeats are accounted in steps of this many accesses, never finer. */
#define REPEAT_CHUNK	1024u

/*
 * Repeats of pages already touched: expected misses by the closed form, in
 * chunks, so that where a segment happens to be cut changes nothing.
 */
void guest_account_repeats(struct machine *m, u32 vcpu)
{
	struct vcpu_time *vt = &m->vcpu_time[vcpu];
	u32 vm = m->vcpu[vcpu].vm;
	struct access_misses misses;

	if (m->cfg->access_model != ACCESS_TOUCH ||
	    vt->accesses == vt->repeats_from)
		return;
	misses = access_repeats(&m->capacity_of_vm[vm], &m->shape_of_vm[vm],
				vt->repeats_from, vt->accesses);
	vt->repeats_from = vt->accesses;
	misses.l1 += vt->repeat_l1;
	misses.l2 += vt->repeat_l2;
	vt->repeat_l1 = misses.l1 & 255;
	vt->repeat_l2 = misses.l2 & 255;
	count_add(m, COUNT_STLB_HITS, CAUSE_NONE, misses.l1 >> 8);
	charge_many(m, vcpu, COST_STLB_HIT, misses.l1 >> 8);
	count_add(m, COUNT_TLB_MISSES, CAUSE_NONE, misses.l2 >> 8);
	charge_many(m, vcpu, COST_WALK_START, misses.l2 >> 8);
	count_add(m, COUNT_WALK_REFS, CAUSE_NONE,
		  (misses.l2 >> 8) * vt->walk_refs);
	charge_many(m, vcpu, COST_WALK_REF, (misses.l2 >> 8) * vt->walk_refs);
}

void guest_forget(struct machine *m, u32 vcpu)
{
	struct vcpu_time *vt = &m->vcpu_time[vcpu];

	guest_account_repeats(m, vcpu);
	access_forget(access_of(m, vcpu));
	vt->accesses = 0;
	vt->repeats_from = 0;
}

static u32 gpa_page(const struct machine *m, u32 vcpu, u32 page)
{
	const struct vcpu_layout *l = &m->vcpu_layout[vcpu];

	return page < l->shared ? page : l->private_page0 + page - l->shared;
}

/* L2's own tables are not L1's. */
static u32 *s1_version_of(const struct machine *m, u32 vcpu, enum view view,
			  u32 page)
{
	u32 pages = m->cfg->workload[m->vcpu[vcpu].vm]->working_set_pages;

	return &m->s1_version[m->vcpu_layout[vcpu].s1_page0 + view * pages +
			      page];
}

static struct tlb_access make_access(const struct machine *m, u32 vcpu, u32 page)
{
	const struct vcpu_layout *l = &m->vcpu_layout[vcpu];
	const struct vcpu *v = &m->vcpu[vcpu];
	u32 gpa = gpa_page(m, vcpu, page);

	return (struct tlb_access){
		.va.n = l->va_base + ((u64)page << l->unit),
		.gpa.n = (u64)gpa << l->unit,
		.s1_shift = l->s1_shift,
		.s2_shift = l->s2_shift,
		.instr = page < l->code,
		.prov = {
			.s1 = *s1_version_of(m, vcpu, vcpu_view(v), page),
			.s2 = m->s2_version[l->s2_page0 + gpa],
			.owner = v->vm,
			.frame = m->root[root_current(v)].incarnation,
		},
	};
}

static bool same_prov(const struct tlb_prov *a, const struct tlb_prov *b)
{
	return a->s1 == b->s1 && a->s2 == b->s2 && a->owner == b->owner &&
	       a->frame == b->frame;
}

/* A translation was used, at @at, that differs from what the tables hold. */
static void emit_use(struct machine *m, u32 vcpu, u32 page, u64 at,
		     const struct tlb_prov *used)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	struct tlb_access a;
	struct probe_rec r;

	if (!probe_on(m, PROBE_USE))
		return;
	/* Siblings that lag may have changed the tables by now. */
	catch_up_vm(m, v->vm, vcpu, at);
	a = make_access(m, vcpu, page);
	r = probe_make(m, PROBE_USE, m->task[vcpu].pcpu, at);
	r.vm = v->vm;
	r.vcpu = vcpu;
	r.view = (u8)vcpu_view(v);
	r.root = r.frame = root_current(v);
	r.vpid = vcpu_vpid(m, vcpu);
	r.apic = v->virtual_apic;
	r.page = gpa_page(m, vcpu, page);
	r.a = page;
	r.used = (struct probe_prov){ used->s1, used->s2, used->owner, used->frame };
	r.now = (struct probe_prov){ a.prov.s1, a.prov.s2, a.prov.owner,
				     a.prov.frame };
	probe_emit(m, &r);
}

/* L0 builds the shadow entry on first use after a teardown. */
static void l0_fill(struct machine *m, u32 vcpu, u32 page)
{
	u32 root = root_current(&m->vcpu[vcpu]);
	u32 set = shadow_set_of(m, m->task[vcpu].pcpu);
	u64 at = set * m->shadow_stride +
		 (u64)m->root[root].role * (m->shadow_stride / m->nr_roles) +
		 m->vm[m->vcpu[vcpu].vm].first_page + page;
	u32 epoch = m->shadow_epoch[set * m->nr_roots + root];

	if (m->root[root].state == ROOT_OBSOLETE) {
		/* Its successor has taken the place; nothing is kept for it. */
		count_add(m, COUNT_L0_FAULTS, CAUSE_NONE, 1);
		charge(m, vcpu, COST_L0_FAULT);
		return;
	}
	if (m->shadow[at] == epoch)
		return;
	if (m->cfg->l0->shared_fill)
		catch_up_all(m, vcpu, m->task_time[vcpu].clock);
	else
		catch_up_vm(m, m->vcpu[vcpu].vm, vcpu, m->task_time[vcpu].clock);
	if (m->shadow[at] == epoch)
		return;			/* another vCPU was faster */
	if (m->cfg->l0->shared_fill) {
		account_wait(m, vcpu, CYC_LOCK_WAIT, m->w->fill_busy_until);
		charge(m, vcpu, COST_L0_FILL_SECTION);
		m->w->fill_busy_until = m->task_time[vcpu].clock;
	}
	m->shadow[at] = epoch;
	m->shadow_live[set * m->nr_roots + root]++;
	count_add(m, COUNT_L0_FAULTS, CAUSE_NONE, 1);
	charge(m, vcpu, COST_L0_FAULT);
}

/* The violation itself drops what was cached for the access. */
static void ept_violation(struct machine *m, u32 vcpu,
			  const struct tlb_access *a)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	const struct vtx_operand o = {
		.vpid = vcpu_vpid(m, vcpu), .ep4ta = root_current(v),
		.va = a->va, .gpa = a->gpa,
	};

	hw_invalidate(m, m->task[vcpu].pcpu, VTX_EPT_VIOLATION, &o);
}

void guest_fault(struct machine *m, u32 vcpu, u32 page)
{
	struct vcpu *v = &m->vcpu[vcpu];
	struct probe_rec r;

	r = probe_make(m, PROBE_FLUSH, m->task[vcpu].pcpu,
		       m->task_time[vcpu].clock);
	r.op = FLUSH_EPT_VIOLATION;
	r.vm = v->vm;
	r.vcpu = vcpu;
	r.root = r.frame = root_current(v);
	r.vpid = vcpu_vpid(m, vcpu);
	r.page = page;
	probe_emit(m, &r);
	v->fault_page = page;
	vcpu_exit(m, vcpu, EXIT_FAULT);
}

/*
 * One access that must be played.  If it leaves the guest by an EPT violation,
 * the page is touched again after the next entry.
 */
static void access_page(struct machine *m, u32 vcpu, u32 page)
{
	struct tlb *t = tlb_of(m, m->task[vcpu].pcpu);
	struct tlb_access a = make_access(m, vcpu, page);
	u32 gpa = gpa_page(m, vcpu, page), at;
	u64 now = m->task_time[vcpu].clock;
	struct walk_result walk;
	struct tlb_prov used;
	enum tlb_hit hit;

	count_add(m, COUNT_TLB_LOOKUPS, CAUSE_NONE, 1);
	hit = tlb_lookup(t, &a, &used);
	if (hit != TLB_MISS) {
		if (hit == TLB_HIT_L2) {
			count_add(m, COUNT_STLB_HITS, CAUSE_NONE, 1);
			charge(m, vcpu, COST_STLB_HIT);
		}
		if (unlikely(!same_prov(&used, &a.prov)))
			emit_use(m, vcpu, page, now, &used);
		return;
	}
	count_add(m, COUNT_TLB_MISSES, CAUSE_NONE, 1);
	at = m->vm[m->vcpu[vcpu].vm].first_page + gpa;
	if (!m->s2_present[at]) {
		catch_up_vm(m, m->vcpu[vcpu].vm, vcpu,
			    m->task_time[vcpu].clock);
		a = make_access(m, vcpu, page);
	}
	if (!m->s2_present[at]) {
		m->vcpu[vcpu].touch_next = page;
		ept_violation(m, vcpu, &a);
		guest_fault(m, vcpu, gpa);
		return;
	}
	if (m->cfg->l0->kind == L0_HYPERV)
		l0_fill(m, vcpu, gpa);
	walker_walk(t, &a, &walk);
	m->vcpu_time[vcpu].walk_refs = walk.refs;
	count_add(m, COUNT_WALK_REFS, CAUSE_NONE, walk.refs);
	charge(m, vcpu, COST_WALK_START);
	charge_many(m, vcpu, COST_WALK_REF, walk.refs);
	if (unlikely(!same_prov(&walk.prov, &a.prov)))
		emit_use(m, vcpu, page, now, &walk.prov);
}

static bool repeats_due(const struct machine *m, u32 vcpu)
{
	const struct vcpu_time *vt = &m->vcpu_time[vcpu];

	return m->cfg->access_model == ACCESS_TOUCH &&
	       vt->accesses / REPEAT_CHUNK > vt->repeats_from / REPEAT_CHUNK;
}

/* Accesses that may pass before repeats must be accounted. */
static u64 to_chunk_end(const struct machine *m, u32 vcpu, u64 n)
{
	if (m->cfg->access_model != ACCESS_TOUCH)
		return n;
	return min_u64(n, REPEAT_CHUNK - m->vcpu_time[vcpu].accesses % REPEAT_CHUNK);
}

/* Division by the length of a page run, without dividing. */
static u64 whole_accesses(const struct machine *m, u32 vm, u64 cycles)
{
	u64 each = m->cycles_per_access[vm];
	u64 n = (u64)(((unsigned __int128)cycles * m->per_cycle[vm]) >> 64);

	return (n + 1) * each <= cycles ? n + 1 : n;
}

/*
 * Let whole page runs pass until the next one that must be played, which is
 * then due at the clock, or until the time is up.
 */
static void advance(struct machine *m, u32 vcpu, u64 until)
{
	struct vcpu_time *vt = &m->vcpu_time[vcpu];
	struct task_time *tt = &m->task_time[vcpu];
	u32 vm = m->vcpu[vcpu].vm, page;
	u64 each = m->cycles_per_access[vm], n, used;

	if (repeats_due(m, vcpu)) {
		guest_account_repeats(m, vcpu);
		if (access_renew(access_of(m, vcpu), &m->capacity_of_vm[vm],
				 vt->accesses))
			vt->accesses = vt->repeats_from = 0;
		return;
	}
	n = whole_accesses(m, vm, until - tt->clock + vt->into_access);
	if (!n) {
		vt->into_access += until - tt->clock;
		tt->clock = until;
		return;
	}
	n = to_chunk_end(m, vcpu, n);
	used = access_next(access_of(m, vcpu), &m->shape_of_vm[vm],
			   m->cfg->access_model, n, &page);
	if (used <= n)
		m->vcpu[vcpu].touch_next = page;
	else
		used = n;
	tt->clock += used * each - vt->into_access;
	vt->into_access = 0;
	vt->accesses += used;
	count_add(m, COUNT_TLB_LOOKUPS, CAUSE_NONE,
		  used - (m->vcpu[vcpu].touch_next != IDX_NONE));
}

/* --- events of the guest's own making --- */

/* A mapping of a vCPU: of a page, as it is under some PCID, or global. */
struct mapping_at {
	u32 whose;
	u32 page;
	u32 mapping;
};

static struct mapping_at current_mapping(const struct machine *m, u32 whose,
					 enum view view, u32 page)
{
	return (struct mapping_at){ whose, page,
				    MAPPING_PCID0 + m->vcpu[whose].pcid[view] };
}

/* @vcpu changes a mapping, its own or another vCPU's in the same view. */
static struct probe_rec write_mapping(struct machine *m, u32 vcpu,
				      const struct mapping_at *at)
{
	enum view view = vcpu_view(&m->vcpu[vcpu]);
	u32 *version = s1_version_of(m, at->whose, view, at->page);
	struct probe_rec r = probe_make(m, PROBE_GUEST_WRITE,
					m->task[vcpu].pcpu,
					m->task_time[vcpu].clock);

	++*version;
	r.vm = m->vcpu[vcpu].vm;
	r.vcpu = at->whose;
	r.view = (u8)view;
	r.page = at->page;
	r.id = at->mapping;
	r.a = *version;
	r.b = r.a - 1;
	probe_emit(m, &r);
	return r;
}

void guest_flush(struct machine *m, u32 vcpu, u32 page, bool full)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	const struct mapping_at at = current_mapping(m, vcpu, vcpu_view(v), page);
	struct tlb_access a = make_access(m, vcpu, page);
	const struct vtx_operand o = {
		.vpid = vcpu_vpid(m, vcpu), .ep4ta = root_current(v),
		.va = a.va,
	};
	struct probe_rec r;
	bool removed;

	r = write_mapping(m, vcpu, &at);
	removed = hw_invalidate(m, m->task[vcpu].pcpu,
				full ? VTX_MOV_CR3 : VTX_INVLPG, &o);
	if (!full)
		access_forget_page(access_of(m, vcpu), page);
	r.kind = PROBE_FLUSH;
	r.op = full ? FLUSH_MOV_CR3 : FLUSH_INVLPG;
	r.cause = CAUSE_GUEST;
	r.vpid = vcpu_vpid(m, vcpu);
	r.page = full ? IDX_NONE : page;
	r.a = removed;
	r.b = 0;
	probe_emit(m, &r);
	r.kind = PROBE_GUEST_FLUSH;
	probe_emit(m, &r);
	count_add(m, COUNT_GUEST_FLUSHES, CAUSE_GUEST, 1);
	charge(m, vcpu, full ? COST_MOV_CR3 : COST_INVLPG);
}

static void draw_guest_flush(struct machine *m, u32 vcpu)
{
	const struct workload_params *w = m->cfg->workload[m->vcpu[vcpu].vm];
	struct rng *r = &m->vcpu_time[vcpu].env;
	u32 page = (u32)rng_below(r, w->working_set_pages);

	guest_flush(m, vcpu, page,
		    rng_below(r, 1000) < w->guest_flush_full_permille);
}

void guest_apic_mode(struct machine *m, u32 vcpu)
{
	vcpu_exit(m, vcpu, EXIT_APIC_MODE);
}

void guest_asks(struct machine *m, u32 vcpu)
{
	guest_write(m, vcpu);
	m->vcpu[vcpu].asked = true;
	vcpu_exit(m, vcpu, EXIT_ASKS);
}

bool guest_is_preempted(const struct machine *m, u32 vcpu)
{
	return m->task[vcpu].pcpu == IDX_NONE || m->task[vcpu].arriving ||
	       m->vcpu[vcpu].requests & 1u << REQ_STEAL_UPDATE;
}

void guest_pv_flush(struct machine *m, u32 vcpu, u32 target)
{
	const struct mapping_at at = current_mapping(m, target,
						     vcpu_view(&m->vcpu[vcpu]),
						     0);

	BUG_ON(!guest_is_preempted(m, target));
	write_mapping(m, vcpu, &at);
	m->vcpu[target].pv_flush = true;
}

void guest_change(struct machine *m, u32 vcpu, u32 mapping)
{
	const struct mapping_at at = { .whose = vcpu, .mapping = mapping };

	write_mapping(m, vcpu, &at);
}

void guest_write(struct machine *m, u32 vcpu)
{
	guest_change(m, vcpu, MAPPING_PCID0 +
		     m->vcpu[vcpu].pcid[vcpu_view(&m->vcpu[vcpu])]);
}

void guest_nested(struct machine *m, u32 vcpu, u8 role)
{
	m->vcpu[vcpu].next_role = role;
	vcpu_exit(m, vcpu, EXIT_NESTED);
}

void guest_eptp_switch(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];

	v->next_role = v->role == ROLE_EPT12 ? ROLE_EPT12_OTHER : ROLE_EPT12;
	vcpu_exit(m, vcpu, EXIT_VMFUNC);
}

/* L2 leaves to L1; L1 enters L2, under one of the EPTs it has for it, if any. */
static u8 draw_role(struct machine *m, u32 vcpu)
{
	const struct workload_params *w = m->cfg->workload[m->vcpu[vcpu].vm];

	if (m->vcpu[vcpu].role != ROLE_NORMAL)
		return ROLE_NORMAL;
	if (!w->nested_epts)
		return ROLE_GUEST_MODE;
	return (u8)(ROLE_EPT12 +
		    rng_below(&m->vcpu_time[vcpu].env, w->nested_epts));
}

static void guest_event(struct machine *m, u32 vcpu)
{
	struct vcpu_time *vt = &m->vcpu_time[vcpu];
	u32 vm = m->vcpu[vcpu].vm;
	const struct workload_params *w = m->cfg->workload[vm];
	const double rate[] = { w->guest_flush_per_s, w->root_reload_per_s,
				w->nested_per_s, w->exit_per_s };
	double total = rate[0] + rate[1] + rate[2] + rate[3];
	u64 draw = rng_below(&vt->env, 1u << 30), sum = 0;
	u32 k = 0;

	for (; k < 3; k++) {
		sum += (u64)(rate[k] / total * (1u << 30));
		if (draw < sum)
			break;
	}
	vt->env_at += rng_exp(&vt->env, m->env_mean[vm]);
	if (k == 0)
		draw_guest_flush(m, vcpu);
	else if (k == 2)
		guest_nested(m, vcpu, draw_role(m, vcpu));
	else
		vcpu_exit(m, vcpu, k == 1 ? EXIT_RELOAD : EXIT_OTHER);
}

bool guest_step(struct machine *m, u32 vcpu, u64 last)
{
	struct vcpu *v = &m->vcpu[vcpu];
	struct vcpu_time *vt = &m->vcpu_time[vcpu];
	u64 now = m->task_time[vcpu].clock;
	u64 event = min_u64(vt->env_at, vt->wanted_at);
	u32 page = v->touch_next;

	if (page != IDX_NONE) {
		if (now > last)
			return false;
		v->touch_next = IDX_NONE;
		access_page(m, vcpu, page);
	} else if (now < min_u64(last, event)) {
		advance(m, vcpu, min_u64(last, event));
	} else if (now > last || event > last) {
		return false;		/* what comes next comes later */
	} else if (vt->wanted_at <= now) {
		vt->wanted_at = TIME_NEVER;
		vcpu_exit(m, vcpu, EXIT_CHANGE);
	} else {
		guest_event(m, vcpu);
	}
	return true;
}
