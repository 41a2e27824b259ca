#include "sim/core/eventq.h"

#include "sim/base/err.h"

/* A key orders by time, then by slot. */
typedef unsigned __int128 eventq_key;

struct eventq {
	u32 leaves;			/* a power of two */
	u32 slots;
	u64 pad[7];
	eventq_key node[];		/* 1 is the root, leaves at the end */
};

static u32 leaves_for(u32 slots)
{
	u32 n = 1;

	BUG_ON(!slots || slots > EVENTQ_SLOTS_MAX);
	while (n < slots)
		n <<= 1;
	return n;
}

u64 eventq_bytes(u32 slots)
{
	u64 bytes = sizeof(struct eventq) +
		    2ULL * leaves_for(slots) * sizeof(eventq_key);

	return (bytes + 63) & ~63ULL;
}

static eventq_key key_of(u64 time, u32 slot)
{
	return (eventq_key)time << 64 | slot;
}

void eventq_init(struct eventq *q, u32 slots)
{
	q->leaves = leaves_for(slots);
	q->slots = slots;
	for (u32 i = 0; i < 2 * q->leaves; i++)
		q->node[i] = key_of(TIME_NEVER, i & (q->leaves - 1));
}

void eventq_set(struct eventq *q, u32 slot, u64 time)
{
	u32 i = q->leaves + slot;

	BUG_ON(slot >= q->slots);
	q->node[i] = key_of(time, slot);
	for (i >>= 1; i; i >>= 1) {
		eventq_key a = q->node[2 * i], b = q->node[2 * i + 1];

		q->node[i] = a < b ? a : b;
	}
}

u32 eventq_first(const struct eventq *q, u64 *time)
{
	*time = (u64)(q->node[1] >> 64);
	return (u32)q->node[1];
}

u64 eventq_second(const struct eventq *q)
{
	u64 time;
	u32 i = q->leaves + eventq_first(q, &time);
	u64 second = TIME_NEVER;

	for (; i > 1; i >>= 1)
		second = min_u64(second, (u64)(q->node[i ^ 1] >> 64));
	return second;
}
