/* An environment that does each kind of thing only so often. */
#ifndef SIM_DRIVER_BUDGET_H
#define SIM_DRIVER_BUDGET_H

#include "sim/driver/environ.h"

#define BUDGET_MAX	14u		/* larger ones would be no bound */
#define BUDGET_NONE	15u		/* unlimited */

/**
 * struct budget - how often what may happen
 * @allowed: BIT(ACTION_...) of what may happen at all
 * @times: per kind: at most so often on any path, or BUDGET_NONE
 */
struct budget {
	u32 allowed;
	u8 times[ACTION_NR];
};

/**
 * budget_init() - everything of some kinds, without bound
 * @b: filled in
 * @allowed: BIT(ACTION_...) of what may happen
 */
void budget_init(struct budget *b, u32 allowed);

/* @arg is a struct budget. */
extern const struct environ_ops environ_budget;

#endif /* SIM_DRIVER_BUDGET_H */
