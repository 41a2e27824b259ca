/*
 * Small scanners over byte ranges [p, end).  None reads at or past @end, and
 * none needs a terminating NUL: trace text may hold any byte.  Those that take
 * a word are inlined by force: its length and its comparison are then constants.
 */
#ifndef TRACES_SCAN_H
#define TRACES_SCAN_H

#include <string.h>
#include <sys/cdefs.h>

#include "sim/base/types.h"

/* Larger numbers are refused: no field of any format needs them. */
#define SCAN_U64_MAX	(UINT64_MAX / 16 - 16)

/* Seconds of a time stamp stay below: nanoseconds then fit 63 bits. */
#define SCAN_SEC_MAX	(1ull << 33)

static inline bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static __always_inline bool scan_starts(const char *p, const char *end,
			       const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - p) >= len && memcmp(p, word, len) == 0;
}

static inline const char *scan_spaces(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

/* Decimal digits at @p; NULL if there is none or the number is too large. */
static inline const char *scan_u64(const char *p, const char *end, u64 *val)
{
	const char *start = p;
	u64 x = 0;

	for (; p < end && scan_is_digit(*p); p++) {
		if (x > SCAN_U64_MAX)
			return NULL;
		x = x * 10 + (u64)(*p - '0');
	}
	*val = x;
	return p == start ? NULL : p;
}

static inline const char *scan_hex(const char *p, const char *end, u64 *val)
{
	const char *start = p;
	u64 x = 0;

	for (; p < end; p++) {
		int c = *p | 0x20;

		if (scan_is_digit(*p))
			c -= '0';
		else if (c >= 'a' && c <= 'f')
			c -= 'a' - 10;
		else
			break;
		if (x > SCAN_U64_MAX)
			return NULL;
		x = x * 16 + (u64)c;
	}
	*val = x;
	return p == start ? NULL : p;
}

/* The last @c in [p, end); NULL if there is none. */
static __always_inline const char *scan_last(const char *p, const char *end, char c)
{
	while (end > p)
		if (*--end == c)
			return end;
	return NULL;
}

/* The last @key in [p, end); @key ends in "=".  NULL if there is none. */
static __always_inline const char *scan_rfind(const char *p, const char *end,
				     const char *key)
{
	size_t len = strlen(key);

	while ((size_t)(end - p) >= len) {
		const char *eq = scan_last(p, end, '=');

		if (!eq || (size_t)(eq + 1 - p) < len)
			return NULL;
		if (memcmp(eq + 1 - len, key, len) == 0)
			return eq + 1 - len;
		end = eq;
	}
	return NULL;
}

/* Digits that end at @end: returns their first, @end if there are none. */
static inline const char *scan_digits_back(const char *p, const char *end)
{
	while (end > p && scan_is_digit(end[-1]))
		end--;
	return end;
}

static inline const char *scan_spaces_back(const char *p, const char *end)
{
	while (end > p && end[-1] == ' ')
		end--;
	return end;
}

/* "sec.frac" with 6 to 9 digits that ends at @end; NULL if there is none. */
static inline const char *scan_time_back(const char *p, const char *end,
					 u64 *ns)
{
	const char *frac = scan_digits_back(p, end);
	const char *sec;
	u64 s, f = 0;

	if (end - frac < 6 || end - frac > 9 || frac == p || frac[-1] != '.')
		return NULL;
	sec = scan_digits_back(p, frac - 1);
	if (scan_u64(sec, frac - 1, &s) != frac - 1 || s >= SCAN_SEC_MAX)
		return NULL;
	scan_u64(frac, end, &f);
	for (long i = end - frac; i < 9; i++)
		f *= 10;
	*ns = s * 1000000000ull + f;
	return sec;
}

#endif /* TRACES_SCAN_H */
