/*
 * Letting a vCPU in guest mode lag must change no sum either where it is
 * hardest: roots that come and go all the time, frames that are reused, and
 * policy state that one pCPU writes and another reads.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/suite.h"

static void play(const char *policy, u64 seed, bool lockstep,
		 struct run_result *r)
{
	struct fixture f;

	fixture_init(&f, 3, 2, 3);
	fixture_policy(&f, policy);
	if (f.policy.ops->needs_hypercall || !(seed % 4))
		fixture_hyperv(&f);
	f.config.access_model = ACCESS_EXACT;
	f.config.seed = seed;
	f.config.lockstep = lockstep;
	f.workload.memslot_delete_per_s = 6000;
	f.workload.nested_per_s = 15000;
	f.workload.strict_by = seed % 3 ? STRICT_BY_VCPU : STRICT_BY_HOST;
	fixture_schedule(&f, seed, 1500000, 30000);
	fixture_play(&f, r);
	fixture_release(&f);
}

START_TEST(lag_changes_no_sum_where_roots_come_and_go)
{
	const char *policy = flush_policy_get((u32)_i)->name;
	struct run_result *lag = malloc(sizeof(*lag)), *none = malloc(sizeof(*none));

	ck_assert(lag && none);
	for (u64 seed = 1; seed <= fixture_seeds(20, 200); seed++) {
		play(policy, seed, false, lag);
		play(policy, seed, true, none);
		/* How the work was cut into steps is nobody's business. */
		memset(lag->stats.count[COUNT_MICRO_STEPS], 0,
		       sizeof(lag->stats.count[0]));
		memset(none->stats.count[COUNT_MICRO_STEPS], 0,
		       sizeof(none->stats.count[0]));
		for (u32 k = 0; k < COST_NR; k++)
			ck_assert_msg(lag->stats.charged[k] ==
				      none->stats.charged[k],
				      "%s, seed %lu: %s %lu times, in lockstep %lu",
				      policy, (unsigned long)seed, cost_name(k),
				      (unsigned long)lag->stats.charged[k],
				      (unsigned long)none->stats.charged[k]);
		ck_assert_msg(!memcmp(&lag->stats, &none->stats,
				      sizeof(lag->stats)), "%s, seed %lu",
			      policy, (unsigned long)seed);
	}
	free(lag);
	free(none);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lag");
	TCase *t = tcase_create("lag");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, lag_changes_no_sum_where_roots_come_and_go, 0,
			    (int)flush_policy_count());
	suite_add_tcase(s, t);
	return suite_main(s);
}
