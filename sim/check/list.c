#include "sim/check/list.h"

#include <string.h>

const struct observer_ops *const checker_list[CHECKERS_NR] = {
	&checker_stage2,
	&checker_lifetime,
	&checker_stage1,
	&checker_isolation,
	&checker_accounting,
	&checker_order,
};

const struct observer_ops *checker_find(const char *name)
{
	for (u32 i = 0; i < CHECKERS_NR; i++) {
		const struct observer_ops *c = checker_list[i];

		if (!strcmp(c->name, name) ||
		    (c->invariant && !strcmp(c->invariant, name)))
			return c;
	}
	return NULL;
}
