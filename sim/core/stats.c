#include "sim/core/stats.h"

#include "sim/base/err.h"

static const char *const counts[COUNT_NR] = {
#define X(id, name) [COUNT_##id] = name,
	COUNTS(X)
#undef X
};

static const char *const causes[CAUSE_NR] = {
#define X(id, name) [CAUSE_##id] = name,
	CAUSES(X)
#undef X
};

u64 stats_total(const struct stats *s, enum count_id id)
{
	u64 sum = 0;

	BUG_ON(id >= COUNT_NR);
	for (u32 c = 0; c < CAUSE_NR; c++)
		sum += s->count[id][c];
	return sum;
}

const char *count_name(enum count_id id)
{
	BUG_ON(id >= COUNT_NR);
	return counts[id];
}

const char *cause_name(enum cause cause)
{
	BUG_ON(cause >= CAUSE_NR);
	return causes[cause];
}
