/* The access streams: shapes, first touches, repeats. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/workload/access.h"
#include "models/workload/access_fixed.h"
#include "tests/suite.h"
#include "tests/unit/models/hw_fixture.h"

static struct access_state *new_state(const struct access_shape *s, u64 seed)
{
	struct access_state *st = calloc(1, access_bytes(s->nr_pages));

	ck_assert_ptr_nonnull(st);
	access_init(st, s, seed, 0);
	return st;
}

static struct access_shape make_shape(enum access_locality locality, u32 pages)
{
	struct access_shape s;

	access_shape_init(&s, locality, pages, pages / 4 ? pages / 4 : 1, 900);
	return s;
}

START_TEST(classes_cover_every_page_and_weights_add_up_to_one)
{
	static const u32 sizes[] = { 1, 2, 3, 64, 100, 4096, 65535 };
	u64 weight;
	u32 first;

	for (u32 l = 0; l < LOCALITY_NR; l++) {
		for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct access_shape s = make_shape(l, sizes[i]);

			weight = 0;
			first = 0;
			for (u32 c = 0; c < s.nr_classes; c++) {
				ck_assert_uint_eq(s.class[c].first, first);
				first += s.class[c].pages;
				weight += s.class[c].weight;
			}
			ck_assert_uint_eq(first, sizes[i]);
			ck_assert_uint_eq(weight, BIT64(32));
		}
	}
}
END_TEST

START_TEST(every_page_is_touched_once_until_forgotten)
{
	struct access_shape s = make_shape((enum access_locality)_i, 1000);
	struct access_state *st = new_state(&s, 1);
	u32 seen[1000] = { 0 }, page;

	for (u32 i = 0; i < 1000; i++) {
		ck_assert_uint_le(access_next(st, &s, ACCESS_TOUCH, BIT64(40),
					      &page), BIT64(40));
		seen[page]++;
	}
	for (u32 i = 0; i < 1000; i++)
		ck_assert_uint_eq(seen[i], 1);
	ck_assert_uint_eq(access_next(st, &s, ACCESS_TOUCH, 99, &page), 100);
	access_forget_page(st, 17);
	ck_assert_uint_le(access_next(st, &s, ACCESS_TOUCH, BIT64(40), &page),
			  BIT64(40));
	ck_assert_uint_eq(page, 17);
	access_forget_page(st, 18);
	access_forget_page(st, 18);
	access_forget(st);
	for (u32 i = 0; i < 1000; i++) {
		access_next(st, &s, ACCESS_TOUCH, BIT64(40), &page);
		ck_assert_uint_eq(++seen[page], 2);
	}
	ck_assert_uint_eq(access_next(st, &s, ACCESS_TOUCH, 99, &page), 100);
	free(st);
}
END_TEST

/* Touch times of one stream, asked for in budgets of a given size. */
static u64 touch_hash(u64 budget)
{
	struct access_shape s = make_shape(LOCALITY_LOG, 500);
	struct access_state *st = new_state(&s, 3);
	u64 now = 0, hash = 0, passed, left;
	u32 page;

	while (now < 5000) {
		left = min_u64(budget, 5000 - now);
		passed = access_next(st, &s, ACCESS_TOUCH, left, &page);
		if (passed > left) {
			now += left;
			continue;
		}
		now += passed;
		hash = (hash * 31 + now) * 31 + page;
	}
	free(st);
	return hash;
}

START_TEST(splitting_a_budget_changes_no_touch)
{
	ck_assert_uint_eq(touch_hash(1), touch_hash(5000));
	ck_assert_uint_eq(touch_hash(7), touch_hash(5000));
}
END_TEST

/* Different pages in the first @n accesses, averaged over many streams. */
static double mean_distinct(const struct access_shape *s,
			    enum access_model model, u64 n, u32 rounds)
{
	struct access_state *st = new_state(s, 5);
	char *seen = malloc(s->nr_pages);
	u64 left, passed, sum = 0;
	u32 page;

	ck_assert_ptr_nonnull(seen);
	for (u32 i = 0; i < rounds; i++) {
		memset(seen, 0, s->nr_pages);
		access_forget(st);
		for (left = n; left; left -= passed) {
			passed = access_next(st, s, model, left, &page);
			if (passed > left)
				break;
			sum += !seen[page];
			seen[page] = 1;
		}
	}
	free(seen);
	free(st);
	return (double)sum / rounds;
}

START_TEST(touch_meets_as_many_pages_as_exact)
{
	static const u32 pages[] = { 8, 100, 2000 };
	static const u64 n[] = { 3, 30, 300, 3000 };

	for (u32 l = 0; l < LOCALITY_NR; l++) {
		for (u32 i = 0; i < ARRAY_SIZE(pages) * ARRAY_SIZE(n); i++) {
			struct access_shape s = make_shape(l, pages[i % 3]);
			double exact = mean_distinct(&s, ACCESS_EXACT, n[i / 3], 1000);
			double touch = mean_distinct(&s, ACCESS_TOUCH, n[i / 3], 1000);

			ck_assert_msg(fabs(touch - exact) < 0.02 * exact + 0.05,
				      "%u pages, %u accesses: %f, exact %f",
				      pages[i % 3], (u32)n[i / 3], touch, exact);
		}
	}
}
END_TEST

START_TEST(integer_logarithm_and_exponential_are_those_of_libm)
{
	for (u64 x = 1; x < 70000; x += 1 + x / 7)
		ck_assert_double_eq_tol((double)fixed_log2(x) / (double)FIXED_ONE,
					log2((double)x), 1e-12);
	for (double p = 0.9; p > 1e-7; p *= 0.37) {
		u64 decay = fixed_decay((u64)(p * 0x1p64));

		ck_assert_double_eq_tol((double)decay / (double)FIXED_ONE,
					-log2(1 - p), 1e-12 + 1e-13 / p);
		for (u64 n = 0; n < 1000000; n += 1 + n / 3)
			ck_assert_double_eq_tol(
				(double)fixed_not_yet(decay, n) * 0x1p-40,
				exp((double)n * log1p(-p)), 2e-8);
	}
}
END_TEST

START_TEST(a_working_set_that_fits_never_misses_again)
{
	struct access_shape s = make_shape(LOCALITY_UNIFORM, 64);
	struct access_misses misses;
	struct access_capacity c;

	access_capacity_init(&c, &s, 64, 1024);
	ck_assert_uint_eq(c.l1, UINT64_MAX);
	misses = access_repeats(&c, &s, 0, BIT64(40));
	ck_assert_uint_eq(misses.l1 + misses.l2, 0);
}
END_TEST

START_TEST(uniform_accesses_miss_in_proportion_to_what_does_not_fit)
{
	struct access_shape s = make_shape(LOCALITY_UNIFORM, 4096);
	struct access_misses misses;
	struct access_capacity c;

	access_capacity_init(&c, &s, 64, 1024);
	misses = access_repeats(&c, &s, 1000000, 2000000);
	ck_assert_double_eq_tol((double)misses.l2 / 256, 750000, 1000);
	ck_assert_double_eq_tol((double)misses.l1 / 256, 250000 - 15625, 1000);
}
END_TEST

START_TEST(repeats_of_parts_add_up_to_those_of_the_whole)
{
	struct access_shape s = make_shape(LOCALITY_LOG, 4096);
	struct access_capacity c;
	u64 sum = 0, whole;

	access_capacity_init(&c, &s, 64, 1024);
	for (u64 at = 0; at < 100000; at += 1000)
		sum += access_repeats(&c, &s, at, at + 1000).l2;
	whole = access_repeats(&c, &s, 0, 100000).l2;
	ck_assert_uint_eq(sum, whole);
	ck_assert_uint_gt(whole, 0);
}
END_TEST

START_TEST(a_large_working_set_begins_afresh_at_growing_intervals)
{
	struct access_shape s = make_shape(LOCALITY_UNIFORM, 1000);
	struct access_state *st = calloc(1, access_bytes(1000));
	struct access_capacity c;
	u32 page;

	access_capacity_init(&c, &s, 64, 1024);
	access_init(st, &s, 1, 0);
	while (access_next(st, &s, ACCESS_TOUCH, 1 << 20, &page) <= 1 << 20)
		;
	ck_assert(!access_renew(st, &c, 511));
	for (u32 i = 0; i < 9; i++)
		ck_assert(access_renew(st, &c, 512));
	ck_assert_uint_le(access_next(st, &s, ACCESS_TOUCH, 1 << 20, &page), 1);
	ck_assert(!access_renew(st, &c, 1023));
	ck_assert(access_renew(st, &c, 1024));
	ck_assert(!access_renew(st, &c, 1024));
	ck_assert(access_renew(st, &c, 2048));
	access_forget(st);
	ck_assert(access_renew(st, &c, 512));
	free(st);
}
END_TEST

START_TEST(a_small_working_set_never_begins_afresh)
{
	struct access_shape s = make_shape(LOCALITY_UNIFORM, 500);
	struct access_state *st = calloc(1, access_bytes(500));
	struct access_capacity c;

	access_capacity_init(&c, &s, 64, 1024);
	access_init(st, &s, 1, 0);
	ck_assert(!access_renew(st, &c, BIT64(40)));
	free(st);
}
END_TEST

START_TEST(touch_knows_where_it_has_been_measured)
{
	struct access_shape s = make_shape(LOCALITY_UNIFORM, 512);
	struct access_capacity c;

	access_capacity_init(&c, &s, 64, 1024);
	ck_assert(access_in_range(&c, &s, 2, 10000));
	ck_assert(!access_in_range(&c, &s, 2, 1000));
	ck_assert(!access_in_range(&c, &s, 100, 1000));
	ck_assert(access_in_range(&c, &s, 1, 1));
	s = make_shape(LOCALITY_UNIFORM, 64);
	access_capacity_init(&c, &s, 64, 1024);
	ck_assert(!access_in_range(&c, &s, 2, 10000));
	s = make_shape(LOCALITY_UNIFORM, 4096);
	access_capacity_init(&c, &s, 64, 1024);
	ck_assert(!access_in_range(&c, &s, 2, 10000));
}
END_TEST

START_TEST(fitted_times_are_near_those_of_the_formula_for_lru)
{
	struct hw_geometry g = fixture_peers_lru();
	struct access_shape s = make_shape(LOCALITY_UNIFORM, 2000);
	const struct access_layout layout = { .shift = 12 };
	struct access_capacity formula, fitted;
	struct err err;

	access_capacity_init(&formula, &s, 64, 1024);
	ck_assert_int_eq(access_capacity_fit(&fitted, &s, &g, &layout, &err), 0);
	ck_assert_double_eq_tol((double)fitted.l2, (double)formula.l2,
				0.03 * (double)formula.l2);
	s = make_shape(LOCALITY_UNIFORM, 64);
	ck_assert_int_eq(access_capacity_fit(&fitted, &s, &g, &layout, &err), 0);
	ck_assert_uint_eq(fitted.l1, UINT64_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workload_access");
	TCase *tc = tcase_create("all");

	suite_add_tcase(suite, tc);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, classes_cover_every_page_and_weights_add_up_to_one);
	tcase_add_loop_test(tc, every_page_is_touched_once_until_forgotten, 0,
			    LOCALITY_NR);
	tcase_add_test(tc, splitting_a_budget_changes_no_touch);
	tcase_add_test(tc, touch_meets_as_many_pages_as_exact);
	tcase_add_test(tc, integer_logarithm_and_exponential_are_those_of_libm);
	tcase_add_test(tc, a_working_set_that_fits_never_misses_again);
	tcase_add_test(tc, uniform_accesses_miss_in_proportion_to_what_does_not_fit);
	tcase_add_test(tc, repeats_of_parts_add_up_to_those_of_the_whole);
	tcase_add_test(tc, a_large_working_set_begins_afresh_at_growing_intervals);
	tcase_add_test(tc, a_small_working_set_never_begins_afresh);
	tcase_add_test(tc, touch_knows_where_it_has_been_measured);
	tcase_add_test(tc, fitted_times_are_near_those_of_the_formula_for_lru);
	return suite_main(suite);
}
