/*
 * What "touch" does not play: accesses to pages touched before whose entries
 * have been pushed out by others meanwhile.  Che's approximation: under
 * independent accesses a cache of C entries holds the pages used in the last
 * T accesses, with T such that C different pages are expected in that time.
 */
#include "models/workload/access.h"

#include "models/workload/access_fixed.h"

#define CHANCE_BITS	40	/* of fixed_not_yet() */
#define WEIGHT_BITS	32
#define RESULT_BITS	8
#define TIME_MAX	BIT64(44)

/* Different pages expected in @accesses, in units of 2^-40. */
static unsigned __int128 distinct(const struct access_shape *s, u64 accesses)
{
	unsigned __int128 sum = 0;

	for (u32 i = 0; i < s->nr_classes; i++)
		sum += (unsigned __int128)s->class[i].pages *
		       (BIT64(CHANCE_BITS) -
			fixed_not_yet(s->class[i].decay, accesses));
	return sum;
}

static u64 characteristic_time(const struct access_shape *s, u32 entries)
{
	unsigned __int128 want = (unsigned __int128)entries << CHANCE_BITS;
	u64 lo = 0, hi = TIME_MAX, mid;

	if (s->nr_pages <= entries || distinct(s, hi) < want)
		return UINT64_MAX;
	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (distinct(s, mid) < want)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

void access_renew_init(struct access_capacity *c,
		       const struct access_shape *shape)
{
	bool large = shape->nr_pages >= c->l2_entries / 2;
	bool stays = c->l2 >= 2ULL * c->l2_entries;

	c->renew = large && stays ? c->l2_entries / 2 : 0;
}

bool access_in_range(const struct access_capacity *c,
		     const struct access_shape *shape, u32 sharers, u64 slice)
{
	u64 pages = shape->nr_pages;

	if (sharers <= 1)
		return true;
	if (slice < 128ULL * c->l1_entries)
		return false;
	if (2 * pages > c->l1_entries && pages < 2ULL * c->l1_entries)
		return false;
	return pages * sharers <= c->l2_entries ||
	       (c->renew && c->l2 >= 16ULL * c->l2_entries);
}

void access_capacity_init(struct access_capacity *c,
			  const struct access_shape *shape, u32 l1_entries,
			  u32 l2_entries)
{
	c->l1 = characteristic_time(shape, l1_entries);
	c->l2 = characteristic_time(shape, l1_entries > l2_entries ?
				    l1_entries : l2_entries);
	c->l1_entries = l1_entries;
	c->l2_entries = l2_entries;
	access_renew_init(c, shape);
}

/*
 * Repeats among the first @n accesses that come more than @time after the
 * last use: per page p [(1-p)^time - (1-p)^k] summed over k = time .. n - 1.
 */
static u64 repeats_until(const struct access_shape *s, u64 time, u64 n)
{
	__int128 sum = 0;

	if (n <= time)
		return 0;
	for (u32 i = 0; i < s->nr_classes; i++) {
		u64 kept = fixed_not_yet(s->class[i].decay, time);
		u64 left = fixed_not_yet(s->class[i].decay, n);

		sum += (__int128)(n - time) * s->class[i].weight * kept;
		sum -= (__int128)s->class[i].pages * (kept - left) <<
		       WEIGHT_BITS;
	}
	if (sum < 0)
		return 0;
	return (u64)(sum >> (CHANCE_BITS + WEIGHT_BITS - RESULT_BITS));
}

static u64 repeats_between(const struct access_shape *s, u64 time, u64 from,
			   u64 to)
{
	u64 before, after;

	if (to <= time)
		return 0;
	before = repeats_until(s, time, from);
	after = repeats_until(s, time, to);
	return after > before ? after - before : 0;
}

struct access_misses access_repeats(const struct access_capacity *c,
				    const struct access_shape *shape, u64 from,
				    u64 to)
{
	u64 all = repeats_between(shape, c->l1, from, to);
	u64 walks = repeats_between(shape, c->l2, from, to);

	return (struct access_misses){
		.l1 = all > walks ? all - walks : 0,
		.l2 = walks,
	};
}
