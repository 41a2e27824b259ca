/*
 * Geometries, page streams and TLB blocks for the tests and benchmarks of the
 * hardware models.
 */
#ifndef TESTS_UNIT_MODELS_HW_FIXTURE_H
#define TESTS_UNIT_MODELS_HW_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/hw/tlb.h"
#include "sim/base/err.h"

/**
 * fixture_tlb() - an empty TLB in a block of its own
 * @g: geometry
 * @nr_ep4ta: root frames
 * @nr_vpids: VPIDs
 *
 * Return: the TLB; the caller frees it with free().
 */
static inline struct tlb *fixture_tlb(const struct hw_geometry *g, u32 nr_ep4ta,
				      u32 nr_vpids)
{
	u64 bytes = tlb_bytes(g, nr_ep4ta, nr_vpids);
	struct tlb *t = aligned_alloc(64, bytes);

	BUG_ON(!t);
	memset(t, 0, bytes);
	tlb_init(t, g, nr_ep4ta, nr_vpids);
	return t;
}

/**
 * fixture_struct() - add a structure to a geometry
 * @g: geometry
 * @s: structure
 */
static inline void fixture_struct(struct hw_geometry *g,
				  const struct tlb_struct_geometry *s)
{
	BUG_ON(g->nr_structs == TLB_STRUCTS_MAX);
	g->tlb[g->nr_structs++] = *s;
}

#define FIXTURE_STRUCT(g, ...) \
	fixture_struct(g, &(struct tlb_struct_geometry){ __VA_ARGS__ })

/**
 * fixture_walker() - paging-structure caches of Ice Lake-SP
 * @g: geometry to complete
 */
static inline void fixture_walker(struct hw_geometry *g)
{
	g->psc_pml4e = 4;
	g->psc_pdpte = 4;
	g->psc_pde = 32;
	g->guest_phys_entries = 32;
	g->guest_levels = 4;
	g->ept_levels = 4;
}

/**
 * fixture_peers_lru() - the geometry that other simulators were run with
 *
 * Return: what configs/machines/peers-lru.json holds.
 */
static inline struct hw_geometry fixture_peers_lru(void)
{
	struct hw_geometry g = { 0 };

	FIXTURE_STRUCT(&g, .name = "L1 TLB", .level = 1, .side = TLB_SIDE_BOTH,
		       .entries = 64, .ways = 4, .holds_4k = true);
	FIXTURE_STRUCT(&g, .name = "L2 TLB", .level = 2, .side = TLB_SIDE_BOTH,
		       .entries = 1024, .ways = 8, .holds_4k = true);
	fixture_walker(&g);
	return g;
}

/**
 * fixture_icelake_sp() - Ice Lake-SP
 *
 * Return: what configs/machines/icelake-sp.json holds.
 */
static inline struct hw_geometry fixture_icelake_sp(void)
{
	struct hw_geometry g = { 0 };

	FIXTURE_STRUCT(&g, .name = "L1 dTLB 4K", .level = 1,
		       .entries = 64, .ways = 4, .holds_4k = true);
	FIXTURE_STRUCT(&g, .name = "L1 dTLB 2M", .level = 1,
		       .entries = 32, .ways = 4, .holds_2m = true);
	FIXTURE_STRUCT(&g, .name = "L1 dTLB 1G", .level = 1,
		       .entries = 8, .ways = 8, .holds_1g = true);
	FIXTURE_STRUCT(&g, .name = "L1 iTLB 4K", .level = 1,
		       .side = TLB_SIDE_INSTR, .entries = 128, .ways = 8,
		       .holds_4k = true);
	FIXTURE_STRUCT(&g, .name = "L1 iTLB 2M", .level = 1,
		       .side = TLB_SIDE_INSTR, .entries = 16, .ways = 8,
		       .holds_2m = true);
	FIXTURE_STRUCT(&g, .name = "STLB 4K+2M half", .level = 2,
		       .side = TLB_SIDE_BOTH, .entries = 1024, .ways = 8,
		       .holds_4k = true, .holds_2m = true,
		       .index = TLB_INDEX_XOR);
	FIXTURE_STRUCT(&g, .name = "STLB 4K+1G half", .level = 2,
		       .side = TLB_SIDE_BOTH, .entries = 1024, .ways = 8,
		       .holds_4k = true, .holds_1g = true,
		       .index = TLB_INDEX_XOR);
	for (u32 i = 0; i < g.nr_structs; i++)
		g.tlb[i].replacement = TLB_TREE_PLRU;
	fixture_walker(&g);
	return g;
}

/* Page streams that several simulators have been run on. */
enum fixture_stream {
	STREAM_LOG,		/* log-uniform over 65536 pages, scattered */
	STREAM_UNIFORM,		/* 4096 pages */
	STREAM_SEQUENTIAL,	/* 2^20 pages, round and round */
	STREAM_HOT,		/* 90 % in 32 pages, 10 % in 262144 */
	STREAM_NR,
};

static inline u64 fixture_splitmix64(u64 *x)
{
	u64 z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * fixture_stream() - make a stream of page numbers
 * @which: stream
 * @nr: accesses
 *
 * Return: page numbers; the caller frees them with free().
 */
static inline u64 *fixture_stream(enum fixture_stream which, u64 nr)
{
	u64 *pages = malloc(nr * sizeof(*pages)), x = 12345, bits, page;

	BUG_ON(!pages);
	for (u64 i = 0; i < nr; i++) {
		bits = fixture_splitmix64(&x);
		switch (which) {
		case STREAM_LOG:
			page = (u64)exp((double)(bits >> 11) * 0x1p-53 *
					log(65536.0)) - 1;
			page = page * 0x9e3779b1ULL & 0xffff;
			break;
		case STREAM_UNIFORM:
			page = bits & 4095;
			break;
		case STREAM_SEQUENTIAL:
			page = i & 0xfffff;
			break;
		default:
			page = (bits & 1023) < 922 ? bits >> 10 & 31 :
						     bits >> 20 & 0x3ffff;
			break;
		}
		pages[i] = 0x7f0000000ULL + page;
	}
	return pages;
}

/**
 * fixture_replay() - run a stream through a TLB, filling without a walk
 * @t: TLB
 * @pages: page numbers
 * @nr: accesses
 * @misses: [0] set to level-1 misses, [1] to level-2 misses
 */
static inline void fixture_replay(struct tlb *t, const u64 *pages, u64 nr,
				  u64 misses[2])
{
	struct tlb_access a = { .s1_shift = 12, .s2_shift = 12 };
	struct tlb_prov prov;
	enum tlb_hit hit;

	misses[0] = 0;
	misses[1] = 0;
	for (u64 i = 0; i < nr; i++) {
		a.va.n = pages[i];
		a.gpa.n = pages[i] & 0xffffff;
		hit = tlb_lookup(t, &a, &prov);
		misses[0] += hit != TLB_HIT_L1;
		misses[1] += hit == TLB_MISS;
		if (hit == TLB_MISS)
			tlb_fill(t, &a, &a.prov);
	}
}

#endif /* TESTS_UNIT_MODELS_HW_FIXTURE_H */
