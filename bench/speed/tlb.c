/*
 * Look-ups per second on one core, with full tags, on page streams for which
 * other simulators' miss counts are known, and what an access costs by the way it
 * takes.  The counts are exact and must not move; the rates are this machine's.
 */
#include <stdio.h>
#include <time.h>

#include "models/hw/vtx.h"
#include "models/hw/walker.h"
#include "tests/unit/models/hw_fixture.h"

#define ACCESSES 20000000ULL
#define ROUNDS 3
#define PATH_ACCESSES 200000u
#define PATH_ROUNDS 15
#define PAGES_MAX 16384u

static const struct tlb_ctx ctx = { .ep4ta = 3, .vpid = 7, .ept = true };

static const char *const stream_names[STREAM_NR] = {
	"log-uniform 65536", "uniform 4096", "sequential 2^20", "hot 32 + 2^18",
};

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void measure_streams(const char *name, const struct hw_geometry *g)
{
	double best, start;
	u64 misses[2];

	printf("%s, %llu accesses each, filled without a walk\n", name, ACCESSES);
	printf("  %-28s %12s %12s %8s\n", "stream", "L1 misses", "L2 misses",
	       "M/s");
	for (u32 s = 0; s < STREAM_NR; s++) {
		u64 *pages = fixture_stream(s, ACCESSES);

		best = HUGE_VAL;
		for (u32 round = 0; round < ROUNDS; round++) {
			struct tlb *t = fixture_tlb(g, 8, 8);

			tlb_set_context(t, &ctx);
			start = cpu_seconds();
			fixture_replay(t, pages, ACCESSES, misses);
			best = fmin(best, cpu_seconds() - start);
			free(t);
		}
		printf("  %-28s %12llu %12llu %8.1f\n", stream_names[s],
		       (unsigned long long)misses[0],
		       (unsigned long long)misses[1],
		       (double)ACCESSES / best * 1e-6);
		free(pages);
	}
}

/*
 * struct path - one way an access can go
 * @name: of the path
 * @pages: this many pages are used round and round, in a shuffled order
 * @flush: INVEPT of the context once per round
 */
struct path {
	const char *name;
	u32 pages;
	bool flush;
};

static void shuffled(u16 *order, u32 nr)
{
	u64 x = 1;
	u32 at;

	for (u32 i = 0; i < nr; i++) {
		at = (u32)(fixture_splitmix64(&x) % (i + 1));
		order[i] = order[at];
		order[at] = (u16)i;
	}
}

/* Seconds for PATH_ACCESSES; counts walks and their references. */
static double play_path(struct tlb *t, const struct path *p, const u16 *order,
			u64 walks[2])
{
	const struct vtx_operand o = { .ep4ta = ctx.ep4ta };
	struct tlb_access a = { .s1_shift = 12, .s2_shift = 12 };
	double start = cpu_seconds();
	struct walk_result res;
	struct tlb_prov prov;
	u32 at = 0;

	for (u32 i = 0; i < PATH_ACCESSES; i++) {
		if (p->flush && !at)
			vtx_invalidate(t, VTX_INVEPT_SINGLE, &o);
		a.gpa.n = order[at];
		a.va.n = 0x7f0000000ULL + order[at];
		at = at + 1 == p->pages ? 0 : at + 1;
		if (tlb_lookup(t, &a, &prov) != TLB_MISS)
			continue;
		walker_walk(t, &a, &res);
		walks[0]++;
		walks[1] += res.refs;
	}
	return cpu_seconds() - start;
}

static void measure_path(const struct path *p)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct tlb *t = fixture_tlb(&g, 8, 8);
	static u16 order[PAGES_MAX];
	u64 walks[2] = { 0, 0 };
	double best = HUGE_VAL;

	shuffled(order, p->pages);
	tlb_set_context(t, &ctx);
	play_path(t, p, order, walks);
	walks[0] = walks[1] = 0;
	for (u32 round = 0; round < PATH_ROUNDS; round++)
		best = fmin(best, play_path(t, p, order, walks));
	printf("  %-28s %8.1f ns", p->name, best / PATH_ACCESSES * 1e9);
	if (walks[0])
		printf("  %.2f references", (double)walks[1] / (double)walks[0]);
	printf("\n");
	free(t);
}

int main(void)
{
	static const struct path paths[] = {
		{ "level-1 hit", 32, false },
		{ "level-2 hit", 512, false },
		{ "first touch after a flush", 512, true },
		{ "walk, nothing ever fits", PAGES_MAX, false },
	};
	struct hw_geometry g = fixture_peers_lru();

	measure_streams("64 x 4 + 1024 x 8, true LRU", &g);
	g = fixture_icelake_sp();
	measure_streams("Ice Lake-SP, tree-PLRU", &g);
	printf("Ice Lake-SP, one access\n");
	for (u32 i = 0; i < ARRAY_SIZE(paths); i++)
		measure_path(&paths[i]);
	return 0;
}
