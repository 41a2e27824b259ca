/*
 * The generator is checked against its published sequence, the variates
 * against what their distribution promises: seeds are fixed, so a test that
 * passes once passes for ever, and bounds are five standard deviations.
 */
#include "sim/base/rng.h"

#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

START_TEST(the_sequence_is_that_of_xoshiro256_starstar)
{
	static const u64 want[] = {
		11520ULL, 0ULL, 1509978240ULL, 1215971899390074240ULL,
		1216172134540287360ULL, 607988272756665600ULL,
		16172922978634559625ULL, 8476171486693032832ULL,
		10595114339597558777ULL, 2904607092377533576ULL,
	};
	struct rng r = { { 1, 2, 3, 4 } };

	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		ck_assert_uint_eq(rng_next(&r), want[i]);
}
END_TEST

START_TEST(the_same_names_give_the_same_stream)
{
	struct rng a, b;

	memset(&a, 0, sizeof(a));
	memset(&b, 0xff, sizeof(b));
	rng_init(&a, 42, 7, 3);
	rng_init(&b, 42, 7, 3);
	ck_assert_int_eq(memcmp(&a, &b, sizeof(a)), 0);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(rng_exp(&a, 1000), rng_exp(&b, 1000));
}
END_TEST

START_TEST(seed_purpose_and_index_each_make_another_stream)
{
	static const u64 name[][3] = {
		{ 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 },
		{ 1, 1, 0 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 },
		{ 2, 1, 0 }, { 1, 2, 0 }, { 0, 1, 2 }, { 0, 2, 1 },
	};
	struct rng r[ARRAY_SIZE(name)];

	for (u32 i = 0; i < ARRAY_SIZE(name); i++) {
		rng_init(&r[i], name[i][0], name[i][1], name[i][2]);
		ck_assert(r[i].s[0] | r[i].s[1] | r[i].s[2] | r[i].s[3]);
		for (u32 j = 0; j < i; j++)
			for (u32 w = 0; w < 4; w++)
				ck_assert_uint_ne(r[i].s[w], r[j].s[w]);
	}
}
END_TEST

/* Bits of two independent streams agree in half of all places. */
START_TEST(neighbouring_streams_are_uncorrelated)
{
	enum { DRAWS = 20000 };
	double bits = 64.0 * DRAWS, agree = 0;
	struct rng a, b;

	rng_init(&a, 1, 5, (u64)_i);
	rng_init(&b, 1, 5, (u64)_i + 1);
	for (int i = 0; i < DRAWS; i++)
		agree += 64 - __builtin_popcountll(rng_next(&a) ^ rng_next(&b));
	ck_assert_double_lt(fabs(agree - bits / 2), 5 * sqrt(bits) / 2);
}
END_TEST

START_TEST(drawing_from_one_stream_leaves_the_others_alone)
{
	struct rng a, b, b_alone;

	rng_init(&a, 9, 1, 0);
	rng_init(&b, 9, 1, 1);
	b_alone = b;
	for (int i = 0; i < 100; i++) {
		rng_exp(&a, 50);
		rng_below(&a, 10);
		ck_assert_uint_eq(rng_next(&b), rng_next(&b_alone));
	}
}
END_TEST

START_TEST(below_is_uniform_and_stays_below)
{
	enum { BOUND = 10, DRAWS = 100000 };
	double want = (double)DRAWS / BOUND, chi2 = 0;
	u32 seen[BOUND] = { 0 };
	struct rng r;

	rng_init(&r, 3, 0, 0);
	for (int i = 0; i < DRAWS; i++) {
		u64 n = rng_below(&r, BOUND);

		ck_assert_uint_lt(n, BOUND);
		seen[n]++;
	}
	for (int i = 0; i < BOUND; i++)
		chi2 += (seen[i] - want) * (seen[i] - want) / want;
	/* nine degrees of freedom: mean 9, deviation sqrt(18) */
	ck_assert_double_lt(chi2, 9 + 5 * sqrt(18));
}
END_TEST

START_TEST(below_one_is_zero_and_below_the_largest_is_anything)
{
	struct rng r, copy;

	rng_init(&r, 3, 0, 0);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(rng_below(&r, 1), 0);
	copy = r;
	ck_assert_uint_le(rng_next(&copy) - rng_below(&r, UINT64_MAX), 1);
}
END_TEST

START_TEST(waiting_times_have_the_mean_and_variance_of_an_exponential)
{
	enum { DRAWS = 200000 };
	static const u64 means[] = { 1000, 1000000, 3000000000ULL, 1ULL << 40 };
	double mean = (double)means[_i], sum = 0, square = 0, variance;
	struct rng r;

	rng_init(&r, 11, 0, (u64)_i);
	for (int i = 0; i < DRAWS; i++) {
		double x = (double)rng_exp(&r, means[_i]) / mean;

		sum += x;
		square += x * x;
	}
	sum /= DRAWS;
	variance = square / DRAWS - sum * sum;
	ck_assert_double_lt(fabs(sum - 1), 5 / sqrt(DRAWS) + 0.5 / mean);
	ck_assert_double_lt(fabs(variance - 1), 5 * sqrt(8.0 / DRAWS));
}
END_TEST

/* Up to and beyond the end of the quantile table, at 8.3 means. */
START_TEST(the_share_beyond_each_time_is_that_of_an_exponential)
{
	enum { DRAWS = 1000000, MEAN = 1 << 20 };
	static const double beyond[] = { 0.01, 0.6931, 2, 5, 8.2, 8.4, 9, 10 };
	u32 seen[ARRAY_SIZE(beyond)] = { 0 };
	struct rng r;

	rng_init(&r, 12, 0, 0);
	for (int i = 0; i < DRAWS; i++) {
		double x = (double)rng_exp(&r, MEAN) / MEAN;

		for (u32 k = 0; k < ARRAY_SIZE(beyond); k++)
			seen[k] += x > beyond[k];
	}
	for (u32 k = 0; k < ARRAY_SIZE(beyond); k++) {
		double p = exp(-beyond[k]), want = p * DRAWS;

		ck_assert_double_lt(fabs(seen[k] - want),
				    5 * sqrt(want * (1 - p)));
	}
}
END_TEST

START_TEST(a_waiting_time_is_never_zero)
{
	struct rng r;

	rng_init(&r, 13, 0, 0);
	for (int i = 0; i < 10000; i++)
		ck_assert_uint_ge(rng_exp(&r, 1), 1);
}
END_TEST

static void *start_and_draw(void *out)
{
	struct rng r;

	rng_init(&r, 21, 0, 0);
	*(u64 *)out = rng_exp(&r, 1000000);
	return NULL;
}

/* Alone in its process this is the first use, where the table is filled. */
START_TEST(threads_may_start_streams_at_the_same_time)
{
	pthread_t thread[4];
	u64 drawn[4];

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, start_and_draw,
						&drawn[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	for (int i = 1; i < 4; i++)
		ck_assert_uint_eq(drawn[i], drawn[0]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rng");
	TCase *tc = tcase_create("rng");

	tcase_add_test(tc, threads_may_start_streams_at_the_same_time);
	tcase_add_test(tc, the_sequence_is_that_of_xoshiro256_starstar);
	tcase_add_test(tc, the_same_names_give_the_same_stream);
	tcase_add_test(tc, seed_purpose_and_index_each_make_another_stream);
	tcase_add_loop_test(tc, neighbouring_streams_are_uncorrelated, 0, 8);
	tcase_add_test(tc, drawing_from_one_stream_leaves_the_others_alone);
	tcase_add_test(tc, below_is_uniform_and_stays_below);
	tcase_add_test(tc, below_one_is_zero_and_below_the_largest_is_anything);
	tcase_add_loop_test(tc, waiting_times_have_the_mean_and_variance_of_an_exponential,
			    0, 4);
	tcase_add_test(tc, the_share_beyond_each_time_is_that_of_an_exponential);
	tcase_add_test(tc, a_waiting_time_is_never_zero);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
