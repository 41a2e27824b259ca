#include "sim/machine/ranks.h"

#include <string.h>

u32 ranks_of_large(const struct ranks *r, u64 value)
{
	u32 lo = 0, hi = r->nr_large;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (r->large[mid] < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Few values differ, so most are found and nothing moves. */
void ranks_add(struct ranks *r, u64 value)
{
	u32 at;

	if (value < RANKED_LOW) {
		r->low |= BIT64(value);
		return;
	}
	at = ranks_of_large(r, value);
	if (at < r->nr_large && r->large[at] == value)
		return;
	memmove(&r->large[at + 1], &r->large[at],
		(r->nr_large - at) * sizeof(*r->large));
	r->large[at] = value;
	r->nr_large++;
}

void ranks_close(struct ranks *r)
{
	for (u64 left = r->low; left; left &= left - 1)
		r->low_rank[__builtin_ctzll(left)] = (u8)r->nr_low++;
}
