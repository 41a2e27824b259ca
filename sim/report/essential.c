#include "sim/report/essential.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct trial {
	const struct observer_ops *ops;
	const struct run_shape *shape;
	const struct probe_rec *rec;
	u32 nr;
	void *state;
	u64 bytes;
};

/* A frame that is used for the first time holds nothing of anybody. */
static bool can_matter(const struct probe_rec *r)
{
	switch (r->kind) {
	case PROBE_CONTEXT:
	case PROBE_WRITE:
	case PROBE_ACK:
	case PROBE_GUEST_WRITE:
	case PROBE_GUEST_FLUSH:
	case PROBE_GUEST_RELY:
		return true;
	default:
		return r->kind == PROBE_ROOT_ALLOC && r->a;
	}
}

/* Where the checker objects if what is left out never happened, or @t->nr. */
static u32 objection(struct trial *t, const bool *left_out, struct finding *f)
{
	memset(t->state, 0, t->bytes);
	if (t->ops->init)
		t->ops->init(t->state, t->shape);
	for (u32 i = 0; i < t->nr; i++)
		if (!left_out[i] && t->ops->wants & BIT64(t->rec[i].kind) &&
		    t->ops->on_probe(t->state, t->shape, &t->rec[i], f))
			return i;
	return t->nr;
}

int essential_mark(const struct observer_ops *ops, const struct run_shape *shape,
		   const struct probe_rec *rec, u32 nr, bool *mark)
{
	struct trial t = { .ops = ops, .shape = shape, .rec = rec, .nr = nr,
			   .bytes = ops->state_bytes(shape) };
	bool *left_out = calloc(nr + 1, sizeof(*left_out));
	struct finding first, f;
	u32 at = nr;

	t.state = malloc(t.bytes + 1);
	if (left_out && t.state)
		at = objection(&t, left_out, &first);
	for (u32 i = 0; i < nr; i++) {
		mark[i] = i == at;
		if (at == nr || i >= at || !can_matter(&rec[i]))
			continue;
		left_out[i] = true;
		mark[i] = objection(&t, left_out, &f) != at ||
			  strcmp(f.invariant, first.invariant);
		left_out[i] = !mark[i];
	}
	free(t.state);
	free(left_out);
	if (!left_out || !t.state)
		return -ENOMEM;
	return at == nr ? -ENOENT : (int)at;
}
