#include "models/workload/access.h"

#include "models/workload/access_fixed.h"
#include "sim/base/err.h"

#define PAGES_MAX	65535u
#define WEIGHT_ONE	BIT64(32)
#define CHANCE_BITS	48		/* chances of pages: units of 2^-48 */
#define GAP_FRAC	16		/* means of gaps: units of 2^-16 */
#define RNG_ACCESS	0x616363657373ULL
#define RENEW_EVENLY	8u		/* renewals before intervals double */
#define RENEW_DOUBLINGS	31u

struct access_class {
	u32 first;
	u32 pages;
	u32 untouched;		/* at @first .. @first + @untouched - 1 of perm */
	u64 page_weight;
};

struct access_state {
	struct rng rng;
	u64 gap;		/* accesses up to and with the next touch, or 0 */
	u64 weight;		/* chance that an access goes to an untouched page */
	u64 total_weight;
	u32 nr_pages;
	u32 nr_classes;
	u32 renewals;		/* since access_forget() */
	struct access_class class[ACCESS_CLASSES_MAX];
	u16 table[];		/* perm[nr_pages], then pos[nr_pages] */
};

/* ------------------------------------------------------------------ */

static void shape_add(struct access_shape *s, u32 pages, u64 weight)
{
	u32 i = s->nr_classes;
	u32 first = i ? s->class[i - 1].first + s->class[i - 1].pages : 0;

	if (!pages)
		return;
	BUG_ON(i == ACCESS_CLASSES_MAX);
	s->class[i].first = first;
	s->class[i].pages = pages;
	s->class[i].weight = weight;
	s->nr_classes++;
}

/*
 * Log-uniform: band b holds pages 2^b - 1 .. 2^(b+1) - 2 and each whole band
 * is equally likely; the last may be cut short.
 */
static void shape_add_bands(struct access_shape *s, u32 nr_pages)
{
	u64 whole = fixed_log2(nr_pages + 1), left = WEIGHT_ONE, weight;
	u32 first = 0, pages;

	for (u32 b = 0; first < nr_pages; b++) {
		pages = 1u << b;
		weight = (u64)(((unsigned __int128)1 << (FIXED_BITS + 32)) / whole);
		if (first + pages >= nr_pages) {
			pages = nr_pages - first;
			weight = left;
		}
		shape_add(s, pages, weight);
		left -= weight;
		first += pages;
	}
}

void access_shape_init(struct access_shape *s, enum access_locality locality,
		       u32 nr_pages, u32 hot_pages, u32 hot_permille)
{
	u64 hot = WEIGHT_ONE * hot_permille / 1000;

	BUG_ON(!nr_pages);
	BUG_ON(nr_pages > PAGES_MAX);
	*s = (struct access_shape){ .nr_pages = nr_pages };
	switch (locality) {
	case LOCALITY_HOT:
		BUG_ON(!hot_pages);
		BUG_ON(hot_pages > nr_pages);
		BUG_ON(hot_permille > 1000);
		if (hot_pages == nr_pages)
			hot = WEIGHT_ONE;
		shape_add(s, hot_pages, hot);
		shape_add(s, nr_pages - hot_pages, WEIGHT_ONE - hot);
		break;
	case LOCALITY_LOG:
		shape_add_bands(s, nr_pages);
		break;
	default:
		shape_add(s, nr_pages, WEIGHT_ONE);
		break;
	}
	for (u32 i = 0; i < s->nr_classes; i++) {
		u64 each = (s->class[i].weight << (CHANCE_BITS - 32)) /
			   s->class[i].pages;

		s->class[i].page_weight = each;
		s->class[i].decay = fixed_decay(each << (64 - CHANCE_BITS));
		if (each == BIT64(CHANCE_BITS))
			s->class[i].decay = FIXED_NEVER;
	}
}

/* ------------------------------------------------------------------ */

u64 access_bytes(u32 nr_pages)
{
	u64 bytes = sizeof(struct access_state) + 2ULL * nr_pages * sizeof(u16);

	return (bytes + 63) & ~63ULL;
}

void access_init(struct access_state *st, const struct access_shape *shape,
		 u64 seed, u32 vcpu)
{
	rng_init(&st->rng, seed, RNG_ACCESS, vcpu);
	st->nr_pages = shape->nr_pages;
	st->nr_classes = shape->nr_classes;
	st->total_weight = 0;
	for (u32 i = 0; i < shape->nr_classes; i++) {
		st->class[i].first = shape->class[i].first;
		st->class[i].pages = shape->class[i].pages;
		st->class[i].page_weight = shape->class[i].page_weight;
		st->total_weight += shape->class[i].page_weight *
				    shape->class[i].pages;
	}
	for (u32 i = 0; i < shape->nr_pages; i++) {
		st->table[i] = (u16)i;
		st->table[shape->nr_pages + i] = (u16)i;
	}
	access_forget(st);
}

static void forget_all(struct access_state *st)
{
	for (u32 i = 0; i < st->nr_classes; i++)
		st->class[i].untouched = st->class[i].pages;
	st->weight = st->total_weight;
	st->gap = 0;
}

void access_forget(struct access_state *st)
{
	forget_all(st);
	st->renewals = 0;
}

bool access_renew(struct access_state *st, const struct access_capacity *c,
		  u64 accesses)
{
	u32 doublings = 0;

	if (!c->renew)
		return false;
	if (st->renewals > RENEW_EVENLY)
		doublings = st->renewals - RENEW_EVENLY;
	if (doublings > RENEW_DOUBLINGS || accesses < (u64)c->renew << doublings)
		return false;
	st->renewals++;
	forget_all(st);
	return true;
}

static void swap_places(struct access_state *st, u32 a, u32 b)
{
	u16 *perm = st->table, *pos = st->table + st->nr_pages;
	u16 page_a = perm[a], page_b = perm[b];

	perm[a] = page_b;
	perm[b] = page_a;
	pos[page_b] = (u16)a;
	pos[page_a] = (u16)b;
}

void access_forget_page(struct access_state *st, u32 page)
{
	struct access_class *c = st->class;
	u32 place;

	BUG_ON(page >= st->nr_pages);
	place = st->table[st->nr_pages + page];
	while (page >= c->first + c->pages)
		c++;
	if (place < c->first + c->untouched)
		return;
	swap_places(st, place, c->first + c->untouched);
	c->untouched++;
	st->weight += c->page_weight;
	/* Gaps are memoryless: a fresh one at the new rate is as good. */
	st->gap = 0;
}

/*
 * Accesses up to the first success of chance @weight: geometric, as one more
 * than the floor of an exponential with mean 1 / -ln(1 - p), expanded in p.
 * Near certainty the expansion fails and a few trials are as fast.
 */
static u64 gap_draw(struct rng *r, u64 weight)
{
	u64 mean, tries = 1;

	if (weight >= BIT64(CHANCE_BITS - 2)) {
		while (rng_next(r) >> (64 - CHANCE_BITS) >= weight)
			tries++;
		return tries;
	}
	mean = UINT64_MAX / max_u64(weight, BIT64(10));
	mean -= BIT64(GAP_FRAC - 1) + (weight >> (CHANCE_BITS - GAP_FRAC)) / 12 +
		((weight >> 24) * (weight >> 24) >> (CHANCE_BITS - GAP_FRAC)) / 24;
	return 1 + (rng_exp(r, mean) >> GAP_FRAC);
}

static u32 touch_draw(struct access_state *st)
{
	struct access_class *c = st->class;
	u64 x = rng_below(&st->rng, st->weight), here;
	u32 place, last;

	for (;; c++) {
		here = c->untouched * c->page_weight;
		if (x < here)
			break;
		x -= here;
	}
	place = c->first + (u32)rng_below(&st->rng, c->untouched);
	last = c->first + --c->untouched;
	st->weight -= c->page_weight;
	swap_places(st, place, last);
	return st->table[last];
}

static u32 exact_draw(struct access_state *st, const struct access_shape *s)
{
	u64 bits = rng_next(&st->rng), x = bits >> 32;
	u32 i = 0;

	for (; i + 1 < s->nr_classes && x >= s->class[i].weight; i++)
		x -= s->class[i].weight;
	return s->class[i].first +
	       (u32)((bits & 0xffffffff) * s->class[i].pages >> 32);
}

u64 access_next(struct access_state *st, const struct access_shape *shape,
		enum access_model model, u64 budget, u32 *page)
{
	u64 passed;

	if (model == ACCESS_EXACT) {
		*page = exact_draw(st, shape);
		return 1;
	}
	if (!st->weight)
		return budget + 1;
	if (!st->gap)
		st->gap = gap_draw(&st->rng, st->weight);
	if (st->gap > budget) {
		st->gap -= budget;
		return budget + 1;
	}
	passed = st->gap;
	st->gap = 0;
	*page = touch_draw(st);
	return passed;
}
