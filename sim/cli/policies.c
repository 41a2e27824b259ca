#include "sim/cli/policies.h"

#include <errno.h>
#include <string.h>

#include "sim/base/err.h"

static int named_twice(const struct flush_policy *first,
		       const struct flush_policy *again, struct err *err)
{
	if (!strcmp(first->spelling, again->spelling))
		return err_set(err, -EINVAL, "policy %s is named twice",
			       again->spelling);
	return err_set(err, -EINVAL, "policy %s is named twice: %s has the same options",
		       again->spelling, first->spelling);
}

static int add(struct flush_policy *out, u32 *nr, const char *spec, size_t len,
	       struct err *err)
{
	struct flush_policy *p = &out[*nr];
	int ret;

	if (*nr == POLICIES_MAX)
		return err_set(err, -EINVAL, "more than %u policies",
			       POLICIES_MAX);
	if (len == 3 && !memcmp(spec, "all", len))
		return err_set(err, -EINVAL, "\"all\" stands alone; expected no other policy beside it");
	ret = flush_policy_parse(spec, len, p, err);
	if (ret)
		return ret;
	for (u32 i = 0; i < *nr; i++)
		if (flush_policy_same(&out[i], p))
			return named_twice(&out[i], p, err);
	++*nr;
	return 0;
}

static int add_all(struct flush_policy *out, u32 *nr, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < flush_policy_count() && !ret; i++) {
		const char *name = flush_policy_get(i)->name;

		ret = add(out, nr, name, strlen(name), err);
	}
	return ret;
}

int policies_parse(const char *list, struct flush_policy *out, u32 *nr,
		   struct err *err)
{
	size_t len;
	int ret;

	*nr = 0;
	if (!strcmp(list, "all"))
		return add_all(out, nr, err);
	do {
		len = strcspn(list, ",");
		ret = add(out, nr, list, len, err);
		list += len;
	} while (!ret && *list++);
	return ret;
}
