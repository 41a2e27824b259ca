/* Cross-field rules of a geometry, one broken geometry per rule. */
#include <check.h>

#include "models/hw/geometry.h"
#include "tests/suite.h"
#include "tests/unit/models/hw_fixture.h"

static void set_ways(struct hw_geometry *g)
{
	g->tlb[0].ways = 3;
}

static void set_sets(struct hw_geometry *g)
{
	g->tlb[5].entries = 1536;
}

static void set_plru(struct hw_geometry *g)
{
	g->tlb[5].entries = 1536;
	g->tlb[5].ways = 12;
}

static void set_sizes(struct hw_geometry *g)
{
	g->tlb[2].holds_1g = false;
}

static void set_no_code(struct hw_geometry *g)
{
	g->tlb[3].side = TLB_SIDE_DATA;
	g->tlb[3].holds_4k = false;
	g->tlb[3].holds_2m = true;
	g->tlb[3].entries = 32;
	g->tlb[3].ways = 4;
}

static void set_homes(struct hw_geometry *g)
{
	g->tlb[6].entries = 512;
}

static void set_three(struct hw_geometry *g)
{
	fixture_struct(g, &g->tlb[6]);
}

static void set_level(struct hw_geometry *g)
{
	g->tlb[1].level = 3;
}

static void set_none(struct hw_geometry *g)
{
	g->nr_structs = 0;
}

static void set_guest(struct hw_geometry *g)
{
	g->guest_levels = 3;
}

static void set_ept(struct hw_geometry *g)
{
	g->ept_levels = 6;
}

static const struct {
	void (*break_it)(struct hw_geometry *g);
	const char *message;
} cases[] = {
	{ set_ways, "L1 dTLB 4K: 64 entries are not a multiple of 3 ways" },
	{ set_sets, "STLB 4K+2M half: 1536 entries in 8 ways make 192 sets, not a power of two; 1024 or 2048 entries would fit" },
	{ set_plru, "STLB 4K+2M half: tree-plru needs a power of two" },
	{ set_sizes, "L1 dTLB 1G: holds no page size" },
	{ set_no_code, "no level-1 structure holds 4-KiB translations for instr" },
	{ set_homes, "STLB 4K+1G half: holds 4-KiB translations of level 2 like STLB 4K+2M half" },
	{ set_three, "at most two structures" },
	{ set_level, "L1 dTLB 2M: level 3" },
	{ set_none, "0 translation caches; expected 1 to 12" },
	{ set_guest, "guest_levels: 3" },
	{ set_ept, "ept_levels: 6" },
};

START_TEST(a_geometry_that_cannot_be_built_is_refused_by_name)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct err err = { "" };

	cases[_i].break_it(&g);
	ck_assert_int_lt(hw_geometry_check(&g, &err), 0);
	ck_assert_msg(strstr(err.msg, cases[_i].message), "got \"%s\"", err.msg);
}
END_TEST

START_TEST(shipped_geometries_pass)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct err err;

	ck_assert_int_eq(hw_geometry_check(&g, &err), 0);
	g = fixture_peers_lru();
	ck_assert_int_eq(hw_geometry_check(&g, &err), 0);
}
END_TEST

START_TEST(every_row_has_help_bounds_and_words)
{
	const struct param_desc *rows[] = { tlb_struct_rows, hw_geometry_rows };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		for (const struct param_desc *r = rows[i]; r->name; r++) {
			ck_assert_msg(r->help && r->unit, "%s", r->name);
			ck_assert_msg(r->min <= r->max, "%s", r->name);
			ck_assert_msg((r->type == PARAM_ENUM) == (r->choices != NULL),
				      "%s", r->name);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hw_geometry");
	TCase *tc = tcase_create("all");

	suite_add_tcase(suite, tc);
	tcase_add_loop_test(tc, a_geometry_that_cannot_be_built_is_refused_by_name,
			    0, ARRAY_SIZE(cases));
	tcase_add_test(tc, shipped_geometries_pass);
	tcase_add_test(tc, every_row_has_help_bounds_and_words);
	return suite_main(suite);
}
