/*
 * I2, lifetime: a translation made under one incarnation of a root frame is
 * not used under another.
 *
 * Freeing a root flushes nothing, and a frame that becomes a root again has
 * the old tag: what was cached under it comes back to life.  Real: a use
 * record shows it.  Possible: a context is active on a pCPU that has been
 * active under the frame before its current incarnation began and has not
 * flushed the frame since.
 *
 * State: that of struct held per (pCPU, frame), 16 bytes per frame.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/check/held.h"
#include "sim/check/list.h"

/* Offsets from the start of the state. */
struct lifetime {
	u64 held;
	u64 allocs;
};

static const struct held_config lifetime_held = { .alloc_cleans = false };

static u64 lifetime_layout(struct lifetime *s, const struct run_shape *shape)
{
	struct arena_layout l = { 0 };

	arena_reserve(&l, 1, sizeof(*s));
	s->held = arena_reserve(&l, 1, held_bytes(shape, lifetime_held));
	s->allocs = arena_reserve(&l, shape->nr_frames, sizeof(struct stamp));
	return l.size;
}

static struct held *lifetime_tlbs(struct lifetime *s)
{
	return (struct held *)((char *)s + s->held);
}

static struct stamp *lifetime_alloc(struct lifetime *s, u32 frame)
{
	return (struct stamp *)((char *)s + s->allocs) + frame;
}

static bool lifetime_context(struct lifetime *s, const struct run_shape *shape,
			     const struct probe_rec *rec, struct finding *f)
{
	const struct finding_at at = { .invariant = "I2", .time = rec->time,
				       .vcpu = rec->vcpu, .pcpu = rec->pcpu };
	struct stamp since, alloc;

	held_note(lifetime_tlbs(s), rec);
	since = held_since(lifetime_tlbs(s), rec->pcpu);
	alloc = *lifetime_alloc(s, rec->frame);
	if (since.seq >= alloc.seq)
		return false;
	if (!f)
		return true;
	return finding_say(f, &at, "VM %u vCPU %u enters on pCPU %u under root %u, whose frame was taken anew at %s s, and may use what is left from before: pCPU %u may hold translations of the frame from %s s on and has not flushed them since",
			   rec->vm, rec->vcpu, rec->pcpu, rec->frame,
			   say_seconds(alloc.time, shape).text, rec->pcpu,
			   say_seconds(since.time, shape).text);
}

static bool lifetime_use(const struct probe_rec *rec, struct finding *f)
{
	const struct finding_at at = { .invariant = "I2", .real = true,
				       .time = rec->time, .vcpu = rec->vcpu,
				       .pcpu = rec->pcpu };

	if (rec->used.frame == rec->now.frame)
		return false;
	return finding_say(f, &at, "VM %u vCPU %u used page %u on pCPU %u through a translation made under incarnation %u of root %u, which is in incarnation %u",
			   rec->vm, rec->vcpu, rec->page, rec->pcpu,
			   rec->used.frame, rec->frame, rec->now.frame);
}

static u64 lifetime_state_bytes(const struct run_shape *shape)
{
	struct lifetime s;

	return lifetime_layout(&s, shape);
}

static void lifetime_init(void *state, const struct run_shape *shape)
{
	struct lifetime *s = state;

	lifetime_layout(s, shape);
	held_init(lifetime_tlbs(s), shape, lifetime_held);
}

static bool lifetime_on_probe(void *state, const struct run_shape *shape,
			      const struct probe_rec *rec, struct finding *f)
{
	struct lifetime *s = state;

	switch (rec->kind) {
	case PROBE_CONTEXT:
		return lifetime_context(s, shape, rec, f);
	case PROBE_USE:
		return lifetime_use(rec, f);
	case PROBE_ROOT_ALLOC:
		BUG_ON(rec->frame >= shape->nr_frames);
		*lifetime_alloc(s, rec->frame) = stamp_of(rec);
		return false;
	default:
		held_note(lifetime_tlbs(s), rec);
		return false;
	}
}

const struct observer_ops checker_lifetime = {
	.name = "lifetime",
	.brief = "no access uses what an earlier root on the same frame left",
	.invariant = "I2",
	.wants = HELD_WANTS | BIT64(PROBE_USE),
	.state_bytes = lifetime_state_bytes,
	.init = lifetime_init,
	.on_probe = lifetime_on_probe,
};
