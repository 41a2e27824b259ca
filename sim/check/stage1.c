/*
 * I3, stage-1 safety: each vCPU has one architectural TLB, whatever pCPUs it
 * uses, and a second one for its L2 if it runs one.  Once a flush of the guest
 * has completed, no access of that vCPU in that view uses a translation from
 * before a change that the flush covers.
 *
 * Real: a use record shows one.  Possible: the vCPU is active on a pCPU where
 * it has been active under the same root before such a change, with no flush
 * there since that removes its combined mappings.
 *
 * A flush of one address (INVLPG, INVVPID individual-address) leaves the rest
 * of its pCPU as it was.  So each page remembers on which pCPUs such a flush
 * removed it after its newest condemned change; there, the page is clean.  Two
 * pCPUs are remembered: a guest flushes after it changes, so a third flush of
 * one unchanged page happens only where it flushes without need, and then the
 * checker errs on the side of "possible".  So it does where a page was flushed
 * under one root, and the pCPU later goes back to another root without having
 * been active under it in between.
 *
 * To keep this off the path of VM entry, each virtual TLB has a bound: the newest
 * condemned change, and the newest whose page is not clean on the same pCPU.
 * Only if the bound is later than the first activity are the pages looked at.
 *
 * Every page counts as not global, so that MOV CR3 covers it.  Translations
 * made under an earlier incarnation of a root frame are I2's business, those
 * of another VM I4's.
 *
 * State: that of struct held per (pCPU, frame, vCPU of the VM), and 40 bytes x
 * virtual TLBs x pages of the largest VM.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/check/held.h"
#include "sim/check/list.h"

#define CLEAN_NONE	UINT16_MAX
#define CLEAN_NR	2

/*
 * @write: newest change, stamp.seq; @version came of it
 * @condemned: newest change that a completed flush covers; @condemned_version
 *             came of it, and older versions are condemned
 * @flush_time: when that flush completed, on @flush_pcpu
 * @clean: pCPUs where the page was removed by address since
 */
struct stage1_page {
	u64 write;
	u64 condemned;
	u64 flush_time;
	u32 version;
	u32 condemned_version;
	u16 flush_pcpu;
	u16 clean[CLEAN_NR];
	u8 flush_op;
};

/* A condemned change and the pCPU where its page is clean, or CLEAN_NONE. */
struct stage1_bound {
	u64 write;
	u32 page;
	u16 clean;
};

/*
 * @full: last flush of all pages, @full_op on @full_pcpu
 * @write: newest change of any page, @write_page
 * @newest: newest condemned change
 * @other: newest one whose @clean differs from that of @newest
 */
struct stage1_vtlb {
	struct stamp full;
	u64 write;
	u32 write_page;
	u16 full_pcpu;
	u8 full_op;
	struct stage1_bound newest;
	struct stage1_bound other;
};

/* Offsets from the start of the state. */
struct stage1 {
	u64 held;
	u64 vtlbs;
	u64 pages;
};

static const struct held_config stage1_held = { .per_vcpu = true,
						.alloc_cleans = true };

static u64 stage1_layout(struct stage1 *s, const struct run_shape *shape)
{
	struct arena_layout l = { 0 };

	arena_reserve(&l, 1, sizeof(*s));
	s->held = arena_reserve(&l, 1, held_bytes(shape, stage1_held));
	s->vtlbs = arena_reserve(&l, shape_vtlbs(shape),
				 sizeof(struct stage1_vtlb));
	s->pages = arena_reserve(&l,
				 (u64)shape_vtlbs(shape) * shape->nr_pages_max,
				 sizeof(struct stage1_page));
	return l.size;
}

static struct held *stage1_tlbs(struct stage1 *s)
{
	return (struct held *)((char *)s + s->held);
}

static struct stage1_vtlb *stage1_vtlb(struct stage1 *s, u32 vtlb)
{
	return (struct stage1_vtlb *)((char *)s + s->vtlbs) + vtlb;
}

/* Whose virtual TLB a record is about. */
static u32 stage1_whose(const struct run_shape *shape,
			const struct probe_rec *rec)
{
	return shape_vtlb(shape, rec->vcpu, rec->view);
}

static void stage1_raise(struct stage1_vtlb *v, struct stage1_bound b)
{
	if (b.clean == v->newest.clean) {
		if (b.write > v->newest.write)
			v->newest = b;
	} else if (b.write > v->newest.write) {
		v->other = v->newest;
		v->newest = b;
	} else if (b.write > v->other.write) {
		v->other = b;
	}
}

/* Bring a page up to date with the last flush of all pages. */
static struct stage1_page *stage1_page(struct stage1 *s,
				       const struct run_shape *shape, u32 vtlb,
				       u32 page)
{
	const struct stage1_vtlb *v = stage1_vtlb(s, vtlb);
	struct stage1_page *pg;

	BUG_ON(vtlb >= shape_vtlbs(shape));
	BUG_ON(page >= shape->nr_pages_max);
	pg = (struct stage1_page *)((char *)s + s->pages) +
	     (u64)vtlb * shape->nr_pages_max + page;
	if (pg->write <= pg->condemned || pg->write >= v->full.seq)
		return pg;
	pg->condemned = pg->write;
	pg->condemned_version = pg->version;
	pg->flush_time = v->full.time;
	pg->flush_pcpu = v->full_pcpu;
	pg->flush_op = v->full_op;
	pg->clean[0] = pg->clean[1] = CLEAN_NONE;
	return pg;
}

static void stage1_write(struct stage1 *s, const struct run_shape *shape,
			 const struct probe_rec *rec)
{
	u32 vtlb = stage1_whose(shape, rec);
	struct stage1_page *pg = stage1_page(s, shape, vtlb, rec->page);
	struct stage1_vtlb *v = stage1_vtlb(s, vtlb);

	pg->write = stamp_of(rec).seq;
	pg->version = (u32)rec->a;
	v->write = pg->write;
	v->write_page = rec->page;
}

static void stage1_flush_page(struct stage1 *s, const struct run_shape *shape,
			      const struct probe_rec *rec)
{
	u32 vtlb = stage1_whose(shape, rec);
	struct stage1_page *pg = stage1_page(s, shape, vtlb, rec->page);
	u16 pcpu = (u16)rec->pcpu;

	if (!pg->write)
		return;
	if (pg->condemned == pg->write) {
		if (pg->clean[0] != pcpu)
			pg->clean[1] = pg->clean[0];
	} else {
		pg->clean[1] = CLEAN_NONE;
	}
	pg->clean[0] = pcpu;
	pg->condemned = pg->write;
	pg->condemned_version = pg->version;
	pg->flush_time = rec->time;
	pg->flush_pcpu = pcpu;
	pg->flush_op = rec->op;
	stage1_raise(stage1_vtlb(s, vtlb),
		     (struct stage1_bound){ pg->write, rec->page, pcpu });
}

static void stage1_flush_all(struct stage1 *s, const struct run_shape *shape,
			     const struct probe_rec *rec)
{
	struct stage1_vtlb *v = stage1_vtlb(s, stage1_whose(shape, rec));

	v->full = stamp_of(rec);
	v->full_pcpu = (u16)rec->pcpu;
	v->full_op = rec->op;
	if (v->write)
		stage1_raise(v, (struct stage1_bound){ v->write, v->write_page,
						       CLEAN_NONE });
}

static bool stage1_stale(const struct stage1_page *pg, u32 pcpu,
			 struct stamp since)
{
	return since.seq < pg->condemned && pg->clean[0] != pcpu &&
	       pg->clean[1] != pcpu;
}

/* The virtual TLB of what runs on a pCPU. */
static u32 stage1_running(struct stage1 *s, const struct run_shape *shape,
			  u32 pcpu)
{
	const struct held_pcpu *p = held_current(stage1_tlbs(s), pcpu);

	return shape_vtlb(shape, p->vcpu, p->view);
}

/*
 * The bound was too high: the page behind it is clean after all.  Look at all
 * pages, and make the bound tight again.  Return a stale page or IDX_NONE.
 */
static u32 stage1_scan(struct stage1 *s, const struct run_shape *shape,
		       u32 pcpu, struct stamp since)
{
	u32 vtlb = stage1_running(s, shape, pcpu);
	struct stage1_vtlb *v = stage1_vtlb(s, vtlb);
	u32 stale = IDX_NONE;

	v->newest = (struct stage1_bound){ .clean = CLEAN_NONE };
	v->other = (struct stage1_bound){ .clean = CLEAN_NONE };
	for (u32 page = 0; page < shape->nr_pages_max; page++) {
		const struct stage1_page *pg = stage1_page(s, shape, vtlb, page);

		if (!pg->condemned)
			continue;
		stage1_raise(v, (struct stage1_bound){ pg->condemned, page,
						       pg->clean[0] });
		if (stage1_stale(pg, pcpu, since))
			stale = page;
	}
	return stale;
}

static bool stage1_possible(struct stage1 *s, const struct run_shape *shape,
			    const struct probe_rec *rec, u32 pcpu,
			    struct finding *f)
{
	struct stamp since = held_since(stage1_tlbs(s), pcpu);
	const struct held_pcpu *p = held_current(stage1_tlbs(s), pcpu);
	u32 vtlb = stage1_running(s, shape, pcpu);
	const struct stage1_vtlb *v = stage1_vtlb(s, vtlb);
	const struct stage1_bound *b = v->newest.clean == pcpu ? &v->other :
								 &v->newest;
	const struct finding_at at = { .invariant = "I3", .time = rec->time,
				       .vcpu = p->vcpu, .pcpu = pcpu };
	const struct stage1_page *pg;
	u32 page = b->page;

	if (since.seq >= b->write)
		return false;
	if (!stage1_stale(stage1_page(s, shape, vtlb, page), pcpu, since))
		page = stage1_scan(s, shape, pcpu, since);
	if (page == IDX_NONE)
		return false;
	if (!f)
		return true;
	pg = stage1_page(s, shape, vtlb, page);
	return finding_say(f, &at, "VM %u vCPU %u %s pCPU %u and may use its guest page %u as it was before a change that its %s on pCPU %u had flushed at %s s: pCPU %u may hold its translations under root %u from %s s on and has not flushed them since",
			   p->vm, p->vcpu,
			   rec->kind == PROBE_CONTEXT ? "enters on" : "runs on",
			   pcpu, page, flush_op_name(pg->flush_op),
			   pg->flush_pcpu,
			   say_seconds(pg->flush_time, shape).text, pcpu,
			   p->frame, say_seconds(since.time, shape).text);
}

/*
 * On its own pCPU a completed flush has done its work, whether or not a flush
 * record tells of it; elsewhere it makes the change binding.
 */
static bool stage1_guest_flush(struct stage1 *s, const struct run_shape *shape,
			       const struct probe_rec *rec, struct finding *f)
{
	struct probe_rec here = *rec;
	u32 pcpu;

	if (rec->op == FLUSH_INVLPG || rec->op == FLUSH_INVVPID_ADDR) {
		stage1_flush_page(s, shape, rec);
	} else {
		here.kind = PROBE_FLUSH;
		here.op = FLUSH_INVVPID_SINGLE;
		here.vpid = shape_vpid(shape, rec->vcpu, rec->view);
		held_note(stage1_tlbs(s), &here);
		stage1_flush_all(s, shape, rec);
	}
	pcpu = held_where(stage1_tlbs(s), rec->vcpu);
	return pcpu != IDX_NONE &&
	       stage1_running(s, shape, pcpu) == stage1_whose(shape, rec) &&
	       stage1_possible(s, shape, rec, pcpu, f);
}

static bool stage1_use(struct stage1 *s, const struct run_shape *shape,
		       const struct probe_rec *rec, struct finding *f)
{
	const struct stage1_page *pg = stage1_page(s, shape,
						   stage1_whose(shape, rec),
						   (u32)rec->a);
	const struct finding_at at = { .invariant = "I3", .real = true,
				       .time = rec->time, .vcpu = rec->vcpu,
				       .pcpu = rec->pcpu };

	if (rec->used.owner != rec->now.owner ||
	    rec->used.frame != rec->now.frame ||
	    rec->used.s1 >= pg->condemned_version)
		return false;
	if (!f)
		return true;
	return finding_say(f, &at, "VM %u vCPU %u used its guest page %u on pCPU %u as it was before a change that its %s on pCPU %u had flushed at %s s: version %u under root %u, where its tables hold version %u",
			   rec->vm, rec->vcpu, (u32)rec->a, rec->pcpu,
			   flush_op_name(pg->flush_op), pg->flush_pcpu,
			   say_seconds(pg->flush_time, shape).text,
			   rec->used.s1, rec->frame, rec->now.s1);
}

static u64 stage1_state_bytes(const struct run_shape *shape)
{
	struct stage1 s;

	return stage1_layout(&s, shape);
}

static void stage1_init(void *state, const struct run_shape *shape)
{
	struct stage1 *s = state;

	BUG_ON(shape->nr_pcpus >= CLEAN_NONE);
	stage1_layout(s, shape);
	held_init(stage1_tlbs(s), shape, stage1_held);
	for (u32 t = 0; t < shape_vtlbs(shape); t++)
		stage1_vtlb(s, t)->newest.clean =
			stage1_vtlb(s, t)->other.clean = CLEAN_NONE;
}

static bool stage1_on_probe(void *state, const struct run_shape *shape,
			    const struct probe_rec *rec, struct finding *f)
{
	struct stage1 *s = state;

	switch (rec->kind) {
	case PROBE_GUEST_WRITE:
		stage1_write(s, shape, rec);
		return false;
	case PROBE_GUEST_FLUSH:
		return stage1_guest_flush(s, shape, rec, f);
	case PROBE_USE:
		return stage1_use(s, shape, rec, f);
	case PROBE_CONTEXT:
		held_note(stage1_tlbs(s), rec);
		return stage1_possible(s, shape, rec, rec->pcpu, f);
	default:
		held_note(stage1_tlbs(s), rec);
		return false;
	}
}

const struct observer_ops checker_stage1 = {
	.name = "stage1",
	.brief = "no access uses a guest translation that the guest has flushed",
	.invariant = "I3",
	.wants = HELD_WANTS | BIT64(PROBE_GUEST_WRITE) |
		 BIT64(PROBE_GUEST_FLUSH) | BIT64(PROBE_USE),
	.state_bytes = stage1_state_bytes,
	.init = stage1_init,
	.on_probe = stage1_on_probe,
};
