/*
 * Inside of a TLB block, shared by the four files that work on it (tlb.c,
 * tlb_block.c, walker.c, vtx.c); nobody else includes this.
 *
 * Every cache of a pCPU -- the TLBs, the paging-structure caches of both
 * dimensions, the guest-physical cache -- is one struct tlb_cache: sets of
 * ways, each set a head (order of use, signatures) with its entries behind it.
 *
 * Flushes are lazy.  @seq counts flushes; a fill is stamped with it, a flush
 * stamps the scope it covers and then advances it.  An entry is live iff its
 * stamp is greater than that of every scope that covers it.  A set is swept of
 * dead entries before something is inserted, once per flush at most.
 */
#ifndef MODELS_HW_TLB_BLOCK_H
#define MODELS_HW_TLB_BLOCK_H

#include "models/hw/tlb.h"
#include "models/hw/tlb_sig.h"

/* Where a run spends its time; a call there costs as much as the work. */
#define TLB_HOT		__attribute__((always_inline))

#define TLB_SIZES	3		/* 4 KiB, 2 MiB, 1 GiB */
#define TLB_PSC_LEVELS	3		/* PDE, PDPTE, PML4E */
#define TLB_PCID_SLOTS	128u		/* power of two */
#define TLB_PCID_MAX	4096u

/* Caches after those of the geometry. */
enum tlb_cache_extra {
	TLB_PSC_GUEST = TLB_STRUCTS_MAX,		/* + level */
	TLB_PSC_EPT = TLB_PSC_GUEST + TLB_PSC_LEVELS,	/* + level */
	TLB_GUEST_PHYS = TLB_PSC_EPT + TLB_PSC_LEVELS,
	TLB_CACHES_NR,
};

/* Layout of struct tlb_entry.tag; the page number is in .page. */
#define TAG_KIND_MASK	3ULL
#define TAG_SIZE_SHIFT	2
#define TAG_SIZE_MASK	(3ULL << TAG_SIZE_SHIFT)
#define TAG_GLOBAL	BIT64(4)
#define TAG_VPID_SHIFT	16
#define TAG_EP4TA_SHIFT	32
#define PAGE_PCID_BITS	12

/* Stamps hold the page size of the guest mapping in their two low bits. */
#define STAMP_BITS	2
#define STAMP_MASK	3ULL

#define PAGE_NONE	UINT64_MAX

/**
 * struct tlb_entry - one cached translation or paging-structure entry
 * @page: page number << 12 | PCID
 * @tag: EP4TA << 32 | VPID << 16 | global | size | kind
 * @fill: sequence of the fill << 2 | size of the page in the guest's tables,
 *        larger than that of the entry for a fragment of a large page
 * @prov: provenance
 */
struct tlb_entry {
	u64 page;
	u64 tag;
	u64 fill;
	struct tlb_prov prov;
};

/**
 * struct tlb_want - what a lookup looks for
 * @page: page number << 12 | PCID
 * @tag: tag without TAG_GLOBAL
 * @sig: signature of both
 * @after: non-global entries must be filled later than this
 * @after_global: ... and global ones later than this
 */
struct tlb_want {
	u64 page;
	u64 tag;
	u32 sig;
	u64 after;
	u64 after_global;
};

/*
 * How the order of use of the ways is held: up to 16 in one word; a ring, good
 * where most uses are fills; a time per way, good where fills are rare; a tree.
 */
enum tlb_order { ORDER_NIBBLES, ORDER_RING, ORDER_TIMES, ORDER_PLRU };

#define TLB_HINTS	4u

/**
 * struct tlb_cache - where one cache lies; all offsets in bytes
 * @set_mask: number of sets, a power of two, less one
 * @xor_mask: the same if the page number is folded into the index, else 0
 * @ways: ways of a set; 0 for a cache that does not exist
 * @groups: groups of signatures in a set
 * @set_bits: log2 of the number of sets
 * @order: enum tlb_order: how the order of use of the ways is held
 * @sizes: bit mask of page sizes held
 * @has_fragments: some entry may be a fragment of a larger guest page
 * @entry_in_set: offset of a set's first entry
 * @order_in_set: ORDER_RING: offset of a set's struct tlb_link[ways + 1];
 *                ORDER_TIMES: of its u64[ways]
 * @set_bytes: from one set to the next
 * @hint: fully associative: way of a recent hit, by the low page-number bits;
 *        merely where to look first
 * @set_at: the sets, struct tlb_set each
 * @path_at: ORDER_PLRU: pairs (mask, value) of u64 per way
 */
struct tlb_cache {
	u32 set_mask;
	u32 xor_mask;
	u16 ways;
	u16 groups;
	u8 set_bits;
	u8 order;
	u8 sizes;
	u8 has_fragments;
	u32 entry_in_set;
	u32 order_in_set;
	u32 set_bytes;
	u16 hint[TLB_HINTS];
	u64 set_at;
	u64 path_at;
} __attribute__((aligned(64)));

/**
 * struct tlb_set - one set
 * @order: ORDER_NIBBLES, ORDER_PLRU: order of use of its ways; ORDER_TIMES:
 *         uses so far
 * @checked: flush up to which it is swept of dead entries; CHECKED_FULL
 * @sig: groups of signatures; the entries lie behind them
 */
struct tlb_set {
	u64 order;
	u64 checked;
	u16 sig[];
};

/* Beside the stamp in tlb_set.checked: no way is free. */
#define CHECKED_FULL	BIT64(63)

/**
 * struct tlb_home - which caches of a level hold a page size
 * @nr: 0, 1 or 2
 * @idx: their numbers; the same one twice if it is only one
 * @bit: page-number bit that chooses between two
 */
struct tlb_home {
	u8 nr;
	u8 idx[2];
	u8 bit;
};

/* Stamps per VPID; [0] linear, [1] combined mappings. */
struct tlb_vpid_stamps {
	u64 all[2];
	u64 nonglobal[2];
	u64 pcid;		/* latest flush of any one PCID */
	u64 fill[2];		/* latest non-global fill */
	u64 fill_global[2];
};

/* Stamps per EP4TA; [0] combined, [1] guest-physical mappings. */
struct tlb_ep4ta_stamps {
	u64 all[2];
	u64 fill[2];
};

/* Stamps per (VPID, PCID), in a small hash table; @key 0 is free. */
struct tlb_pcid_stamps {
	u64 key;
	u64 all[2];
	u64 fill[2];
};

/**
 * struct tlb_missed - what the latest lookup found out, for the fill after it
 * @va: page that missed, or PAGE_NONE; only if of 4 KiB at most
 * @instr: its side
 * @cache: its home, per level
 * @sig: its signature
 * @set_at: offset of its set, per level
 */
struct tlb_missed {
	u64 va;
	u32 sig;
	bool instr;
	u8 cache[2];
	u64 set_at[2];
};

struct tlb {
	u64 bytes;
	u64 seq;
	u64 last_flush;		/* stamp of the latest lazy flush */
	u32 nr_ep4ta;
	u32 nr_vpids;
	u64 vpid_at;		/* struct tlb_vpid_stamps[nr_vpids] */
	u64 ep4ta_at;		/* struct tlb_ep4ta_stamps[nr_ep4ta] */
	u32 guest_levels;
	u32 ept_levels;

	struct tlb_ctx ctx;
	u32 kind;		/* of the context's linear or combined mappings */
	u64 tag;		/* of the context, without size and global */
	u64 after;		/* liveness in the context, cached */
	u64 after_global;
	u64 after_phys;
	struct tlb_missed missed;
	u64 marked;		/* seq when a fill was last noted per scope */
	u64 marked_global;
	u64 marked_phys;

	u64 all[MAP_KIND_NR];
	u64 nonzero_vpids[MAP_KIND_NR];
	u64 fill[MAP_KIND_NR];
	u64 fill_nonzero[MAP_KIND_NR];
	u32 nr_pcid_slots;
	u32 pcid_forgotten;	/* the table below has been emptied */
	struct tlb_pcid_stamps pcid[TLB_PCID_SLOTS];

	u8 sizes_used[2][2];	/* level, side: sizes ever filled */
	u8 sizes_held[2][2];	/* level, side: sizes that have a home */
	u8 only_4k[2];		/* side: no other size in either level so far */
	u8 phys_sizes_used;
	u8 fit[2][2][TLB_SIZES]; /* level, side: size an entry is cached at */
	struct tlb_home home[2][2][TLB_SIZES];
	struct tlb_cache cache[TLB_CACHES_NR];
};

static inline void *tlb_at(struct tlb *t, u64 offset)
{
	return (char *)t + offset;
}

static inline struct tlb_vpid_stamps *tlb_vpid(struct tlb *t, u32 vpid)
{
	return (struct tlb_vpid_stamps *)tlb_at(t, t->vpid_at) + vpid;
}

static inline struct tlb_ep4ta_stamps *tlb_ep4ta(struct tlb *t, u32 ep4ta)
{
	return (struct tlb_ep4ta_stamps *)tlb_at(t, t->ep4ta_at) + ep4ta;
}

static inline u32 tlb_cache_sets(const struct tlb_cache *c)
{
	return c->ways ? c->set_mask + 1 : 0;
}

static inline TLB_HOT struct tlb_set *tlb_cache_set(struct tlb *t,
						    const struct tlb_cache *c,
						    u32 set)
{
	return tlb_at(t, c->set_at + (u64)set * c->set_bytes);
}

static inline TLB_HOT struct tlb_entry *tlb_set_entry(const struct tlb_cache *c,
						      struct tlb_set *s, u32 way)
{
	return (struct tlb_entry *)((char *)s + c->entry_in_set) + way;
}

/* 12, 21, 30 -> 0, 1, 2. */
static inline u32 tlb_size_of_shift(u32 shift)
{
	return shift / 8 - 1;
}

static inline u64 tlb_tag_make(u32 kind, u32 vpid, u32 ep4ta)
{
	return (u64)ep4ta << TAG_EP4TA_SHIFT | (u64)vpid << TAG_VPID_SHIFT | kind;
}

static inline TLB_HOT struct tlb_set *tlb_set_of(struct tlb *t,
						 const struct tlb_cache *c,
						 u64 vpn)
{
	vpn ^= vpn >> c->set_bits & c->xor_mask;
	return tlb_cache_set(t, c, (u32)vpn & c->set_mask);
}

/* Of the page and of the tag but for PCID and global. */
static inline TLB_HOT u32 tlb_sig(u64 vpn, u64 tag)
{
	u64 h = (vpn + tag * 0xbf58476d1ce4e5b9ULL) * 0x9e3779b97f4a7c15ULL;

	return (u32)(h >> 48) | SIG_USED;
}

/* The one comparison of an entry with what is looked for. */
static inline TLB_HOT bool tlb_entry_matches(const struct tlb_entry *e,
					     const struct tlb_want *w)
{
	if (likely(e->page == w->page && e->tag == w->tag))
		return e->fill > w->after;
	return !((e->page ^ w->page) >> PAGE_PCID_BITS) &&
	       e->tag == (w->tag | TAG_GLOBAL) && e->fill > w->after_global;
}

#define WAY_NONE	UINT32_MAX

/**
 * tlb_set_search() - tlb_set_find() where the first look does not decide
 * @c: cache
 * @s: the set of @c that it may be in
 * @w: what to look for
 *
 * Return: its way, or WAY_NONE.
 */
u32 tlb_set_search(const struct tlb_cache *c, struct tlb_set *s,
		   const struct tlb_want *w);

/**
 * tlb_set_find() - find a live entry; replacement state stays as it is
 * @c: cache
 * @s: the set of @c that it may be in
 * @w: what to look for
 *
 * Return: its way, or WAY_NONE.
 */
static inline TLB_HOT u32 tlb_set_find(const struct tlb_cache *c,
				       struct tlb_set *s,
				       const struct tlb_want *w)
{
	u32 found = tlb_sig_match(s->sig, w->sig), way;

	if (found) {
		way = (u32)__builtin_ctz(found) / 2;
		if (likely(tlb_entry_matches(tlb_set_entry(c, s, way), w)))
			return way;
	} else if (likely(c->groups == 1)) {
		return WAY_NONE;
	}
	return tlb_set_search(c, s, w);
}

#define NIBBLE_WAYS	16u
#define NIBBLE_ONES	0x1111111111111111ULL
#define NIBBLE_TOPS	0x8888888888888888ULL

/* The order of up to 16 ways in one word, most recent in the low nibble. */
static inline TLB_HOT u64 tlb_nibbles_to_front(u64 order, u32 way)
{
	u64 x = order ^ (u64)way * NIBBLE_ONES;
	u64 zero = (x - NIBBLE_ONES) & ~x & NIBBLE_TOPS;
	u64 below = ((zero & -zero) >> 3) - 1;
	u64 above = ~(below << 4 | 0xf);

	return (order & above) | (order & below) << 4 | way;
}

/*
 * The ways of one set in order of use, a ring: the way after number "ways" is
 * the most recently used, the one before it the least.
 */
struct tlb_link {
	u16 next;
	u16 prev;
};

static inline TLB_HOT struct tlb_link *tlb_set_ring(const struct tlb_cache *c,
						    struct tlb_set *s)
{
	return (struct tlb_link *)((char *)s + c->order_in_set);
}

static inline TLB_HOT u64 *tlb_set_times(const struct tlb_cache *c,
					 struct tlb_set *s)
{
	return (u64 *)((char *)s + c->order_in_set);
}

static inline TLB_HOT void tlb_ring_to_front(struct tlb_link *l, u32 ways,
					     u32 way)
{
	l[l[way].prev].next = l[way].next;
	l[l[way].next].prev = l[way].prev;
	l[way].prev = (u16)ways;
	l[way].next = l[ways].next;
	l[l[ways].next].prev = (u16)way;
	l[ways].next = (u16)way;
}

/* Make a way the most recently used of its set. */
static inline TLB_HOT void tlb_set_use(struct tlb *t, const struct tlb_cache *c,
				       struct tlb_set *s, u32 way)
{
	const u64 *path;

	if (c->order == ORDER_PLRU) {
		path = (u64 *)tlb_at(t, c->path_at) + 2 * (u64)way;
		s->order = (s->order & ~path[0]) | path[1];
	} else if (c->order == ORDER_NIBBLES) {
		s->order = tlb_nibbles_to_front(s->order, way);
	} else if (c->order == ORDER_TIMES) {
		tlb_set_times(c, s)[way] = ++s->order;
	} else {
		tlb_ring_to_front(tlb_set_ring(c, s), c->ways, way);
	}
}

/**
 * tlb_set_oldest() - victim under ORDER_TIMES
 * @c: cache
 * @s: set, all of whose ways are in use
 *
 * Return: its least recently used way.
 */
u32 tlb_set_oldest(const struct tlb_cache *c, struct tlb_set *s);

static inline TLB_HOT u32 tlb_set_victim(const struct tlb_cache *c,
					 struct tlb_set *s)
{
	u32 node = 1;

	if (c->order == ORDER_RING)
		return tlb_set_ring(c, s)[c->ways].prev;
	if (c->order == ORDER_NIBBLES)
		return s->order >> 4 * (c->ways - 1) & 0xf;
	if (c->order == ORDER_TIMES)
		return tlb_set_oldest(c, s);
	while (node < c->ways)
		node = 2 * node + (s->order >> node & 1);
	return node - c->ways;
}

/**
 * tlb_set_sweep() - free the ways that hold dead entries
 * @t: TLB
 * @c: one of its caches
 * @s: set of that
 */
void tlb_set_sweep(struct tlb *t, const struct tlb_cache *c, struct tlb_set *s);

/* A free way if there is one, else the victim. */
static inline TLB_HOT u32 tlb_set_way_for_fill(struct tlb *t,
					       const struct tlb_cache *c,
					       struct tlb_set *s)
{
	u32 found;

	if (likely(s->checked == (t->last_flush | CHECKED_FULL)))
		return tlb_set_victim(c, s);
	if ((s->checked & ~CHECKED_FULL) != t->last_flush)
		tlb_set_sweep(t, c, s);
	for (u32 i = 0; i < c->groups; i++) {
		found = tlb_sig_match(s->sig + i * SIG_GROUP, SIG_EMPTY);
		if (found)
			return i * SIG_GROUP + (u32)__builtin_ctz(found) / 2;
	}
	s->checked |= CHECKED_FULL;
	return tlb_set_victim(c, s);
}

/*
 * Take a free way or the victim's for a new entry, which the caller fills in:
 * a finished entry handed over would have to be copied.
 */
static inline TLB_HOT struct tlb_entry *tlb_set_take(struct tlb *t,
						     const struct tlb_cache *c,
						     struct tlb_set *s, u32 sig)
{
	u32 way = tlb_set_way_for_fill(t, c, s);

	s->sig[way] = (u16)sig;
	tlb_set_use(t, c, s, way);
	return tlb_set_entry(c, s, way);
}

/**
 * tlb_set_erase() - free one way
 * @c: cache
 * @s: set of that
 * @way: way
 */
void tlb_set_erase(const struct tlb_cache *c, struct tlb_set *s, u32 way);

/**
 * tlb_entry_live() - is an entry younger than every flush that covers it?
 * @t: TLB
 * @e: entry of any cache and any context
 *
 * Return: whether it is.
 */
bool tlb_entry_live(struct tlb *t, const struct tlb_entry *e);

/**
 * tlb_pcid_stamps() - stamps of one PCID of one VPID
 * @t: TLB
 * @vpid: VPID
 * @pcid: PCID
 * @create: make room for them if there are none
 *
 * A full table is emptied after all dead entries have been erased for good,
 * so that nothing depends on the stamps any more.
 *
 * Return: the stamps, valid until the next creation; NULL if there are none.
 */
struct tlb_pcid_stamps *tlb_pcid_stamps(struct tlb *t, u32 vpid, u32 pcid,
					bool create);

/**
 * tlb_context_refresh() - recompute what is cached about the context
 * @t: TLB
 *
 * Called when the context or a stamp has changed.
 */
void tlb_context_refresh(struct tlb *t);

/**
 * tlb_size_used() - from now on lookups of a level look for this size too
 * @t: TLB
 * @level: level, 0 or 1
 * @size: size that is about to be filled
 */
void tlb_size_used(struct tlb *t, u32 level, u32 size);

/**
 * tlb_mark_scopes() - note that the context's scopes hold something new
 * @t: TLB
 * @global: the fill is of a global page
 */
void tlb_mark_scopes(struct tlb *t, bool global);

/**
 * tlb_mark_scopes_phys() - note a fill of a guest-physical mapping
 * @t: TLB
 */
void tlb_mark_scopes_phys(struct tlb *t);

/* Once per flush and kind of fill is enough. */
static inline TLB_HOT void tlb_mark_fill(struct tlb *t, bool global)
{
	if (unlikely((global ? t->marked_global : t->marked) != t->seq))
		tlb_mark_scopes(t, global);
}

static inline TLB_HOT void tlb_mark_fill_phys(struct tlb *t)
{
	if (unlikely(t->marked_phys != t->seq))
		tlb_mark_scopes_phys(t);
}

#endif /* MODELS_HW_TLB_BLOCK_H */
