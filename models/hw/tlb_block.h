/*
 * Inside of a TLB block, shared by the four files that work on it (tlb.c,
 * tlb_block.c, walker.c, vtx.c); nobody else includes this.
 *
 * Every cache of a pCPU -- the TLBs, the paging-structure caches of both
 * dimensions, the guest-physical cache -- is one struct tlb_cache: sets of
 * ways, a byte of signature per way packed eight to a word, so that a miss is
 * found out without reading an entry.
 *
 * Flushes are lazy.  @seq counts flushes; a fill is stamped with it, a flush
 * stamps the scope it covers and then advances it.  An entry is live iff its
 * stamp is greater than that of every scope that covers it.  A set is swept of
 * dead entries before something is inserted, once per flush at most.
 */
#ifndef MODELS_HW_TLB_BLOCK_H
#define MODELS_HW_TLB_BLOCK_H

#include "models/hw/tlb.h"

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
 * @after: non-global entries must be filled later than this
 * @after_global: ... and global ones later than this
 */
struct tlb_want {
	u64 page;
	u64 tag;
	u64 after;
	u64 after_global;
};

enum tlb_order { ORDER_NIBBLES, ORDER_LIST, ORDER_PLRU };

/**
 * struct tlb_cache - where the arrays of one cache lie; all offsets in bytes
 * @sets: number of sets, a power of two; 0 for a cache that does not exist
 * @set_bits: log2 of @sets
 * @ways: ways of a set
 * @words: words of signatures per set
 * @xor_index: fold the page number into the set index
 * @order: enum tlb_order: how the order of use of the ways is held
 * @sizes: bit mask of page sizes held
 * @has_fragments: some entry may be a fragment of a larger guest page
 * @head_words: words of a set's head
 * @head_at: per set u64[head_words]: order of use (nibbles or tree bits), flush
 *           up to which it is swept, signatures
 * @list_at: ORDER_LIST: the order of use, per set
 * @path_at: ORDER_PLRU: pairs (mask, value) of u64 per way
 * @entry_at: struct tlb_entry[sets * ways]
 */
struct tlb_cache {
	u32 sets;
	u32 set_bits;
	u32 ways;
	u32 words;
	u8 xor_index;
	u8 order;
	u8 sizes;
	u8 has_fragments;
	u32 head_words;
	u64 head_at;
	u64 list_at;
	u64 path_at;
	u64 entry_at;
};

/**
 * struct tlb_home - which caches of a level hold a page size
 * @nr: 0, 1 or 2
 * @idx: their numbers
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

	u8 sizes_used[2];	/* per level, sizes ever filled */
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

static inline struct tlb_entry *tlb_entries(struct tlb *t,
					    const struct tlb_cache *c)
{
	return tlb_at(t, c->entry_at);
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

static inline TLB_HOT u32 tlb_set_of(const struct tlb_cache *c, u64 vpn)
{
	if (c->xor_index)
		vpn ^= vpn >> c->set_bits;
	return vpn & (c->sets - 1);
}

/* Words of a set's head. */
enum { HEAD_ORDER, HEAD_CHECKED, HEAD_SIG };

static inline TLB_HOT u64 *tlb_head(struct tlb *t, const struct tlb_cache *c, u32 set)
{
	return (u64 *)tlb_at(t, c->head_at) + (u64)set * c->head_words;
}

#define SIG_EMPTY	0u
#define SIG_PAD		1u		/* no way here: neither free nor a match */
#define SIG_USED	0x80u
#define SIG_ONES	0x0101010101010101ULL
#define SIG_TOPS	0x8080808080808080ULL

/* Of the page and of the tag but for PCID and global; not SIG_EMPTY or _PAD. */
static inline TLB_HOT u64 tlb_sig(u64 vpn, u64 tag)
{
	u64 h = (vpn + tag * 0xbf58476d1ce4e5b9ULL) * 0x9e3779b97f4a7c15ULL;

	return h >> 56 | SIG_USED;
}

/* Top bit of every zero byte; above the lowest there may be false ones. */
static inline TLB_HOT u64 tlb_zero_bytes(u64 x)
{
	return (x - SIG_ONES) & ~x & SIG_TOPS;
}

/* The one comparison of an entry with what is looked for. */
static inline TLB_HOT bool tlb_entry_matches(const struct tlb_entry *e,
				     const struct tlb_want *w)
{
	if ((e->page ^ w->page) >> PAGE_PCID_BITS)
		return false;
	if (e->tag == w->tag)
		return e->page == w->page && e->fill > w->after;
	return e->tag == (w->tag | TAG_GLOBAL) && e->fill > w->after_global;
}

/**
 * tlb_cache_find() - find a live entry; replacement state stays as it is
 * @t: TLB
 * @c: one of its caches
 * @w: what to look for
 * @set: set to the set of the entry
 * @way: set to its way
 *
 * Return: the entry or NULL.
 */
static inline TLB_HOT struct tlb_entry *tlb_cache_find(struct tlb *t,
					       const struct tlb_cache *c,
					       const struct tlb_want *w,
					       u32 *set, u32 *way)
{
	u64 vpn = w->page >> PAGE_PCID_BITS, pattern, found;
	const u64 *sig;
	struct tlb_entry *e;
	u32 i = 0;

	if (!c->sets)
		return NULL;
	*set = tlb_set_of(c, vpn);
	sig = tlb_head(t, c, *set) + HEAD_SIG;
	e = tlb_entries(t, c) + (u64)*set * c->ways;
	pattern = tlb_sig(vpn, w->tag) * SIG_ONES;
	do {
		found = tlb_zero_bytes(sig[i] ^ pattern);
		for (; found; found &= found - 1) {
			*way = i * 8 + (u32)__builtin_ctzll(found) / 8;
			if (*way < c->ways && tlb_entry_matches(&e[*way], w))
				return &e[*way];
		}
	} while (unlikely(++i < c->words));
	return NULL;
}

static inline TLB_HOT void tlb_sig_put(u64 *word, u32 way, u64 sig)
{
	u32 at = way % 8 * 8;

	*word = (*word & ~(0xffULL << at)) | sig << at;
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

/**
 * tlb_list_to_front() - make a way the first of a list in order of use
 * @l: list of one set
 * @ways: ways of the set
 * @way: way
 */
void tlb_list_to_front(u16 *l, u32 ways, u32 way);

/*
 * List of the ways of one set in order of use: u16 next[ways], prev[ways],
 * then head (most recent) and tail.
 */
static inline u16 *tlb_cache_list(struct tlb *t, const struct tlb_cache *c,
				  u32 set)
{
	return (u16 *)tlb_at(t, c->list_at) + (u64)set * (2 * c->ways + 2);
}

/* Make a way the most recently used of its set. */
static inline TLB_HOT void tlb_cache_use(struct tlb *t, const struct tlb_cache *c,
				 u32 set, u32 way)
{
	u64 *order = tlb_head(t, c, set) + HEAD_ORDER;
	const u64 *path;

	if (c->order == ORDER_NIBBLES) {
		*order = tlb_nibbles_to_front(*order, way);
	} else if (c->order == ORDER_PLRU) {
		path = (u64 *)tlb_at(t, c->path_at) + 2 * (u64)way;
		*order = (*order & ~path[0]) | path[1];
	} else {
		tlb_list_to_front(tlb_cache_list(t, c, set), c->ways, way);
	}
}

static inline TLB_HOT u32 tlb_cache_victim(struct tlb *t, const struct tlb_cache *c,
				   u32 set)
{
	u64 order = tlb_head(t, c, set)[HEAD_ORDER];
	u32 node = 1;

	if (c->order == ORDER_LIST)
		return tlb_cache_list(t, c, set)[2 * c->ways + 1];
	if (c->order == ORDER_NIBBLES)
		return order >> 4 * (c->ways - 1) & 0xf;
	while (node < c->ways)
		node = 2 * node + (order >> node & 1);
	return node - c->ways;
}

/* A free way if there is one, else the victim. */
static inline TLB_HOT u32 tlb_cache_way_for_fill(struct tlb *t,
					 const struct tlb_cache *c, u32 set)
{
	const u64 *sig = tlb_head(t, c, set) + HEAD_SIG;
	u32 i = 0;
	u64 zero;

	do {
		zero = tlb_zero_bytes(sig[i]);
		if (zero)
			return i * 8 + (u32)__builtin_ctzll(zero) / 8;
	} while (unlikely(++i < c->words));
	return tlb_cache_victim(t, c, set);
}

/**
 * tlb_cache_sweep() - free the ways of a set that hold dead entries
 * @t: TLB
 * @c: one of its caches
 * @set: set
 */
void tlb_cache_sweep(struct tlb *t, const struct tlb_cache *c, u32 set);

/* Put a finished entry into a free way or over the victim. */
static inline TLB_HOT void tlb_cache_insert(struct tlb *t, struct tlb_cache *c,
				    const struct tlb_entry *e)
{
	u64 vpn = e->page >> PAGE_PCID_BITS;
	u32 set, way;
	u64 *head;

	if (!c->sets)
		return;
	set = tlb_set_of(c, vpn);
	head = tlb_head(t, c, set);
	if (unlikely(head[HEAD_CHECKED] != t->last_flush))
		tlb_cache_sweep(t, c, set);
	way = tlb_cache_way_for_fill(t, c, set);
	tlb_entries(t, c)[(u64)set * c->ways + way] = *e;
	tlb_sig_put(&head[HEAD_SIG + way / 8], way,
		    tlb_sig(vpn, e->tag & ~TAG_GLOBAL));
	tlb_cache_use(t, c, set, way);
	if ((e->fill & STAMP_MASK) > (e->tag & TAG_SIZE_MASK) >> TAG_SIZE_SHIFT)
		c->has_fragments = true;
}

/**
 * tlb_cache_erase() - free one way
 * @t: TLB
 * @c: one of its caches
 * @set: set
 * @way: way
 */
void tlb_cache_erase(struct tlb *t, const struct tlb_cache *c, u32 set,
		     u32 way);

/**
 * tlb_cache_way_used() - does a way hold an entry, live or dead?
 * @t: TLB
 * @c: one of its caches
 * @set: set
 * @way: way
 *
 * Return: false if it is free.
 */
bool tlb_cache_way_used(struct tlb *t, const struct tlb_cache *c, u32 set,
			u32 way);

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
 * tlb_mark_fill() - note that the context's scopes hold something new
 * @t: TLB
 * @global: the fill is of a global page
 */
void tlb_mark_fill(struct tlb *t, bool global);

/**
 * tlb_mark_fill_phys() - note a fill of a guest-physical mapping
 * @t: TLB
 */
void tlb_mark_fill_phys(struct tlb *t);

#endif /* MODELS_HW_TLB_BLOCK_H */
