/*
 * The access model "touch" against "exact": vCPUs take turns on one pCPU, with
 * flushes in between.  Prints the error in walks and in translation cycles, and
 * how many times faster touch is, cell by cell; "!" marks a cell outside 2 % of
 * walks or 1 % of cycles, "-" one that access_in_range() does not vouch for.
 *   touch [--full]
 * The default is a quick subset; --full is every combination.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "models/hw/vtx.h"
#include "models/hw/walker.h"
#include "models/workload/access.h"
#include "tests/unit/models/hw_fixture.h"

#define ACCESSES 6000000ULL
#define ACCESSES_PER_US 20u
#define CHUNK 1024u		/* repeats are accounted this often, as in a run */
#define HIT_CYCLES 7u
#define WALK_CYCLES 14u
#define REF_CYCLES 8u
#define VCPUS_MAX 6u

enum geometry { GEOMETRY_LRU, GEOMETRY_ICX, GEOMETRY_NR };

struct cell {
	enum geometry geometry;
	enum access_locality locality;
	u32 vcpus;
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
	struct access_state *vcpu[VCPUS_MAX];
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

static struct hw_geometry geometry(enum geometry which)
{
	return which == GEOMETRY_LRU ? fixture_peers_lru() :
				       fixture_icelake_sp();
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

static void account_repeats(struct bench *b, u64 from, u64 to)
{
	struct access_misses misses;

	if (b->model != ACCESS_TOUCH)
		return;
	misses = access_repeats(&b->capacity, &b->shape, from, to);
	b->sum.hits += misses.l1;
	b->sum.walks += misses.l2;
	b->sum.cycles += misses.l2 * (WALK_CYCLES + REF_CYCLES * b->warm_refs);
}

static void play_chunk(struct bench *b, u32 vcpu, u64 accesses)
{
	u64 passed;
	u32 page;

	for (; accesses; accesses -= passed) {
		passed = access_next(b->vcpu[vcpu], &b->shape, b->model,
				     accesses, &page);
		if (passed > accesses)
			return;
		play(b, vcpu, page);
	}
}

/* One stretch of one vCPU without a flush. */
static void span(struct bench *b, u32 vcpu, u64 accesses)
{
	u64 since = 0, n;

	access_forget(b->vcpu[vcpu]);
	for (; accesses; accesses -= n) {
		n = min_u64(accesses, CHUNK);
		play_chunk(b, vcpu, n);
		account_repeats(b, since, since + n);
		since += n;
		if (access_renew(b->vcpu[vcpu], &b->capacity, since))
			since = 0;
	}
}

static void take_turns(struct bench *b, const struct cell *c)
{
	u64 slice = c->slice_us * ACCESSES_PER_US, now = 0, end, until;
	u64 flush = c->flush_us * ACCESSES_PER_US, next_flush = flush;
	const struct vtx_operand o = { .ep4ta = 1 };

	for (u32 vcpu = 0; now < ACCESSES; vcpu = (vcpu + 1) % c->vcpus) {
		const struct tlb_ctx ctx = { .ep4ta = 1, .ept = true,
					     .vpid = (u16)(vcpu + 1) };

		tlb_set_context(b->t, &ctx);
		for (end = now + slice; now < end; now = until) {
			until = min_u64(end, next_flush);
			span(b, vcpu, until - now);
			if (until == next_flush) {
				vtx_invalidate(b->t, VTX_INVEPT_SINGLE, &o);
				next_flush += flush;
			}
		}
	}
}

static struct totals run(const struct cell *c, enum access_model model,
			 const struct access_capacity *capacity)
{
	struct hw_geometry g = geometry(c->geometry);
	struct bench b = { .model = model, .warm_refs = 2, .capacity = *capacity };

	b.t = fixture_tlb(&g, 4, VCPUS_MAX + 1);
	access_shape_init(&b.shape, c->locality, c->pages,
			  c->pages / 8 ? c->pages / 8 : 1, 900);
	for (u32 i = 0; i < c->vcpus; i++) {
		b.vcpu[i] = calloc(1, access_bytes(c->pages));
		BUG_ON(!b.vcpu[i]);
		access_init(b.vcpu[i], &b.shape, 1, i);
	}
	b.sum.seconds = cpu_seconds();
	take_turns(&b, c);
	b.sum.seconds = cpu_seconds() - b.sum.seconds;
	b.sum.cycles += b.sum.hits * HIT_CYCLES;
	for (u32 i = 0; i < c->vcpus; i++)
		free(b.vcpu[i]);
	free(b.t);
	return b.sum;
}

static double percent_off(u64 touch, u64 exact)
{
	return exact ? 100.0 * ((double)touch - (double)exact) / (double)exact :
		       touch ? 100.0 : 0.0;
}

static bool compare(const struct cell *c)
{
	static const char *const locality[] = { "uniform", "hot", "log" };
	static const char *const geometries[] = { "lru", "icx" };
	const struct access_layout layout = { 0x7f0000000ULL, 12, 0 };
	struct hw_geometry g = geometry(c->geometry);
	struct access_capacity capacity = { 0 };
	struct totals exact = run(c, ACCESS_EXACT, &capacity), touch;
	struct access_shape shape;
	double walks, cycles;
	struct err err;
	bool good, vouched;

	access_shape_init(&shape, c->locality, c->pages,
			  c->pages / 8 ? c->pages / 8 : 1, 900);
	BUG_ON(access_capacity_fit(&capacity, &shape, &g, &layout, &err));
	touch = run(c, ACCESS_TOUCH, &capacity);
	vouched = access_in_range(&capacity, &shape, c->vcpus,
				  c->slice_us * ACCESSES_PER_US);
	walks = percent_off(touch.walks, exact.walks);
	cycles = percent_off(touch.cycles, exact.cycles);
	good = fabs(walks) <= 2 && fabs(cycles) <= 1;
	printf("%-4s %-8s %5u %5u %6u %6u %8.0f %+7.2f %+7.2f %7.1f %8.1f %s%s\n",
	       geometries[c->geometry], locality[c->locality], c->vcpus,
	       c->pages, c->flush_us, c->slice_us, (double)exact.walks / 256,
	       walks, cycles, exact.seconds / touch.seconds,
	       touch.seconds * 1e9 / (double)touch.played, good ? "" : "!",
	       vouched ? "" : "-");
	return good;
}

/* Every eleventh cell: over them, no dimension is stuck at one value. */
static bool in_subset(u32 i)
{
	return i % 11 == 3;
}

int main(int argc, char **argv)
{
	static const u32 vcpus[] = { 2, 6 };
	static const u32 pages[] = { 64, 256, 512, 1024, 2048, 4096 };
	static const u32 flush_us[] = { 50, 1000, 10000 };
	static const u32 slice_us[] = { 100, 1000, 10000 };
	const u32 nr = GEOMETRY_NR * LOCALITY_NR * ARRAY_SIZE(vcpus) *
		       ARRAY_SIZE(pages) * 9;
	bool full = argc == 2 && !strcmp(argv[1], "--full");
	u32 played = 0, good = 0;

	if (argc > 1 && !full) {
		fprintf(stderr, "usage: touch [--full]\n");
		return 2;
	}
	printf("%-4s %-8s %5s %5s %6s %6s %8s %7s %7s %7s %8s\n", "tlb",
	       "locality", "vcpus", "pages", "flush", "slice", "walks", "walks%",
	       "cycles%", "faster", "ns/touch");
	for (u32 i = 0; i < nr; i++) {
		const struct cell c = {
			.slice_us = slice_us[i % 3],
			.flush_us = flush_us[i / 3 % 3],
			.pages = pages[i / 9 % ARRAY_SIZE(pages)],
			.vcpus = vcpus[i / 54 % ARRAY_SIZE(vcpus)],
			.locality = (enum access_locality)(i / 108 % LOCALITY_NR),
			.geometry = (enum geometry)(i / 324),
		};

		if (!full && !in_subset(i))
			continue;
		played++;
		good += compare(&c);
	}
	printf("%u of %u cells within 2 %% of walks and 1 %% of cycles\n", good,
	       played);
	return 0;
}
