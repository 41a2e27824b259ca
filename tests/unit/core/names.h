/* What every table of names has to keep to: the names are keys in JSON. */
#ifndef TESTS_UNIT_CORE_NAMES_H
#define TESTS_UNIT_CORE_NAMES_H

#include <check.h>
#include <string.h>

#include "sim/base/types.h"

/* Every name is there, lower-case words joined by '_', and there only once. */
static inline void names_check(const char *const *name, u32 nr)
{
	ck_assert_uint_gt(nr, 0);
	for (u32 i = 0; i < nr; i++) {
		ck_assert_msg(name[i] && *name[i], "name %u is missing", i);
		ck_assert_msg(strspn(name[i], "abcdefghijklmnopqrstuvwxyz0123456789_") ==
			      strlen(name[i]), "\"%s\" is no key", name[i]);
		for (u32 j = 0; j < i; j++)
			ck_assert_msg(strcmp(name[i], name[j]), "\"%s\" twice", name[i]);
	}
}

#endif /* TESTS_UNIT_CORE_NAMES_H */
