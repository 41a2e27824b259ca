/*
 * Letting a vCPU in guest mode lag behind, and letting an actor take several
 * steps at once, must change no record and no sum: a run in which nobody ever
 * lags gives the same trace.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define STREAMS_MAX	128
#define RECORDS_MAX	20000

/* Records of one pCPU, or of one VM where no pCPU is named, in their order. */
struct trail {
	u32 nr[STREAMS_MAX];
	struct probe_rec rec[STREAMS_MAX][RECORDS_MAX];
};

static void tap(void *arg, const struct probe_rec *r)
{
	struct trail *t = arg;
	u32 s = r->pcpu != IDX_NONE ? r->pcpu : 64 + r->vm;

	ck_assert_uint_lt(s, STREAMS_MAX);
	ck_assert_uint_lt(t->nr[s], RECORDS_MAX);
	t->rec[s][t->nr[s]] = *r;
	/* These depend on who came first elsewhere. */
	t->rec[s][t->nr[s]].seq = 0;
	if (r->kind == PROBE_PLAN_BEGIN || r->kind == PROBE_PLAN_END)
		t->rec[s][t->nr[s]].b = 0;
	t->rec[s][t->nr[s]].id = 0;
	t->nr[s]++;
}

static void play(struct fixture *f, bool lockstep, struct trail *t,
		 struct run_result *r)
{
	struct clock_run run = { .config = &f->config, .schedule = &f->schedule };
	struct err err;

	memset(t->nr, 0, sizeof(t->nr));
	f->config.lockstep = lockstep;
	f->config.tap = tap;
	f->config.tap_arg = t;
	f->config.tap_wants = BIT64(PROBE_KIND_NR) - 1;
	ck_assert_int_eq(clock_play(&run, r, &err), 0);
}

static void describe(char *to, size_t size, const struct probe_rec *r)
{
	snprintf(to, size,
		 "%s at %lu vcpu %d op %u root %d page %d a %lu b %lu used %u.%u.%u now %u.%u.%u",
		 probe_kind_name(r->kind), (unsigned long)r->time, (int)r->vcpu,
		 r->op, (int)r->root, (int)r->page, (unsigned long)r->a,
		 (unsigned long)r->b, r->used.s1, r->used.s2, r->used.frame,
		 r->now.s1, r->now.s2, r->now.frame);
}

static void compare(const struct trail *a, const struct trail *b, u32 s)
{
	u32 n = a->nr[s] < b->nr[s] ? a->nr[s] : b->nr[s];
	char x[300], y[300];

	for (u32 i = 0; i < n; i++) {
		if (!memcmp(&a->rec[s][i], &b->rec[s][i], sizeof(a->rec[s][i])))
			continue;
		describe(x, sizeof(x), &a->rec[s][i]);
		describe(y, sizeof(y), &b->rec[s][i]);
		ck_abort_msg("stream %u, record %u: \"%s\", in lockstep \"%s\"",
			     s, i, x, y);
	}
	ck_assert_uint_eq(a->nr[s], b->nr[s]);
}

static void same_with_and_without_lag(const char *policy, bool hyperv, u64 seed)
{
	struct fixture f;
	struct trail *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
	struct run_result *ra = malloc(sizeof(*ra)), *rb = malloc(sizeof(*rb));

	ck_assert(a && b && ra && rb);
	fixture_init(&f, 3, 2, 3);
	fixture_policy(&f, policy);
	if (hyperv)
		fixture_hyperv(&f);
	f.config.seed = seed;
	fixture_schedule(&f, seed, 3000000, 40000);
	play(&f, false, a, ra);
	play(&f, true, b, rb);
	for (u32 s = 0; s < STREAMS_MAX; s++)
		compare(a, b, s);
	ck_assert_mem_eq(ra->stats.cycles, rb->stats.cycles,
			 sizeof(ra->stats.cycles));
	ck_assert_mem_eq(ra->stats.charged, rb->stats.charged,
			 sizeof(ra->stats.charged));
	fixture_release(&f);
	free(a);
	free(b);
	free(ra);
	free(rb);
}

START_TEST(lag_changes_no_record_on_bare_metal)
{
	for (u64 seed = 1; seed <= fixture_seeds(12, 80); seed++)
		same_with_and_without_lag(flush_policy_get((u32)_i)->name, false,
					  seed);
}
END_TEST

START_TEST(lag_changes_no_record_on_hyperv)
{
	for (u64 seed = 1; seed <= fixture_seeds(6, 80); seed++)
		same_with_and_without_lag(flush_policy_get((u32)_i)->name, true,
					  seed);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("coalescing");
	TCase *t = tcase_create("lag");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, lag_changes_no_record_on_bare_metal, 0,
			    (int)flush_policy_count());
	tcase_add_loop_test(t, lag_changes_no_record_on_hyperv, 0,
			    (int)flush_policy_count());
	suite_add_tcase(s, t);
	return suite_main(s);
}
