/* How many references a walk makes, and whose versions its result carries. */
#include <check.h>

#include "models/hw/vtx.h"
#include "models/hw/walker.h"
#include "tests/suite.h"
#include "tests/unit/models/hw_fixture.h"

static const struct tlb_ctx nested = { .ep4ta = 1, .vpid = 2, .ept = true };
static const struct tlb_ctx flat = { .vpid = 2 };

static struct tlb *new_tlb(const struct tlb_ctx *ctx)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct tlb *t = fixture_tlb(&g, 4, 4);

	tlb_set_context(t, ctx);
	return t;
}

static struct walk_result walk(struct tlb *t, u64 page, u32 s1, u32 s2)
{
	const struct tlb_access a = {
		.va.n = page, .gpa.n = page, .s1_shift = (u8)s1,
		.s2_shift = (u8)s2,
	};
	struct walk_result res;

	walker_walk(t, &a, &res);
	return res;
}

/* Cold, and for the next page whose upper levels are then cached. */
static const struct {
	u32 s1, s2;
	bool ept;
	u32 cold, next_page;
} cases[] = {
	{ 12, 12, true, 24, 2 },	/* 4 (4 + 1) + 4; PTE and EPT PTE */
	{ 12, 21, true, 19, 1 },	/* 4 (3 + 1) + 3; page cached whole */
	{ 21, 12, true, 19, 2 },	/* 3 (4 + 1) + 4 */
	{ 21, 21, true, 15, 1 },	/* 3 (3 + 1) + 3 */
	{ 12, 30, true, 14, 1 },	/* 4 (2 + 1) + 2 */
	{ 30, 30, true, 8, 1 },		/* 2 (2 + 1) + 2 */
	{ 12, 12, false, 4, 1 },
	{ 21, 12, false, 3, 1 },
	{ 30, 12, false, 2, 1 },
};

START_TEST(a_walk_makes_the_references_of_its_levels)
{
	struct tlb *t = new_tlb(cases[_i].ept ? &nested : &flat);

	ck_assert_uint_eq(walk(t, 0x12345, cases[_i].s1, cases[_i].s2).refs,
			  cases[_i].cold);
	ck_assert_uint_eq(walk(t, 0x12346, cases[_i].s1, cases[_i].s2).refs,
			  cases[_i].next_page);
	free(t);
}
END_TEST

START_TEST(a_walk_starts_from_the_deepest_structure_entry_it_has)
{
	struct tlb *t = new_tlb(&nested);

	walk(t, 0, 12, 12);
	/* Same 1 GiB: PD known; PTE's table and the page need EPT steps. */
	ck_assert_uint_eq(walk(t, 1 << 9, 12, 12).refs, (1 + 1 + 1) + 2);
	/* Same 512 GiB: PDPT known; three guest references, two new tables. */
	ck_assert_uint_eq(walk(t, 1 << 18, 12, 12).refs, 3 + (2 + 1) + 3);
	free(t);
}
END_TEST

START_TEST(five_levels_in_both_dimensions_make_35_references)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct tlb *t;

	g.guest_levels = g.ept_levels = 5;
	t = fixture_tlb(&g, 4, 4);
	tlb_set_context(t, &nested);
	ck_assert_uint_eq(walk(t, 5, 12, 12).refs, 35);
	free(t);
}
END_TEST

START_TEST(a_walk_fills_what_the_next_lookup_uses)
{
	struct tlb_access a = { .va.n = 7, .s1_shift = 21, .s2_shift = 12 };
	struct tlb_prov prov;
	struct tlb *t = new_tlb(&nested);

	walk(t, 7, 21, 12);
	ck_assert_int_eq(tlb_lookup(t, &a, &prov), TLB_HIT_L1);
	/* The smaller of the two sizes is cached: the neighbour misses. */
	a.va.n = 8;
	ck_assert_int_eq(tlb_lookup(t, &a, &prov), TLB_MISS);
	free(t);
}
END_TEST

START_TEST(a_stale_guest_physical_entry_lends_its_version)
{
	struct tlb_access a = { .va.n = 7, .gpa.n = 7, .s1_shift = 12,
				.s2_shift = 12, .prov = { 1, 1, 1, 1 } };
	struct walk_result res;
	struct vtx_operand o = { .vpid = 2, .ep4ta = 1 };
	struct tlb *t = new_tlb(&nested);

	walker_walk(t, &a, &res);
	ck_assert_mem_eq(&res.prov, &a.prov, sizeof(a.prov));
	a.prov = (struct tlb_prov){ 2, 2, 1, 1 };
	vtx_invalidate(t, VTX_INVVPID_SINGLE, &o);
	walker_walk(t, &a, &res);
	ck_assert_uint_eq(res.prov.s1, 2);
	ck_assert_uint_eq(res.prov.s2, 1);
	vtx_invalidate(t, VTX_INVEPT_SINGLE, &o);
	walker_walk(t, &a, &res);
	ck_assert_uint_eq(res.prov.s2, 2);
	free(t);
}
END_TEST

START_TEST(structure_entries_of_a_reused_root_frame_are_stale)
{
	struct tlb_access a = { .va.n = 7, .gpa.n = 7, .s1_shift = 12,
				.s2_shift = 12, .prov = { 1, 1, 1, 1 } };
	struct walk_result res;
	struct tlb *t = new_tlb(&nested);

	walker_walk(t, &a, &res);
	a.va.n = a.gpa.n = 8;
	a.prov.frame = 2;
	walker_walk(t, &a, &res);
	ck_assert_uint_eq(res.prov.frame, 1);
	free(t);
}
END_TEST

START_TEST(two_vpids_do_not_share_guest_tables)
{
	struct tlb_ctx other = nested;
	struct tlb *t = new_tlb(&nested);

	walk(t, 7, 12, 12);
	other.vpid = 3;
	tlb_set_context(t, &other);
	/* The page is cached; of the EPT only the top is shared with the tables. */
	ck_assert_uint_eq(walk(t, 7, 12, 12).refs, 4 * (1 + 3));
	free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hw_walker");
	TCase *tc = tcase_create("all");

	suite_add_tcase(suite, tc);
	tcase_add_loop_test(tc, a_walk_makes_the_references_of_its_levels, 0,
			    ARRAY_SIZE(cases));
	tcase_add_test(tc, a_walk_starts_from_the_deepest_structure_entry_it_has);
	tcase_add_test(tc, five_levels_in_both_dimensions_make_35_references);
	tcase_add_test(tc, a_walk_fills_what_the_next_lookup_uses);
	tcase_add_test(tc, a_stale_guest_physical_entry_lends_its_version);
	tcase_add_test(tc, structure_entries_of_a_reused_root_frame_are_stale);
	tcase_add_test(tc, two_vpids_do_not_share_guest_tables);
	return suite_main(suite);
}
