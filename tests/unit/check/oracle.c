/*
 * The checkers against their definitions, on random streams.
 *
 * The reference knows nothing of "first activity since": it is an unbounded
 * TLB that speculates.  Per pCPU it holds every translation one by one, fills
 * all that are current whenever a context is active, removes one by one what a
 * flush covers, and keeps for each single version whether a finished flush
 * condemned it.  Verdicts are compared record by record.
 */
#include <stdio.h>

#include "sim/base/rng.h"
#include "tests/unit/check/stream.h"

enum { PCPUS = 3, VMS = 2, VCPUS = 4, FRAMES = 3, PAGES = 3, VERSIONS = 48,
       INCS = 10, OPEN = 12, STEPS = 160 };

/* Guest-physical and combined translations of one pCPU. */
struct ref_tlb {
	bool active;
	u32 vcpu;
	u32 frame;
	bool phys[FRAMES][INCS][PAGES][VERSIONS];
	bool comb[FRAMES][INCS][VCPUS][PAGES][VERSIONS];
};

struct ref_open {
	bool used;
	u32 vm;
	u32 page;
	u32 id;
	bool covers[VERSIONS];
};

struct ref {
	struct watch *w;
	bool plain;		/* I3 is exact: one root per VM and VPIDs of one's own */
	struct ref_tlb tlb[PCPUS];
	u32 s2[VMS][PAGES];
	u32 s1[VCPUS][PAGES];
	bool strictly[VMS][PAGES][VERSIONS];	/* superseded by a strict change */
	bool gone2[VMS][PAGES][VERSIONS];	/* ... and the flush returned */
	bool gone1[VCPUS][PAGES][VERSIONS];
	u32 inc[FRAMES];
	u32 owner[FRAMES][INCS];
	bool live[FRAMES];
	struct ref_open open[OPEN];
	u32 next_id;
};

/* Which invariants a record breaks; bit n is In. */
static u32 ref_seen(const struct ref *r, u32 pcpu)
{
	const struct ref_tlb *t = &r->tlb[pcpu];
	u32 vm = r->w->vm_of_vcpu[t->vcpu], f = t->frame, seen = 0;
	u16 vpid = r->w->vpids[t->vcpu];

	for (u32 i = 0; i < INCS * PAGES * VERSIONS; i++) {
		u32 inc = i / (PAGES * VERSIONS), pg = i / VERSIONS % PAGES;
		u32 ver = i % VERSIONS;

		if (t->phys[f][inc][pg][ver]) {
			if (inc == r->inc[f] && r->gone2[vm][pg][ver])
				seen |= BIT64(1);
			if (inc != r->inc[f])
				seen |= BIT64(2);
			if (r->owner[f][inc] != vm)
				seen |= BIT64(4);
		}
		if (t->comb[f][inc][t->vcpu][pg][ver] && inc == r->inc[f] &&
		    r->gone1[t->vcpu][pg][ver])
			seen |= BIT64(3);
		for (u32 u = 0; u < VCPUS; u++)
			if (u != t->vcpu && t->comb[f][inc][u][pg][ver] &&
			    r->w->vpids[u] == vpid && vpid)
				seen |= BIT64(4);
	}
	return seen;
}

static void ref_speculate(struct ref *r)
{
	for (u32 p = 0; p < PCPUS; p++) {
		struct ref_tlb *t = &r->tlb[p];
		u32 vm, inc;

		if (!t->active)
			continue;
		vm = r->w->vm_of_vcpu[t->vcpu];
		inc = r->inc[t->frame];
		for (u32 pg = 0; pg < PAGES; pg++) {
			t->phys[t->frame][inc][pg][r->s2[vm][pg]] = true;
			t->comb[t->frame][inc][t->vcpu][pg][r->s1[t->vcpu][pg]] = true;
		}
	}
}

static void ref_drop_frame(struct ref_tlb *t, u32 frame)
{
	memset(t->phys[frame], 0, sizeof(t->phys[frame]));
	memset(t->comb[frame], 0, sizeof(t->comb[frame]));
}

/* Combined translations of a VPID; of one page unless @page is IDX_NONE. */
static void ref_drop_vpid(struct ref *r, u32 pcpu, u32 vpid, u32 page)
{
	for (u32 i = 0; i < FRAMES * INCS * VCPUS; i++) {
		u32 f = i / (INCS * VCPUS), inc = i / VCPUS % INCS, v = i % VCPUS;
		bool (*c)[VERSIONS] = r->tlb[pcpu].comb[f][inc][v];

		if (r->w->vpids[v] != vpid)
			continue;
		for (u32 pg = 0; pg < PAGES; pg++)
			if (page == IDX_NONE || pg == page)
				memset(c[pg], 0, sizeof(c[pg]));
	}
}

static void ref_flush(struct ref *r, const struct probe_rec *rec)
{
	switch (rec->op) {
	case FLUSH_INVEPT_SINGLE:
		ref_drop_frame(&r->tlb[rec->pcpu], rec->frame);
		break;
	case FLUSH_INVEPT_GLOBAL:
		for (u32 f = 0; f < FRAMES; f++)
			ref_drop_frame(&r->tlb[rec->pcpu], f);
		break;
	case FLUSH_HYPERCALL:
		for (u32 p = 0; p < PCPUS; p++)
			ref_drop_frame(&r->tlb[p], rec->frame);
		break;
	case FLUSH_INVVPID_ALL:
		for (u32 vpid = 1; vpid <= VCPUS; vpid++)
			ref_drop_vpid(r, rec->pcpu, vpid, IDX_NONE);
		break;
	case FLUSH_INVVPID_ADDR:
	case FLUSH_INVLPG:
		ref_drop_vpid(r, rec->pcpu, rec->vpid, rec->page);
		break;
	default:
		ref_drop_vpid(r, rec->pcpu, rec->vpid, IDX_NONE);
		break;
	}
}

static u32 ref_context(struct ref *r, const struct probe_rec *rec)
{
	struct ref_tlb *t = &r->tlb[rec->pcpu];

	t->active = true;
	t->vcpu = rec->vcpu;
	t->frame = rec->frame;
	if (!rec->vpid)
		ref_drop_vpid(r, rec->pcpu, 0, IDX_NONE);
	return ref_seen(r, rec->pcpu);
}

static u32 ref_ack(struct ref *r, const struct probe_rec *rec)
{
	u32 seen = 0;

	for (u32 i = 0; i < OPEN; i++) {
		struct ref_open *o = &r->open[i];

		if (!o->used || o->id != rec->id)
			continue;
		o->used = false;
		for (u32 ver = 0; ver < VERSIONS; ver++)
			r->gone2[o->vm][o->page][ver] |= o->covers[ver];
	}
	for (u32 p = 0; p < PCPUS; p++)
		if (r->tlb[p].active &&
		    r->w->vm_of_vcpu[r->tlb[p].vcpu] == rec->vm)
			seen |= ref_seen(r, p) & BIT64(1);
	return seen;
}

static u32 ref_guest_flush(struct ref *r, const struct probe_rec *rec)
{
	bool one = rec->op == FLUSH_INVLPG || rec->op == FLUSH_INVVPID_ADDR;
	u32 v = rec->vcpu, seen = 0;

	for (u32 pg = 0; pg < PAGES; pg++)
		for (u32 ver = 0; ver < r->s1[v][pg]; ver++)
			if (!one || pg == rec->page)
				r->gone1[v][pg][ver] = true;
	ref_drop_vpid(r, rec->pcpu, r->w->vpids[v],
		      one ? rec->page : IDX_NONE);
	ref_speculate(r);
	for (u32 p = 0; p < PCPUS; p++)
		if (r->tlb[p].active && r->tlb[p].vcpu == v)
			seen |= ref_seen(r, p) & BIT64(3);
	return seen;
}

static u32 ref_use(const struct ref *r, const struct probe_rec *rec)
{
	bool same = rec->used.owner == rec->now.owner &&
		    rec->used.frame == rec->now.frame;
	u32 seen = 0;

	if (same && r->gone2[rec->vm][rec->page][rec->used.s2])
		seen |= BIT64(1);
	if (rec->used.frame != rec->now.frame)
		seen |= BIT64(2);
	if (same && r->gone1[rec->vcpu][rec->a][rec->used.s1])
		seen |= BIT64(3);
	if (rec->used.owner != rec->now.owner)
		seen |= BIT64(4);
	return seen;
}

static void ref_write(struct ref *r, const struct probe_rec *rec)
{
	for (u32 ver = 0; ver < rec->a && rec->cls == WRITE_STRICT; ver++)
		r->strictly[rec->vm][rec->page][ver] = true;
	r->s2[rec->vm][rec->page] = (u32)rec->a;
}

static void ref_oblige(struct ref *r, const struct probe_rec *rec)
{
	struct ref_open *o = r->open;

	while (o->used)
		o++;
	o->used = true;
	o->vm = rec->vm;
	o->page = rec->page;
	o->id = rec->id;
	memcpy(o->covers, r->strictly[o->vm][o->page], sizeof(o->covers));
}

static u32 ref_note(struct ref *r, const struct probe_rec *rec)
{
	u32 seen = 0;

	switch (rec->kind) {
	case PROBE_CONTEXT:
		seen = ref_context(r, rec);
		break;
	case PROBE_CONTEXT_END:
		r->tlb[rec->pcpu].active = false;
		break;
	case PROBE_FLUSH:
		ref_flush(r, rec);
		break;
	case PROBE_WRITE:
		ref_write(r, rec);
		break;
	case PROBE_OBLIGE:
		ref_oblige(r, rec);
		break;
	case PROBE_ACK:
		seen = ref_ack(r, rec);
		break;
	case PROBE_GUEST_WRITE:
		r->s1[rec->vcpu][rec->page] = (u32)rec->a;
		break;
	case PROBE_GUEST_FLUSH:
		seen = ref_guest_flush(r, rec);
		break;
	case PROBE_USE:
		seen = ref_use(r, rec);
		break;
	case PROBE_ROOT_ALLOC:
		r->inc[rec->frame] = (u32)rec->a;
		r->owner[rec->frame][rec->a] = rec->vm;
		break;
	default:
		break;
	}
	ref_speculate(r);
	return seen;
}

/* --- streams --- */

struct stream {
	struct ref ref;
	struct watch w[4];
	struct rng rng;
	u64 seed;
	u32 flagged[8];
	u32 more[8];		/* suspected where the reference is clean */
};

static u32 draw(struct stream *s, u32 bound)
{
	return (u32)rng_below(&s->rng, bound);
}

/*
 * Where checkers may err on the side of suspicion: I3 as its file says, and I4
 * where VPIDs are shared and every single page was flushed by address.
 */
static bool may_suspect(const struct stream *s, u32 n)
{
	if (s->ref.plain)
		return false;
	return n == 3 || (n == 4 && s->seed % 3 == 2);
}

/* Hand one record to the reference and to all checkers. */
static void play(struct stream *s, const struct probe_rec *rec)
{
	static const u32 invariant[4] = { 1, 2, 3, 4 };
	u32 want = ref_note(&s->ref, rec);

	for (u32 i = 0; i < 4; i++) {
		u32 n = invariant[i];
		bool expected = want & BIT64(n);
		bool got = tell(&s->w[i], *rec);

		s->flagged[n] += got;
		if (may_suspect(s, n) && got && !expected) {
			s->more[n]++;
			continue;
		}
		ck_assert_msg(got == expected,
			      "seed %llu record %llu %s: I%u is %d, should be %d: %s",
			      (unsigned long long)s->seed,
			      (unsigned long long)s->w[i].seq - 1,
			      probe_kind_name(rec->kind), n, got, expected,
			      got ? s->w[i].f.text : "");
		ck_assert(!got || s->w[i].f.real == (rec->kind == PROBE_USE));
	}
}

static u32 where(const struct stream *s, u32 vcpu)
{
	for (u32 p = 0; p < PCPUS; p++)
		if (s->ref.tlb[p].active && s->ref.tlb[p].vcpu == vcpu)
			return p;
	return IDX_NONE;
}

static void play_enter(struct stream *s)
{
	struct probe_rec r = rec_of(PROBE_CONTEXT);
	u32 f = draw(s, FRAMES), at;

	r.vcpu = draw(s, VCPUS);
	r.vm = s->w[0].vm_of_vcpu[r.vcpu];
	r.vpid = s->w[0].vpids[r.vcpu];
	at = where(s, r.vcpu);
	r.pcpu = at == IDX_NONE ? draw(s, PCPUS) : at;
	r.root = r.frame = f;
	if (s->ref.live[f] && s->ref.owner[f][s->ref.inc[f]] == r.vm)
		play(s, &r);
}

static void play_leave(struct stream *s)
{
	struct probe_rec r = rec_of(PROBE_CONTEXT_END);

	r.pcpu = draw(s, PCPUS);
	if (s->ref.tlb[r.pcpu].active)
		play(s, &r);
}

static void play_flush(struct stream *s)
{
	static const u8 ops[] = { FLUSH_INVEPT_SINGLE, FLUSH_INVEPT_SINGLE,
				  FLUSH_INVEPT_GLOBAL, FLUSH_INVVPID_SINGLE,
				  FLUSH_INVVPID_SINGLE, FLUSH_INVVPID_ALL,
				  FLUSH_HYPERCALL, FLUSH_INVVPID_ADDR };
	struct probe_rec r = rec_of(PROBE_FLUSH);

	r.op = ops[draw(s, s->ref.plain ? 7 : 8)];
	r.pcpu = draw(s, PCPUS);
	r.root = r.frame = draw(s, FRAMES);
	r.vpid = s->w[0].vpids[draw(s, VCPUS)];
	r.page = draw(s, PAGES);
	play(s, &r);
}

static void play_write(struct stream *s)
{
	struct probe_rec r = rec_of(PROBE_WRITE);

	r.vm = draw(s, VMS);
	r.page = draw(s, PAGES);
	r.cls = (u8)draw(s, 3);
	r.b = s->ref.s2[r.vm][r.page];
	r.a = r.b + 1;
	if (r.a < VERSIONS)
		play(s, &r);
}

static void play_oblige(struct stream *s)
{
	struct probe_rec r = rec_of(PROBE_OBLIGE);
	u32 nr = 0;

	for (u32 i = 0; i < OPEN; i++)
		nr += s->ref.open[i].used;
	r.vm = draw(s, VMS);
	r.page = draw(s, PAGES);
	r.id = s->ref.next_id++;
	if (nr < OPEN - 1)
		play(s, &r);
}

static void play_ack(struct stream *s)
{
	const struct ref_open *o = &s->ref.open[draw(s, OPEN)];
	struct probe_rec r = rec_of(PROBE_ACK);

	r.vm = o->vm;
	r.page = o->page;
	r.id = o->id;
	if (o->used)
		play(s, &r);
}

static void play_guest_write(struct stream *s)
{
	struct probe_rec r = rec_of(PROBE_GUEST_WRITE);

	r.vcpu = draw(s, VCPUS);
	r.vm = s->w[0].vm_of_vcpu[r.vcpu];
	r.page = draw(s, PAGES);
	r.b = s->ref.s1[r.vcpu][r.page];
	r.a = r.b + 1;
	if (r.a < VERSIONS)
		play(s, &r);
}

/*
 * A guest flushes one address only where it runs; and, on plain streams, only
 * after it has changed the page.
 */
static void play_guest_flush(struct stream *s)
{
	static const u8 ops[] = { FLUSH_INVLPG, FLUSH_MOV_CR3, FLUSH_INVPCID_ALL,
				  FLUSH_INVVPID_SINGLE };
	struct probe_rec r = rec_of(PROBE_GUEST_FLUSH), here;
	u32 version;

	r.op = ops[draw(s, 4)];
	r.vcpu = draw(s, VCPUS);
	r.vm = s->w[0].vm_of_vcpu[r.vcpu];
	r.page = draw(s, PAGES);
	r.pcpu = where(s, r.vcpu);
	if (r.op == FLUSH_INVVPID_SINGLE)
		r.pcpu = draw(s, PCPUS);
	if (r.pcpu == IDX_NONE)
		return;
	version = s->ref.s1[r.vcpu][r.page];
	if (s->ref.plain && r.op == FLUSH_INVLPG &&
	    (!version || s->ref.gone1[r.vcpu][r.page][version - 1]))
		return;
	here = r;
	here.kind = PROBE_FLUSH;
	here.vpid = s->w[0].vpids[r.vcpu];
	if (draw(s, 2)) {
		play(s, &here);
		play(s, &r);
	} else {
		play(s, &r);
		play(s, &here);
	}
}

static void play_use(struct stream *s)
{
	struct probe_rec r = rec_of(PROBE_USE);
	const struct ref_tlb *t;

	r.pcpu = draw(s, PCPUS);
	t = &s->ref.tlb[r.pcpu];
	if (!t->active)
		return;
	r.vcpu = t->vcpu;
	r.vm = s->w[0].vm_of_vcpu[r.vcpu];
	r.root = r.frame = t->frame;
	r.page = draw(s, PAGES);
	r.a = draw(s, PAGES);
	r.now = (struct probe_prov){ s->ref.s1[r.vcpu][r.a],
				     s->ref.s2[r.vm][r.page], r.vm,
				     s->ref.inc[t->frame] };
	r.used = r.now;
	r.used.s1 = draw(s, r.now.s1 + 1);
	r.used.s2 = draw(s, r.now.s2 + 1);
	if (!draw(s, 5))
		r.used.owner ^= 1;
	if (!draw(s, 5))
		r.used.frame--;
	play(s, &r);
}

/*
 * A frame becomes a root, or another root.  Where a VM has one root at a time,
 * frame 0 and 1 belong to VM 0 and 1; frame 2 is nobody's.
 */
static void play_alloc(struct stream *s, u32 frame)
{
	struct probe_rec r = rec_of(PROBE_ROOT_ALLOC);

	r.root = r.frame = frame;
	r.a = s->ref.inc[frame] + 1;
	r.vm = s->ref.plain ? frame : draw(s, VMS);
	for (u32 p = 0; p < PCPUS; p++)
		if (s->ref.tlb[p].active && s->ref.tlb[p].frame == frame)
			return;
	if (r.a >= INCS || r.vm >= VMS)
		return;
	s->ref.live[frame] = true;
	play(s, &r);
}

static void stream_step(struct stream *s)
{
	u32 k = draw(s, 100);

	if (k < 28)
		play_enter(s);
	else if (k < 42)
		play_leave(s);
	else if (k < 50)
		play_flush(s);
	else if (k < 60)
		play_write(s);
	else if (k < 67)
		play_oblige(s);
	else if (k < 77)
		play_ack(s);
	else if (k < 84)
		play_guest_write(s);
	else if (k < 92)
		play_guest_flush(s);
	else if (k < 98)
		play_use(s);
	else
		play_alloc(s, draw(s, FRAMES));
}

/* VPIDs are one per vCPU, or one vCPU has none, or two vCPUs share one. */
static void stream_shape(struct stream *s, struct watch *w)
{
	static const u32 vms[VCPUS] = { 0, 1, 0, 1 };
	static const u16 vpids[3][VCPUS] = {
		{ 1, 2, 3, 4 }, { 0, 4, 3, 1 }, { 1, 2, 1, 2 },
	};

	for (u32 v = 0; v < VCPUS; v++) {
		w->vm_of_vcpu[v] = vms[v];
		w->vpids[v] = vpids[s->seed % (s->ref.plain ? 2 : 3)][v];
	}
	w->shape = (struct run_shape){
		.nr_pcpus = PCPUS, .nr_vms = VMS, .nr_vcpus = VCPUS,
		.nr_frames = FRAMES, .nr_pages_max = PAGES,
		.nr_views = 1,
		.vm_of_vcpu = w->vm_of_vcpu, .vpids = w->vpids,
		.clock_khz = 1000000,
	};
}

static void play_stream(struct stream *s, u64 seed, bool plain)
{
	memset(&s->ref, 0, sizeof(s->ref));
	s->seed = seed;
	s->ref.plain = plain;
	s->ref.w = &s->w[0];
	rng_init(&s->rng, seed, plain, 0);
	for (u32 i = 0; i < 4; i++) {
		stream_shape(s, &s->w[i]);
		watch_begin(&s->w[i], checker_list[i]);
	}
	for (u32 f = 0; f < FRAMES; f++)
		play_alloc(s, f);
	for (u32 i = 0; i < STEPS; i++)
		stream_step(s);
	for (u32 i = 0; i < 4; i++)
		watch_end(&s->w[i]);
}

static u64 nr_seeds(void)
{
	return getenv("EPTSIM_LONG") ? 50000 : 400;
}

static void play_streams(struct stream *s, bool plain)
{
	for (u64 seed = 0; seed < nr_seeds(); seed++)
		play_stream(s, seed, plain);
	for (u32 n = 1; n <= 4; n++)
		ck_assert_msg(plain && n == 4 ? true : s->flagged[n] > 50,
			      "I%u was broken %u times only", n, s->flagged[n]);
}

START_TEST(verdicts_are_those_of_an_unbounded_speculating_tlb)
{
	struct stream *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	play_streams(s, true);
	free(s);
}
END_TEST

/*
 * With several roots per VM, shared VPIDs and needless flushes of single
 * addresses I1 and I2 stay exact; I3 and I4 miss nothing and suspect little in
 * vain.
 */
START_TEST(with_needless_flushes_of_addresses_nothing_is_missed)
{
	struct stream *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	play_streams(s, false);
	for (u32 n = 1; n <= 4; n++)
		ck_assert_msg(s->more[n] * 50 < s->flagged[n],
			      "%u of %u findings of I%u in vain", s->more[n],
			      s->flagged[n], n);
	if (getenv("EPTSIM_LONG"))
		printf("in vain: I3 %u of %u, I4 %u of %u\n", s->more[3],
		       s->flagged[3], s->more[4], s->flagged[4]);
	free(s);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		verdicts_are_those_of_an_unbounded_speculating_tlb,
		with_needless_flushes_of_addresses_nothing_is_missed,
	};

	return run_suite("check/oracle", tests, ARRAY_SIZE(tests));
}
