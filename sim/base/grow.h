/* Arrays that get one entry after the other. */
#ifndef SIM_BASE_GROW_H
#define SIM_BASE_GROW_H

#include <stdlib.h>

#include "sim/base/types.h"

/**
 * grow_array() - room for one more entry
 * @array: NULL, or what was returned before; free() releases it
 * @nr: entries that it has
 * @size: bytes of one
 * @failed: memory was short once; stays true, so that it can be asked at the end
 *
 * Return: the array, or NULL with *@failed set; @array is then as it was.
 */
static inline void *grow_array(void *array, u32 nr, size_t size, bool *failed)
{
	void *more = *failed ? NULL : realloc(array, (nr + 1) * size);

	*failed = !more;
	return more;
}

#endif /* SIM_BASE_GROW_H */
