/*
 * Characteristic times from a rehearsal: a stretch of the exact stream on a
 * TLB of the machine's geometry, then the time at which Che's formula gives
 * the miss ratios that were met.
 */
#include <errno.h>

#include "models/hw/tlb.h"
#include "models/workload/access.h"
#include "models/workload/access_fixed.h"
#include "sim/base/arena.h"
#include "sim/base/err.h"

#define WARM		BIT64(18)	/* accesses before counting */
#define COUNTED		BIT64(19)
#define MISSES_MIN	64u		/* fewer are leftovers of the warming */
#define TIME_MAX	BIT64(44)

static void rehearse(struct tlb *t, struct access_state *st,
		     const struct access_shape *shape,
		     const struct access_layout *l, u64 misses[2])
{
	struct tlb_access a = {
		.s1_shift = (u8)l->shift, .s2_shift = (u8)l->shift,
	};
	struct tlb_prov prov;
	enum tlb_hit hit;
	u32 page;

	misses[0] = 0;
	misses[1] = 0;
	for (u64 i = 0; i < WARM + COUNTED; i++) {
		access_next(st, shape, ACCESS_EXACT, 1, &page);
		a.va.n = l->va_base + ((u64)page << (l->shift - 12));
		a.instr = page < l->code_pages;
		hit = tlb_lookup(t, &a, &prov);
		if (hit == TLB_MISS)
			tlb_fill(t, &a, &a.prov);
		if (i < WARM)
			continue;
		misses[0] += hit != TLB_HIT_L1;
		misses[1] += hit == TLB_MISS;
	}
}

/* Accesses in COUNTED whose page was not used in the last @time ones. */
static u64 expected(const struct access_shape *s, u64 time)
{
	unsigned __int128 sum = 0;

	for (u32 i = 0; i < s->nr_classes; i++)
		sum += (unsigned __int128)s->class[i].weight *
		       fixed_not_yet(s->class[i].decay, time);
	/* Weights are in units of 2^-32, chances of 2^-40. */
	return (u64)(sum * COUNTED >> 72);
}

static u64 fit(const struct access_shape *s, u64 misses)
{
	u64 lo = 0, hi = TIME_MAX, mid;

	if (misses < MISSES_MIN)
		return UINT64_MAX;
	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (expected(s, mid) > misses)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

static u32 level_entries(const struct hw_geometry *g, u32 level, u32 shift)
{
	u32 entries = 0;

	for (u32 i = 0; i < g->nr_structs; i++) {
		const struct tlb_struct_geometry *s = &g->tlb[i];
		bool holds = shift == 12 ? s->holds_4k :
			     shift == 21 ? s->holds_2m : s->holds_1g;

		if (s->level == level && s->side != TLB_SIDE_INSTR && holds)
			entries += s->entries;
	}
	return entries;
}

int access_capacity_fit(struct access_capacity *c,
			const struct access_shape *shape,
			const struct hw_geometry *g,
			const struct access_layout *l, struct err *err)
{
	struct arena_layout layout = { 0 };
	u64 stream = arena_reserve(&layout, 1, access_bytes(shape->nr_pages));
	u64 tlb = arena_reserve(&layout, 1, tlb_bytes(g, 1, 1));
	char *block = arena_create(&layout, "rehearsal of an access stream", err);
	struct access_state *st;
	struct tlb *t;
	u64 misses[2];

	if (!block)
		return -ENOMEM;
	st = (struct access_state *)(block + stream);
	t = (struct tlb *)(block + tlb);
	tlb_init(t, g, 1, 1);
	access_init(st, shape, 0, 0);
	rehearse(t, st, shape, l, misses);
	c->l1 = fit(shape, misses[0]);
	c->l2 = fit(shape, misses[1]);
	c->l1_entries = level_entries(g, 1, l->shift);
	c->l2_entries = level_entries(g, 2, l->shift);
	access_renew_init(c, shape);
	arena_destroy(block);
	return 0;
}
