/*
 * Records by hand, for tests of checkers.  One cycle is one nanosecond; vCPU v
 * has VPID v + 1; in the small shape vCPUs 0 and 1 are of VM 0, vCPU 2 is of
 * VM 1.
 */
#ifndef TESTS_UNIT_CHECK_STREAM_H
#define TESTS_UNIT_CHECK_STREAM_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/check/list.h"
#include "tests/suite.h"

struct watch {
	const struct observer_ops *ops;
	struct run_shape shape;
	u32 vm_of_vcpu[8];
	u16 vpids[8];
	void *state;
	u64 seq;
	struct finding f;
};

static inline void watch_shape(struct watch *w)
{
	static const u32 vms[3] = { 0, 0, 1 };

	for (u32 v = 0; v < 3; v++) {
		w->vm_of_vcpu[v] = vms[v];
		w->vpids[v] = (u16)(v + 1);
	}
	w->shape = (struct run_shape){
		.nr_pcpus = 3, .nr_vms = 2, .nr_vcpus = 3, .nr_frames = 4,
		.nr_pages_max = 8, .nr_views = 1, .clock_khz = 1000000,
		.vm_of_vcpu = w->vm_of_vcpu, .vpids = w->vpids,
	};
}

static inline void watch_begin(struct watch *w, const struct observer_ops *ops)
{
	struct arena_layout l = { 0 };
	struct err err;

	w->ops = ops;
	w->seq = 0;
	arena_reserve(&l, 1, ops->state_bytes(&w->shape));
	w->state = arena_create(&l, ops->name, &err);
	ck_assert_ptr_nonnull(w->state);
	if (ops->init)
		ops->init(w->state, &w->shape);
}

static inline void watch_start(struct watch *w, const struct observer_ops *ops)
{
	watch_shape(w);
	watch_begin(w, ops);
}

static inline void watch_end(struct watch *w)
{
	arena_destroy(w->state);
}

/* Hand a record over; true if the checker objects.  Time is 10 ns a record. */
static inline bool tell(struct watch *w, struct probe_rec rec)
{
	rec.seq = w->seq++;
	if (!rec.time)
		rec.time = 10 * w->seq;
	w->f = (struct finding){ .invariant = NULL };
	if (!(w->ops->wants & BIT64(rec.kind)))
		return false;
	return w->ops->on_probe(w->state, &w->shape, &rec, &w->f);
}

static inline struct probe_rec rec_of(enum probe_kind kind)
{
	return (struct probe_rec){ .kind = (u8)kind, .pcpu = IDX_NONE,
				   .vm = IDX_NONE, .vcpu = IDX_NONE,
				   .root = IDX_NONE, .frame = IDX_NONE,
				   .page = IDX_NONE, .id = IDX_NONE };
}

/* vCPU @vcpu enters on @pcpu under @frame. */
static inline bool enter(struct watch *w, u32 pcpu, u32 vcpu, u32 frame)
{
	struct probe_rec r = rec_of(PROBE_CONTEXT);

	r.pcpu = pcpu;
	r.vcpu = vcpu;
	r.vm = w->vm_of_vcpu[vcpu];
	r.vpid = w->vpids[vcpu];
	r.root = r.frame = frame;
	return tell(w, r);
}

static inline bool leave(struct watch *w, u32 pcpu)
{
	struct probe_rec r = rec_of(PROBE_CONTEXT_END);

	r.pcpu = pcpu;
	return tell(w, r);
}

/* A flush on @pcpu; @operand is its frame, VPID or page. */
static inline bool flush(struct watch *w, u32 pcpu, enum flush_op op, u32 operand)
{
	struct probe_rec r = rec_of(PROBE_FLUSH);

	r.pcpu = pcpu;
	r.op = (u8)op;
	if (op == FLUSH_INVEPT_SINGLE || op == FLUSH_HYPERCALL ||
	    op == FLUSH_EPT_VIOLATION)
		r.root = r.frame = operand;
	else
		r.vpid = (u16)operand;
	r.page = 0;
	return tell(w, r);
}

static inline bool alloc_root(struct watch *w, u32 vm, u32 frame, u64 incarnation)
{
	struct probe_rec r = rec_of(PROBE_ROOT_ALLOC);

	r.vm = vm;
	r.root = r.frame = frame;
	r.a = incarnation;
	return tell(w, r);
}

/* A change of a page in the EPT. */
static inline bool change(struct watch *w, u32 vm, u32 page, enum write_class cls,
			  u32 version)
{
	struct probe_rec r = rec_of(PROBE_WRITE);

	r.vm = vm;
	r.page = page;
	r.cls = (u8)cls;
	r.a = version;
	r.b = version - 1;
	return tell(w, r);
}

static inline bool obligation(struct watch *w, enum probe_kind kind, u32 vm,
			      u32 page, u32 id)
{
	struct probe_rec r = rec_of(kind);

	r.vm = vm;
	r.page = page;
	r.id = id;
	return tell(w, r);
}

/* Write, flush, return of a strict change. */
static inline bool zap(struct watch *w, u32 vm, u32 page, u32 version)
{
	change(w, vm, page, WRITE_STRICT, version);
	obligation(w, PROBE_OBLIGE, vm, page, version);
	return obligation(w, PROBE_ACK, vm, page, version);
}

static inline bool guest_write(struct watch *w, u32 vcpu, u32 page, u32 version)
{
	struct probe_rec r = rec_of(PROBE_GUEST_WRITE);

	r.vm = w->vm_of_vcpu[vcpu];
	r.vcpu = vcpu;
	r.page = page;
	r.a = version;
	r.b = version - 1;
	return tell(w, r);
}

static inline bool guest_flush(struct watch *w, u32 pcpu, u32 vcpu,
			       enum flush_op op, u32 page)
{
	struct probe_rec r = rec_of(PROBE_GUEST_FLUSH);

	r.pcpu = pcpu;
	r.vm = w->vm_of_vcpu[vcpu];
	r.vcpu = vcpu;
	r.op = (u8)op;
	r.page = page;
	return tell(w, r);
}

/* vCPU @vcpu uses guest page @page, which is the same in its VM. */
static inline bool use(struct watch *w, u32 pcpu, u32 vcpu, u32 page,
		       const struct probe_prov prov[2])
{
	struct probe_rec r = rec_of(PROBE_USE);

	r.pcpu = pcpu;
	r.vm = w->vm_of_vcpu[vcpu];
	r.vcpu = vcpu;
	r.root = r.frame = 3;
	r.page = page;
	r.a = page;
	r.used = prov[0];
	r.now = prov[1];
	return tell(w, r);
}

static inline int run_suite(const char *name, const TTest *const tests[],
			    size_t nr)
{
	Suite *s = suite_create(name);
	TCase *tc = tcase_create(name);

	for (size_t i = 0; i < nr; i++)
		tcase_add_test(tc, tests[i]);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	return suite_main(s);
}

#endif /* TESTS_UNIT_CHECK_STREAM_H */
