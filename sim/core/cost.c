#include "sim/core/cost.h"

#include "sim/base/err.h"

static const struct {
	const char *name;
	const char *help;
	enum cycle_category cat;
} costs[COST_NR] = {
#define X(id, name, cat, help) [COST_##id] = { name, help, CYC_##cat },
	COSTS(X)
#undef X
};

static const char *const categories[CYC_NR] = {
#define X(id, name, help) [CYC_##id] = name,
	CYCLE_CATEGORIES(X)
#undef X
};

static const char *const tags[COST_TAG_NR] = {
	[COST_TAG_MEASURED] = "measured",
	[COST_TAG_MANUAL] = "manual",
	[COST_TAG_PAPER] = "paper",
	[COST_TAG_DERIVED] = "derived",
	[COST_TAG_ASSUMED] = "assumed",
};

const char *cost_name(enum cost_id id)
{
	BUG_ON(id >= COST_NR);
	return costs[id].name;
}

const char *cost_help(enum cost_id id)
{
	BUG_ON(id >= COST_NR);
	return costs[id].help;
}

enum cycle_category cost_category(enum cost_id id)
{
	BUG_ON(id >= COST_NR);
	return costs[id].cat;
}

const char *cost_tag_name(enum cost_tag tag)
{
	BUG_ON(tag >= COST_TAG_NR);
	return tags[tag];
}

const char *cycle_category_name(enum cycle_category cat)
{
	BUG_ON(cat >= CYC_NR);
	return categories[cat];
}
