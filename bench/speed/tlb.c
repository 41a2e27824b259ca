/*
 * Look-ups per second on one core, with full tags, on page streams for which
 * other simulators' miss counts are known.  The counts are exact and must not
 * move; the rates are this machine's.
 */
#include <stdio.h>
#include <time.h>

#include "models/hw/walker.h"
#include "tests/unit/models/hw_fixture.h"

#define ACCESSES 20000000ULL
#define ROUNDS 3

static const char *const stream_names[STREAM_NR] = {
	"log-uniform 65536", "uniform 4096", "sequential 2^20", "hot 32 + 2^18",
};

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void replay_with_walks(struct tlb *t, const u64 *pages, u64 nr)
{
	struct tlb_access a = { .s1_shift = 12, .s2_shift = 12 };
	struct walk_result res;
	struct tlb_prov prov;

	for (u64 i = 0; i < nr; i++) {
		a.va.n = pages[i];
		a.gpa.n = pages[i] & 0xffffff;
		if (tlb_lookup(t, &a, &prov) == TLB_MISS)
			walker_walk(t, &a, &res);
	}
}

static void measure(const char *name, const struct hw_geometry *g)
{
	const struct tlb_ctx ctx = { .ep4ta = 3, .vpid = 7, .ept = true };
	double best, walked, start;
	u64 misses[2];

	printf("%s, %llu accesses each\n", name, ACCESSES);
	printf("  %-20s %12s %12s %10s %10s\n", "stream", "L1 misses",
	       "L2 misses", "fill M/s", "walk M/s");
	for (u32 s = 0; s < STREAM_NR; s++) {
		u64 *pages = fixture_stream(s, ACCESSES);

		best = walked = 1e9;
		for (u32 round = 0; round < ROUNDS; round++) {
			struct tlb *t = fixture_tlb(g, 8, 8);

			tlb_set_context(t, &ctx);
			start = cpu_seconds();
			fixture_replay(t, pages, ACCESSES, misses);
			best = fmin(best, cpu_seconds() - start);
			start = cpu_seconds();
			replay_with_walks(t, pages, ACCESSES);
			walked = fmin(walked, cpu_seconds() - start);
			free(t);
		}
		printf("  %-20s %12llu %12llu %10.1f %10.1f\n", stream_names[s],
		       (unsigned long long)misses[0],
		       (unsigned long long)misses[1],
		       (double)ACCESSES / best * 1e-6,
		       (double)ACCESSES / walked * 1e-6);
		free(pages);
	}
}

int main(void)
{
	struct hw_geometry g = fixture_peers_lru();

	measure("64 x 4 + 1024 x 8, true LRU", &g);
	g = fixture_icelake_sp();
	measure("Ice Lake-SP, tree-PLRU", &g);
	return 0;
}
