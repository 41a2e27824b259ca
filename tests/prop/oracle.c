/*
 * The adversary against an oracle that keeps no sets of entries: it has the
 * whole history of a run, and works out from it, after each record and anew,
 * whether what is active may use what it must not.  Both look on at random
 * walks through the explorer's machine and have to object at the same action,
 * for the same reason.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/rng.h"
#include "sim/check/adversary.h"
#include "sim/machine/actions.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define PCPUS_MAX	3u
#define VMS_MAX		2u
#define WALK_MAX	600u

#define WANTS	(BIT64(PROBE_CONTEXT) | BIT64(PROBE_CONTEXT_END) |	\
		 BIT64(PROBE_FLUSH) | BIT64(PROBE_WRITE) |		\
		 BIT64(PROBE_ACK) | BIT64(PROBE_ROOT_ALLOC) |		\
		 BIT64(PROBE_GUEST_WRITE) | BIT64(PROBE_GUEST_FLUSH) |	\
		 BIT64(PROBE_GUEST_RELY))

/* How things stood when a record had come. */
struct moment {
	u32 vcpu[PCPUS_MAX];		/* active context, or IDX_NONE */
	u32 frame[PCPUS_MAX];
	u16 vpid[PCPUS_MAX];
	u8 view[PCPUS_MAX];
	u32 pcid[PCPUS_MAX];
	bool apic[PCPUS_MAX];
	bool present[VMS_MAX];
};

struct history {
	struct recording rec;
	struct moment *moment;		/* one per record */
	u64 room;
	u64 nr;				/* records judged so far */
	const char *invariant;		/* first objection */
};

static void follow(struct history *h, u64 i, u32 nr_pcpus)
{
	const struct probe_rec *r = &h->rec.rec[i];
	struct moment *m;

	if (i == h->room) {
		h->room = h->room ? 2 * h->room : 1024;
		h->moment = realloc(h->moment, h->room * sizeof(*m));
		ck_assert_ptr_nonnull(h->moment);
	}
	m = &h->moment[i];
	if (i) {
		*m = m[-1];
	} else {
		for (u32 p = 0; p < nr_pcpus; p++)
			m->vcpu[p] = m->frame[p] = IDX_NONE;
		for (u32 vm = 0; vm < VMS_MAX; vm++)
			m->present[vm] = true;
	}
	if (r->kind == PROBE_CONTEXT) {
		m->vcpu[r->pcpu] = r->vcpu;
		m->frame[r->pcpu] = r->frame;
		m->vpid[r->pcpu] = r->vpid;
		m->view[r->pcpu] = r->view;
		m->pcid[r->pcpu] = r->id;
		m->apic[r->pcpu] = r->apic;
	}
	if (r->kind == PROBE_CONTEXT_END)
		m->vcpu[r->pcpu] = m->frame[r->pcpu] = IDX_NONE;
	if (r->kind == PROBE_WRITE && r->cls == WRITE_STRICT)
		m->present[r->vm] = false;
	if (r->kind == PROBE_WRITE && r->cls == WRITE_UPGRADE)
		m->present[r->vm] = true;
}

/* Did this record remove what @p holds under a frame, of any kind? */
static bool removes_frame(const struct probe_rec *r, u32 p, u32 frame)
{
	if (r->kind != PROBE_FLUSH)
		return false;
	if (r->op == FLUSH_HYPERCALL)
		return r->frame == frame;
	return r->pcpu == p && (r->op == FLUSH_INVEPT_GLOBAL ||
				(r->op == FLUSH_INVEPT_SINGLE &&
				 r->frame == frame));
}

/* Is a mapping among those that a flush of its VPID is about? */
static bool is_about(const struct probe_rec *r, u32 mapping, u32 nr_pcids)
{
	bool global = mapping == MAPPING_GLOBAL;

	if (nr_pcids == 1)
		return true;
	switch (r->op) {
	case FLUSH_INVLPG:
		return r->page == ADDRESS_GLOBAL ? global : mapping == r->id;
	case FLUSH_INVPCID_ADDR:
	case FLUSH_INVPCID_SINGLE:
	case FLUSH_MOV_CR3:
		return mapping == r->id;
	case FLUSH_INVPCID_NONGLOBAL:
		return !global;
	default:
		return true;
	}
}

/* Did it remove a mapping that @p holds of a VPID? */
static bool removes_mapping(const struct probe_rec *r, u32 p, u16 vpid,
			    u32 mapping, u32 nr_pcids)
{
	if (r->kind != PROBE_FLUSH || r->pcpu != p)
		return false;
	switch (r->op) {
	case FLUSH_INVVPID_ALL:
		return true;
	case FLUSH_INVVPID_SINGLE:
	case FLUSH_MOV_CR3:
	case FLUSH_INVLPG:
	case FLUSH_INVPCID_ADDR:
	case FLUSH_INVPCID_SINGLE:
	case FLUSH_INVPCID_ALL:
	case FLUSH_INVPCID_NONGLOBAL:
		return r->vpid == vpid && is_about(r, mapping, nr_pcids);
	default:
		return false;
	}
}

static bool allocates(const struct probe_rec *r, u32 frame)
{
	return r->kind == PROBE_ROOT_ALLOC && r->frame == frame;
}

/*
 * The three questions, each from the present backwards: was there a moment at
 * which @p could fill in what has since been superseded, and nothing since
 * removed it?
 */
static bool breaks_i2(const struct history *h, u64 now, u32 p)
{
	u32 frame = h->moment[now].frame[p];
	bool reused = false;

	for (u64 i = now + 1; i--;) {
		if (reused && h->moment[i].frame[p] == frame)
			return true;
		if (removes_frame(&h->rec.rec[i], p, frame))
			return false;
		reused |= allocates(&h->rec.rec[i], frame);
	}
	return false;
}

/* @cls: what was flushed: a zap (I1) or a dirty bit that was cleared (I6). */
static bool breaks_i1(const struct history *h, u64 now, u32 p, u32 vm, u8 cls)
{
	u32 frame = h->moment[now].frame[p];
	bool acked = false, condemned = false;

	for (u64 i = now + 1; i--;) {
		const struct probe_rec *r = &h->rec.rec[i];

		if (condemned && h->moment[i].frame[p] == frame &&
		    h->moment[i].present[vm])
			return true;
		if (removes_frame(r, p, frame) || allocates(r, frame))
			return false;
		acked |= r->kind == PROBE_ACK && r->vm == vm;
		condemned |= acked && r->kind == PROBE_WRITE && r->vm == vm &&
			     r->cls == cls;
	}
	return false;
}

/* Can a context with this PCID translate by a mapping? */
static bool reaches(u32 pcid, u32 mapping, u32 nr_pcids)
{
	return nr_pcids == 1 || mapping == MAPPING_GLOBAL || mapping == pcid;
}

static bool breaks_i3_of(const struct history *h, u64 now, u32 p, u32 mapping,
			 u32 pcids)
{
	u16 vpid = h->moment[now].vpid[p];
	u8 view = h->moment[now].view[p];
	u32 vcpu = h->moment[now].vcpu[p], frame = h->moment[now].frame[p];
	bool flushed = false, condemned = false;

	for (u64 i = now + 1; i--;) {
		const struct probe_rec *r = &h->rec.rec[i];

		if (condemned && h->moment[i].frame[p] == frame &&
		    h->moment[i].vcpu[p] == vcpu &&
		    reaches(h->moment[i].pcid[p], mapping, pcids))
			return true;
		if (removes_frame(r, p, frame) || allocates(r, frame) ||
		    removes_mapping(r, p, vpid, mapping, pcids))
			return false;
		if (r->vcpu != vcpu || r->view != view)
			continue;
		flushed |= r->kind == PROBE_GUEST_FLUSH &&
			   is_about(r, mapping, pcids);
		flushed |= r->kind == PROBE_GUEST_RELY && r->id == mapping;
		condemned |= flushed && r->kind == PROBE_GUEST_WRITE &&
			     (pcids == 1 || r->id == mapping);
	}
	return false;
}

static bool breaks_i3(const struct history *h, u64 now, u32 p, u32 pcids)
{
	for (u32 k = 0; k < (pcids > 1 ? MAPPING_NR : 1); k++)
		if (reaches(h->moment[now].pcid[p], k, pcids) &&
		    breaks_i3_of(h, now, p, k, pcids))
			return true;
	return false;
}

static bool breaks_i5(const struct history *h, u64 now, u32 p)
{
	u32 frame = h->moment[now].frame[p];

	for (u64 i = now + 1; h->moment[now].apic[p] && i--;) {
		if (h->moment[i].frame[p] == frame && !h->moment[i].apic[p] &&
		    h->moment[i].view[p] == VIEW_L1)
			return true;
		if (removes_frame(&h->rec.rec[i], p, frame) ||
		    allocates(&h->rec.rec[i], frame))
			return false;
	}
	return false;
}

static const char *judge(const struct history *h, u64 now,
			 const struct machine_config *c)
{
	for (u32 p = 0; p < c->nr_pcpus; p++) {
		u32 v = h->moment[now].vcpu[p];

		if (v == IDX_NONE)
			continue;
		if (breaks_i2(h, now, p))
			return "I2";
		if (breaks_i1(h, now, p, c->vm_of_vcpu[v], WRITE_STRICT))
			return "I1";
		if (breaks_i3(h, now, p, c->nr_pcids))
			return "I3";
		if (breaks_i5(h, now, p))
			return "I5";
		if (breaks_i1(h, now, p, c->vm_of_vcpu[v], WRITE_DIRTY))
			return "I6";
	}
	return NULL;
}

static void judge_news(struct history *h, const struct machine_config *c)
{
	for (; h->nr < h->rec.nr; h->nr++) {
		follow(h, h->nr, c->nr_pcpus);
		if (!h->invariant)
			h->invariant = judge(h, h->nr, c);
	}
}

/* --- walks --- */

struct tally {
	u64 walks;
	u64 actions;
	u64 objections[7];	/* I1 to I6 at their numbers */
	u64 with_l2_and_pv;	/* hazard P spares no policy */
};

static void set_up(struct fixture *f, struct rng *rng, const char *policy)
{
	static const struct observer_ops *const observers[] = {
		&checker_adversary,
	};
	u32 nr_vms = 1 + (u32)rng_below(rng, VMS_MAX);

	fixture_init(f, 2 + (u32)rng_below(rng, 2), nr_vms,
		     1 + (u32)rng_below(rng, 2));
	if (rng_below(rng, 2)) {
		fixture_hyperv(f);
		f->l0.flush_hypercall = true;
	}
	f->workload = (struct workload_params){
		.working_set_pages = 1, .shared_pages = 1,
		.accesses_per_us = 1, .prefault = true, .nested_epts = 2,
		.nested_per_s = rng_below(rng, 2) ? 1 : 0,
	};
	f->config.pv_flush = rng_below(rng, 2);
	f->config.nr_pcids = 1 + (u32)rng_below(rng, PCIDS_MAX);
	f->config.explore = true;
	f->config.observers = observers;
	f->config.nr_observers = ARRAY_SIZE(observers);
	f->config.nr_roots = 4 * nr_vms + 4 * f->config.nr_vcpus;
	fixture_policy(f, policy);
}

/* Steps of threads are many and dull; what is rare is drawn more often. */
static const struct action *draw(struct rng *rng, const struct action *list,
				 u32 nr)
{
	const struct action *a = &list[rng_below(rng, nr)];

	if (a->kind == ACTION_RELOAD || a->kind == ACTION_MEMSLOT)
		a = &list[rng_below(rng, nr)];
	return a;
}

static void walk(const char *policy, u64 seed, struct tally *t)
{
	struct history h = { 0 };
	struct action list[ACTIONS_MAX];
	struct finding finding;
	struct machine *m;
	struct fixture f;
	struct rng rng;
	bool found = false;
	u32 allowed, i;

	rng_init(&rng, seed, 1, 0);
	set_up(&f, &rng, policy);
	fixture_record(&f, &h.rec, WANTS);
	/* Some walks without this kind of event, some without that. */
	allowed = (u32)rng_below(&rng, 1u << ACTION_NR) |
		  (u32)rng_below(&rng, 1u << ACTION_NR) |
		  1u << ACTION_SCHED_IN | 1u << ACTION_SCHED_OUT |
		  1u << ACTION_CHANGE;
	/* A guest that forgets to flush is no policy's fault. */
	if (strcmp(policy, "never"))
		allowed &= ~ACTIONS_ASSERT;
	m = fixture_machine(&f);
	for (i = 0; i < WALK_MAX && !found && !h.invariant; i++) {
		u32 nr = machine_actions(m, allowed, list);

		if (!nr)
			break;
		machine_act(m, draw(&rng, list, nr));
		found = machine_take_finding(m, &finding);
		judge_news(&h, &f.config);
	}
	ck_assert_msg(found == !!h.invariant, "%s, seed %lu, action %u: the adversary says %s, the oracle %s",
		      policy, (unsigned long)seed, i,
		      found ? finding.text : "nothing",
		      h.invariant ? h.invariant : "nothing");
	if (found) {
		ck_assert_str_eq(finding.invariant, h.invariant);
		if (f.config.pv_flush && f.workload.nested_per_s > 0)
			t->with_l2_and_pv++;
		else
			t->objections[h.invariant[1] - '0']++;
	}
	t->walks++;
	t->actions += i;
	machine_destroy(m);
	recording_release(&h.rec);
	free(h.moment);
	fixture_release(&f);
}

/*
 * The flush hypercall misses roots that are cached only, so below Hyper-V some
 * that are sound on bare metal are broken, on schedules that few walks take.
 */
static const struct {
	const char *policy;
	enum { NEVER, MAYBE, SURELY } objection;
} policies[] = {
	{ "never", SURELY },		{ "always", NEVER },
	{ "global-flush", MAYBE },	{ "active-roots", MAYBE },
	{ "per-root-mask", SURELY },	{ "per-root-mask-clear", NEVER },
	{ "per-root-gen", NEVER },
};

START_TEST(adversary_and_oracle_agree)
{
	struct tally t = { 0 };
	u64 objections;

	for (u64 seed = 1; seed <= fixture_seeds(500, 150000); seed++)
		walk(policies[_i].policy, seed, &t);
	objections = 0;
	for (u32 i = 1; i < ARRAY_SIZE(t.objections); i++)
		objections += t.objections[i];
	if (policies[_i].objection == SURELY)
		ck_assert_uint_gt(objections, 0);
	if (policies[_i].objection == NEVER)
		ck_assert_uint_eq(objections, 0);
	printf("%-20s %lu walks, %lu actions:", policies[_i].policy,
	       (unsigned long)t.walks, (unsigned long)t.actions);
	for (u32 i = 1; i < ARRAY_SIZE(t.objections); i++)
		printf(" %lu I%u", (unsigned long)t.objections[i], i);
	printf(", %lu with L2 and PV flushes\n",
	       (unsigned long)t.with_l2_and_pv);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("oracle");
	TCase *tc = tcase_create("agreement");

	tcase_set_timeout(tc, 0);
	tcase_add_loop_test(tc, adversary_and_oracle_agree, 0,
			    ARRAY_SIZE(policies));
	suite_add_tcase(s, tc);
	return suite_main(s);
}
