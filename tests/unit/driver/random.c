/*
 * Random runs of the machine people ask about, 64 pCPUs and 150 VMs of two
 * vCPUs: what a seed gives it gives again, what is broken is found soon, what
 * is not is not objected to.
 */
#include "sim/driver/random.h"

#include <check.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/check/adversary.h"
#include "sim/driver/budget.h"
#include "sim/driver/small.h"
#include "tests/suite.h"

#define EVENTS		(1u << ACTION_FAULT | 1u << ACTION_GUEST_FLUSH |	\
			 1u << ACTION_GUEST_ASKS | 1u << ACTION_APIC_MODE |	\
			 1u << ACTION_CHANGE | 1u << ACTION_CLEAR_DIRTY |	\
			 1u << ACTION_HOTPLUG)

/* A page that is not mapped anew is zapped but once. */
#define CHANGES		(1u << ACTION_CHANGE | 1u << ACTION_FAULT)

struct setup {
	struct small_machine machine;
	const struct observer_ops *observers[1];
	struct budget budget;
	struct random_runs r;
};

static void setup_init(struct setup *s, const char *policy, u32 events)
{
	struct err err;

	small_machine_init(&s->machine, 64, 150, 2, events);
	if (flush_policy_parse(policy, strlen(policy), &s->machine.policy, &err))
		ck_abort_msg("%s", err.msg);
	s->observers[0] = &checker_adversary;
	s->machine.config.observers = s->observers;
	s->machine.config.nr_observers = 1;
	budget_init(&s->budget, events | ACTIONS_SCHED);
	s->r = (struct random_runs){
		.config = &s->machine.config, .kinds = s->budget.allowed,
		.environ = { .ops = &environ_budget, .arg = &s->budget },
		.seed = 1, .first = 1, .nr = 200, .steps = 2000,
	};
}

static void run(const struct setup *s, struct random_found *f)
{
	struct err err;

	if (random_runs(&s->r, f, &err))
		ck_abort_msg("%s", err.msg);
	ck_assert_uint_le(f->runs, s->r.nr);
	ck_assert_uint_le(f->actions, f->runs * s->r.steps);
	ck_assert_uint_eq(!f->path, !f->violated);
}

static void same(const struct random_found *a, const struct random_found *b)
{
	ck_assert(a->violated && b->violated);
	ck_assert_str_eq(a->finding.text, b->finding.text);
	ck_assert_uint_eq(a->nr_path, b->nr_path);
	ck_assert_mem_eq(a->path, b->path, a->nr_path * sizeof(*a->path));
}

/* --- what a seed gives --- */

START_TEST(a_seed_gives_the_same_again)
{
	struct random_found a, b;
	struct setup s;

	setup_init(&s, "per-root-mask", EVENTS);
	run(&s, &a);
	run(&s, &b);
	same(&a, &b);
	ck_assert_uint_eq(a.runs, b.runs);
	ck_assert_uint_eq(a.actions, b.actions);
	random_found_release(&a);
	random_found_release(&b);
	ck_assert_ptr_null(a.path);
}
END_TEST

START_TEST(another_seed_gives_something_else)
{
	struct random_found a, b;
	struct setup s;

	setup_init(&s, "never", EVENTS);
	run(&s, &a);
	s.r.seed = 2;
	run(&s, &b);
	ck_assert(a.violated && b.violated);
	ck_assert(a.nr_path != b.nr_path ||
		  memcmp(a.path, b.path, a.nr_path * sizeof(*a.path)) != 0);
	random_found_release(&a);
	random_found_release(&b);
}
END_TEST

/* Nor on how often the machine was used before. */
START_TEST(a_run_depends_on_seed_and_number_only)
{
	struct random_found all, one;
	struct setup s;

	setup_init(&s, "per-root-mask", CHANGES);
	s.r.seed = 2;
	run(&s, &all);
	ck_assert_uint_gt(all.runs, 1);
	s.r.first = all.runs;
	s.r.nr = 1;
	run(&s, &one);
	same(&all, &one);
	ck_assert_uint_eq(one.runs, 1);
	ck_assert_uint_eq(one.actions, one.nr_path);
	random_found_release(&all);
	random_found_release(&one);
}
END_TEST

/* --- verdicts --- */

static const struct {
	const char *policy;
	u32 events;
	const char *invariant;		/* NULL: nothing is found */
} cases[] = {
	{ "never", 1u << ACTION_CHANGE, "I1" },
	{ "never", 1u << ACTION_GUEST_ASKS, "I3" },
	{ "per-root-mask", CHANGES, "I1" },
	{ "per-root-mask", 1u << ACTION_GUEST_FLUSH, "I3" },
	{ "vm-mask", 1u << ACTION_GUEST_FLUSH, "I3" },
	{ "alloc-all-pcpus", CHANGES, "I1" },
	{ "global-flush", 1u << ACTION_APIC_MODE, "I5" },
	{ "always", EVENTS, NULL },
	{ "global-flush", EVENTS & ~(1u << ACTION_APIC_MODE), NULL },
	{ "active-roots", EVENTS & ~(1u << ACTION_APIC_MODE), NULL },
	{ "per-root-mask-clear", EVENTS, NULL },
	{ "per-root-gen", EVENTS, NULL },
};

START_TEST(what_is_broken_is_found_and_what_is_not_is_not)
{
	struct random_found f;
	struct setup s;

	setup_init(&s, cases[_i].policy, cases[_i].events);
	if (!cases[_i].invariant)
		s.r.nr = 25;
	run(&s, &f);
	ck_assert_msg(f.violated == !!cases[_i].invariant, "%s: %s",
		      cases[_i].policy, f.violated ? f.finding.text :
		      "nothing found");
	if (f.violated)
		ck_assert_str_eq(f.finding.invariant, cases[_i].invariant);
	else
		ck_assert_uint_gt(f.actions, 30000);
	random_found_release(&f);
}
END_TEST

/* --- the environment --- */

START_TEST(nothing_happens_but_what_may)
{
	u32 changes = 0, faults = 0;
	struct random_found f;
	struct setup s;

	setup_init(&s, "never", 1u << ACTION_CHANGE | 1u << ACTION_FAULT);
	s.budget.times[ACTION_CHANGE] = 1;
	s.budget.times[ACTION_FAULT] = 0;
	run(&s, &f);
	ck_assert(f.violated);
	for (u32 i = 0; i < f.nr_path; i++) {
		ck_assert((s.budget.allowed | ACTIONS_ALWAYS) >>
			  f.path[i].kind & 1);
		changes += f.path[i].kind == ACTION_CHANGE;
		faults += f.path[i].kind == ACTION_FAULT;
	}
	ck_assert_uint_eq(changes, 1);
	ck_assert_uint_eq(faults, 0);
	random_found_release(&f);
}
END_TEST

START_TEST(a_run_ends_where_nothing_can_happen)
{
	struct random_found f;
	struct setup s;

	setup_init(&s, "never", EVENTS);
	s.budget.allowed = 0;
	s.r.nr = 3;
	run(&s, &f);
	ck_assert(!f.violated);
	ck_assert_uint_eq(f.runs, 3);
	ck_assert_uint_eq(f.actions, 0);
}
END_TEST

/* Violations found by way of a machine in which they can happen at all. */
START_TEST(a_path_can_be_walked_again)
{
	struct random_found f;
	struct finding finding;
	struct machine *m;
	struct setup s;
	struct err err;

	setup_init(&s, "vm-mask", EVENTS);
	run(&s, &f);
	ck_assert(f.violated);
	ck_assert_int_eq(machine_create(&s.machine.config, &m, &err), 0);
	for (u32 i = 0; i < f.nr_path; i++) {
		ck_assert(!machine_objected(m));
		ck_assert(machine_can(m, &f.path[i]));
		machine_act(m, &f.path[i]);
	}
	ck_assert(machine_take_finding(m, &finding));
	ck_assert_str_eq(finding.text, f.finding.text);
	machine_destroy(m);
	random_found_release(&f);
}
END_TEST

/* --- ends --- */

struct told {
	volatile sig_atomic_t stop;
	u64 runs;
};

static void progress(void *arg, u64 runs)
{
	struct told *t = arg;

	ck_assert_uint_eq(runs, t->runs + 1);
	t->runs = runs;
	t->stop = runs == 2;
}

START_TEST(it_stops_when_told_to)
{
	struct told t = { 0 };
	struct random_found f;
	struct setup s;

	setup_init(&s, "per-root-gen", EVENTS);
	s.r.stop = &t.stop;
	s.r.progress = progress;
	s.r.progress_arg = &t;
	run(&s, &f);
	ck_assert(!f.violated);
	ck_assert_uint_eq(f.runs, 2);
	t.stop = 1;
	run(&s, &f);
	ck_assert_uint_eq(f.runs, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("random");
	TCase *t = tcase_create("seeds"), *v = tcase_create("verdicts");
	TCase *e = tcase_create("environment");

	tcase_set_timeout(t, 60);
	tcase_set_timeout(v, 120);
	tcase_set_timeout(e, 60);
	tcase_add_test(t, a_seed_gives_the_same_again);
	tcase_add_test(t, another_seed_gives_something_else);
	tcase_add_test(t, a_run_depends_on_seed_and_number_only);
	tcase_add_loop_test(v, what_is_broken_is_found_and_what_is_not_is_not, 0,
			    (int)ARRAY_SIZE(cases));
	tcase_add_test(e, nothing_happens_but_what_may);
	tcase_add_test(e, a_run_ends_where_nothing_can_happen);
	tcase_add_test(e, a_path_can_be_walked_again);
	tcase_add_test(e, it_stops_when_told_to);
	suite_add_tcase(s, t);
	suite_add_tcase(s, v);
	suite_add_tcase(s, e);
	return suite_main(s);
}
