#include "sim/check/held.h"

#include "sim/base/arena.h"
#include "sim/base/err.h"

/*
 * @where: pCPU plus one, 0 for none
 * @next: next vCPU of the VM plus one, 0 for none
 */
struct held_vcpu {
	u32 where;
	u32 next;
	u32 lane;
};

static u32 held_lanes(const struct run_shape *shape, bool per_vcpu)
{
	u32 nr[VM_MAX] = { 0 };
	u32 most = 1;

	BUG_ON(shape->nr_vms > VM_MAX);
	if (!per_vcpu)
		return 1;
	for (u32 v = 0; v < shape->nr_vcpus; v++) {
		u32 vm = shape->vm_of_vcpu[v];

		BUG_ON(vm >= shape->nr_vms);
		if (++nr[vm] > most)
			most = nr[vm];
	}
	return most;
}

static u32 held_vpids(const struct run_shape *shape, bool per_vcpu)
{
	u32 nr = 1;

	if (!per_vcpu)
		return 0;
	for (u32 t = 0; t < shape_vtlbs(shape); t++)
		if (shape->vpids[t] >= nr)
			nr = shape->vpids[t] + 1u;
	return nr;
}

/* The one place that knows the order of the tables. */
static u64 held_layout(struct held *h, const struct run_shape *shape,
		       struct held_config config)
{
	struct arena_layout l = { 0 };
	u64 cells;

	h->config = config;
	h->nr_pcpus = shape->nr_pcpus;
	h->nr_frames = shape->nr_frames;
	h->nr_vpids = held_vpids(shape, config.per_vcpu);
	h->lanes = held_lanes(shape, config.per_vcpu);
	cells = (u64)h->nr_pcpus * h->nr_frames;
	arena_reserve(&l, 1, sizeof(struct held));
	h->pcpus = arena_reserve(&l, h->nr_pcpus, sizeof(struct held_pcpu));
	h->frames = arena_reserve(&l, h->nr_frames, sizeof(struct stamp));
	h->vpids = arena_reserve(&l, (u64)h->nr_pcpus * h->nr_vpids,
				 sizeof(struct stamp));
	h->rows = arena_reserve(&l, cells,
				(1 + (u64)h->lanes) * sizeof(struct stamp));
	h->vcpus = arena_reserve(&l, shape->nr_vcpus, sizeof(struct held_vcpu));
	h->vms = arena_reserve(&l, shape->nr_vms, sizeof(u32));
	return l.size;
}

static struct held_pcpu *held_pcpu(const struct held *h, u32 pcpu)
{
	BUG_ON(pcpu >= h->nr_pcpus);
	return (struct held_pcpu *)((char *)h + h->pcpus) + pcpu;
}

static struct held_vcpu *held_vcpu(const struct held *h, u32 vcpu)
{
	return (struct held_vcpu *)((char *)h + h->vcpus) + vcpu;
}

static struct stamp *held_frame(const struct held *h, u32 frame)
{
	BUG_ON(frame >= h->nr_frames);
	return (struct stamp *)((char *)h + h->frames) + frame;
}

static struct stamp *held_vpid(const struct held *h, u32 pcpu, u16 vpid)
{
	BUG_ON(vpid >= h->nr_vpids);
	return (struct stamp *)((char *)h + h->vpids) +
	       (u64)pcpu * h->nr_vpids + vpid;
}

static struct stamp *held_row(const struct held *h, u32 pcpu, u32 frame)
{
	BUG_ON(frame >= h->nr_frames);
	return (struct stamp *)((char *)h + h->rows) +
	       ((u64)pcpu * h->nr_frames + frame) * (1 + (u64)h->lanes);
}

static struct stamp *held_cell(const struct held *h, u32 pcpu, u32 frame,
			       u32 vcpu)
{
	u32 lane = h->config.per_vcpu ? held_vcpu(h, vcpu)->lane : 0;

	return held_row(h, pcpu, frame) + 1 + lane;
}

static struct stamp later(struct stamp a, struct stamp b)
{
	return a.seq > b.seq ? a : b;
}

/* The last flush on @pcpu that covers a tag. */
static struct stamp held_flushed(const struct held *h, u32 pcpu, u32 frame,
				 u16 vpid)
{
	const struct held_pcpu *p = held_pcpu(h, pcpu);
	struct stamp last = later(p->ept_all, *held_frame(h, frame));

	last = later(last, *held_row(h, pcpu, frame));
	if (!h->config.per_vcpu)
		return last;
	if (vpid)
		last = later(last, p->vpid_all);
	return later(last, *held_vpid(h, pcpu, vpid));
}

/*
 * A context that is active during a flush may cache again at once, so its
 * first activity is the flush itself.
 */
static struct stamp *held_settle(struct held *h, u32 pcpu)
{
	const struct held_pcpu *p = held_pcpu(h, pcpu);
	struct stamp *since = held_cell(h, pcpu, p->frame, p->vcpu);

	BUG_ON(!p->active);
	*since = later(*since, held_flushed(h, pcpu, p->frame, p->vpid));
	return since;
}

static void held_close(struct held *h, u32 pcpu)
{
	struct held_pcpu *p = held_pcpu(h, pcpu);
	struct held_vcpu *v = held_vcpu(h, p->vcpu);

	if (!p->active)
		return;
	held_settle(h, pcpu);
	p->active = false;
	if (v->where == pcpu + 1)
		v->where = 0;
}

static void held_open(struct held *h, const struct probe_rec *rec)
{
	struct held_pcpu *p = held_pcpu(h, rec->pcpu);
	struct stamp *since;

	held_close(h, rec->pcpu);
	p->active = true;
	p->vm = rec->vm;
	p->vcpu = rec->vcpu;
	p->view = rec->view;
	p->frame = rec->frame;
	p->vpid = rec->vpid;
	held_vcpu(h, rec->vcpu)->where = rec->pcpu + 1;
	since = held_cell(h, rec->pcpu, rec->frame, rec->vcpu);
	if (!since->seq ||
	    since->seq < held_flushed(h, rec->pcpu, rec->frame, rec->vpid).seq)
		*since = stamp_of(rec);
	/* VPID 0 is flushed by every VM entry. */
	if (h->config.per_vcpu && !rec->vpid)
		*since = stamp_of(rec);
}

static void held_flush(struct held *h, const struct probe_rec *rec)
{
	struct stamp now = stamp_of(rec);

	switch (rec->op) {
	case FLUSH_INVEPT_SINGLE:
		*held_row(h, rec->pcpu, rec->frame) = now;
		break;
	case FLUSH_INVEPT_GLOBAL:
		held_pcpu(h, rec->pcpu)->ept_all = now;
		break;
	case FLUSH_HYPERCALL:
		*held_frame(h, rec->frame) = now;
		break;
	case FLUSH_INVVPID_ALL:
		held_pcpu(h, rec->pcpu)->vpid_all = now;
		break;
	case FLUSH_INVVPID_SINGLE:
	case FLUSH_MOV_CR3:
	case FLUSH_INVPCID_ALL:
		if (rec->vpid < h->nr_vpids)
			*held_vpid(h, rec->pcpu, rec->vpid) = now;
		break;
	default:
		break;
	}
}

u64 held_bytes(const struct run_shape *shape, struct held_config config)
{
	struct held h;

	return held_layout(&h, shape, config);
}

void held_init(struct held *h, const struct run_shape *shape,
	       struct held_config config)
{
	u32 *first;

	held_layout(h, shape, config);
	first = (u32 *)((char *)h + h->vms);
	for (u32 v = shape->nr_vcpus; v-- > 0; ) {
		u32 vm = shape->vm_of_vcpu[v];

		held_vcpu(h, v)->next = first[vm];
		first[vm] = v + 1;
	}
	for (u32 vm = 0; vm < shape->nr_vms; vm++) {
		u32 lane = 0;

		for (u32 v = first[vm]; v; v = held_vcpu(h, v - 1)->next)
			held_vcpu(h, v - 1)->lane = lane++;
	}
}

void held_note(struct held *h, const struct probe_rec *rec)
{
	switch (rec->kind) {
	case PROBE_CONTEXT:
		held_open(h, rec);
		break;
	case PROBE_CONTEXT_END:
		held_close(h, rec->pcpu);
		break;
	case PROBE_FLUSH:
		held_flush(h, rec);
		break;
	case PROBE_ROOT_ALLOC:
		if (h->config.alloc_cleans)
			*held_frame(h, rec->frame) = stamp_of(rec);
		break;
	default:
		break;
	}
}

const struct held_pcpu *held_current(const struct held *h, u32 pcpu)
{
	return held_pcpu(h, pcpu);
}

struct stamp held_since(struct held *h, u32 pcpu)
{
	return *held_settle(h, pcpu);
}

struct stamp held_peek(const struct held *h, u32 pcpu, u32 frame, u32 vcpu,
		       u16 vpid)
{
	struct stamp since = *held_cell(h, pcpu, frame, vcpu);

	if (since.seq < held_flushed(h, pcpu, frame, vpid).seq)
		return (struct stamp){ 0 };
	return since;
}

u32 held_where(const struct held *h, u32 vcpu)
{
	u32 where = held_vcpu(h, vcpu)->where;

	return where ? where - 1 : IDX_NONE;
}

u32 held_next_vcpu(const struct held *h, u32 vm, u32 vcpu)
{
	const u32 *first = (const u32 *)((const char *)h + h->vms);
	u32 next = vcpu == IDX_NONE ? first[vm] : held_vcpu(h, vcpu)->next;

	return next ? next - 1 : IDX_NONE;
}
