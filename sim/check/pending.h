/*
 * Things that have begun and not ended: flushes not yet acknowledged, plans
 * not yet carried out.  A fixed pool behind a hash, no pointers.
 */
#ifndef SIM_CHECK_PENDING_H
#define SIM_CHECK_PENDING_H

#include "sim/check/say.h"

/**
 * struct pending_item - one thing that has begun
 * @key_hi: with @key_lo says which
 * @key_lo: with @key_hi says which
 * @at: the user's
 * @a: the user's
 * @b: the user's
 * @next: next item of the bucket or of the free list, plus one
 */
struct pending_item {
	u64 key_hi;
	u64 key_lo;
	struct stamp at;
	u32 a;
	u32 b;
	u32 next;
};

/**
 * struct pending - the pool; its tables follow it in the same block
 * @capacity: items
 * @nr_buckets: a power of two
 * @nr_used: items handed out so far, those of the free list included
 * @free: head of the free list, plus one
 * @buckets: offset of the heads from the pool
 * @items: offset of the items
 */
struct pending {
	u32 capacity;
	u32 nr_buckets;
	u32 nr_used;
	u32 free;
	u64 buckets;
	u64 items;
};

/**
 * pending_capacity() - how many things of one kind can be open in a run
 * @shape: run
 *
 * Every thread waits for what it began, but may be preempted in the middle by
 * a few others; the bound is four per vCPU, pCPU and VM.
 *
 * Return: a number of items.
 */
u32 pending_capacity(const struct run_shape *shape);

/**
 * pending_bytes() - size of a pool
 * @capacity: items
 *
 * Return: bytes, a multiple of 64; about 60 per item.
 */
u64 pending_bytes(u32 capacity);

/**
 * pending_init() - make a zeroed block an empty pool
 * @p: zeroed block of pending_bytes(@capacity) bytes
 * @capacity: items
 */
void pending_init(struct pending *p, u32 capacity);

/**
 * pending_add() - something begins
 * @p: pool
 * @key_hi: which
 * @key_lo: which
 *
 * Return: its item with the user's members zeroed, owned by the pool; NULL if
 * the same is open already or the pool is full.
 */
struct pending_item *pending_add(struct pending *p, u64 key_hi, u64 key_lo);

/**
 * pending_take() - something ends
 * @p: pool
 * @key_hi: which
 * @key_lo: which
 * @item: set to a copy of its item; NULL is allowed
 *
 * Return: false if it had not begun.
 */
bool pending_take(struct pending *p, u64 key_hi, u64 key_lo,
		  struct pending_item *item);

#endif /* SIM_CHECK_PENDING_H */
