#include "models/hw/tlb_block.h"

#include <string.h>

#include "sim/base/err.h"

static u32 list_words(u32 ways)
{
	return 2 * ways + 2;
}

static void list_init(u16 *l, u32 ways)
{
	for (u32 i = 0; i < ways; i++) {
		l[i] = (u16)(i + 1);
		l[ways + i] = (u16)(i - 1);
	}
	l[2 * ways] = 0;
	l[2 * ways + 1] = (u16)(ways - 1);
}

void tlb_list_to_front(u16 *l, u32 ways, u32 way)
{
	u16 *next = l, *prev = l + ways, *head = l + 2 * ways;
	u16 *tail = head + 1;

	if (*head == way)
		return;
	if (*tail == way)
		*tail = prev[way];
	else
		prev[next[way]] = prev[way];
	next[prev[way]] = next[way];
	next[way] = *head;
	prev[*head] = (u16)way;
	*head = (u16)way;
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

void tlb_cache_erase(struct tlb *t, const struct tlb_cache *c, u32 set, u32 way)
{
	tlb_sig_put(&tlb_head(t, c, set)[HEAD_SIG + way / 8], way, SIG_EMPTY);
}

bool tlb_cache_way_used(struct tlb *t, const struct tlb_cache *c, u32 set,
			u32 way)
{
	return tlb_head(t, c, set)[HEAD_SIG + way / 8] >> way % 8 * 8 & 0xff;
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

void tlb_cache_sweep(struct tlb *t, const struct tlb_cache *c, u32 set)
{
	u64 *checked = &tlb_head(t, c, set)[HEAD_CHECKED];
	struct tlb_entry *e = tlb_entries(t, c) + (u64)set * c->ways;

	if (*checked == t->last_flush)
		return;
	*checked = t->last_flush;
	for (u32 way = 0; way < c->ways; way++)
		if (tlb_cache_way_used(t, c, set, way) &&
		    !tlb_entry_live(t, &e[way]))
			tlb_cache_erase(t, c, set, way);
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
			for (u32 set = 0; set < t->cache[i].sets; set++)
				tlb_cache_sweep(t, &t->cache[i], set);
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
	t->marked = 0;
	t->marked_global = 0;
	t->marked_phys = 0;
}

void tlb_mark_fill(struct tlb *t, bool global)
{
	u64 *marked = global ? &t->marked_global : &t->marked;
	u64 now = t->seq << STAMP_BITS;
	struct tlb_vpid_stamps *v;

	if (*marked == now)
		return;
	*marked = now;
	v = tlb_vpid(t, t->ctx.vpid);
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

void tlb_mark_fill_phys(struct tlb *t)
{
	u64 now = t->seq << STAMP_BITS;

	if (t->marked_phys == now)
		return;
	t->marked_phys = now;
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
	if (!entries)
		return;
	c->ways = ways;
	c->sets = entries / ways;
	c->set_bits = (u32)__builtin_ctz(c->sets);
	c->words = (ways + 7) / 8;
	if (c->order != ORDER_PLRU)
		c->order = ways <= NIBBLE_WAYS ? ORDER_NIBBLES : ORDER_LIST;
	c->head_words = HEAD_SIG + c->words;
	c->head_at = reserve(bytes, (u64)c->sets * c->head_words, sizeof(u64));
	if (c->order == ORDER_LIST)
		c->list_at = reserve(bytes, (u64)c->sets * list_words(ways),
				     sizeof(u16));
	if (c->order == ORDER_PLRU)
		c->path_at = reserve(bytes, ways, 2 * sizeof(u64));
	c->entry_at = reserve(bytes, entries, sizeof(struct tlb_entry));
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
							     ORDER_NIBBLES;
		c->xor_index = s->index == TLB_INDEX_XOR;
		c->sizes = (s->holds_4k ? TLB_PAGE_4K : 0) |
			   (s->holds_2m ? TLB_PAGE_2M : 0) |
			   (s->holds_1g ? TLB_PAGE_1G : 0);
		cache_lay_out(c, &bytes, s->entries, s->ways);
	}
	for (u32 i = 0; i < TLB_PSC_LEVELS; i++) {
		cache_lay_out(&t->cache[TLB_PSC_GUEST + i], &bytes, psc[i], psc[i]);
		cache_lay_out(&t->cache[TLB_PSC_EPT + i], &bytes, psc[i], psc[i]);
	}
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
			h->idx[h->nr++] = (u8)i;
			h->bit = (u8)t->cache[i].set_bits;
		}
		if (h->nr)
			fit = size;
		t->fit[level][side][size] = (u8)fit;
	}
}

static void cache_init(struct tlb *t, const struct tlb_cache *c)
{
	u64 *head;

	for (u32 set = 0; set < c->sets; set++) {
		head = tlb_head(t, c, set);
		for (u32 way = c->ways; way < c->words * 8; way++)
			tlb_sig_put(&head[HEAD_SIG + way / 8], way, SIG_PAD);
		if (c->order == ORDER_LIST)
			list_init(tlb_cache_list(t, c, set), c->ways);
		else if (c->order == ORDER_NIBBLES)
			head[HEAD_ORDER] = 0xfedcba9876543210ULL;
	}
	if (c->sets && c->order == ORDER_PLRU)
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
