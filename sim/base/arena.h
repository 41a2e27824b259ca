/*
 * All memory of one run: one block, laid out first, allocated once, freed in
 * one go.  A layout only adds up sizes; nothing in it is a pointer, so the
 * block may be copied, compared and moved as a whole.
 */
#ifndef SIM_BASE_ARENA_H
#define SIM_BASE_ARENA_H

#include "sim/base/types.h"

struct err;

/**
 * struct arena_layout - how a block is divided
 * @size: bytes laid out so far
 */
struct arena_layout {
	u64 size;
};

/**
 * arena_reserve() - append room for an array to a layout
 * @l: layout to extend
 * @nr: number of elements; 0 is allowed
 * @elem_bytes: size of one element
 *
 * Every array starts on a 64-byte boundary.  Sums that would overflow stick
 * at UINT64_MAX, and arena_create() refuses such a layout.
 *
 * Return: the offset of the array from the start of the block.
 */
u64 arena_reserve(struct arena_layout *l, u64 nr, u64 elem_bytes);

/**
 * arena_create() - allocate a zeroed block
 * @l: finished layout
 * @what: what the block is for, used in the error message
 * @err: set on failure
 *
 * Return: the block, aligned to 64 bytes, which the caller hands to
 * arena_destroy(); NULL when memory is short, with @err set.
 */
void *arena_create(const struct arena_layout *l, const char *what,
		   struct err *err);

/**
 * arena_destroy() - free a block
 * @block: block to free; NULL is allowed
 */
void arena_destroy(void *block);

#endif /* SIM_BASE_ARENA_H */
