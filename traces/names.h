/*
 * Thread names, each stored once and known by a small number.  Numbers are
 * handed out in order of first sight, so they never depend on addresses or on
 * the hash function.
 */
#ifndef TRACES_NAMES_H
#define TRACES_NAMES_H

#include <stddef.h>

#include "sim/base/types.h"

struct err;
struct names;				/* opaque */

/**
 * names_create() - make an empty set
 * @err: set on failure
 *
 * Return: the set, which the caller hands to names_destroy(); NULL when
 * memory is short.
 */
struct names *names_create(struct err *err);

/**
 * names_intern() - number of a name, which is added if new
 * @n: set
 * @text: bytes of the name; any byte but NUL
 * @len: bytes in @text, at most TRACE_COMM_MAX
 * @id: set on success
 *
 * Return: 0; -EINVAL for a NUL byte or a name that is too long; -ENOSPC past
 * TRACE_STRINGS_MAX names; -ENOMEM.
 */
int names_intern(struct names *n, const char *text, size_t len, u32 *id);

/**
 * names_text() - bytes of a name
 * @n: set
 * @id: number out of names_intern()
 *
 * Return: NUL-terminated bytes that live as long as @n; "" for an id that was
 * never handed out.
 */
const char *names_text(const struct names *n, u32 id);

/**
 * names_count() - how many names there are
 * @n: set
 *
 * Return: number of names; valid ids are below it.
 */
u32 names_count(const struct names *n);

/**
 * names_destroy() - free a set
 * @n: set; NULL is allowed
 */
void names_destroy(struct names *n);

#endif /* TRACES_NAMES_H */
