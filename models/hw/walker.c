#include "models/hw/walker.h"

#include "models/hw/tlb_block.h"
#include "sim/base/err.h"

/*
 * What a walk has learned is inserted when it ends: the steps of one walk are
 * in flight together and do not help each other, so a walk that finds all
 * caches empty makes every reference of the two dimensions.
 */
#define PENDING_MAX	32

/*
 * Guest table pages lie above all guest memory, a window per VPID, so that
 * they have guest-physical addresses of their own without being allocated.
 */
#define TABLE_BASE_GFN	BIT64(36)
#define TABLE_VPID_BITS	20

struct pending {
	u8 cache;
	u8 size;
	u64 vpn;
	struct tlb_prov prov;
};

struct walk {
	struct tlb *t;
	const struct tlb_access *a;
	u32 refs;
	u32 nr_pending;
	struct tlb_prov prov;
	struct pending pending[PENDING_MAX];
};

static gfn_t table_gfn(const struct walk *w, u32 depth)
{
	static const u32 offset[] = { 0, 0x80000, 0xc0000, 0xe0000, 0xf0000 };
	static const u32 window[] = { 0x80000, 0x40000, 0x20000, 0x10000, 1 };
	u64 page = w->a->va.n >> 9 * (depth + 1) & (window[depth] - 1);

	return (gfn_t){ TABLE_BASE_GFN +
			((u64)w->t->ctx.vpid << TABLE_VPID_BITS) +
			offset[depth] + page };
}

static void walk_learn(struct walk *w, u32 cache, u32 size, u64 vpn,
		       const struct tlb_prov *prov)
{
	struct pending *p = &w->pending[w->nr_pending++];

	BUG_ON(w->nr_pending > PENDING_MAX);
	p->cache = (u8)cache;
	p->size = (u8)size;
	p->vpn = vpn;
	p->prov = *prov;
}

/*
 * A step out of a cache that was filled under an earlier incarnation of the
 * root, or by another VM, leads into tables that are not today's.
 */
static inline TLB_HOT void take_frame(const struct tlb_access *a,
				      struct tlb_prov *prov,
				      const struct tlb_prov *from)
{
	if (likely(from->frame == a->prov.frame && from->owner == a->prov.owner))
		return;
	prov->s2 = from->s2;
	prov->owner = from->owner;
	prov->frame = from->frame;
}

static inline TLB_HOT struct tlb_want want_guest(const struct tlb *t, u64 vpn)
{
	return (struct tlb_want){
		.page = vpn << PAGE_PCID_BITS | t->ctx.pcid,
		.tag = t->tag,
		.sig = tlb_sig(vpn, t->tag),
		.after = t->after,
		.after_global = t->after_global,
	};
}

static inline TLB_HOT struct tlb_want want_phys(const struct tlb *t, u64 vpn,
						u32 size)
{
	u64 tag = tlb_tag_make(MAP_GUEST_PHYS, 0, t->ctx.ep4ta) |
		  (u64)size << TAG_SIZE_SHIFT;

	return (struct tlb_want){
		.page = vpn << PAGE_PCID_BITS,
		.tag = tag,
		.sig = tlb_sig(vpn, tag),
		.after = t->after_phys,
		.after_global = t->after_phys,
	};
}

/* Look in one of the fully associative caches of the walk. */
static inline TLB_HOT const struct tlb_entry *cache_use(struct tlb *t, u32 cache,
							const struct tlb_want *want)
{
	struct tlb_cache *c = &t->cache[cache];
	struct tlb_set *s = tlb_cache_set(t, c, 0);
	u16 *hint = &c->hint[want->page >> PAGE_PCID_BITS & (TLB_HINTS - 1)];
	u32 way = *hint;

	if (!c->ways)
		return NULL;
	if (!tlb_entry_matches(tlb_set_entry(c, s, way), want)) {
		way = tlb_set_search(c, s, want);
		if (way == WAY_NONE)
			return NULL;
		*hint = (u16)way;
	}
	tlb_set_use(t, c, s, way);
	return tlb_set_entry(c, s, way);
}

static const struct tlb_entry *phys_use(struct tlb *t, gfn_t gfn)
{
	const struct tlb_entry *e;
	struct tlb_want want;
	u32 size;

	for (u32 sizes = t->phys_sizes_used; sizes; sizes &= sizes - 1) {
		size = (u32)__builtin_ctz(sizes);
		want = want_phys(t, gfn.n >> 9 * size, size);
		e = cache_use(t, TLB_GUEST_PHYS, &want);
		if (e)
			return e;
	}
	return NULL;
}

/*
 * The deepest paging-structure cache that knows the address: level 0 (PDE)
 * gives the last table, level 2 (PML4E) the third from below.  Returns
 * TLB_PSC_LEVELS if none of those above a leaf of @leaf does.
 */
static u32 psc_use(struct walk *w, u32 first_cache, u64 page, u32 leaf,
		   struct tlb_prov *prov)
{
	bool guest = first_cache == TLB_PSC_GUEST;
	const struct tlb_entry *e;
	struct tlb_want want;
	u32 level;
	u64 vpn;

	for (level = leaf; level < TLB_PSC_LEVELS; level++) {
		vpn = page >> 9 * (level + 1);
		want = guest ? want_guest(w->t, vpn) : want_phys(w->t, vpn, 0);
		e = cache_use(w->t, first_cache + level, &want);
		if (!e)
			continue;
		take_frame(w->a, prov, &e->prov);
		break;
	}
	for (u32 i = leaf; i < level; i++)
		walk_learn(w, first_cache + i, 0, page >> 9 * (i + 1), prov);
	return level;
}

/* One guest-physical address through the EPT. */
static void walk_ept(struct walk *w, gfn_t gfn, bool is_leaf)
{
	const struct tlb_entry *e = phys_use(w->t, gfn);
	u32 leaf = tlb_size_of_shift(w->a->s2_shift), level;
	struct tlb_prov prov = w->a->prov;

	if (e) {
		take_frame(w->a, &w->prov, &e->prov);
		if (is_leaf)
			w->prov.s2 = e->prov.s2;
		return;
	}
	level = psc_use(w, TLB_PSC_EPT, gfn.n, leaf, &prov);
	w->refs += level < TLB_PSC_LEVELS ? level - leaf + 1 :
					    w->t->ept_levels - leaf;
	walk_learn(w, TLB_GUEST_PHYS, leaf, gfn.n >> 9 * leaf, &prov);
	take_frame(w->a, &w->prov, &prov);
}

static void walk_guest(struct walk *w)
{
	u32 leaf = tlb_size_of_shift(w->a->s1_shift);
	u32 level = psc_use(w, TLB_PSC_GUEST, w->a->va.n, leaf, &w->prov);
	u32 tables, translated;

	/* A paging-structure cache holds the table's host address. */
	if (level < TLB_PSC_LEVELS) {
		tables = level - leaf + 1;
		translated = tables - 1;
	} else {
		tables = w->t->guest_levels - leaf;
		translated = tables;
	}
	w->refs += tables;
	if (!w->t->ctx.ept)
		return;
	for (u32 i = translated; i-- > 0; )
		walk_ept(w, table_gfn(w, leaf + i), false);
	walk_ept(w, w->a->gpa, true);
}

static void walk_insert(struct walk *w, const struct pending *p)
{
	struct tlb *t = w->t;
	bool guest = p->cache < TLB_PSC_EPT;
	struct tlb_want want = guest ? want_guest(t, p->vpn) :
				       want_phys(t, p->vpn, p->size);
	struct tlb_cache *c = &t->cache[p->cache];
	struct tlb_entry *e;

	if (!c->ways)
		return;
	/* Two steps of this walk may have learned the same. */
	if (p != w->pending && cache_use(t, p->cache, &want))
		return;
	if (guest)
		tlb_mark_fill(t, false);
	else
		tlb_mark_fill_phys(t);
	if (p->cache == TLB_GUEST_PHYS)
		t->phys_sizes_used |= (u8)(1u << p->size);
	e = tlb_set_take(t, c, tlb_cache_set(t, c, 0), want.sig);
	e->page = want.page;
	e->tag = want.tag;
	e->fill = t->seq << STAMP_BITS | p->size;
	/* The tables above a guest leaf were reached by the whole walk. */
	e->prov = guest ? w->prov : p->prov;
}

/*
 * What nearly every walk is: 4-KiB pages, and both tables that hold the two
 * leaves are known.  The general walk gives the same, in more steps.  Returns
 * false if this is another case; then nothing has changed that matters.
 */
static inline TLB_HOT bool walk_leaves(struct tlb *t, const struct tlb_access *a,
				       struct walk_result *res)
{
	struct tlb_want want = want_guest(t, a->va.n >> 9);
	struct tlb_cache *c = &t->cache[TLB_GUEST_PHYS];
	const struct tlb_entry *guest, *host;
	struct tlb_prov prov = a->prov;
	struct tlb_entry *e;
	u32 way;

	guest = cache_use(t, TLB_PSC_GUEST, &want);
	if (!guest || !c->ways)
		return false;
	want = want_phys(t, a->gpa.n, 0);
	way = tlb_set_search(c, tlb_cache_set(t, c, 0), &want);
	if (way != WAY_NONE)
		return false;
	const struct tlb_want table = want_phys(t, a->gpa.n >> 9, 0);

	host = cache_use(t, TLB_PSC_EPT, &table);
	if (!host)
		return false;
	take_frame(a, &prov, &host->prov);
	res->refs = 2;
	res->prov = a->prov;
	take_frame(a, &res->prov, &guest->prov);
	take_frame(a, &res->prov, &prov);
	tlb_mark_fill_phys(t);
	e = tlb_set_take(t, c, tlb_cache_set(t, c, 0), want.sig);
	e->page = want.page;
	e->tag = want.tag;
	e->fill = t->seq << STAMP_BITS;
	e->prov = prov;
	return true;
}

static void walk_all(struct tlb *t, const struct tlb_access *a,
		     struct walk_result *res)
{
	struct walk w;

	w.t = t;
	w.a = a;
	w.refs = 0;
	w.nr_pending = 0;
	w.prov = a->prov;
	walk_guest(&w);
	for (u32 i = 0; i < w.nr_pending; i++)
		walk_insert(&w, &w.pending[i]);
	res->refs = w.refs;
	res->prov = w.prov;
}

void walker_walk(struct tlb *t, const struct tlb_access *a,
		 struct walk_result *res)
{
	bool small = a->s1_shift == 12 && a->s2_shift == 12 && t->ctx.ept &&
		     t->phys_sizes_used == TLB_PAGE_4K;

	if (!small || !walk_leaves(t, a, res))
		walk_all(t, a, res);
	tlb_fill(t, a, &res->prov);
}
