/*
 * Flushes by stamps give the results of flushes that erase: random streams of
 * accesses, context switches and every operation, against hw_eager.h.
 */
#include <check.h>
#include <stdlib.h>

#include "sim/base/rng.h"
#include "tests/suite.h"
#include "tests/unit/models/hw_eager.h"
#include "tests/unit/models/hw_eager.inc"
#include "tests/unit/models/hw_fixture.h"

#define OPERATIONS 100000
#define SEEDS 3
#define NR_EP4TA 4
#define NR_VPIDS 4

/* Small, so that victims are common; halves, splits and both list kinds. */
static struct hw_geometry small_geometry(enum tlb_replacement replacement)
{
	struct hw_geometry g = { 0 };

	FIXTURE_STRUCT(&g, .name = "d4k", .level = 1, .entries = 8, .ways = 2,
		       .holds_4k = true);
	FIXTURE_STRUCT(&g, .name = "d2m", .level = 1, .entries = 4, .ways = 4,
		       .holds_2m = true);
	FIXTURE_STRUCT(&g, .name = "i", .level = 1, .side = TLB_SIDE_INSTR,
		       .entries = 32, .ways = 32, .holds_4k = true,
		       .holds_1g = true);
	FIXTURE_STRUCT(&g, .name = "half", .level = 2, .side = TLB_SIDE_BOTH,
		       .entries = 32, .ways = 8, .holds_4k = true,
		       .holds_2m = true, .index = TLB_INDEX_XOR);
	FIXTURE_STRUCT(&g, .name = "other half", .level = 2,
		       .side = TLB_SIDE_BOTH, .entries = 64, .ways = 16,
		       .holds_4k = true, .holds_1g = true,
		       .index = TLB_INDEX_XOR);
	for (u32 i = 0; i < g.nr_structs; i++)
		g.tlb[i].replacement = replacement;
	fixture_walker(&g);
	g.psc_pml4e = 2;
	g.psc_pdpte = 3;
	g.psc_pde = 20;
	g.guest_phys_entries = 20;
	return g;
}

static u8 draw_shift(struct rng *r)
{
	static const u8 shift[] = { 12, 12, 12, 12, 21, 21, 30, 12 };

	return shift[rng_below(r, ARRAY_SIZE(shift))];
}

static u16 draw_pcid(struct rng *r)
{
	/* Mostly a few; now and then one of many, to overrun the stamps. */
	return (u16)(rng_below(r, 8) ? rng_below(r, 3) : rng_below(r, 4096));
}

static u64 draw_page(struct rng *r)
{
	return rng_below(r, 24) | rng_below(r, 3) << 9 | rng_below(r, 2) << 18 |
	       rng_below(r, 2) << 27;
}

static void do_access(struct tlb *t, struct eager *r, struct rng *rng)
{
	struct tlb_access a = {
		.va.n = draw_page(rng), .gpa.n = draw_page(rng),
		.s1_shift = draw_shift(rng), .s2_shift = draw_shift(rng),
		.instr = !rng_below(rng, 4), .global = !rng_below(rng, 5),
		.prov = { (u32)rng_next(rng), (u32)rng_next(rng),
			  (u32)rng_below(rng, 2), (u32)rng_below(rng, 2) },
	};
	struct tlb_prov prov = { 0 }, want_prov = { 0 };
	struct walk_result res, want;
	enum tlb_hit hit = tlb_lookup(t, &a, &prov);

	ck_assert_int_eq(hit, eager_lookup(r, &a, &want_prov));
	ck_assert_mem_eq(&prov, &want_prov, sizeof(prov));
	if (hit != TLB_MISS)
		return;
	walker_walk(t, &a, &res);
	eager_walk(r, &a, &want);
	ck_assert_uint_eq(res.refs, want.refs);
	ck_assert_mem_eq(&res.prov, &want.prov, sizeof(prov));
}

static void do_context(struct tlb *t, struct eager *r, struct rng *rng)
{
	struct tlb_ctx ctx = {
		.ep4ta = (u32)rng_below(rng, NR_EP4TA),
		.vpid = (u16)rng_below(rng, NR_VPIDS),
		.pcid = draw_pcid(rng),
		.ept = rng_below(rng, 4),
	};

	tlb_set_context(t, &ctx);
	r->ctx = ctx;
}

static void do_operation(struct tlb *t, struct eager *r, struct rng *rng)
{
	struct vtx_operand o = {
		.vpid = (u16)rng_below(rng, NR_VPIDS), .pcid = draw_pcid(rng),
		.ep4ta = (u32)rng_below(rng, NR_EP4TA),
		.va.n = draw_page(rng), .gpa.n = draw_page(rng),
	};
	enum vtx_op op = (enum vtx_op)rng_below(rng, VTX_OP_NR);
	bool held;

	/* The widest would leave nothing for the others to do. */
	if ((op == VTX_RESET || op == VTX_INVEPT_GLOBAL ||
	     op == VTX_INVVPID_ALL) && rng_below(rng, 8))
		op = VTX_MOV_CR3_PCID;
	held = vtx_invalidate(t, op, &o);
	if (eager_invalidate(r, op, &o))
		ck_assert_msg(held, "%s removed entries it denies",
			      vtx_op_name(op));
}

static void compare(enum tlb_replacement replacement, u64 seed)
{
	struct hw_geometry g = small_geometry(replacement);
	struct eager *r = malloc(sizeof(*r));
	struct tlb *t = fixture_tlb(&g, NR_EP4TA, NR_VPIDS);
	struct err err;
	struct rng rng;
	u64 what;

	ck_assert_msg(!hw_geometry_check(&g, &err), "%s", err.msg);
	ck_assert_ptr_nonnull(r);
	eager_init(r, &g);
	rng_init(&rng, seed, 1, 0);
	for (u32 i = 0; i < OPERATIONS; i++) {
		what = rng_below(&rng, 100);
		if (what < 82)
			do_access(t, r, &rng);
		else if (what < 90)
			do_context(t, r, &rng);
		else
			do_operation(t, r, &rng);
	}
	free(t);
	free(r);
}

START_TEST(lazy_flush_equals_eager_flush_under_lru)
{
	compare(TLB_LRU, (u64)_i);
}
END_TEST

START_TEST(lazy_flush_equals_eager_flush_under_tree_plru)
{
	compare(TLB_TREE_PLRU, (u64)_i);
}
END_TEST

static u64 replay_hash(struct tlb *t)
{
	struct tlb_access a = { .s1_shift = 12, .s2_shift = 21 };
	struct walk_result res = { 0 };
	struct tlb_prov prov = { 0 };
	struct rng rng;
	u64 hash = 0;

	rng_init(&rng, 9, 9, 9);
	for (u32 i = 0; i < 5000; i++) {
		a.va.n = a.gpa.n = draw_page(&rng);
		hash = hash * 31 + tlb_lookup(t, &a, &prov);
		walker_walk(t, &a, &res);
		hash = hash * 31 + res.refs;
	}
	return hash;
}

START_TEST(a_copied_block_goes_on_like_the_original)
{
	struct hw_geometry g = small_geometry(TLB_TREE_PLRU);
	u64 bytes = tlb_bytes(&g, NR_EP4TA, NR_VPIDS);
	struct tlb *t = fixture_tlb(&g, NR_EP4TA, NR_VPIDS);
	struct tlb *copy = fixture_tlb(&g, NR_EP4TA, NR_VPIDS);

	replay_hash(t);
	memcpy(copy, t, bytes);
	ck_assert_uint_eq(replay_hash(t), replay_hash(copy));
	ck_assert_mem_eq(t, copy, bytes);
	free(t);
	free(copy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hw_flush_lazy");
	TCase *tc = tcase_create("all");

	suite_add_tcase(suite, tc);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, lazy_flush_equals_eager_flush_under_lru, 0, SEEDS);
	tcase_add_loop_test(tc, lazy_flush_equals_eager_flush_under_tree_plru, 0,
			    SEEDS);
	tcase_add_test(tc, a_copied_block_goes_on_like_the_original);
	return suite_main(suite);
}
