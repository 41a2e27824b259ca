#include "models/hw/tlb_block.h"

#include <string.h>

#include "sim/base/err.h"

#define SET_ALIGN	32u

static void ring_init(struct tlb_link *l, u32 ways)
{
	for (u32 i = 0; i <= ways; i++) {
		l[i].next = (u16)((i + 1) % (ways + 1));
		l[i].prev = (u16)((i + ways) % (ways + 1));
	}
}

/* Nodes on the way to a leaf, and their values that point away from it. */
static void plru_paths_init(u64 *path, u32 ways)
{
	for (u32 way = 0; way < ways; way++) {
		path[2 * way] = 0;
		path[2 * way + 1] = 0;
		for (u32 node = way + ways; node > 1; node /= 2) {
			path[2 * way] |= BIT64(node / 2);
			if (!(node & 1))
				path[2 * way + 1] |= BIT64(node / 2);
		}
	}
}

u32 tlb_set_search(const struct tlb_cache *c, struct tlb_set *s,
		   const struct tlb_want *w)
{
	u32 found, way;

	for (u32 i = 0; i < c->groups; i++) {
		found = tlb_sig_match(s->sig + i * SIG_GROUP, w->sig);
		for (; found; found &= found - 1, found &= found - 1) {
			way = i * SIG_GROUP + (u32)__builtin_ctz(found) / 2;
			if (tlb_entry_matches(tlb_set_entry(c, s, way), w))
				return way;
		}
	}
	return WAY_NONE;
}

u32 tlb_set_oldest(const struct tlb_cache *c, struct tlb_set *s)
{
	const u64 *time = tlb_set_times(c, s);
	u32 oldest = 0;

	for (u32 way = 1; way < c->ways; way++)
		if (time[way] < time[oldest])
			oldest = way;
	return oldest;
}

/* The stamp of a free way is older than any flush: no hint leads to it. */
void tlb_set_erase(const struct tlb_cache *c, struct tlb_set *s, u32 way)
{
	s->sig[way] = SIG_EMPTY;
	s->checked &= ~CHECKED_FULL;
	tlb_set_entry(c, s, way)->fill = 0;
}

static u64 pcid_all(struct tlb *t, u32 vpid, u32 pcid, u32 kind)
{
	struct tlb_pcid_stamps *p = tlb_pcid_stamps(t, vpid, pcid, false);

	return p ? p->all[kind] : 0;
}

bool tlb_entry_live(struct tlb *t, const struct tlb_entry *e)
{
	u32 kind = e->tag & TAG_KIND_MASK;
	u32 vpid = e->tag >> TAG_VPID_SHIFT & 0xffff;
	u32 ep4ta = (u32)(e->tag >> TAG_EP4TA_SHIFT);
	const struct tlb_vpid_stamps *v;

	if (e->fill > t->last_flush)
		return true;
	if (e->fill <= t->all[kind])
		return false;
	if (kind != MAP_LINEAR &&
	    e->fill <= tlb_ep4ta(t, ep4ta)->all[kind - MAP_COMBINED])
		return false;
	if (kind == MAP_GUEST_PHYS)
		return true;
	v = tlb_vpid(t, vpid);
	if (e->fill <= v->all[kind])
		return false;
	if (vpid && e->fill <= t->nonzero_vpids[kind])
		return false;
	if (e->tag & TAG_GLOBAL)
		return true;
	if (e->fill <= v->nonglobal[kind])
		return false;
	return e->fill > v->pcid ||
	       e->fill > pcid_all(t, vpid, e->page & (TLB_PCID_MAX - 1), kind);
}

void tlb_set_sweep(struct tlb *t, const struct tlb_cache *c, struct tlb_set *s)
{
	s->checked = t->last_flush | (s->checked & CHECKED_FULL);
	for (u32 way = 0; way < c->ways; way++)
		if (s->sig[way] != SIG_EMPTY &&
		    !tlb_entry_live(t, tlb_set_entry(c, s, way)))
			tlb_set_erase(c, s, way);
}

static struct tlb_pcid_stamps *pcid_slot(struct tlb *t, u64 key)
{
	u32 i = (u32)(key * 0x9e3779b97f4a7c15ULL >> 57);

	while (t->pcid[i].key && t->pcid[i].key != key)
		i = (i + 1) % TLB_PCID_SLOTS;
	return &t->pcid[i];
}

struct tlb_pcid_stamps *tlb_pcid_stamps(struct tlb *t, u32 vpid, u32 pcid,
					bool create)
{
	u64 key = ((u64)vpid << PAGE_PCID_BITS | pcid) + 1;
	struct tlb_pcid_stamps *p = pcid_slot(t, key);

	if (p->key)
		return p;
	if (!create)
		return NULL;
	if (t->nr_pcid_slots >= TLB_PCID_SLOTS * 3 / 4) {
		for (u32 i = 0; i < TLB_CACHES_NR; i++)
			for (u32 set = 0; set < tlb_cache_sets(&t->cache[i]); set++)
				tlb_set_sweep(t, &t->cache[i],
					      tlb_cache_set(t, &t->cache[i], set));
		memset(t->pcid, 0, sizeof(t->pcid));
		t->nr_pcid_slots = 0;
		t->pcid_forgotten = true;
		p = pcid_slot(t, key);
	}
	p->key = key;
	/* Fills that the table has forgotten are still in the VPID's stamps. */
	for (u32 kind = 0; t->pcid_forgotten && kind < 2; kind++)
		p->fill[kind] = tlb_vpid(t, vpid)->fill[kind];
	t->nr_pcid_slots++;
	return p;
}

void tlb_context_refresh(struct tlb *t)
{
	const struct tlb_vpid_stamps *v = tlb_vpid(t, t->ctx.vpid);
	const struct tlb_ep4ta_stamps *p = tlb_ep4ta(t, t->ctx.ep4ta);
	u32 kind = t->ctx.ept ? MAP_COMBINED : MAP_LINEAR;
	u64 after = max_u64(t->all[kind], v->all[kind]);

	if (t->ctx.vpid)
		after = max_u64(after, t->nonzero_vpids[kind]);
	if (t->ctx.ept)
		after = max_u64(after, p->all[0]);
	t->kind = kind;
	t->tag = tlb_tag_make(kind, t->ctx.vpid, t->ctx.ept ? t->ctx.ep4ta : 0);
	t->after_global = after;
	after = max_u64(after, v->nonglobal[kind]);
	if (v->pcid > after)
		after = max_u64(after, pcid_all(t, t->ctx.vpid, t->ctx.pcid,
						kind));
	t->after = after;
	t->after_phys = max_u64(t->all[MAP_GUEST_PHYS], p->all[1]);
	t->missed.va = PAGE_NONE;
	t->marked = 0;
	t->marked_global = 0;
	t->marked_phys = 0;
}

static void only_4k_refresh(struct tlb *t)
{
	for (u32 side = 0; side < 2; side++)
		t->only_4k[side] = t->sizes_used[0][side] == TLB_PAGE_4K &&
				   t->sizes_used[1][side] == TLB_PAGE_4K;
}

void tlb_size_used(struct tlb *t, u32 level, u32 size)
{
	for (u32 side = 0; side < 2; side++)
		t->sizes_used[level][side] |=
			t->sizes_held[level][side] & (u8)(1u << size);
	only_4k_refresh(t);
}

void tlb_mark_scopes(struct tlb *t, bool global)
{
	u64 now = t->seq << STAMP_BITS;
	struct tlb_vpid_stamps *v = tlb_vpid(t, t->ctx.vpid);

	if (global)
		t->marked_global = t->seq;
	else
		t->marked = t->seq;
	t->fill[t->kind] = now;
	if (t->ctx.vpid)
		t->fill_nonzero[t->kind] = now;
	if (t->ctx.ept)
		tlb_ep4ta(t, t->ctx.ep4ta)->fill[0] = now;
	if (global) {
		v->fill_global[t->kind] = now;
		return;
	}
	v->fill[t->kind] = now;
	tlb_pcid_stamps(t, t->ctx.vpid, t->ctx.pcid, true)->fill[t->kind] = now;
}

void tlb_mark_scopes_phys(struct tlb *t)
{
	u64 now = t->seq << STAMP_BITS;

	t->marked_phys = t->seq;
	t->fill[MAP_GUEST_PHYS] = now;
	tlb_ep4ta(t, t->ctx.ep4ta)->fill[1] = now;
}

static u64 reserve(u64 *bytes, u64 nr, u64 each)
{
	u64 at = *bytes;

	*bytes = (at + nr * each + 63) & ~63ULL;
	return at;
}

static void cache_lay_out(struct tlb_cache *c, u64 *bytes, u32 entries,
			  u32 ways)
{
	u32 sets;

	if (!entries)
		return;
	sets = entries / ways;
	c->ways = (u16)ways;
	c->groups = (u16)((ways + SIG_GROUP - 1) / SIG_GROUP);
	c->set_bits = (u8)__builtin_ctz(sets);
	c->set_mask = sets - 1;
	c->xor_mask &= c->set_mask;
	if (c->order == ORDER_RING && ways <= NIBBLE_WAYS)
		c->order = ORDER_NIBBLES;
	c->entry_in_set = (u32)sizeof(struct tlb_set) +
			  c->groups * SIG_GROUP * (u32)sizeof(u16);
	c->order_in_set = c->entry_in_set + ways * (u32)sizeof(struct tlb_entry);
	c->set_bytes = c->order_in_set;
	if (c->order == ORDER_RING)
		c->set_bytes += (ways + 1) * (u32)sizeof(struct tlb_link);
	if (c->order == ORDER_TIMES)
		c->set_bytes += ways * (u32)sizeof(u64);
	c->set_bytes = (c->set_bytes + SET_ALIGN - 1) & ~(SET_ALIGN - 1);
	c->set_at = reserve(bytes, sets, c->set_bytes);
	if (c->order == ORDER_PLRU)
		c->path_at = reserve(bytes, ways, 2 * sizeof(u64));
}

/* Fills in the offsets; touches nothing but the head of the block. */
static void tlb_lay_out(struct tlb *t, const struct hw_geometry *g)
{
	const u32 psc[TLB_PSC_LEVELS] = { g->psc_pde, g->psc_pdpte, g->psc_pml4e };
	u64 bytes = 0;

	reserve(&bytes, 1, sizeof(*t));
	t->vpid_at = reserve(&bytes, t->nr_vpids, sizeof(struct tlb_vpid_stamps));
	t->ep4ta_at = reserve(&bytes, t->nr_ep4ta,
			      sizeof(struct tlb_ep4ta_stamps));
	for (u32 i = 0; i < g->nr_structs; i++) {
		const struct tlb_struct_geometry *s = &g->tlb[i];
		struct tlb_cache *c = &t->cache[i];

		c->order = s->replacement == TLB_TREE_PLRU ? ORDER_PLRU :
							     ORDER_RING;
		c->xor_mask = s->index == TLB_INDEX_XOR ? UINT32_MAX : 0;
		c->sizes = (s->holds_4k ? TLB_PAGE_4K : 0) |
			   (s->holds_2m ? TLB_PAGE_2M : 0) |
			   (s->holds_1g ? TLB_PAGE_1G : 0);
		cache_lay_out(c, &bytes, s->entries, s->ways);
	}
	for (u32 i = 0; i < 2 * TLB_PSC_LEVELS; i++) {
		t->cache[TLB_PSC_GUEST + i].order = ORDER_TIMES;
		cache_lay_out(&t->cache[TLB_PSC_GUEST + i], &bytes,
			      psc[i % TLB_PSC_LEVELS], psc[i % TLB_PSC_LEVELS]);
	}
	t->cache[TLB_GUEST_PHYS].order = ORDER_RING;
	cache_lay_out(&t->cache[TLB_GUEST_PHYS], &bytes, g->guest_phys_entries,
		      g->guest_phys_entries);
	t->bytes = bytes;
}

static void homes_init(struct tlb *t, const struct hw_geometry *g, u32 level,
		       u32 side)
{
	u32 fit = 0;

	for (u32 size = 0; size < TLB_SIZES; size++) {
		struct tlb_home *h = &t->home[level][side][size];

		for (u32 i = 0; i < g->nr_structs; i++) {
			if (g->tlb[i].level != level + 1 ||
			    !(t->cache[i].sizes & 1u << size) ||
			    (g->tlb[i].side != TLB_SIDE_BOTH &&
			     g->tlb[i].side != side))
				continue;
			BUG_ON(h->nr == 2);
			h->idx[1] = (u8)i;
			h->idx[h->nr++] = (u8)i;
			h->bit = t->cache[i].set_bits;
		}
		if (h->nr) {
			fit = size;
			t->sizes_held[level][side] |= (u8)(1u << size);
		}
		t->fit[level][side][size] = (u8)fit;
	}
}

static void cache_init(struct tlb *t, const struct tlb_cache *c)
{
	struct tlb_set *s;

	for (u32 set = 0; set < tlb_cache_sets(c); set++) {
		s = tlb_cache_set(t, c, set);
		for (u32 way = c->ways; way < c->groups * SIG_GROUP; way++)
			s->sig[way] = SIG_PAD;
		if (c->order == ORDER_RING)
			ring_init(tlb_set_ring(c, s), c->ways);
		else if (c->order == ORDER_NIBBLES)
			s->order = 0xfedcba9876543210ULL;
	}
	if (c->ways && c->order == ORDER_PLRU)
		plru_paths_init(tlb_at(t, c->path_at), c->ways);
}

u64 tlb_bytes(const struct hw_geometry *g, u32 nr_ep4ta, u32 nr_vpids)
{
	struct tlb head = { .nr_ep4ta = nr_ep4ta, .nr_vpids = nr_vpids };

	tlb_lay_out(&head, g);
	return head.bytes;
}

void tlb_init(struct tlb *t, const struct hw_geometry *g, u32 nr_ep4ta,
	      u32 nr_vpids)
{
	BUG_ON(!nr_ep4ta);
	BUG_ON(!nr_vpids);
	t->nr_ep4ta = nr_ep4ta;
	t->nr_vpids = nr_vpids;
	t->guest_levels = g->guest_levels;
	t->ept_levels = g->ept_levels;
	t->seq = 1;
	tlb_lay_out(t, g);
	for (u32 level = 0; level < 2; level++)
		for (u32 side = 0; side < 2; side++)
			homes_init(t, g, level, side);
	for (u32 i = 0; i < TLB_CACHES_NR; i++)
		cache_init(t, &t->cache[i]);
	tlb_context_refresh(t);
}
