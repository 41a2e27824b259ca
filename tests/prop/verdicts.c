/*
 * Whole runs on random schedules, all checkers on: what is sound is never
 * objected to; what is not is caught on some schedule, with the invariant that
 * its hazard breaks.  A seed that fails is named, and gives the same again.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/suite.h"

#define I1	VERDICT_BIT(1)
#define I3	VERDICT_BIT(3)

static const char *const sound[] = {
	"always", "global-flush", "active-roots", "per-root-mask-clear",
	"per-root-gen",
};

/* Every hazard of a policy: what it breaks, seen over all seeds together. */
static const struct {
	const char *policy;
	bool hyperv;
	u32 breaks;
} broken[] = {
	{ "never", false, I1 | I3 },
	{ "never", true, I1 | I3 },
	{ "per-root-mask", false, I1 | I3 },
	/* B: what the guest flushed on another pCPU is not made good. */
	{ "hypercall-broadcast", true, I3 },
	{ "hypercall-broadcast:migrate=none", true, I3 },
};

/* Shapes: pCPUs, VMs, vCPUs of each. */
static const u32 shape[][3] = {
	{ 2, 1, 2 }, { 2, 2, 2 }, { 4, 2, 3 }, { 1, 2, 2 }, { 6, 1, 2 },
};

static void setup(struct fixture *f, u32 s, u64 seed)
{
	fixture_init(f, shape[s][0], shape[s][1], shape[s][2]);
	fixture_checkers(f);
	f->config.access_model = ACCESS_EXACT;
	f->config.seed = seed;
	/* Every second schedule with host threads making the changes. */
	f->workload.strict_by = seed % 2 ? STRICT_BY_HOST : STRICT_BY_VCPU;
	/* Every third without memslot deletions, every fifth prefaulted. */
	if (!(seed % 3))
		f->workload.memslot_delete_per_s = 0;
	f->workload.prefault = !(seed % 5);
	/* Few changes now and then: many hide a hole, since all flush. */
	if (seed % 4 < 2)
		f->workload.strict_per_s = 1000;
	fixture_schedule(f, seed, 2000000, seed % 7 ? 50000 : 3000);
	if (!(seed % 4))
		fixture_brackets(f, seed, 100000);
}

static u32 verdict(const struct run_result *r)
{
	return r->found_real | r->found_possible;
}

static void nothing_found(struct fixture *f, u32 s, u64 seed)
{
	struct run_result *r = calloc(1, sizeof(*r));

	ck_assert_ptr_nonnull(r);
	fixture_play(f, r);
	ck_assert_msg(!r->nr_findings, "%s, shape %u, seed %lu: %s %s: %s",
		      r->policy, s, (unsigned long)seed, r->finding[0].invariant,
		      r->finding[0].real ? "real" : "possible",
		      r->finding[0].text);
	ck_assert(r->completed);
	free(r);
}

START_TEST(a_sound_policy_is_never_objected_to_on_bare_metal)
{
	struct fixture f;

	for (u64 seed = 1; seed <= fixture_seeds(12, 120); seed++)
		for (u32 s = 0; s < ARRAY_SIZE(shape); s++) {
			setup(&f, s, seed);
			fixture_policy(&f, sound[_i]);
			nothing_found(&f, s, seed);
			fixture_release(&f);
		}
}
END_TEST

/*
 * Where L0 offers the flush hypercall, a strict change is that hypercall for
 * the roots that vCPUs have loaded, and no request.  A root that sits in
 * prev_roots is then not flushed by anyone (kvm_onhyperv.c tracks loaded roots
 * only), and a fast PGD switch brings it back: policies that do not test at
 * SWITCH break I1 there.  See the next test.
 */
static bool tests_at_switch(const char *policy)
{
	return !strcmp(policy, "always") || !strncmp(policy, "per-root-", 9);
}

START_TEST(a_sound_policy_is_never_objected_to_on_hyperv)
{
	struct fixture f;

	for (u64 seed = 1; seed <= fixture_seeds(6, 60); seed++)
		for (u32 s = 0; s < ARRAY_SIZE(shape); s++) {
			setup(&f, s, seed);
			fixture_hyperv(&f);
			f.l0.shadow_shared = seed % 2;
			f.l0.flush_hypercall = seed % 3;
			if (f.l0.flush_hypercall && !tests_at_switch(sound[_i]))
				f.workload.nested_per_s = 0;
			fixture_policy(&f, sound[_i]);
			nothing_found(&f, s, seed);
			fixture_release(&f);
		}
}
END_TEST

START_TEST(untracked_roots_break_what_does_not_test_at_switch)
{
	static const char *const policy[] = {
		"global-flush", "active-roots",
		"hypercall-broadcast:migrate=invept-single",
	};
	struct run_result *r = calloc(1, sizeof(*r));
	struct fixture f;
	u32 found = 0;

	ck_assert_ptr_nonnull(r);
	for (u64 seed = 1; seed <= fixture_seeds(8, 60); seed++) {
		setup(&f, 0, seed);
		fixture_hyperv(&f);
		fixture_policy(&f, policy[_i]);
		fixture_play(&f, r);
		found |= verdict(r);
		fixture_release(&f);
	}
	ck_assert_msg(found == I1, "%s: found %#x", policy[_i], found);
	free(r);
}
END_TEST

START_TEST(a_broken_policy_is_caught_with_what_it_breaks)
{
	struct run_result *r = calloc(1, sizeof(*r));
	u32 found = 0, caught = 0;
	struct fixture f;

	ck_assert_ptr_nonnull(r);
	for (u64 seed = 1; seed <= fixture_seeds(8, 60); seed++) {
		setup(&f, 2, seed);
		if (broken[_i].hyperv)
			fixture_hyperv(&f);
		fixture_policy(&f, broken[_i].policy);
		fixture_play(&f, r);
		found |= verdict(r);
		caught += verdict(r) != 0;
		ck_assert_msg(!(verdict(r) & VERDICT_BIT(0)), "seed %lu: %s",
			      (unsigned long)seed, r->finding[0].text);
		fixture_release(&f);
	}
	ck_assert_msg((found & broken[_i].breaks) == broken[_i].breaks,
		      "%s: found %#x, expected %#x", broken[_i].policy, found,
		      broken[_i].breaks);
	ck_assert_uint_gt(caught, 0);
	free(r);
}
END_TEST

/* A stale use that the modelled geometry made is a stale use it could make. */
START_TEST(what_really_happened_was_possible)
{
	struct run_result *r = calloc(1, sizeof(*r));
	struct fixture f;

	ck_assert_ptr_nonnull(r);
	for (u64 seed = 1; seed <= fixture_seeds(8, 60); seed++) {
		setup(&f, (u32)(seed % ARRAY_SIZE(shape)), seed);
		fixture_policy(&f, broken[_i].policy);
		if (broken[_i].hyperv)
			fixture_hyperv(&f);
		fixture_play(&f, r);
		ck_assert_msg(!(r->found_real & ~r->found_possible),
			      "%s, seed %lu: real %#x, possible %#x", r->policy,
			      (unsigned long)seed, r->found_real,
			      r->found_possible);
		fixture_release(&f);
	}
	free(r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("verdicts");
	TCase *t = tcase_create("verdicts");
	int nr = (int)ARRAY_SIZE(sound);

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_sound_policy_is_never_objected_to_on_bare_metal,
			    0, nr);
	tcase_add_loop_test(t, a_sound_policy_is_never_objected_to_on_hyperv,
			    0, nr);
	tcase_add_loop_test(t,
			    untracked_roots_break_what_does_not_test_at_switch,
			    0, 3);
	tcase_add_loop_test(t, a_broken_policy_is_caught_with_what_it_breaks, 0,
			    (int)ARRAY_SIZE(broken));
	tcase_add_loop_test(t, what_really_happened_was_possible, 0,
			    (int)ARRAY_SIZE(broken));
	suite_add_tcase(s, t);
	return suite_main(s);
}
