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

static inline TLB_HOT u32 home_of(const struct tlb *t, u32 level, u32 side,
				  u32 size, u64 vpn)
{
	const struct tlb_home *h = &t->home[level][side][size];

	return h->idx[vpn >> h->bit & 1];
}

static inline TLB_HOT struct tlb_want want_of_size(const struct tlb *t,
						   const struct tlb_access *a,
						   u32 size)
{
	u64 tag = t->tag | (u64)size << TAG_SIZE_SHIFT;
	u64 vpn = a->va.n >> 9 * size;

	return (struct tlb_want){
		.page = vpn << PAGE_PCID_BITS | t->ctx.pcid,
		.tag = tag,
		.sig = tlb_sig(vpn, tag),
		.after = t->after,
		.after_global = t->after_global,
	};
}

/* Any mixture of page sizes. */
static struct tlb_entry *level_use(struct tlb *t, u32 level,
				   const struct tlb_access *a)
{
	u32 sizes = t->sizes_used[level][a->instr], size, way;
	struct tlb_cache *c;
	struct tlb_want w;
	struct tlb_set *s;
	u64 vpn;

	for (; sizes; sizes &= sizes - 1) {
		size = (u32)__builtin_ctz(sizes);
		vpn = a->va.n >> 9 * size;
		w = want_of_size(t, a, size);
		c = &t->cache[home_of(t, level, a->instr, size, vpn)];
		s = tlb_set_of(t, c, vpn);
		way = tlb_set_find(c, s, &w);
		if (way != WAY_NONE) {
			tlb_set_use(t, c, s, way);
			return tlb_set_entry(c, s, way);
		}
	}
	return NULL;
}

/*
 * struct filling - a translation on its way into the levels
 * @pcid: of the entry
 * @tag: of the entry but for its size
 * @page_size: of the page in the guest's tables
 * @prov: provenance
 */
struct filling {
	u32 pcid;
	u64 tag;
	u32 page_size;
	struct tlb_prov prov;
};

/* A level that does not hold the size caches the part that was accessed. */
static void level_fill(struct tlb *t, u32 level, const struct tlb_access *a,
		       u32 size, const struct filling *f)
{
	struct tlb_cache *c;
	struct tlb_entry *e;
	u64 vpn, tag;

	size = t->fit[level][a->instr][size];
	if (!(t->sizes_held[level][a->instr] & 1u << size))
		return;
	if (!(t->sizes_used[level][a->instr] & 1u << size))
		tlb_size_used(t, level, size);
	vpn = a->va.n >> 9 * size;
	tag = f->tag | (u64)size << TAG_SIZE_SHIFT;
	c = &t->cache[home_of(t, level, a->instr, size, vpn)];
	e = tlb_set_take(t, c, tlb_set_of(t, c, vpn),
			 tlb_sig(vpn, tag & ~TAG_GLOBAL));
	e->page = vpn << PAGE_PCID_BITS | f->pcid;
	e->tag = tag;
	e->fill = t->seq << STAMP_BITS | f->page_size;
	e->prov = f->prov;
	if (f->page_size > size)
		c->has_fragments = true;
}

static enum tlb_hit lookup_sizes(struct tlb *t, const struct tlb_access *a,
				 struct tlb_prov *prov)
{
	struct tlb_entry *e = level_use(t, 0, a);
	struct filling f;

	if (e) {
		*prov = e->prov;
		return TLB_HIT_L1;
	}
	e = level_use(t, 1, a);
	if (!e) {
		t->missed.va = PAGE_NONE;
		return TLB_MISS;
	}
	*prov = e->prov;
	f.pcid = e->page & (TLB_PCID_MAX - 1);
	f.tag = e->tag & ~TAG_SIZE_MASK;
	f.page_size = e->fill & STAMP_MASK;
	f.prov = e->prov;
	level_fill(t, 0, a, (e->tag & TAG_SIZE_MASK) >> TAG_SIZE_SHIFT, &f);
	return TLB_HIT_L2;
}

enum tlb_hit tlb_lookup(struct tlb *t, const struct tlb_access *a,
			struct tlb_prov *prov)
{
	struct tlb_missed *m = &t->missed;
	struct tlb_cache *c[2];
	struct tlb_set *s[2];
	struct tlb_entry *e, *copy;
	struct tlb_want w;
	u32 way;

	if (unlikely(!t->only_4k[a->instr]))
		return lookup_sizes(t, a, prov);
	w = want_of_size(t, a, 0);
	c[0] = &t->cache[home_of(t, 0, a->instr, 0, a->va.n)];
	s[0] = tlb_set_of(t, c[0], a->va.n);
	way = tlb_set_find(c[0], s[0], &w);
	if (way != WAY_NONE) {
		tlb_set_use(t, c[0], s[0], way);
		*prov = tlb_set_entry(c[0], s[0], way)->prov;
		return TLB_HIT_L1;
	}
	c[1] = &t->cache[home_of(t, 1, a->instr, 0, a->va.n)];
	s[1] = tlb_set_of(t, c[1], a->va.n);
	way = tlb_set_find(c[1], s[1], &w);
	if (way == WAY_NONE) {
		m->va = a->va.n;
		m->instr = a->instr;
		m->sig = w.sig;
		for (u32 i = 0; i < 2; i++) {
			m->cache[i] = (u8)(c[i] - t->cache);
			m->set_at[i] = (u64)((char *)s[i] - (char *)t);
		}
		return TLB_MISS;
	}
	tlb_set_use(t, c[1], s[1], way);
	e = tlb_set_entry(c[1], s[1], way);
	copy = tlb_set_take(t, c[0], s[0], w.sig);
	copy->page = e->page;
	copy->tag = e->tag;
	copy->fill = t->seq << STAMP_BITS | (e->fill & STAMP_MASK);
	copy->prov = e->prov;
	*prov = e->prov;
	return TLB_HIT_L2;
}

/* A page of 4 KiB that tlb_lookup() has just looked for. */
static void fill_missed(struct tlb *t, const struct tlb_access *a,
			const struct tlb_prov *prov)
{
	const struct tlb_missed *m = &t->missed;
	u64 page = a->va.n << PAGE_PCID_BITS | t->ctx.pcid;
	u64 tag = t->tag | (a->global ? TAG_GLOBAL : 0);
	u64 fill = t->seq << STAMP_BITS;
	struct tlb_entry *e;

	for (u32 level = 2; level-- > 0; ) {
		e = tlb_set_take(t, &t->cache[m->cache[level]],
				 tlb_at(t, m->set_at[level]), m->sig);
		e->page = page;
		e->tag = tag;
		e->fill = fill;
		e->prov = *prov;
	}
}

void tlb_fill(struct tlb *t, const struct tlb_access *a,
	      const struct tlb_prov *prov)
{
	u32 size = tlb_size_of_shift(a->s2_shift);
	struct filling f = {
		.pcid = t->ctx.pcid,
		.tag = t->tag | (a->global ? TAG_GLOBAL : 0),
		.page_size = tlb_size_of_shift(a->s1_shift),
		.prov = *prov,
	};

	tlb_mark_fill(t, a->global);
	if (likely(t->missed.va == a->va.n && t->missed.instr == a->instr &&
		   a->s1_shift == 12)) {
		fill_missed(t, a, prov);
		return;
	}
	if (!t->ctx.ept || f.page_size < size)
		size = f.page_size;
	level_fill(t, 1, a, size, &f);
	level_fill(t, 0, a, size, &f);
}
