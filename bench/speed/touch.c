/*
 * The access model "touch" against "exact": two vCPUs take turns on one pCPU,
 * with flushes in between.  Prints the error in walks and in translation
 * cycles, and how many times faster touch is, cell by cell.
 */
#include <stdio.h>
#include <time.h>

#include "models/hw/vtx.h"
#include "models/hw/walker.h"
#include "models/workload/access.h"
#include "tests/unit/models/hw_fixture.h"

#define ACCESSES 6000000ULL
#define ACCESSES_PER_US 20u
#define HIT_CYCLES 7u
#define WALK_CYCLES 14u
#define REF_CYCLES 8u
#define NR_VCPUS 2u

struct cell {
	enum access_locality locality;
	u32 pages;
	u32 flush_us;
	u32 slice_us;
};

struct totals {
	u64 walks;		/* units of 1/256 */
	u64 hits;		/* level-1 misses that hit level 2, 1/256 */
	u64 cycles;		/* 1/256 */
	u64 played;
	double seconds;
};

struct bench {
	struct tlb *t;
	struct access_state *vcpu[NR_VCPUS];
	struct access_shape shape;
	struct access_capacity capacity;
	enum access_model model;
	u32 warm_refs;
	struct totals sum;
};

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void play(struct bench *b, u32 vcpu, u32 page)
{
	const struct tlb_access a = {
		.va.n = 0x7f0000000ULL + page, .gpa.n = vcpu * 65536 + page,
		.s1_shift = 12, .s2_shift = 12,
	};
	struct walk_result res;
	struct tlb_prov prov;

	b->sum.played++;
	switch (tlb_lookup(b->t, &a, &prov)) {
	case TLB_HIT_L1:
		break;
	case TLB_HIT_L2:
		b->sum.hits += 256;
		break;
	default:
		walker_walk(b->t, &a, &res);
		b->warm_refs = res.refs;
		b->sum.walks += 256;
		b->sum.cycles += 256 * (WALK_CYCLES + REF_CYCLES * res.refs);
		break;
	}
}

static void account_repeats(struct bench *b, u64 accesses)
{
	struct access_misses misses;

	if (b->model != ACCESS_TOUCH)
		return;
	misses = access_repeats(&b->capacity, &b->shape, 0, accesses);
	b->sum.hits += misses.l1;
	b->sum.walks += misses.l2;
	b->sum.cycles += misses.l2 * (WALK_CYCLES + REF_CYCLES * b->warm_refs);
}

/* One stretch of one vCPU without a flush. */
static void span(struct bench *b, u32 vcpu, u64 accesses)
{
	u64 left = accesses, passed;
	u32 page;

	access_forget(b->vcpu[vcpu]);
	while (left) {
		passed = access_next(b->vcpu[vcpu], &b->shape, b->model, left,
				     &page);
		if (passed > left)
			break;
		left -= passed;
		play(b, vcpu, page);
	}
	account_repeats(b, accesses);
}

static struct totals run(const struct cell *c, enum access_model model)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct bench b = { .model = model, .warm_refs = 2 };
	u64 slice = c->slice_us * ACCESSES_PER_US, now = 0, end, until;
	u64 flush = c->flush_us * ACCESSES_PER_US, next_flush = flush;
	const struct vtx_operand o = { .ep4ta = 1 };
	const struct access_layout layout = { 0x7f0000000ULL, 12, 0 };
	struct err err;

	b.t = fixture_tlb(&g, 4, 4);
	access_shape_init(&b.shape, c->locality, c->pages,
			  c->pages / 8 ? c->pages / 8 : 1, 900);
	BUG_ON(access_capacity_fit(&b.capacity, &b.shape, &g, &layout, &err));
	for (u32 i = 0; i < NR_VCPUS; i++) {
		b.vcpu[i] = calloc(1, access_bytes(c->pages));
		BUG_ON(!b.vcpu[i]);
		access_init(b.vcpu[i], &b.shape, 1, i);
	}
	b.sum.seconds = cpu_seconds();
	for (u32 vcpu = 0; now < ACCESSES; vcpu = (vcpu + 1) % NR_VCPUS) {
		const struct tlb_ctx ctx = { .ep4ta = 1, .ept = true,
					     .vpid = (u16)(vcpu + 1) };

		tlb_set_context(b.t, &ctx);
		for (end = now + slice; now < end; now = until) {
			until = min_u64(end, next_flush);
			span(&b, vcpu, until - now);
			if (until == next_flush) {
				vtx_invalidate(b.t, VTX_INVEPT_SINGLE, &o);
				next_flush += flush;
			}
		}
	}
	b.sum.seconds = cpu_seconds() - b.sum.seconds;
	b.sum.cycles += b.sum.hits * HIT_CYCLES;
	for (u32 i = 0; i < NR_VCPUS; i++)
		free(b.vcpu[i]);
	free(b.t);
	return b.sum;
}

static double percent_off(u64 touch, u64 exact)
{
	return exact ? 100.0 * ((double)touch - (double)exact) / (double)exact :
		       touch ? 100.0 : 0.0;
}

static void compare(const struct cell *c)
{
	static const char *const locality[] = { "uniform", "hot", "log" };
	struct totals exact = run(c, ACCESS_EXACT);
	struct totals touch = run(c, ACCESS_TOUCH);

	printf("%-8s %5u %6u %6u %10.0f %+7.2f %+7.2f %7.1f %8.1f\n",
	       locality[c->locality], c->pages, c->flush_us, c->slice_us,
	       (double)exact.walks / 256, percent_off(touch.walks, exact.walks),
	       percent_off(touch.cycles, exact.cycles),
	       exact.seconds / touch.seconds,
	       touch.seconds * 1e9 / (double)touch.played);
}

int main(void)
{
	static const u32 pages[] = { 32, 256, 1024, 2048, 4096 };
	static const u32 flush_us[] = { 50, 1000, 10000 };
	static const u32 slice_us[] = { 100, 1000, 10000 };
	struct cell c;

	printf("%-8s %5s %6s %6s %10s %7s %7s %7s %8s\n", "locality", "pages",
	       "flush", "slice", "walks", "walks%", "cycles%", "faster",
	       "ns/touch");
	for (u32 i = 0; i < LOCALITY_NR * ARRAY_SIZE(pages) * 9; i++) {
		c.locality = (enum access_locality)(i / 9 / ARRAY_SIZE(pages));
		c.pages = pages[i / 9 % ARRAY_SIZE(pages)];
		c.flush_us = flush_us[i / 3 % 3];
		c.slice_us = slice_us[i % 3];
		compare(&c);
	}
	return 0;
}
