/*
 * What shrinking promises, checked by hand on a fresh machine of the size that
 * it hands out: the schedule is possible to the last action, violates the same,
 * and no single action can be left out.  And that it gets small: as small as a
 * hazard that is understood has to be, wherever it was found.
 */
#include "sim/driver/shrink.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/check/adversary.h"
#include "sim/driver/budget.h"
#include "sim/driver/random.h"
#include "tests/suite.h"

#define AND(kind)	(1u << ACTION_##kind)
#define MANY		(AND(CHANGE) | AND(FAULT) | AND(GUEST_FLUSH) |	\
			 AND(APIC_MODE) | AND(CLEAR_DIRTY))

/* The machine on which a violation was found, and what is left of it. */
struct setup {
	struct small_machine big;
	struct small_machine small;
	struct random_found found;
	struct shrunk shrunk;
};

static const struct {
	const char *policy;
	u32 pcpus;
	u32 vms;
	u32 vcpus;
	u32 events;
	u32 pcpus_left;			/* at most */
	u32 vms_left;
	u32 vcpus_left;
	u32 steps_left;
} cases[] = {
	{ "never", 64, 150, 2, AND(CHANGE), 2, 1, 1, 32 },
	{ "never", 3, 2, 2, AND(MEMSLOT), 2, 2, 2, 60 },
	{ "per-root-mask", 64, 150, 2, AND(CHANGE) | AND(FAULT), 3, 2, 2, 80 },
	{ "per-root-mask", 8, 4, 2, AND(GUEST_FLUSH), 2, 1, 1, 60 },
	{ "per-root-mask", 4, 3, 4, AND(GUEST_ASKS) | AND(NESTED_EPT), 3, 2, 2,
	  140 },
	{ "vm-mask", 64, 150, 2, AND(GUEST_FLUSH) | AND(RELOAD), 3, 2, 2, 80 },
	{ "vm-mask:strict=mask:invvpid=on:offline=keep", 6, 5, 1,
	  AND(HOTPLUG) | AND(CHANGE), 3, 2, 1, 100 },
	/* Each flush waits for all pCPUs, whether or not they do anything. */
	{ "alloc-all-pcpus", 32, 8, 2, AND(CHANGE), 3, 2, 2, 80 },
	{ "global-flush", 64, 150, 2, AND(APIC_MODE), 2, 1, 2, 60 },
	{ "global-flush", 8, 4, 4, AND(PV_FLUSH) | AND(NESTED_EPT), 2, 1, 2,
	  120 },
	/* More than one thing is violated. */
	{ "never", 8, 4, 2, MANY, 3, 2, 2, 80 },
	{ "vm-mask", 8, 4, 2, MANY, 3, 2, 2, 140 },
};

#define SEEDS	3

static const struct observer_ops *const observers[] = { &checker_adversary };

static void find(struct setup *s, u32 at, u64 seed)
{
	struct random_runs r = {
		.config = &s->big.config, .seed = seed, .first = 1, .nr = 1000,
		.steps = 1000,
	};
	struct budget budget;
	struct err err;

	small_machine_init(&s->big, cases[at].pcpus, cases[at].vms,
			   cases[at].vcpus, cases[at].events);
	if (flush_policy_parse(cases[at].policy, strlen(cases[at].policy),
			       &s->big.policy, &err))
		ck_abort_msg("%s", err.msg);
	s->big.config.observers = observers;
	s->big.config.nr_observers = 1;
	budget_init(&budget, cases[at].events | ACTIONS_SCHED);
	r.kinds = budget.allowed;
	r.environ = (struct environ){ .ops = &environ_budget, .arg = &budget };
	if (random_runs(&r, &s->found, &err))
		ck_abort_msg("%s", err.msg);
	ck_assert(s->found.violated);
}

static void shrink_it(struct setup *s, const volatile sig_atomic_t *stop)
{
	const struct shrinking what = {
		.machine = &s->big, .path = s->found.path,
		.nr_path = s->found.nr_path, .finding = &s->found.finding,
		.stop = stop,
	};
	struct err err;

	if (shrink(&what, &s->small, &s->shrunk, &err))
		ck_abort_msg("%s", err.msg);
}

static void release(struct setup *s)
{
	shrunk_release(&s->shrunk);
	ck_assert_ptr_null(s->shrunk.path);
	random_found_release(&s->found);
}

/* Play all but one; true if that violates, @f then says what. */
static bool play(const struct setup *s, u32 without, struct finding *f,
		 u32 *nr_done)
{
	bool found = false;
	struct machine *m;
	struct err err;

	*nr_done = 0;
	if (machine_create(&s->small.config, &m, &err))
		ck_abort_msg("%s", err.msg);
	for (u32 i = 0; i < s->shrunk.nr_path && !found; i++) {
		if (i == without || !machine_can(m, &s->shrunk.path[i]))
			continue;
		machine_act(m, &s->shrunk.path[i]);
		++*nr_done;
		found = machine_take_finding(m, f);
	}
	machine_destroy(m);
	return found;
}

static void check_promises(const struct setup *s)
{
	const struct shrunk *k = &s->shrunk;
	struct finding f;
	u32 done;

	ck_assert_str_eq(k->finding.invariant, s->found.finding.invariant);
	ck_assert(play(s, UINT32_MAX, &f, &done));
	ck_assert_uint_eq(done, k->nr_path);
	ck_assert_str_eq(f.invariant, k->finding.invariant);
	ck_assert_str_eq(f.text, k->finding.text);
	for (u32 i = 0; i < k->nr_path && k->minimal; i++)
		if (play(s, i, &f, &done) &&
		    !strcmp(f.invariant, k->finding.invariant))
			ck_abort_msg("action %u of %u is not needed", i,
				     k->nr_path);
}

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

static void check_one(struct setup *s, u32 at, u64 seed)
{
	u32 kinds = 0;

	find(s, at, seed);
	shrink_it(s, NULL);
	ck_assert(s->shrunk.minimal);
	ck_assert(s->shrunk.plain);
	ck_assert_uint_gt(s->shrunk.replays, s->shrunk.nr_path);
	check_promises(s);
	for (u32 i = 0; i < s->shrunk.nr_path; i++)
		kinds |= 1u << s->shrunk.path[i].kind;
	ck_assert_uint_eq(kinds & ~(cases[at].events | ACTIONS_SCHED |
				    ACTIONS_ALWAYS), 0);
}

/* How small it gets depends on where it starts: one of several is small. */
START_TEST(what_is_left_violates_and_is_needed)
{
	u32 pcpus = UINT32_MAX, vms = pcpus, vcpus = pcpus, steps = pcpus;
	struct setup *s = calloc(1, sizeof(*s));
	u32 at = (u32)_i;

	for (u64 seed = 0; seed < SEEDS; seed++) {
		check_one(s, at, seed);
		pcpus = least(pcpus, s->small.config.nr_pcpus);
		vms = least(vms, s->small.config.nr_vms);
		vcpus = least(vcpus, s->small.config.nr_vcpus /
				     s->small.config.nr_vms);
		steps = least(steps, s->shrunk.nr_path);
		release(s);
		memset(s, 0, sizeof(*s));
	}
	ck_assert_uint_le(pcpus, cases[at].pcpus_left);
	ck_assert_uint_le(vms, cases[at].vms_left);
	ck_assert_uint_le(vcpus, cases[at].vcpus_left);
	ck_assert_uint_le(steps, cases[at].steps_left);
	free(s);
}
END_TEST

START_TEST(it_shrinks_the_same_way_again)
{
	struct setup *s = calloc(1, sizeof(*s));
	struct shrunk once;

	find(s, 3, 7);
	shrink_it(s, NULL);
	once = s->shrunk;
	shrink_it(s, NULL);
	ck_assert_uint_eq(once.nr_path, s->shrunk.nr_path);
	ck_assert_uint_eq(once.replays, s->shrunk.replays);
	ck_assert_str_eq(once.finding.text, s->shrunk.finding.text);
	ck_assert_mem_eq(once.path, s->shrunk.path,
			 once.nr_path * sizeof(*once.path));
	shrunk_release(&once);
	release(s);
	free(s);
}
END_TEST

START_TEST(what_is_small_stays_as_it_is)
{
	struct setup *s = calloc(1, sizeof(*s));
	struct shrunk once;

	find(s, 3, 7);
	shrink_it(s, NULL);
	once = s->shrunk;
	random_found_release(&s->found);
	s->found.path = malloc(once.nr_path * sizeof(*once.path));
	memcpy(s->found.path, once.path, once.nr_path * sizeof(*once.path));
	s->found.nr_path = once.nr_path;
	s->found.finding = once.finding;
	small_machine_init(&s->big, s->small.config.nr_pcpus,
			   s->small.config.nr_vms, 1, cases[3].events);
	s->big.policy = s->small.policy;
	s->big.config.observers = observers;
	s->big.config.nr_observers = 1;
	shrink_it(s, NULL);
	ck_assert_uint_eq(once.nr_path, s->shrunk.nr_path);
	ck_assert_mem_eq(once.path, s->shrunk.path,
			 once.nr_path * sizeof(*once.path));
	shrunk_release(&once);
	release(s);
	free(s);
}
END_TEST

START_TEST(told_to_stop_it_hands_out_what_it_has)
{
	static const volatile sig_atomic_t stop = 1;
	struct setup *s = calloc(1, sizeof(*s));

	find(s, 3, 7);
	shrink_it(s, &stop);
	ck_assert(!s->shrunk.minimal);
	ck_assert_uint_eq(s->shrunk.nr_path, s->found.nr_path);
	ck_assert_uint_eq(s->small.config.nr_vcpus, s->big.config.nr_vcpus);
	check_promises(s);
	release(s);
	free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("shrink");
	TCase *t = tcase_create("promises"), *o = tcase_create("order");

	tcase_set_timeout(t, 120);
	tcase_set_timeout(o, 60);
	tcase_add_loop_test(t, what_is_left_violates_and_is_needed, 0,
			    (int)ARRAY_SIZE(cases));
	tcase_add_test(o, it_shrinks_the_same_way_again);
	tcase_add_test(o, what_is_small_stays_as_it_is);
	tcase_add_test(o, told_to_stop_it_hands_out_what_it_has);
	suite_add_tcase(s, t);
	suite_add_tcase(s, o);
	return suite_main(s);
}
