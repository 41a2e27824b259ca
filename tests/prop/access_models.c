/*
 * "touch" plays the first touch of a page and computes the rest; on whole runs
 * it must agree with "exact", which plays everything.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/fixture.h"
#include "tests/suite.h"

/*
 * Slices long against the working set, as in a recording; the working set of
 * 40 pages spills the small L1 of the fixture, so repeats miss as well.
 */
static void run(struct fixture *f, u32 model, struct run_result *r)
{
	f->config.access_model = model;
	fixture_play(f, r);
}

static double apart(u64 a, u64 b)
{
	double larger = a > b ? (double)a : (double)b;
	double smaller = a > b ? (double)b : (double)a;

	return larger > 0 ? (larger - smaller) / larger : 0;
}

/*
 * Working set, slice in ns: from "all fits" to "L2 too small", where misses
 * are expected values rather than touches played: hence the wider bound.
 */
static const struct {
	u32 pages;
	u32 hot;
	u64 slice;
	double nested_per_s;
	double bound;
} points[] = {
	{ 12, 6, 400000, 20, 0.03 }, { 40, 8, 400000, 20, 0.03 },
	{ 100, 10, 1000000, 20, 0.03 }, { 250, 12, 1000000, 0, 0.04 },
	{ 250, 12, 1000000, 20, 0.04 },
};

START_TEST(touch_agrees_with_exact_on_whole_runs)
{
	struct run_result *e = calloc(1, sizeof(*e)), *t = calloc(1, sizeof(*t));
	u64 cycles_e, cycles_t, whole;
	struct fixture f;

	ck_assert(e && t);
	fixture_init(&f, 2, 2, 2);
	f.workload.working_set_pages = points[_i].pages;
	f.workload.shared_pages = points[_i].pages / 4;
	f.workload.hot_pages = points[_i].hot;
	f.workload.code_permille = 0;
	f.workload.prefault = true;
	f.workload.strict_per_s = f.workload.guest_flush_per_s = 100;
	f.workload.root_reload_per_s = 20;
	f.workload.nested_per_s = points[_i].nested_per_s;
	f.workload.memslot_delete_per_s = 5;
	f.workload.exit_per_s = 500;
	f.workload.accesses_per_us = 20;
	fixture_schedule(&f, 7, 60000000, points[_i].slice);
	run(&f, ACCESS_EXACT, e);
	run(&f, ACCESS_TOUCH, t);
	ck_assert_msg(apart(stats_total(&e->stats, COUNT_TLB_MISSES),
			    stats_total(&t->stats, COUNT_TLB_MISSES)) <
		      points[_i].bound,
		      "misses: exact %lu, touch %lu",
		      (unsigned long)stats_total(&e->stats, COUNT_TLB_MISSES),
		      (unsigned long)stats_total(&t->stats, COUNT_TLB_MISSES));
	cycles_e = e->stats.cycles[CYC_WALK];
	cycles_t = t->stats.cycles[CYC_WALK];
	ck_assert_msg(apart(cycles_e, cycles_t) < 0.05,
		      "cycles of walks: exact %lu, touch %lu",
		      (unsigned long)cycles_e, (unsigned long)cycles_t);
	/* What walks take away is missing there: measure by the whole run. */
	cycles_e = e->stats.cycles[CYC_GUEST];
	cycles_t = t->stats.cycles[CYC_GUEST];
	whole = f.config.nr_pcpus * e->simulated_cycles;
	ck_assert_msg(apart(whole + cycles_e, whole + cycles_t) < 0.0125,
		      "cycles of the guest: exact %lu, touch %lu",
		      (unsigned long)cycles_e, (unsigned long)cycles_t);
	fixture_release(&f);
	free(e);
	free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("access models");
	TCase *t = tcase_create("whole runs");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, touch_agrees_with_exact_on_whole_runs, 0,
			    (int)ARRAY_SIZE(points));
	suite_add_tcase(s, t);
	return suite_main(s);
}
