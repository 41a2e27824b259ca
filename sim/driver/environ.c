#include "sim/driver/environ.h"

#include <string.h>

void environ_start(struct environ *e, const struct machine *m)
{
	memset(e->state, 0, sizeof(e->state));
	if (e->ops->init)
		e->ops->init(e, m);
}

u32 environ_actions(const struct environ *e, struct machine *m,
		    struct action *list)
{
	u32 nr = machine_actions(m, UINT32_MAX, list);

	return e->ops->filter(e, m, list, nr);
}

bool environ_allows(const struct environ *e, struct machine *m, struct action a)
{
	return e->ops->filter(e, m, &a, 1);
}

void environ_act(struct environ *e, struct machine *m, const struct action *a)
{
	machine_act(m, a);
	if (e->ops->acted)
		e->ops->acted(e, m, a);
}

void environ_visit(struct environ *e, struct codec *c)
{
	if (e->ops->visit)
		e->ops->visit(e, c);
}
