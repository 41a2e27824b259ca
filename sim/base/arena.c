#include "sim/base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"

#define ARENA_ALIGN 64u

u64 arena_reserve(struct arena_layout *l, u64 nr, u64 elem_bytes)
{
	u64 start = l->size, bytes, end;

	if (__builtin_mul_overflow(nr, elem_bytes, &bytes) ||
	    __builtin_add_overflow(start, bytes, &end) ||
	    __builtin_add_overflow(end, (u64)ARENA_ALIGN - 1, &end)) {
		l->size = UINT64_MAX;
		return 0;
	}
	l->size = end & ~(u64)(ARENA_ALIGN - 1);
	return start;
}

void *arena_create(const struct arena_layout *l, const char *what,
		   struct err *err)
{
	u64 bytes = l->size ? l->size : ARENA_ALIGN;
	void *block;

	BUG_ON(bytes % ARENA_ALIGN && bytes != UINT64_MAX);

	block = bytes <= SIZE_MAX / 2 ? aligned_alloc(ARENA_ALIGN, bytes) : NULL;
	if (!block) {
		err_set(err, -ENOMEM, "%s: cannot allocate %llu bytes", what,
			(unsigned long long)l->size);
		return NULL;
	}
	memset(block, 0, bytes);
	return block;
}

void arena_destroy(void *block)
{
	free(block);
}
