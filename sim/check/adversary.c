#include "sim/check/adversary.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/check/guest_scope.h"
#include "sim/core/codec.h"

/* What a pCPU may hold under a tag; a set, since entries may be duplicates. */
#define HOLDS_CURRENT	1u
#define HOLDS_OLD	2u	/* superseded, flush not yet acknowledged */
#define HOLDS_CONDEMNED	4u	/* superseded, flush acknowledged */
#define HOLDS_OLD_DIRTY	8u	/* the same for a cleared dirty bit: what is */
#define HOLDS_COND_DIRTY 16u	/* cached still has it set */
#define HOLDS_BITS	5u
#define COMBINED_BITS	3u	/* nobody clears dirty bits of a guest's tables */

/* What is judged: BIT(n - 1) for In.  The rest is not even followed. */
#define JUDGES_I1	1u
#define JUDGES_I2	2u
#define JUDGES_I3	4u
#define JUDGES_I4	8u
#define JUDGES_I5	16u
#define JUDGES_I6	32u
#define JUDGES_STAGE2	(JUDGES_I1 | JUDGES_I6)
#define JUDGES_ROOTS	(JUDGES_I2 | JUDGES_I4)

#define VMS_TOLD_APART	4u

/*
 * @owners: whose entries there may be, as set of owner_bit();
 * @before: some are from an earlier root there;
 * @plain: made without APIC-access virtualisation, so the APIC page is memory
 */
struct tag {
	u8 holds;
	bool plain;
	u8 owners;
	bool before;
};

struct place {			/* a pCPU */
	u32 vcpu;		/* whose context is active, or IDX_NONE */
	bool apic;		/* virtualises APIC accesses */
	u8 pcid;
	u32 frame;
};

struct owner {			/* of a frame */
	u32 vm;			/* or IDX_NONE: no root yet */
	u8 view;		/* of those who use it */
};

/* Offsets from the start of the state. */
struct adversary {
	u8 judges;
	u64 places;
	u64 tags;		/* [pcpu][frame]: guest-physical */
	u64 combined;		/* [pcpu][frame][vcpu][mapping]: u8, HOLDS_... */
	u64 present;		/* [vm]: bool */
	u64 owners;		/* [frame]: the latest root there */
};

static u64 adversary_layout(struct adversary *a, const struct run_shape *s)
{
	struct arena_layout l = { 0 };
	u64 tags = (u64)s->nr_pcpus * s->nr_frames;

	arena_reserve(&l, 1, sizeof(*a));
	a->places = arena_reserve(&l, s->nr_pcpus, sizeof(struct place));
	a->tags = arena_reserve(&l, tags, sizeof(struct tag));
	a->combined = arena_reserve(&l, tags * s->nr_vcpus * shape_mappings(s),
				    sizeof(u8));
	a->present = arena_reserve(&l, s->nr_vms, sizeof(bool));
	a->owners = arena_reserve(&l, s->nr_frames, sizeof(struct owner));
	return l.size;
}

static struct place *place_of(struct adversary *a, u32 pcpu)
{
	return (struct place *)((u8 *)a + a->places) + pcpu;
}

static struct tag *tag_of(struct adversary *a, const struct run_shape *s,
			  u32 pcpu, u32 frame)
{
	return (struct tag *)((u8 *)a + a->tags) +
	       (u64)pcpu * s->nr_frames + frame;
}

/* Those of all vCPUs, one after the other. */
static u8 *combined_of(struct adversary *a, const struct run_shape *s, u32 pcpu,
		       u32 frame)
{
	return (u8 *)a + a->combined +
	       ((u64)pcpu * s->nr_frames + frame) * s->nr_vcpus *
	       shape_mappings(s);
}

static u8 *mappings_of(struct adversary *a, const struct run_shape *s, u32 pcpu,
		       u32 frame, u32 vcpu)
{
	return combined_of(a, s, pcpu, frame) + vcpu * shape_mappings(s);
}

static bool *present_of(struct adversary *a, u32 vm)
{
	return (bool *)((u8 *)a + a->present) + vm;
}

static struct owner *owner_of(struct adversary *a, u32 frame)
{
	return (struct owner *)((u8 *)a + a->owners) + frame;
}

static u64 adversary_state_bytes(const struct run_shape *shape)
{
	struct adversary a;

	return adversary_layout(&a, shape);
}

static void start(struct adversary *a, const struct run_shape *shape, u8 judges)
{
	adversary_layout(a, shape);
	a->judges = judges;
	for (u32 p = 0; p < shape->nr_pcpus; p++)
		place_of(a, p)->vcpu = place_of(a, p)->frame = IDX_NONE;
	for (u32 vm = 0; vm < shape->nr_vms; vm++)
		*present_of(a, vm) = true;
	for (u32 f = 0; f < shape->nr_frames; f++)
		owner_of(a, f)->vm = IDX_NONE;
}

/*
 * Of VMs that are a multiple of VMS_TOLD_APART apart it is not known whose the
 * entries are; they are then an earlier root's all the same.
 */
static u8 owner_bit(const struct owner *o)
{
	return (u8)(1u << (o->vm % VMS_TOLD_APART * VIEW_NR + o->view));
}

static void fill_mappings(const struct run_shape *s, u8 *holds, u8 which)
{
	for (u32 k = 0; k < shape_mappings(s); k++)
		if (which & 1u << k)
			holds[k] |= HOLDS_CURRENT;
}

/* Whatever is current now is cached at once while a context is active. */
static void speculate(struct adversary *a, const struct run_shape *s, u32 pcpu)
{
	const struct place *p = place_of(a, pcpu);
	struct tag *t;

	if (p->vcpu == IDX_NONE)
		return;
	t = tag_of(a, s, pcpu, p->frame);
	t->owners |= owner_bit(owner_of(a, p->frame));
	t->plain |= !p->apic && owner_of(a, p->frame)->view == VIEW_L1;
	if (*present_of(a, s->vm_of_vcpu[p->vcpu]))
		t->holds |= HOLDS_CURRENT;
	fill_mappings(s, mappings_of(a, s, pcpu, p->frame, p->vcpu),
		      guest_reach(s, p->pcid));
}

/*
 * Where there are no entries, there is none of a vCPU's either.  Whether there
 * are any is followed for the sake of some invariants only.
 */
static bool holds_nothing(struct adversary *a, const struct run_shape *s,
			  u32 pcpu, u32 frame)
{
	return a->judges & JUDGES_ROOTS && !tag_of(a, s, pcpu, frame)->owners;
}

static void drop_combined(struct adversary *a, const struct run_shape *s,
			  u32 pcpu, u32 frame)
{
	memset(combined_of(a, s, pcpu, frame), 0,
	       s->nr_vcpus * shape_mappings(s));
}

static void drop_frame(struct adversary *a, const struct run_shape *s, u32 pcpu,
		       u32 frame)
{
	if (holds_nothing(a, s, pcpu, frame))
		return;
	*tag_of(a, s, pcpu, frame) = (struct tag){ 0 };
	drop_combined(a, s, pcpu, frame);
}

static void empty_mappings(const struct run_shape *s, u8 *holds, u8 which)
{
	for (u32 k = 0; k < shape_mappings(s); k++)
		if (which & 1u << k)
			holds[k] = 0;
}

/* A frame belongs to one view, and with the vCPU that gives the VPID. */
static void drop_vpid(struct adversary *a, const struct run_shape *s, u32 pcpu,
		      const struct probe_rec *r)
{
	u8 scope = guest_scope(s, r);

	for (u32 f = 0; f < s->nr_frames; f++) {
		if (holds_nothing(a, s, pcpu, f))
			continue;
		for (u32 v = 0; v < s->nr_vcpus; v++) {
			u8 *holds = mappings_of(a, s, pcpu, f, v);

			if (shape_vpid(s, v, owner_of(a, f)->view) == r->vpid)
				empty_mappings(s, holds, scope);
		}
	}
}

static void drop_all_vpids(struct adversary *a, const struct run_shape *s,
			   u32 pcpu)
{
	for (u32 f = 0; f < s->nr_frames; f++)
		if (!holds_nothing(a, s, pcpu, f))
			drop_combined(a, s, pcpu, f);
}

static void note_flush(struct adversary *a, const struct run_shape *s,
		       const struct probe_rec *r)
{
	switch (r->op) {
	case FLUSH_INVEPT_SINGLE:
		drop_frame(a, s, r->pcpu, r->frame);
		break;
	case FLUSH_INVEPT_GLOBAL:
		for (u32 f = 0; f < s->nr_frames; f++)
			drop_frame(a, s, r->pcpu, f);
		break;
	case FLUSH_HYPERCALL:
		for (u32 p = 0; p < s->nr_pcpus; p++) {
			drop_frame(a, s, p, r->frame);
			speculate(a, s, p);
		}
		break;
	case FLUSH_INVVPID_SINGLE:
	case FLUSH_MOV_CR3:
	case FLUSH_INVLPG:
	case FLUSH_INVPCID_ADDR:
	case FLUSH_INVPCID_SINGLE:
	case FLUSH_INVPCID_ALL:
	case FLUSH_INVPCID_NONGLOBAL:
		drop_vpid(a, s, r->pcpu, r);
		break;
	case FLUSH_INVVPID_ALL:
		drop_all_vpids(a, s, r->pcpu);
		break;
	default:
		break;
	}
	speculate(a, s, r->pcpu);
}

/* A set of entries moves on: what was one of @from is now @to. */
static void move_on(u8 *holds, u8 from, u8 to)
{
	if (*holds & from)
		*holds = (u8)((*holds & ~from) | to);
}

/* What maps a page that is zapped is old, whatever else it is. */
static void mark_old(struct adversary *a, const struct run_shape *s, u32 vm)
{
	for (u32 f = 0; f < s->nr_frames; f++) {
		if (owner_of(a, f)->vm != vm)
			continue;
		for (u32 p = 0; p < s->nr_pcpus; p++)
			if (tag_of(a, s, p, f)->holds &
			    (HOLDS_OLD_DIRTY | HOLDS_COND_DIRTY))
				tag_of(a, s, p, f)->holds |= HOLDS_OLD;
	}
}

/* Every tag under which the VM's pages may be cached: those its roots have. */
static void move_tags(struct adversary *a, const struct run_shape *s, u32 vm,
		      u8 from, u8 to)
{
	for (u32 f = 0; f < s->nr_frames; f++) {
		if (owner_of(a, f)->vm != vm)
			continue;
		for (u32 p = 0; p < s->nr_pcpus; p++)
			move_on(&tag_of(a, s, p, f)->holds, from, to);
	}
}

static void note_alloc(struct adversary *a, const struct run_shape *s,
		       const struct probe_rec *r)
{
	u32 frame = r->frame;

	*owner_of(a, frame) = (struct owner){ r->vm, r->view };
	for (u32 p = 0; p < s->nr_pcpus; p++) {
		struct tag *t = tag_of(a, s, p, frame);

		if (holds_nothing(a, s, p, frame))
			continue;
		t->before = true;
		t->holds = 0;
		t->plain = false;
		drop_combined(a, s, p, frame);
	}
}

/* Which mappings of the guest a record of its own doing is about. */
static u8 concerned(const struct run_shape *s, const struct probe_rec *r)
{
	if (r->kind == PROBE_GUEST_FLUSH)
		return guest_scope(s, r);
	return (u8)(s->nr_pcids > 1 ? 1u << r->id : 1);
}

/* Those in @which are superseded, or what is superseded of them condemned. */
static void age_mappings(const struct run_shape *s, u8 *holds, u8 which,
			 bool write)
{
	for (u32 k = 0; k < shape_mappings(s); k++)
		if (which & 1u << k)
			move_on(&holds[k], write ? HOLDS_CURRENT : HOLDS_OLD,
				write ? HOLDS_OLD : HOLDS_CONDEMNED);
}

static void note_guest(struct adversary *a, const struct run_shape *s,
		       const struct probe_rec *r)
{
	bool write = r->kind == PROBE_GUEST_WRITE;
	u8 which = concerned(s, r);

	for (u32 p = 0; p < s->nr_pcpus; p++)
		for (u32 f = 0; f < s->nr_frames; f++) {
			u8 *holds = mappings_of(a, s, p, f, r->vcpu);

			if (owner_of(a, f)->view == r->view &&
			    !holds_nothing(a, s, p, f))
				age_mappings(s, holds, which, write);
		}
	speculate(a, s, r->pcpu);
}

static void note_write(struct adversary *a, const struct run_shape *s,
		       const struct probe_rec *r)
{
	if (r->cls == WRITE_STRICT) {
		*present_of(a, r->vm) = false;
		move_tags(a, s, r->vm, HOLDS_CURRENT, HOLDS_OLD);
		mark_old(a, s, r->vm);
	} else if (r->cls == WRITE_DIRTY) {
		/* Where I6 is not judged these entries are like others. */
		if (!(a->judges & JUDGES_I6))
			return;
		move_tags(a, s, r->vm, HOLDS_CURRENT, HOLDS_OLD_DIRTY);
		for (u32 p = 0; p < s->nr_pcpus; p++)
			speculate(a, s, p);
	} else if (r->cls == WRITE_UPGRADE) {
		*present_of(a, r->vm) = true;
		for (u32 p = 0; p < s->nr_pcpus; p++)
			speculate(a, s, p);
	}
}

/* --- judging --- */

static const char *const texts[] = {
	"vCPU %u on pCPU %u may use a translation of root %u that a completed flush had condemned",
	"vCPU %u on pCPU %u may use entries under root %u that stem from an earlier root in the same frame",
	"vCPU %u on pCPU %u may use a guest mapping under root %u that its own completed flush had condemned",
	"vCPU %u on pCPU %u may use entries under root %u that another VM, or the other of L1 and L2, has left there",
	"vCPU %u on pCPU %u, in xAPIC mode, may access the APIC page under root %u as plain memory through an entry of a vCPU in x2APIC mode",
	"vCPU %u on pCPU %u may write under root %u through an entry that has the dirty bit which a completed flush had cleared",
};

static bool object(struct finding *f, const struct probe_rec *r, const char *what,
		   const struct place *p, u32 pcpu)
{
	if (!f)
		return true;
	f->invariant = what;
	f->real = false;
	f->time = r->time;
	f->vcpu = p->vcpu;
	f->pcpu = pcpu;
	snprintf(f->text, sizeof(f->text),
		 texts[what[1] - '1'], p->vcpu, pcpu, p->frame);
	return true;
}

static bool may_use_condemned(struct adversary *a, const struct run_shape *s,
			      u32 pcpu)
{
	const struct place *p = place_of(a, pcpu);
	const u8 *holds = mappings_of(a, s, pcpu, p->frame, p->vcpu);
	u8 reach = guest_reach(s, p->pcid);

	for (u32 k = 0; k < shape_mappings(s); k++)
		if (reach & 1u << k && holds[k] & HOLDS_CONDEMNED)
			return true;
	return false;
}

/* May what is active on a pCPU use anything it must not? */
static bool judge(struct adversary *a, const struct run_shape *s, u32 pcpu,
		  const struct probe_rec *r, struct finding *f)
{
	const struct place *p = place_of(a, pcpu);
	const struct tag *t;

	if (p->vcpu == IDX_NONE)
		return false;
	t = tag_of(a, s, pcpu, p->frame);
	if (a->judges & JUDGES_I2 && t->before)
		return object(f, r, "I2", p, pcpu);
	if (a->judges & JUDGES_I1 && t->holds & HOLDS_CONDEMNED)
		return object(f, r, "I1", p, pcpu);
	if (a->judges & JUDGES_I3 && may_use_condemned(a, s, pcpu))
		return object(f, r, "I3", p, pcpu);
	if (a->judges & JUDGES_I4 &&
	    t->owners & ~owner_bit(owner_of(a, p->frame)))
		return object(f, r, "I4", p, pcpu);
	if (a->judges & JUDGES_I5 && p->apic && t->plain)
		return object(f, r, "I5", p, pcpu);
	if (a->judges & JUDGES_I6 && t->holds & HOLDS_COND_DIRTY)
		return object(f, r, "I6", p, pcpu);
	return false;
}

static bool adversary_on_probe(void *state, const struct run_shape *s,
			       const struct probe_rec *r, struct finding *f)
{
	struct adversary *a = state;

	switch (r->kind) {
	case PROBE_CONTEXT:
		*place_of(a, r->pcpu) = (struct place){
			.vcpu = r->vcpu, .apic = r->apic, .frame = r->frame,
			.pcid = (u8)r->id,
		};
		speculate(a, s, r->pcpu);
		return judge(a, s, r->pcpu, r, f);
	case PROBE_CONTEXT_END:
		*place_of(a, r->pcpu) = (struct place){ .vcpu = IDX_NONE,
							   .frame = IDX_NONE };
		return false;
	case PROBE_FLUSH:
		note_flush(a, s, r);
		return false;
	case PROBE_WRITE:
		note_write(a, s, r);
		return false;
	case PROBE_ACK:
		move_tags(a, s, r->vm, HOLDS_OLD, HOLDS_CONDEMNED);
		move_tags(a, s, r->vm, HOLDS_OLD_DIRTY, HOLDS_COND_DIRTY);
		for (u32 p = 0; p < s->nr_pcpus; p++)
			if (judge(a, s, p, r, f))
				return true;
		return false;
	case PROBE_ROOT_ALLOC:
		note_alloc(a, s, r);
		return false;
	case PROBE_GUEST_WRITE:
	case PROBE_GUEST_FLUSH:
	case PROBE_GUEST_RELY:
		note_guest(a, s, r);
		return r->kind != PROBE_GUEST_WRITE &&
		       judge(a, s, r->pcpu, r, f);
	default:
		return false;
	}
}

/* Which VMs: a set that is renamed with them. */
CODEC_INLINE void visit_owners(const struct run_shape *s, struct codec *c,
			       struct tag *t)
{
	u8 owners = t->owners;

	if (c->reading)
		t->owners = 0;
	for (u32 k = 0; k < s->nr_vms; k++) {
		u32 at = codec_nth(c, CODEC_VM, k) * VIEW_NR;
		u64 views = owners >> at & (BIT64(VIEW_NR) - 1);

		codec_bits(c, &views, s->nr_views);
		if (c->reading)
			t->owners |= (u8)(views << at);
	}
}

/*
 * While only one VM with one view can be meant there is an owner or none; and
 * whose entries they are matters to I4 only.
 */
CODEC_INLINE void visit_tag(const struct adversary *a, const struct run_shape *s,
			    struct codec *c, struct tag *t)
{
	bool any = t->owners != 0;

	if (a->judges & JUDGES_STAGE2)
		CODEC_BITS(c, t->holds, HOLDS_BITS);
	if (a->judges & JUDGES_I5)
		CODEC_BITS(c, t->plain, 1);
	if (a->judges & JUDGES_I4 && s->nr_vms * s->nr_views > 1)
		visit_owners(s, c, t);
	else if (a->judges & JUDGES_ROOTS) {
		CODEC_BITS(c, any, 1);
		if (c->reading)
			t->owners = any;
	}
	if (a->judges & JUDGES_I2)
		CODEC_BITS(c, t->before, 1);
}

CODEC_INLINE void visit_mappings(const struct run_shape *s, struct codec *c,
				 u8 *holds)
{
	for (u32 k = 0; k < shape_mappings(s); k++)
		CODEC_BITS(c, holds[k], COMBINED_BITS);
}

CODEC_INLINE void visit_place(struct adversary *a, const struct run_shape *s,
			      struct codec *c, u32 p)
{
	struct place *at = place_of(a, p);

	codec_index(c, &at->vcpu, CODEC_VCPU);
	codec_index(c, &at->frame, CODEC_ROOT);
	if (a->judges & JUDGES_I5)
		CODEC_BITS(c, at->apic, 1);
	if (a->judges & JUDGES_I3 && s->nr_pcids > 1)
		CODEC_BITS(c, at->pcid, 1);
	for (u32 j = 0; j < s->nr_frames; j++) {
		u32 f = codec_nth(c, CODEC_ROOT, j);

		visit_tag(a, s, c, tag_of(a, s, p, f));
		for (u32 v = 0; v < s->nr_vcpus && a->judges & JUDGES_I3; v++)
			visit_mappings(s, c,
				       mappings_of(a, s, p, f,
						   codec_nth(c, CODEC_VCPU, v)));
	}
}

CODEC_INLINE void visit(struct adversary *a, const struct run_shape *s,
			struct codec *c)
{
	for (u32 k = 0; k < s->nr_pcpus; k++)
		visit_place(a, s, c, codec_nth(c, CODEC_PCPU, k));
	for (u32 k = 0; k < s->nr_vms && a->judges & JUDGES_STAGE2; k++)
		CODEC_BITS(c, *present_of(a, codec_nth(c, CODEC_VM, k)), 1);
	for (u32 k = 0; k < s->nr_frames; k++) {
		struct owner *o = owner_of(a, codec_nth(c, CODEC_ROOT, k));

		codec_index(c, &o->vm, CODEC_VM);
		CODEC_BITS(c, o->view, codec_bits_for(s->nr_views - 1));
	}
}

static void adversary_visit(void *state, const struct run_shape *s,
			    struct codec *c)
{
	CODEC_SPLIT(c, w, visit(state, s, &w));
}

#define ADVERSARY(tail, only, what, judges)				\
	static void init_##tail(void *state, const struct run_shape *shape) \
	{								\
		start(state, shape, judges);				\
	}								\
									\
	const struct observer_ops checker_adversary##tail = {		\
		.name		= "adversary" #tail,			\
		.brief		= "no guest may use what a completed flush has condemned (" what ")", \
		.invariant	= only,					\
		.wants		= WANTS,				\
		.state_bytes	= adversary_state_bytes,		\
		.init		= init_##tail,				\
		.on_probe	= adversary_on_probe,			\
		.visit		= adversary_visit,			\
	}

#define WANTS								\
	(BIT64(PROBE_CONTEXT) | BIT64(PROBE_CONTEXT_END) |		\
	 BIT64(PROBE_FLUSH) | BIT64(PROBE_WRITE) | BIT64(PROBE_ACK) |	\
	 BIT64(PROBE_ROOT_ALLOC) | BIT64(PROBE_GUEST_WRITE) |		\
	 BIT64(PROBE_GUEST_FLUSH) | BIT64(PROBE_GUEST_RELY))

ADVERSARY(, NULL, "I1 to I6", JUDGES_STAGE2 | JUDGES_ROOTS | JUDGES_I3 | JUDGES_I5);
ADVERSARY(_i1, "I1", "I1", JUDGES_I1);
ADVERSARY(_i2, "I2", "I2", JUDGES_I2);
ADVERSARY(_i3, "I3", "I3", JUDGES_I3);
ADVERSARY(_i4, "I4", "I4", JUDGES_I4);
ADVERSARY(_i5, "I5", "I5", JUDGES_I5);
ADVERSARY(_i6, "I6", "I6", JUDGES_I6);

const struct observer_ops *const adversaries[ADVERSARIES_NR] = {
	&checker_adversary_i1, &checker_adversary_i2, &checker_adversary_i3,
	&checker_adversary_i4, &checker_adversary_i5, &checker_adversary_i6,
};

const struct observer_ops *adversary_find(const char *name)
{
	for (u32 i = 0; i < ADVERSARIES_NR; i++)
		if (!strcmp(adversaries[i]->invariant, name))
			return adversaries[i];
	return NULL;
}
