#include "models/hw/tlb.h"

#include "models/hw/tlb_block.h"
#include "sim/base/err.h"

void tlb_set_context(struct tlb *t, const struct tlb_ctx *ctx)
{
	BUG_ON(ctx->ep4ta >= t->nr_ep4ta);
	BUG_ON(ctx->vpid >= t->nr_vpids);
	BUG_ON(ctx->pcid >= TLB_PCID_MAX);
	t->ctx = *ctx;
	tlb_context_refresh(t);
}

static inline TLB_HOT struct tlb_cache *home_cache(struct tlb *t, u32 level, u32 side,
				    u32 size, u64 vpn)
{
	const struct tlb_home *h = &t->home[level][side][size];

	return &t->cache[h->idx[h->nr == 2 ? vpn >> h->bit & 1 : 0]];
}

static inline TLB_HOT struct tlb_entry *level_use(struct tlb *t, u32 level,
				   const struct tlb_access *a)
{
	struct tlb_want w = { .after = t->after, .after_global = t->after_global };
	u32 side = a->instr, size, set, way;
	struct tlb_cache *c;
	struct tlb_entry *e;
	u64 vpn;

	for (u32 sizes = t->sizes_used[level]; sizes; sizes &= sizes - 1) {
		size = (u32)__builtin_ctz(sizes);
		if (!t->home[level][side][size].nr)
			continue;
		vpn = a->va.n >> 9 * size;
		c = home_cache(t, level, side, size, vpn);
		w.page = vpn << PAGE_PCID_BITS | t->ctx.pcid;
		w.tag = t->tag | (u64)size << TAG_SIZE_SHIFT;
		e = tlb_cache_find(t, c, &w, &set, &way);
		if (e) {
			tlb_cache_use(t, c, set, way);
			return e;
		}
	}
	return NULL;
}

/* A level that does not hold the size caches the part that was accessed. */
static inline TLB_HOT void level_insert(struct tlb *t, u32 level, const struct tlb_access *a,
			 u32 size, const struct tlb_entry *from)
{
	struct tlb_entry e = *from;
	u64 vpn;

	size = t->fit[level][a->instr][size];
	if (!t->home[level][a->instr][size].nr)
		return;
	vpn = a->va.n >> 9 * size;
	e.page = vpn << PAGE_PCID_BITS | (from->page & (TLB_PCID_MAX - 1));
	e.tag = (from->tag & ~TAG_SIZE_MASK) | (u64)size << TAG_SIZE_SHIFT;
	t->sizes_used[level] |= (u8)(1u << size);
	tlb_cache_insert(t, home_cache(t, level, a->instr, size, vpn), &e);
}

enum tlb_hit tlb_lookup(struct tlb *t, const struct tlb_access *a,
			struct tlb_prov *prov)
{
	struct tlb_entry *e = level_use(t, 0, a);
	struct tlb_entry copy;

	if (e) {
		*prov = e->prov;
		return TLB_HIT_L1;
	}
	e = level_use(t, 1, a);
	if (!e)
		return TLB_MISS;
	copy = *e;
	*prov = copy.prov;
	copy.fill = t->seq << STAMP_BITS | (copy.fill & STAMP_MASK);
	level_insert(t, 0, a, (copy.tag & TAG_SIZE_MASK) >> TAG_SIZE_SHIFT,
		     &copy);
	return TLB_HIT_L2;
}

void tlb_fill(struct tlb *t, const struct tlb_access *a,
	      const struct tlb_prov *prov)
{
	u32 page_size = tlb_size_of_shift(a->s1_shift);
	u32 size = tlb_size_of_shift(a->s2_shift);
	struct tlb_entry e = {
		.page = t->ctx.pcid,
		.tag = t->tag | (a->global ? TAG_GLOBAL : 0),
		.fill = t->seq << STAMP_BITS | page_size,
		.prov = *prov,
	};

	if (!t->ctx.ept || page_size < size)
		size = page_size;
	tlb_mark_fill(t, a->global);
	level_insert(t, 1, a, size, &e);
	level_insert(t, 0, a, size, &e);
}
