#include "sim/check/pending.h"

#include "sim/base/arena.h"

#define PENDING_PER_THREAD	4u
#define PENDING_SPARE		64u
#define HASH_MULTIPLIER		0x9e3779b97f4a7c15ull	/* 2^64 / golden ratio */

static u64 pending_layout(struct pending *p, u32 capacity)
{
	struct arena_layout l = { 0 };

	p->capacity = capacity;
	p->nr_buckets = 1;
	while (p->nr_buckets < capacity)
		p->nr_buckets *= 2;
	arena_reserve(&l, 1, sizeof(*p));
	p->buckets = arena_reserve(&l, p->nr_buckets, sizeof(u32));
	p->items = arena_reserve(&l, capacity, sizeof(struct pending_item));
	return l.size;
}

static u32 *pending_bucket(struct pending *p, u64 key_hi, u64 key_lo)
{
	u64 hash = (key_hi ^ (key_lo * HASH_MULTIPLIER)) * HASH_MULTIPLIER;

	return (u32 *)((char *)p + p->buckets) +
	       ((hash >> 32) & (p->nr_buckets - 1));
}

static struct pending_item *pending_item(struct pending *p, u32 idx)
{
	return (struct pending_item *)((char *)p + p->items) + idx;
}

/* Where the index of the item is stored, or the end of its bucket. */
static u32 *pending_find(struct pending *p, u64 key_hi, u64 key_lo)
{
	u32 *link = pending_bucket(p, key_hi, key_lo);

	while (*link) {
		struct pending_item *it = pending_item(p, *link - 1);

		if (it->key_hi == key_hi && it->key_lo == key_lo)
			break;
		link = &it->next;
	}
	return link;
}

u32 pending_capacity(const struct run_shape *shape)
{
	return PENDING_PER_THREAD * (shape->nr_vcpus + shape->nr_pcpus +
				     shape->nr_vms) + PENDING_SPARE;
}

u64 pending_bytes(u32 capacity)
{
	struct pending p;

	return pending_layout(&p, capacity);
}

void pending_init(struct pending *p, u32 capacity)
{
	pending_layout(p, capacity);
}

struct pending_item *pending_add(struct pending *p, u64 key_hi, u64 key_lo)
{
	u32 *link = pending_find(p, key_hi, key_lo);
	struct pending_item *it;
	u32 idx;

	if (*link)
		return NULL;
	if (p->free) {
		idx = p->free - 1;
		p->free = pending_item(p, idx)->next;
	} else if (p->nr_used < p->capacity) {
		idx = p->nr_used++;
	} else {
		return NULL;
	}
	it = pending_item(p, idx);
	*it = (struct pending_item){ .key_hi = key_hi, .key_lo = key_lo };
	*link = idx + 1;
	return it;
}

bool pending_take(struct pending *p, u64 key_hi, u64 key_lo,
		  struct pending_item *item)
{
	u32 *link = pending_find(p, key_hi, key_lo);
	u32 idx = *link;
	struct pending_item *it;

	if (!idx)
		return false;
	it = pending_item(p, idx - 1);
	if (item)
		*item = *it;
	*link = it->next;
	it->next = p->free;
	p->free = idx;
	return true;
}
