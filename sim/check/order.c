/*
 * Order: the records themselves make sense.  Positions increase, time on a
 * pCPU never runs back, and what begins ends once: flushes of changes by page
 * and number, plans by serial, interrupts by sender and by target.  What is
 * still under way when a run ends is in order.
 *
 * State: 16 bytes per pCPU, 8 bytes x VMs x pages of the largest VM, and the
 * plans under way.
 */
#include <inttypes.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/check/list.h"
#include "sim/check/pending.h"

/*
 * Kinds that are about a pCPU and happen at their time.  A SPAN ends when the
 * recording says so, perhaps while an access is still under way.
 */
#define ORDER_PCPU_KINDS						\
	(BIT64(PROBE_LOAD) | BIT64(PROBE_PUT) |				\
	 BIT64(PROBE_CONTEXT) | BIT64(PROBE_CONTEXT_END) |		\
	 BIT64(PROBE_FLUSH) | BIT64(PROBE_GUEST_FLUSH) |		\
	 BIT64(PROBE_USE) | BIT64(PROBE_ROOT_LOAD) | BIT64(PROBE_IPI) |	\
	 BIT64(PROBE_IPI_ACK) | BIT64(PROBE_ENTRY) | BIT64(PROBE_EXIT) | \
	 BIT64(PROBE_L0) | BIT64(PROBE_CPU_STATE) |			\
	 BIT64(PROBE_PLAN_BEGIN) | BIT64(PROBE_PLAN_END))

/*
 * @sent: interrupts sent and not acknowledged
 * @expected: interrupts on their way to this pCPU or being handled there
 */
struct order_pcpu {
	u64 time;
	u32 sent;
	u32 expected;
};

/* Flushes begun and not returned, and the exclusive or of their numbers. */
struct order_page {
	u32 open;
	u32 ids;
};

/* @next_seq: lowest position that may come; the others are offsets. */
struct order {
	u64 next_seq;
	u64 pcpus;
	u64 pages;
	u64 plans;
};

static u64 order_layout(struct order *s, const struct run_shape *shape)
{
	struct arena_layout l = { 0 };

	arena_reserve(&l, 1, sizeof(*s));
	s->pcpus = arena_reserve(&l, shape->nr_pcpus,
				 sizeof(struct order_pcpu));
	s->pages = arena_reserve(&l, (u64)shape->nr_vms * shape->nr_pages_max,
				 sizeof(struct order_page));
	s->plans = arena_reserve(&l, 1,
				 pending_bytes(pending_capacity(shape)));
	return l.size;
}

static struct order_pcpu *order_pcpu(struct order *s,
				     const struct run_shape *shape, u64 pcpu)
{
	BUG_ON(pcpu >= shape->nr_pcpus);
	return (struct order_pcpu *)((char *)s + s->pcpus) + pcpu;
}

static struct order_page *order_page(struct order *s,
				     const struct run_shape *shape,
				     const struct probe_rec *rec)
{
	BUG_ON(rec->vm >= shape->nr_vms || rec->page >= shape->nr_pages_max);
	return (struct order_page *)((char *)s + s->pages) +
	       (u64)rec->vm * shape->nr_pages_max + rec->page;
}

static struct finding_at order_at(const struct probe_rec *rec)
{
	bool has_pcpu = ORDER_PCPU_KINDS & BIT64(rec->kind);

	return (struct finding_at){
		.invariant = "order", .real = true, .time = rec->time,
		.vcpu = IDX_NONE, .pcpu = has_pcpu ? rec->pcpu : IDX_NONE,
	};
}

static bool order_time(struct order *s, const struct run_shape *shape,
		       const struct probe_rec *rec, struct finding *f)
{
	const struct finding_at at = order_at(rec);
	u64 expected = s->next_seq, before;
	struct order_pcpu *p;

	s->next_seq = rec->seq + 1;
	if (rec->seq < expected)
		return finding_say(f, &at, "record %" PRIu64 " (%s) comes after record %" PRIu64,
				   rec->seq, probe_kind_name(rec->kind),
				   expected - 1);
	if (at.pcpu == IDX_NONE)
		return false;
	p = order_pcpu(s, shape, rec->pcpu);
	before = p->time;
	p->time = rec->time;
	if (rec->time < before)
		return finding_say(f, &at, "time on pCPU %u runs back: %s at %s s comes after a record of %s s",
				   rec->pcpu, probe_kind_name(rec->kind),
				   say_seconds(rec->time, shape).text,
				   say_seconds(before, shape).text);
	return false;
}

static bool order_flush(struct order *s, const struct run_shape *shape,
			const struct probe_rec *rec, struct finding *f)
{
	const struct finding_at at = order_at(rec);
	struct order_page *pg = order_page(s, shape, rec);

	if (rec->kind == PROBE_OBLIGE) {
		pg->open++;
		pg->ids ^= rec->id;
		return false;
	}
	if (!pg->open)
		return finding_say(f, &at, "flush %u of page %u of VM %u returned without having begun",
				   rec->id, rec->page, rec->vm);
	pg->ids ^= rec->id;
	if (--pg->open || !pg->ids)
		return false;
	pg->ids = 0;
	return finding_say(f, &at, "the flush of page %u of VM %u that returned as number %u had begun under another number",
			   rec->page, rec->vm, rec->id);
}

static bool order_plan(struct order *s, const struct probe_rec *rec,
		       struct finding *f)
{
	struct pending *plans = (struct pending *)((char *)s + s->plans);
	const struct finding_at at = order_at(rec);

	if (rec->kind == PROBE_PLAN_END) {
		if (pending_take(plans, 0, rec->b, NULL))
			return false;
		return finding_say(f, &at, "plan %" PRIu64 " ended on pCPU %u without having begun",
				   rec->b, rec->pcpu);
	}
	if (pending_add(plans, 0, rec->b))
		return false;
	return finding_say(f, &at, "plan %" PRIu64 " began on pCPU %u, but has begun before, or more than %u plans are under way",
			   rec->b, rec->pcpu, plans->capacity);
}

static bool order_ipi(struct order *s, const struct run_shape *shape,
		      const struct probe_rec *rec, struct finding *f)
{
	bool send = rec->kind == PROBE_IPI;
	struct order_pcpu *sender = order_pcpu(s, shape,
					       send ? rec->pcpu : rec->a);
	struct order_pcpu *target = order_pcpu(s, shape,
					       send ? rec->a : rec->pcpu);
	const struct finding_at at = order_at(rec);

	if (send) {
		sender->sent++;
		target->expected++;
		return false;
	}
	if (!sender->sent || !target->expected)
		return finding_say(f, &at, "pCPU %u acknowledged an interrupt that pCPU %" PRIu64 " has not sent",
				   rec->pcpu, rec->a);
	sender->sent--;
	target->expected--;
	return false;
}

static u64 order_state_bytes(const struct run_shape *shape)
{
	struct order s;

	return order_layout(&s, shape);
}

static void order_init(void *state, const struct run_shape *shape)
{
	struct order *s = state;

	order_layout(s, shape);
	pending_init((struct pending *)((char *)s + s->plans),
		     pending_capacity(shape));
}

/* The pairs are followed even if the time is wrong; one finding at most. */
static bool order_on_probe(void *state, const struct run_shape *shape,
			   const struct probe_rec *rec, struct finding *f)
{
	struct order *s = state;
	bool bad = order_time(s, shape, rec, f);
	struct finding *rest = bad ? NULL : f;

	switch (rec->kind) {
	case PROBE_OBLIGE:
	case PROBE_ACK:
		return order_flush(s, shape, rec, rest) || bad;
	case PROBE_PLAN_BEGIN:
	case PROBE_PLAN_END:
		return order_plan(s, rec, rest) || bad;
	case PROBE_IPI:
	case PROBE_IPI_ACK:
		return order_ipi(s, shape, rec, rest) || bad;
	default:
		return bad;
	}
}

const struct observer_ops checker_order = {
	.name = "order",
	.brief = "time never runs back and what begins ends once",
	.wants = BIT64(PROBE_KIND_NR) - 1,
	.state_bytes = order_state_bytes,
	.init = order_init,
	.on_probe = order_on_probe,
};
