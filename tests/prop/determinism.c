/*
 * The same configuration and seed give the same bytes; looking on changes
 * nothing; and where the cycles went adds up to the last one, on any schedule.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/suite.h"

static void setup(struct fixture *f, const char *policy, bool hyperv, u64 seed)
{
	fixture_init(f, 3, 2, 2);
	fixture_policy(f, policy);
	if (hyperv || f->policy.ops->needs_hypercall)
		fixture_hyperv(f);
	f->config.seed = seed;
	f->config.access_model = seed % 2 ? ACCESS_EXACT : ACCESS_TOUCH;
	f->workload.strict_by = seed % 3 ? STRICT_BY_VCPU : STRICT_BY_HOST;
	fixture_schedule(f, seed, 1500000, seed % 4 ? 40000 : 900);
	if (seed % 2)
		fixture_brackets(f, seed, 60000);
}

static struct run_result *result_new(void)
{
	struct run_result *r = malloc(sizeof(*r));

	ck_assert_ptr_nonnull(r);
	memset(r, 0x5a, sizeof(*r));
	return r;
}

START_TEST(the_same_seed_gives_the_same_bytes)
{
	const char *policy = flush_policy_get((u32)_i)->name;
	struct run_result *a = result_new(), *b = result_new();
	struct fixture f, g;

	for (u64 seed = 1; seed <= fixture_seeds(4, 40); seed++) {
		setup(&f, policy, seed & 1, seed);
		setup(&g, policy, seed & 1, seed);
		fixture_checkers(&f);
		fixture_checkers(&g);
		fixture_play(&f, a);
		fixture_play(&g, b);
		ck_assert_msg(!memcmp(a, b, sizeof(*a)), "%s, seed %lu", policy,
			      (unsigned long)seed);
		fixture_release(&f);
		fixture_release(&g);
	}
	free(a);
	free(b);
}
END_TEST

START_TEST(another_seed_gives_another_run)
{
	struct run_result *a = result_new(), *b = result_new();
	struct fixture f;

	setup(&f, "global-flush", false, 2);
	fixture_play(&f, a);
	f.config.seed = 3;
	fixture_play(&f, b);
	ck_assert(memcmp(&a->stats, &b->stats, sizeof(a->stats)));
	fixture_release(&f);
	free(a);
	free(b);
}
END_TEST

static void ignore(void *arg, const struct probe_rec *rec)
{
	(void)rec;
	++*(u64 *)arg;
}

START_TEST(looking_on_changes_nothing)
{
	const char *policy = flush_policy_get((u32)_i)->name;
	struct run_result *blind = result_new(), *seen = result_new();
	struct fixture f;
	u64 records = 0;

	for (u64 seed = 1; seed <= fixture_seeds(4, 40); seed++) {
		setup(&f, policy, seed & 1, seed);
		fixture_play(&f, blind);
		fixture_checkers(&f);
		f.config.tap = ignore;
		f.config.tap_arg = &records;
		f.config.tap_wants = BIT64(PROBE_KIND_NR) - 1;
		fixture_play(&f, seen);
		ck_assert_msg(!memcmp(&blind->stats, &seen->stats,
				      sizeof(blind->stats)), "%s, seed %lu",
			      policy, (unsigned long)seed);
		ck_assert_mem_eq(blind->flush_rate, seen->flush_rate,
				 sizeof(seen->flush_rate));
		ck_assert_mem_eq(blind->migration_rate, seen->migration_rate,
				 sizeof(seen->migration_rate));
		ck_assert_uint_eq(blind->simulated_cycles, seen->simulated_cycles);
		ck_assert_uint_eq(blind->nr_findings, 0);
		fixture_release(&f);
	}
	ck_assert_uint_gt(records, 1000);
	free(blind);
	free(seen);
}
END_TEST

/* Policies are compared on one environment: what they share must be equal. */
START_TEST(the_schedule_is_the_same_for_every_policy)
{
	struct run_result *a = result_new(), *b = result_new();
	struct fixture f;

	setup(&f, "global-flush", false, 5);
	fixture_play(&f, a);
	for (u32 i = 0; i < flush_policy_count(); i++) {
		const char *why;

		fixture_policy(&f, flush_policy_get(i)->name);
		if (!machine_applies(&f.config, &why))
			continue;
		fixture_play(&f, b);
		ck_assert_mem_eq(a->stats.count[COUNT_SCHED_INS],
				 b->stats.count[COUNT_SCHED_INS],
				 sizeof(a->stats.count[0]));
		ck_assert_mem_eq(a->stats.count[COUNT_MIGRATIONS],
				 b->stats.count[COUNT_MIGRATIONS],
				 sizeof(a->stats.count[0]));
		ck_assert_uint_eq(a->stats.slices, b->stats.slices);
	}
	fixture_release(&f);
	free(a);
	free(b);
}
END_TEST

/* Slices from 50 ns, far too short for anything, to 100 us. */
START_TEST(cycles_add_up_to_the_last_one)
{
	static const u64 slice[] = { 50, 300, 2000, 15000, 100000 };
	const char *policy = flush_policy_get((u32)_i)->name;
	struct run_result *r = result_new();
	struct fixture f;
	u64 sum;

	for (u32 k = 0; k < ARRAY_SIZE(slice); k++) {
		for (u64 seed = 1; seed <= fixture_seeds(2, 20); seed++) {
			setup(&f, policy, seed & 1, seed);
			fixture_release(&f);
			fixture_schedule(&f, seed, 200 * slice[k] + 7, slice[k]);
			fixture_checkers(&f);
			fixture_play(&f, r);
			sum = 0;
			for (u32 c = 0; c < CYC_NR; c++)
				sum += r->stats.cycles[c];
			ck_assert_uint_eq(sum, f.config.nr_pcpus *
					       r->simulated_cycles);
			ck_assert_uint_eq(r->simulated_cycles,
					  f.schedule.duration_ns);
			ck_assert_uint_le(r->stats.slices_overrun,
					  r->stats.slices);
			ck_assert_msg(!((r->found_real | r->found_possible) &
					VERDICT_BIT(0)), "%s, slice %lu, seed %lu: %s",
				      policy, (unsigned long)slice[k],
				      (unsigned long)seed, r->finding[0].text);
			fixture_release(&f);
		}
	}
	free(r);
}
END_TEST

/* What was charged is what was spent, the overrun included. */
START_TEST(charges_explain_every_category_but_waiting)
{
	struct run_result *r = result_new();
	u64 charged = 0, booked = 0;
	struct fixture f;

	setup(&f, flush_policy_get((u32)_i)->name, false, 4);
	fixture_play(&f, r);
	for (u32 k = 0; k < COST_NR; k++)
		if (cost_category(k) != CYC_HOST)
			charged += r->stats.charged[k] * f.costs.row[k].cycles;
	for (u32 c = 0; c < CYC_NR; c++)
		if (c != CYC_GUEST && c != CYC_HOST && c != CYC_IDLE &&
		    c != CYC_UNKNOWN && c != CYC_OFFLINE)
			booked += r->stats.cycles[c];
	/* Waiting for acknowledgements is booked and not charged. */
	ck_assert_uint_ge(booked + r->stats.overrun_cycles, charged);
	fixture_release(&f);
	free(r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("determinism");
	TCase *t = tcase_create("determinism"), *a = tcase_create("accounting");
	int nr = (int)flush_policy_count();

	tcase_set_timeout(t, 120);
	tcase_set_timeout(a, 120);
	tcase_add_loop_test(t, the_same_seed_gives_the_same_bytes, 0, nr);
	tcase_add_test(t, another_seed_gives_another_run);
	tcase_add_loop_test(t, looking_on_changes_nothing, 0, nr);
	tcase_add_test(t, the_schedule_is_the_same_for_every_policy);
	tcase_add_loop_test(a, cycles_add_up_to_the_last_one, 0, nr);
	tcase_add_loop_test(a, charges_explain_every_category_but_waiting, 0, nr);
	suite_add_tcase(s, t);
	suite_add_tcase(s, a);
	return suite_main(s);
}
