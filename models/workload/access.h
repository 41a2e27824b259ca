/*
 * Which pages a vCPU uses, and when: a stream of accesses, each a run of
 * references within one page, drawn independently from a working set that is
 * divided into classes of equally likely pages.
 *
 * Two ways to play the same stream: "exact" hands out every access, "touch"
 * only the first touch of each page since the slice began or since something
 * removed the vCPU's entries; repeats are accounted by a closed form.
 *
 * What touch leaves out are the repeats' own marks on the caches.  They matter
 * where a slice begins among the entries of others and the working set takes a
 * good part of level 2: see access_renew().  access_in_range() says where touch
 * has been measured to stay within 2 % of the walks and 1 % of the cycles of
 * translation of exact (bench/speed/touch.c).
 */
#ifndef MODELS_WORKLOAD_ACCESS_H
#define MODELS_WORKLOAD_ACCESS_H

#include "models/hw/geometry.h"
#include "sim/base/rng.h"
#include "sim/base/types.h"

#define ACCESS_CLASSES_MAX 16

struct err;

enum access_model { ACCESS_EXACT, ACCESS_TOUCH, ACCESS_MODEL_NR };
enum access_locality { LOCALITY_UNIFORM, LOCALITY_HOT, LOCALITY_LOG,
		       LOCALITY_NR };

/**
 * struct access_shape - a working set, prepared for drawing; read-only
 * @nr_pages: pages of the working set
 * @nr_classes: used entries of @class
 * @class: @first .. @first + @pages - 1 are equally likely; @weight is the
 *         probability that an access goes to this class, in units of 2^-32;
 *         @page_weight is that of one of its pages, in units of 2^-48; @decay
 *         is -log2(1 - that), in units of 2^-48
 */
struct access_shape {
	u32 nr_pages;
	u32 nr_classes;
	struct {
		u32 first;
		u32 pages;
		u64 weight;
		u64 page_weight;
		u64 decay;
	} class[ACCESS_CLASSES_MAX];
};

/**
 * access_shape_init() - divide a working set into classes
 * @s: shape to fill in
 * @locality: enum access_locality
 * @nr_pages: size of the working set, 1..65535
 * @hot_pages: LOCALITY_HOT: size of the hot part, 1..@nr_pages
 * @hot_permille: LOCALITY_HOT: accesses that go there, 0..1000
 */
void access_shape_init(struct access_shape *s, enum access_locality locality,
		       u32 nr_pages, u32 hot_pages, u32 hot_permille);

struct access_state;		/* flat block without pointers, one per vCPU */

/**
 * access_bytes() - size of the state of one vCPU
 * @nr_pages: largest working set
 *
 * Return: bytes, a multiple of 64.
 */
u64 access_bytes(u32 nr_pages);

/**
 * access_init() - start a stream
 * @st: zeroed block of access_bytes(@shape->nr_pages)
 * @shape: working set
 * @seed: seed of the run
 * @vcpu: global vCPU number: selects the random stream
 */
void access_init(struct access_state *st, const struct access_shape *shape,
		 u64 seed, u32 vcpu);

/**
 * access_forget() - nothing of this vCPU is known to be cached any more
 * @st: state
 *
 * Called when a slice begins and when something removed entries of the
 * vCPU's context from its pCPU.  O(1).
 */
void access_forget(struct access_state *st);

/**
 * access_forget_page() - one page's entries were removed
 * @st: state
 * @page: index in the working set
 */
void access_forget_page(struct access_state *st, u32 page);

/**
 * access_next() - advance to the next access that must be played
 * @st: state
 * @shape: working set
 * @model: enum access_model
 * @budget: accesses that may pass before it, at least 1
 * @page: set to the page if one is returned, an index in the working set
 *
 * ACCESS_TOUCH: returns how many accesses passed up to and including the next
 * first touch, or @budget + 1 if none falls within @budget; the remaining gap
 * is kept, so calling with budgets 3 and 5 gives the same touches as with 8.
 * ACCESS_EXACT: always 1, the next access.
 *
 * Return: accesses consumed, 1..@budget, or @budget + 1 with @page untouched
 * and @budget accesses consumed.
 */
u64 access_next(struct access_state *st, const struct access_shape *shape,
		enum access_model model, u64 budget, u32 *page);

/**
 * struct access_capacity - a pCPU's capacity as the closed form needs it
 * @l1: characteristic time of level 1 under this shape, accesses (Che)
 * @l2: characteristic time of all levels together, accesses
 * @l1_entries: entries of level 1 that serve these accesses
 * @l2_entries: entries of level 2 that serve them
 * @renew: accesses to the first access_renew(), 0 for never
 */
struct access_capacity {
	u64 l1;
	u64 l2;
	u32 l1_entries;
	u32 l2_entries;
	u32 renew;
};

/**
 * access_capacity_init() - characteristic times for a working set
 * @c: set; UINT64_MAX where the whole working set fits
 * @shape: working set
 * @l1_entries: entries of level 1 that serve these accesses
 * @l2_entries: entries of level 2 that serve them
 */
void access_capacity_init(struct access_capacity *c,
			  const struct access_shape *shape, u32 l1_entries,
			  u32 l2_entries);

/**
 * access_renew_init() - set the capacity's renewals
 * @c: capacity of which all but @renew is set
 * @shape: working set
 *
 * None if the working set is small, or so large that its pages do not stay even
 * while it runs.
 */
void access_renew_init(struct access_capacity *c,
		       const struct access_shape *shape);

/**
 * access_in_range() - is touch known to be as good as exact here?
 * @c: capacity
 * @shape: working set
 * @sharers: vCPUs that take turns on a pCPU
 * @slice: accesses of a usual slice
 *
 * It is for one vCPU alone on its pCPU, and for several if a slice has at least
 * 128 accesses per entry of level 1, no working set is about the size of level 1
 * (half to twice of it), and either they fit into level 2 together or each is
 * at least half of level 2 and stays while it runs.
 * Elsewhere walks have been seen to be 6 % off, and the cycles of translation
 * 9 % (2 % but for the size of level 1).
 *
 * Return: whether walks are within 2 % and cycles of translation within 1 %.
 */
bool access_in_range(const struct access_capacity *c,
		     const struct access_shape *shape, u32 sharers, u64 slice);

/**
 * access_renew() - should touch begin afresh though nothing was removed?
 * @st: state
 * @c: characteristic times
 * @accesses: accesses since access_forget() or since the last renewal
 *
 * Touch uses each page once, so a page in use all the time soon looks like an
 * old one to the replacement of the caches, and a page that its own working set
 * pushed out is not missed.  A working set that could fill half of level 2
 * therefore begins afresh while a slice settles: every @c->renew accesses at
 * first, then at doubling intervals.  To be asked at accesses that do not depend
 * on how a run is cut, after access_repeats() up to there.
 *
 * Return: whether the state has been made to touch every page again; the caller
 * then counts @accesses from 0.
 */
bool access_renew(struct access_state *st, const struct access_capacity *c,
		  u64 accesses);

/**
 * struct access_layout - how a working set lies in memory
 * @va_base: guest-virtual page of its first page, 4-KiB units
 * @shift: size of the cached translations, 12, 21 or 30; pages follow each
 *         other at this size
 * @code_pages: this many first pages are instruction fetches
 */
struct access_layout {
	u64 va_base;
	u32 shift;
	u32 code_pages;
};

/**
 * access_capacity_fit() - characteristic times of a geometry for a working set
 * @c: set; UINT64_MAX where nothing is missed once it has been touched
 * @shape: working set
 * @g: checked geometry
 * @l: where the working set lies
 * @err: set on failure
 *
 * Plays a stretch of the exact stream through a TLB of its own and chooses the
 * times that give the misses met there, so that replacement other than LRU,
 * set conflicts and the filtering of level 2 by level 1 are in them.  Slow
 * (tens of milliseconds): once per shape, before a run.  Deterministic.
 *
 * Return: 0, or -ENOMEM.
 */
int access_capacity_fit(struct access_capacity *c,
			const struct access_shape *shape,
			const struct hw_geometry *g,
			const struct access_layout *l, struct err *err);

/**
 * struct access_misses - expected misses of a span, in units of 1/256
 * @l1: level-1 misses that hit level 2
 * @l2: walks
 */
struct access_misses {
	u64 l1;
	u64 l2;
};

/**
 * access_repeats() - expected misses among repeats, which touch does not play
 * @c: characteristic times
 * @shape: working set
 * @from: accesses since the last access_forget() at the start of the span
 * @to: ... at its end
 *
 * Return: what is expected.
 */
struct access_misses access_repeats(const struct access_capacity *c,
				    const struct access_shape *shape, u64 from,
				    u64 to);

#endif /* MODELS_WORKLOAD_ACCESS_H */
