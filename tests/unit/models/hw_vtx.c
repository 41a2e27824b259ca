/*
 * Every operation against a grid of entries that differ in one respect each.
 * The table below states who survives; it is written from the manual and
 * shares nothing with the one in models/hw/vtx.c.
 */
#include <check.h>

#include "models/hw/vtx.h"
#include "models/hw/walker.h"
#include "tests/suite.h"
#include "tests/unit/models/hw_fixture.h"

#define OWN_VPID 2
#define OWN_PCID 5
#define OWN_EP4TA 1
#define OWN_VA 0x12345
#define OWN_GPA 0x777

/* Entries of the grid; each is filled in its own context. */
#define GRID(X)								\
	X(own,		2, 5, 1, true,  0x12345, false)			\
	X(global,	2, 5, 1, true,  0x12346, true)			\
	X(va,		2, 5, 1, true,  0x99999, false)			\
	X(va_global,	2, 5, 1, true,  0x99998, true)			\
	X(pcid,		2, 6, 1, true,  0x12345, false)			\
	X(pcid0,	2, 0, 1, true,  0x12345, false)			\
	X(vpid,		3, 5, 1, true,  0x12345, false)			\
	X(vpid_global,	3, 5, 1, true,  0x12346, true)			\
	X(ep4ta,	2, 5, 3, true,  0x12345, false)			\
	X(vpid0,	0, 5, 1, true,  0x12345, false)			\
	X(linear,	2, 5, 0, false, 0x12345, false)			\
	X(linear_global, 2, 5, 0, false, 0x12346, true)			\
	X(linear_va,	2, 5, 0, false, 0x99999, false)			\
	X(linear_pcid,	2, 6, 0, false, 0x12345, false)			\
	X(linear_pcid0,	2, 0, 0, false, 0x12345, false)			\
	X(linear_vpid,	3, 5, 0, false, 0x12345, false)			\
	X(linear_vpid0,	0, 5, 0, false, 0x12345, false)

#define X(id, v, p, e, c, a, g) G_##id,
enum { GRID(X) GRID_NR };
#undef X

static const struct grid_entry {
	const char *name;
	struct tlb_ctx ctx;
	u64 va;
	bool global;
} grid[] = {
#define X(id, v, p, e, c, a, g) \
	{ #id, { .vpid = v, .pcid = p, .ep4ta = e, .ept = c }, a, g },
	GRID(X)
#undef X
};

#define B(id) BIT64(G_##id)
#define ALL_COMBINED (BIT64(G_linear) - 1)
#define ALL_LINEAR ((BIT64(GRID_NR) - 1) & ~ALL_COMBINED)
#define OWN_CR3 (B(own) | B(va) | B(ep4ta) | B(linear) | B(linear_va))
#define OWN_NONGLOBAL (OWN_CR3 | B(pcid) | B(pcid0) | B(linear_pcid) | \
		       B(linear_pcid0))
#define OWN_GLOBAL (B(global) | B(va_global) | B(linear_global))
#define OTHER_VPID (B(vpid) | B(vpid_global) | B(linear_vpid))

static const struct {
	enum vtx_op op;
	u64 va;
	u64 removed;
} cases[] = {
	{ VTX_MOV_CR3, OWN_VA, B(pcid0) | B(linear_pcid0) },
	{ VTX_MOV_CR3_PCID, OWN_VA, OWN_CR3 },
	{ VTX_MOV_CR3_NOFLUSH, OWN_VA, 0 },
	{ VTX_CR4_PGE, OWN_VA, OWN_NONGLOBAL | OWN_GLOBAL },
	{ VTX_CR4_PAE, OWN_VA, OWN_CR3 },
	{ VTX_INVLPG, OWN_VA, B(own) | B(ep4ta) | B(linear) },
	{ VTX_INVLPG, OWN_VA + 1, B(global) | B(linear_global) },
	{ VTX_INVPCID_ADDR, OWN_VA, B(own) | B(ep4ta) | B(linear) },
	{ VTX_INVPCID_ADDR, OWN_VA + 1, 0 },
	{ VTX_INVPCID_SINGLE, OWN_VA, OWN_CR3 },
	{ VTX_INVPCID_ALL, OWN_VA, OWN_NONGLOBAL | OWN_GLOBAL },
	{ VTX_INVPCID_ALL_NONGLOBAL, OWN_VA, OWN_NONGLOBAL },
	{ VTX_PAGE_FAULT, OWN_VA, B(own) | B(ep4ta) | B(linear) },
	{ VTX_PAGE_FAULT, OWN_VA + 1, B(global) | B(linear_global) },
	{ VTX_EPT_VIOLATION, OWN_VA, B(own) },
	{ VTX_EPT_VIOLATION, OWN_VA + 1, B(global) },
	{ VTX_INVVPID_ADDR, OWN_VA, B(own) | B(pcid) | B(pcid0) | B(ep4ta) |
	  B(linear) | B(linear_pcid) | B(linear_pcid0) },
	{ VTX_INVVPID_ADDR, OWN_VA + 1, B(global) | B(linear_global) },
	{ VTX_INVVPID_SINGLE, OWN_VA, OWN_NONGLOBAL | OWN_GLOBAL },
	{ VTX_INVVPID_ALL, OWN_VA, OWN_NONGLOBAL | OWN_GLOBAL | OTHER_VPID },
	{ VTX_INVVPID_NONGLOBAL, OWN_VA, OWN_NONGLOBAL },
	{ VTX_INVEPT_SINGLE, OWN_VA, ALL_COMBINED & ~B(ep4ta) },
	{ VTX_INVEPT_GLOBAL, OWN_VA, ALL_COMBINED },
	{ VTX_ENTRY_EXIT_NO_VPID, OWN_VA, B(vpid0) | B(linear_vpid0) },
	{ VTX_ENTRY_EXIT_VPID, OWN_VA, 0 },
	{ VTX_VMXON_VMXOFF, OWN_VA, 0 },
	{ VTX_RESET, OWN_VA, ALL_COMBINED | ALL_LINEAR },
};

static const struct vtx_operand own = {
	.vpid = OWN_VPID, .pcid = OWN_PCID, .ep4ta = OWN_EP4TA,
	.va.n = OWN_VA, .gpa.n = OWN_GPA,
};

static struct tlb *new_tlb(void)
{
	struct hw_geometry g = fixture_icelake_sp();

	return fixture_tlb(&g, 4, 4);
}

static struct tlb_access grid_access(u32 i)
{
	return (struct tlb_access){
		.va.n = grid[i].va, .gpa.n = OWN_GPA, .s1_shift = 12,
		.s2_shift = 12, .global = grid[i].global,
	};
}

static bool grid_held(struct tlb *t, u32 i)
{
	struct tlb_access a = grid_access(i);
	struct tlb_prov prov;

	tlb_set_context(t, &grid[i].ctx);
	return tlb_lookup(t, &a, &prov) != TLB_MISS;
}

/* Room for the whole grid, most of which shares one set elsewhere. */
static struct tlb *grid_tlb(void)
{
	struct hw_geometry g = { 0 };

	FIXTURE_STRUCT(&g, .name = "L1", .level = 1, .side = TLB_SIDE_BOTH,
		       .entries = 32, .ways = 32, .holds_4k = true);
	FIXTURE_STRUCT(&g, .name = "L2", .level = 2, .side = TLB_SIDE_BOTH,
		       .entries = 256, .ways = 64, .holds_4k = true,
		       .holds_2m = true);
	fixture_walker(&g);
	return fixture_tlb(&g, 4, 4);
}

START_TEST(an_operation_removes_its_row_and_nothing_else)
{
	struct vtx_operand o = own;
	struct tlb *t = grid_tlb();
	u64 removed = 0;
	bool held;

	for (u32 i = 0; i < GRID_NR; i++) {
		struct tlb_access a = grid_access(i);

		tlb_set_context(t, &grid[i].ctx);
		tlb_fill(t, &a, &a.prov);
	}
	o.va.n = cases[_i].va;
	held = vtx_invalidate(t, cases[_i].op, &o);
	for (u32 i = 0; i < GRID_NR; i++)
		if (!grid_held(t, i))
			removed |= BIT64(i);
	for (u32 i = 0; i < GRID_NR; i++)
		ck_assert_msg((removed & BIT64(i)) == (cases[_i].removed & BIT64(i)),
			      "%s: entry \"%s\" %s", vtx_op_name(cases[_i].op),
			      grid[i].name,
			      removed & BIT64(i) ? "was removed" : "survived");
	ck_assert_int_eq(held, cases[_i].removed != 0);
	/* What is gone need not be removed again. */
	ck_assert(!vtx_invalidate(t, cases[_i].op, &o));
	free(t);
}
END_TEST

/* Walk references of a page whose guest PDE and EPT steps are warm or not. */
static u32 walk_refs(struct tlb *t, u64 va, u64 gpa)
{
	const struct tlb_access a = {
		.va.n = va, .gpa.n = gpa, .s1_shift = 12, .s2_shift = 12,
	};
	struct walk_result res;

	walker_walk(t, &a, &res);
	return res.refs;
}

/*
 * References of the walk of the next page after an operation that named the
 * page before: 2 if all paging-structure entries survive (guest PTE, EPT PTE).
 */
static const struct {
	enum vtx_op op;
	u32 refs;
} psc_cases[] = {
	{ VTX_MOV_CR3_NOFLUSH, 2 },
	/* 4 guest references; their tables are in the guest-physical cache. */
	{ VTX_MOV_CR3_PCID, 4 + 1 },
	{ VTX_INVLPG, 4 + 1 },
	{ VTX_INVPCID_ADDR, 4 + 1 },
	{ VTX_PAGE_FAULT, 4 + 1 },
	{ VTX_INVVPID_SINGLE, 4 + 1 },
	{ VTX_INVVPID_ADDR, 4 + 1 },
	{ VTX_EPT_VIOLATION, 4 + 4 },
	{ VTX_INVEPT_SINGLE, 24 },
	{ VTX_INVEPT_GLOBAL, 24 },
	{ VTX_RESET, 24 },
};

START_TEST(paging_structure_entries_go_with_their_mappings)
{
	const struct tlb_ctx ctx = { .vpid = OWN_VPID, .pcid = OWN_PCID,
				     .ep4ta = OWN_EP4TA, .ept = true };
	struct tlb *t = new_tlb();

	tlb_set_context(t, &ctx);
	ck_assert_uint_eq(walk_refs(t, OWN_VA, OWN_GPA), 24);
	vtx_invalidate(t, psc_cases[_i].op, &own);
	ck_assert_uint_eq(walk_refs(t, OWN_VA + 1, OWN_GPA + 1),
			  psc_cases[_i].refs);
	free(t);
}
END_TEST

START_TEST(invlpg_drops_structure_entries_of_other_addresses_too)
{
	const struct tlb_ctx ctx = { .vpid = OWN_VPID, .pcid = OWN_PCID,
				     .ep4ta = OWN_EP4TA, .ept = true };
	struct vtx_operand o = own;
	struct tlb *t = new_tlb();

	tlb_set_context(t, &ctx);
	walk_refs(t, OWN_VA, OWN_GPA);
	o.va.n = 0x7000000;
	vtx_invalidate(t, VTX_INVPCID_ADDR, &o);
	ck_assert_uint_eq(walk_refs(t, OWN_VA + 1, OWN_GPA + 1), 2);
	vtx_invalidate(t, VTX_INVLPG, &o);
	ck_assert_uint_eq(walk_refs(t, OWN_VA + 2, OWN_GPA + 2), 5);
	free(t);
}
END_TEST

START_TEST(an_ept_violation_drops_the_guest_physical_page)
{
	const struct tlb_ctx ctx = { .vpid = OWN_VPID, .pcid = OWN_PCID,
				     .ep4ta = OWN_EP4TA, .ept = true };
	struct tlb_access a = { .va.n = OWN_VA, .gpa.n = OWN_GPA,
				.s1_shift = 12, .s2_shift = 12,
				.prov = { .s2 = 1 } };
	struct walk_result res;
	struct tlb *t = new_tlb();

	tlb_set_context(t, &ctx);
	walker_walk(t, &a, &res);
	a.prov.s2 = 2;
	walker_walk(t, &a, &res);
	ck_assert_uint_eq(res.prov.s2, 1);
	ck_assert(vtx_invalidate(t, VTX_EPT_VIOLATION, &own));
	walker_walk(t, &a, &res);
	ck_assert_uint_eq(res.prov.s2, 2);
	free(t);
}
END_TEST

static void large_page_goes(u32 s1_shift, u32 s2_shift)
{
	const struct tlb_ctx ctx = { .vpid = OWN_VPID, .pcid = OWN_PCID,
				     .ep4ta = OWN_EP4TA, .ept = true };
	struct tlb_access a = { .gpa.n = OWN_GPA, .s1_shift = (u8)s1_shift,
				.s2_shift = (u8)s2_shift };
	struct tlb_prov prov;
	struct tlb *t = new_tlb();

	tlb_set_context(t, &ctx);
	a.va.n = OWN_VA & ~511ULL;
	tlb_fill(t, &a, &a.prov);
	a.va.n += 77;
	if (s2_shift == 12)
		tlb_fill(t, &a, &a.prov);
	ck_assert_int_eq(tlb_lookup(t, &a, &prov), TLB_HIT_L1);
	ck_assert(vtx_invalidate(t, VTX_INVLPG, &own));
	ck_assert_int_eq(tlb_lookup(t, &a, &prov), TLB_MISS);
	a.va.n -= 77;
	ck_assert_int_eq(tlb_lookup(t, &a, &prov), TLB_MISS);
	free(t);
}

START_TEST(invlpg_of_a_large_page_drops_it_by_any_of_its_addresses)
{
	large_page_goes(21, 21);
}
END_TEST

START_TEST(invlpg_of_a_large_page_drops_all_its_fragments)
{
	large_page_goes(21, 12);
}
END_TEST

START_TEST(a_global_page_hits_under_another_pcid_of_its_vpid_and_root)
{
	struct tlb_ctx ctx = { .vpid = OWN_VPID, .pcid = OWN_PCID,
			       .ep4ta = OWN_EP4TA, .ept = true };
	struct tlb_access a = { .va.n = OWN_VA, .s1_shift = 12, .s2_shift = 12,
				.global = true };
	struct tlb_prov prov;
	struct tlb *t = new_tlb();

	tlb_set_context(t, &ctx);
	tlb_fill(t, &a, &a.prov);
	ctx.pcid++;
	tlb_set_context(t, &ctx);
	ck_assert_int_eq(tlb_lookup(t, &a, &prov), TLB_HIT_L1);
	ctx.ep4ta++;
	tlb_set_context(t, &ctx);
	ck_assert_int_eq(tlb_lookup(t, &a, &prov), TLB_MISS);
	free(t);
}
END_TEST

START_TEST(covers_context_agrees_with_what_is_removed)
{
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		enum vtx_op op = cases[i].op;

		if (op == VTX_INVLPG || op == VTX_INVPCID_ADDR ||
		    op == VTX_PAGE_FAULT || op == VTX_EPT_VIOLATION ||
		    op == VTX_INVVPID_ADDR) {
			ck_assert(!vtx_covers_context(op, &own, &grid[G_own].ctx));
			continue;
		}
		for (u32 j = 0; j < GRID_NR; j++)
			if (!grid[j].global)
				ck_assert_msg(vtx_covers_context(op, &own, &grid[j].ctx) ==
					      !!(cases[i].removed & BIT64(j)),
					      "%s, %s", vtx_op_name(op), grid[j].name);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hw_vtx");
	TCase *tc = tcase_create("all");

	suite_add_tcase(suite, tc);
	tcase_add_loop_test(tc, an_operation_removes_its_row_and_nothing_else,
			    0, ARRAY_SIZE(cases));
	tcase_add_loop_test(tc, paging_structure_entries_go_with_their_mappings,
			    0, ARRAY_SIZE(psc_cases));
	tcase_add_test(tc, invlpg_drops_structure_entries_of_other_addresses_too);
	tcase_add_test(tc, an_ept_violation_drops_the_guest_physical_page);
	tcase_add_test(tc, invlpg_of_a_large_page_drops_it_by_any_of_its_addresses);
	tcase_add_test(tc, invlpg_of_a_large_page_drops_all_its_fragments);
	tcase_add_test(tc, a_global_page_hits_under_another_pcid_of_its_vpid_and_root);
	tcase_add_test(tc, covers_context_agrees_with_what_is_removed);
	return suite_main(suite);
}
