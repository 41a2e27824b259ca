/*
 * I1, stage-2 safety: once the flush for a strict EPT change has returned, no
 * guest access uses a translation from before the change.
 *
 * Real: a use record shows one.  Possible: a context is active on a pCPU that
 * has been active under the same root before the change and has not flushed
 * the root since; no page is looked up for that, since the newest acknowledged
 * change of the VM condemns whatever an older one does.
 *
 * A version is condemned by every later strict change of its page, so of each
 * page only the newest acknowledged one matters.  Changes that merely add
 * rights or clear accessed bits condemn nothing, ever.
 *
 * Every version counts as cacheable: records do not tell a page that is absent
 * from one that maps something.  Translations made under an earlier
 * incarnation of a root frame are I2's business, those of another VM I4's.
 *
 * State: that of struct held per (pCPU, frame), 56 bytes x VMs x pages of the
 * largest VM, and a small pool of flushes under way.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/check/held.h"
#include "sim/check/list.h"
#include "sim/check/pending.h"

/*
 * @write: newest strict change, @writer made it, @version came of it
 * @acked_write: when the newest acknowledged one was made, and by whom
 * @acked_version: what came of that one; older versions are condemned
 * @open: obligation @open_id about @write is open
 */
struct stage2_page {
	struct stamp write;
	u64 acked_write;
	u64 ack;
	u32 version;
	u32 writer;
	u32 acked_version;
	u32 acked_writer;
	u32 open_id;
	bool open;
};

/* Newest acknowledged strict change of a VM. */
struct stage2_vm {
	struct stamp write;
	u64 ack;
	u32 page;
	u32 writer;
};

/* Offsets from the start of the state. */
struct stage2 {
	u64 held;
	u64 pending;
	u64 vms;
	u64 pages;
};

static const struct held_config stage2_held = { .alloc_cleans = true };

/* A memslot that is deleted twice at once may move a whole VM to the pool. */
static u32 stage2_capacity(const struct run_shape *shape)
{
	return pending_capacity(shape) + shape->nr_pages_max;
}

static u64 stage2_layout(struct stage2 *s, const struct run_shape *shape)
{
	struct arena_layout l = { 0 };

	arena_reserve(&l, 1, sizeof(*s));
	s->held = arena_reserve(&l, 1, held_bytes(shape, stage2_held));
	s->pending = arena_reserve(&l, 1,
				   pending_bytes(stage2_capacity(shape)));
	s->vms = arena_reserve(&l, shape->nr_vms, sizeof(struct stage2_vm));
	s->pages = arena_reserve(&l, (u64)shape->nr_vms * shape->nr_pages_max,
				 sizeof(struct stage2_page));
	return l.size;
}

static struct held *stage2_tlbs(struct stage2 *s)
{
	return (struct held *)((char *)s + s->held);
}

static struct pending *stage2_pending(struct stage2 *s)
{
	return (struct pending *)((char *)s + s->pending);
}

static struct stage2_vm *stage2_vm(struct stage2 *s, u32 vm)
{
	return (struct stage2_vm *)((char *)s + s->vms) + vm;
}

static struct stage2_page *stage2_page(struct stage2 *s,
				       const struct run_shape *shape,
				       const struct probe_rec *rec)
{
	BUG_ON(rec->vm >= shape->nr_vms);
	BUG_ON(rec->page >= shape->nr_pages_max);
	return (struct stage2_page *)((char *)s + s->pages) +
	       (u64)rec->vm * shape->nr_pages_max + rec->page;
}

static u64 stage2_key(const struct probe_rec *rec)
{
	return (u64)rec->vm << 32 | rec->page;
}

static void stage2_put_aside(struct stage2 *s, const struct stage2_page *pg,
			     u64 key, u32 id)
{
	struct pending_item *it = pending_add(stage2_pending(s), key, id);

	BUG_ON(!it);
	it->at = pg->write;
	it->a = pg->version;
	it->b = pg->writer;
}

static void stage2_write(struct stage2 *s, const struct run_shape *shape,
			 const struct probe_rec *rec)
{
	struct stage2_page *pg = stage2_page(s, shape, rec);

	if (rec->cls != WRITE_STRICT)
		return;
	if (pg->open)
		stage2_put_aside(s, pg, stage2_key(rec), pg->open_id);
	pg->open = false;
	pg->write = stamp_of(rec);
	pg->version = (u32)rec->a;
	pg->writer = rec->vcpu;
}

static void stage2_oblige(struct stage2 *s, const struct run_shape *shape,
			  const struct probe_rec *rec)
{
	struct stage2_page *pg = stage2_page(s, shape, rec);

	if (!pg->write.seq)
		return;
	if (pg->open) {
		stage2_put_aside(s, pg, stage2_key(rec), rec->id);
		return;
	}
	pg->open = true;
	pg->open_id = rec->id;
}

/* Take note of what the flush condemns, for its page and for its VM. */
static void stage2_condemn(struct stage2 *s, const struct run_shape *shape,
			   const struct probe_rec *rec)
{
	struct stage2_page *pg = stage2_page(s, shape, rec);
	struct stage2_vm *vm = stage2_vm(s, rec->vm);
	struct pending_item it = { 0 };

	if (pg->open && pg->open_id == rec->id) {
		pg->open = false;
		it.at = pg->write;
		it.a = pg->version;
		it.b = pg->writer;
	} else if (!pending_take(stage2_pending(s), stage2_key(rec), rec->id,
				 &it)) {
		return;
	}
	if (it.a > pg->acked_version) {
		pg->acked_version = it.a;
		pg->acked_writer = it.b;
		pg->acked_write = it.at.time;
		pg->ack = rec->time;
	}
	if (it.at.seq > vm->write.seq)
		*vm = (struct stage2_vm){ .write = it.at, .ack = rec->time,
					  .page = rec->page, .writer = it.b };
}

static bool stage2_possible(struct stage2 *s, const struct run_shape *shape,
			    const struct probe_rec *rec, u32 pcpu,
			    struct finding *f)
{
	struct stamp since = held_since(stage2_tlbs(s), pcpu);
	const struct held_pcpu *p = held_current(stage2_tlbs(s), pcpu);
	const struct stage2_vm *vm = stage2_vm(s, p->vm);
	const struct finding_at at = { .invariant = "I1", .time = rec->time,
				       .vcpu = p->vcpu, .pcpu = pcpu };

	if (since.seq >= vm->write.seq)
		return false;
	if (!f)
		return true;
	return finding_say(f, &at, "VM %u vCPU %u %s pCPU %u and may use page %u as it was before the change that %s made at %s s and whose flush returned at %s s: pCPU %u may hold translations of root %u from %s s on and has not flushed them since",
			   p->vm, p->vcpu,
			   rec->kind == PROBE_CONTEXT ? "enters on" : "runs on",
			   pcpu, vm->page, say_writer(vm->writer).text,
			   say_seconds(vm->write.time, shape).text,
			   say_seconds(vm->ack, shape).text, pcpu, p->frame,
			   say_seconds(since.time, shape).text);
}

/* The return of a flush binds every context that is active at that moment. */
static bool stage2_ack(struct stage2 *s, const struct run_shape *shape,
		       const struct probe_rec *rec, struct finding *f)
{
	const struct held *h = stage2_tlbs(s);
	u32 vcpu = IDX_NONE;

	stage2_condemn(s, shape, rec);
	while ((vcpu = held_next_vcpu(h, rec->vm, vcpu)) != IDX_NONE) {
		u32 pcpu = held_where(h, vcpu);

		if (pcpu != IDX_NONE && stage2_possible(s, shape, rec, pcpu, f))
			return true;
	}
	return false;
}

static bool stage2_use(struct stage2 *s, const struct run_shape *shape,
		       const struct probe_rec *rec, struct finding *f)
{
	const struct stage2_page *pg = stage2_page(s, shape, rec);
	const struct finding_at at = { .invariant = "I1", .real = true,
				       .time = rec->time, .vcpu = rec->vcpu,
				       .pcpu = rec->pcpu };

	if (rec->used.owner != rec->now.owner ||
	    rec->used.frame != rec->now.frame ||
	    rec->used.s2 >= pg->acked_version)
		return false;
	if (!f)
		return true;
	return finding_say(f, &at, "VM %u vCPU %u used page %u on pCPU %u as it was before the change that %s made at %s s and whose flush returned at %s s: version %u under root %u, where the tables hold version %u",
			   rec->vm, rec->vcpu, rec->page, rec->pcpu,
			   say_writer(pg->acked_writer).text,
			   say_seconds(pg->acked_write, shape).text,
			   say_seconds(pg->ack, shape).text, rec->used.s2,
			   rec->frame, rec->now.s2);
}

static u64 stage2_state_bytes(const struct run_shape *shape)
{
	struct stage2 s;

	return stage2_layout(&s, shape);
}

static void stage2_init(void *state, const struct run_shape *shape)
{
	struct stage2 *s = state;

	stage2_layout(s, shape);
	held_init(stage2_tlbs(s), shape, stage2_held);
	pending_init(stage2_pending(s), stage2_capacity(shape));
}

static bool stage2_on_probe(void *state, const struct run_shape *shape,
			    const struct probe_rec *rec, struct finding *f)
{
	struct stage2 *s = state;

	switch (rec->kind) {
	case PROBE_WRITE:
		stage2_write(s, shape, rec);
		return false;
	case PROBE_OBLIGE:
		stage2_oblige(s, shape, rec);
		return false;
	case PROBE_ACK:
		return stage2_ack(s, shape, rec, f);
	case PROBE_USE:
		return stage2_use(s, shape, rec, f);
	case PROBE_CONTEXT:
		held_note(stage2_tlbs(s), rec);
		return stage2_possible(s, shape, rec, rec->pcpu, f);
	default:
		held_note(stage2_tlbs(s), rec);
		return false;
	}
}

const struct observer_ops checker_stage2 = {
	.name = "stage2",
	.brief = "no access uses an EPT translation whose flush has returned",
	.invariant = "I1",
	.wants = HELD_WANTS | BIT64(PROBE_WRITE) | BIT64(PROBE_OBLIGE) |
		 BIT64(PROBE_ACK) | BIT64(PROBE_USE),
	.state_bytes = stage2_state_bytes,
	.init = stage2_init,
	.on_probe = stage2_on_probe,
};
