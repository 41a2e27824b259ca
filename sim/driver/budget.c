#include "sim/driver/budget.h"

void budget_init(struct budget *b, u32 allowed)
{
	b->allowed = allowed;
	for (u32 k = 0; k < ACTION_NR; k++)
		b->times[k] = BUDGET_NONE;
}

/* What is left of each budget; kinds without one stay at zero. */
static void budget_start(struct environ *e, const struct machine *m)
{
	const struct budget *b = e->arg;

	(void)m;
	for (u32 k = 0; k < ACTION_NR; k++)
		e->state[k] = b->times[k] == BUDGET_NONE ? 0 : b->times[k];
}

static u32 budget_filter(const struct environ *e, const struct machine *m,
			 struct action *list, u32 nr)
{
	const struct budget *b = e->arg;
	u32 left = 0;

	(void)m;
	for (u32 i = 0; i < nr; i++) {
		u8 k = list[i].kind;

		if ((b->allowed | ACTIONS_ALWAYS) & 1u << k &&
		    (b->times[k] == BUDGET_NONE || e->state[k]))
			list[left++] = list[i];
	}
	return left;
}

static void budget_acted(struct environ *e, const struct machine *m,
			 const struct action *a)
{
	const struct budget *b = e->arg;

	(void)m;
	if (b->times[a->kind] != BUDGET_NONE)
		e->state[a->kind]--;
}

static void budget_visit(struct environ *e, struct codec *c)
{
	const struct budget *b = e->arg;

	for (u32 k = 0; k < ACTION_NR; k++)
		if (b->times[k] != BUDGET_NONE)
			CODEC_BITS(c, e->state[k], codec_bits_for(b->times[k]));
}

const struct environ_ops environ_budget = {
	.symmetric	= true,
	.init		= budget_start,
	.filter		= budget_filter,
	.acted		= budget_acted,
	.visit		= budget_visit,
};
