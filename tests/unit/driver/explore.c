/*
 * Two pCPUs and one vCPU are enough to tell the policies apart.  What is found
 * does not depend on how: with names merged or not, with hashes or strings,
 * once or again; and a path that is played by hand on a fresh machine ends
 * where it should.
 */
#include "sim/driver/explore.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/check/adversary.h"
#include "sim/check/list.h"
#include "sim/driver/budget.h"
#include "sim/driver/small.h"
#include "tests/suite.h"

#define NO_ROOT_GOES	(1u << ACTION_SCHED_IN | 1u << ACTION_SCHED_OUT | \
			 1u << ACTION_EXIT | 1u << ACTION_FAULT |	\
			 1u << ACTION_GUEST_FLUSH | 1u << ACTION_CHANGE)

/* A tenth of the states, where many explorations are compared. */
#define QUICK		(NO_ROOT_GOES & ~(1u << ACTION_EXIT | 1u << ACTION_FAULT))

/* Everything one exploration points at. */
struct setup {
	struct small_machine machine;
	const struct observer_ops *observers[1];
	struct budget budget;
	struct exploration x;
};

static void setup_init(struct setup *s, const char *policy)
{
	struct err err;

	small_machine_init(&s->machine, 2, 1, 1, NO_ROOT_GOES);
	if (flush_policy_parse(policy, strlen(policy), &s->machine.policy, &err))
		ck_abort_msg("%s", err.msg);
	s->observers[0] = &checker_adversary;
	s->machine.config.observers = s->observers;
	s->machine.config.nr_observers = 1;
	budget_init(&s->budget, NO_ROOT_GOES);
	s->x = (struct exploration){
		.config = &s->machine.config,
		.environ = { .ops = &environ_budget, .arg = &s->budget },
		.mem_bytes = 256u << 20, .symmetry = true,
	};
}

static void run(const struct setup *s, struct explored *e)
{
	struct err err;

	if (explore(&s->x, e, &err))
		ck_abort_msg("%s", err.msg);
	ck_assert(!(e->exhausted && e->violated));
	ck_assert_uint_gt(e->states, 0);
	ck_assert(e->state_bytes > 0);
	if (!e->violated)
		ck_assert_ptr_null(e->path);
}

/* From LARGE on without faults, to be quick. */
#define LARGE	3
static const char *const safe[] = {
	"always", "global-flush", "active-roots", "per-root-mask-clear",
	"per-root-gen",
};
static const char *const broken[] = { "never", "per-root-mask" };

/* --- verdicts --- */

START_TEST(a_safe_policy_is_explored_to_the_end)
{
	struct explored e;
	struct setup s;

	setup_init(&s, safe[_i]);
	if (_i >= LARGE)
		s.budget.allowed &= ~(1u << ACTION_FAULT);
	run(&s, &e);
	if (e.violated)
		ck_abort_msg("%s: %s", e.finding.invariant, e.finding.text);
	ck_assert(e.exhausted);
	ck_assert_uint_eq(e.nr_path, 0);
	ck_assert_uint_gt(e.states, 1000);
	ck_assert_uint_ge(e.transitions, e.states - 1);
	ck_assert_uint_gt(e.depth, 20);
	explored_release(&e);
}
END_TEST

START_TEST(a_broken_policy_is_caught)
{
	struct explored e;
	struct setup s;

	setup_init(&s, broken[_i]);
	s.budget.allowed &= ~(1u << ACTION_GUEST_FLUSH);
	run(&s, &e);
	ck_assert(e.violated);
	ck_assert(!e.exhausted);
	ck_assert_ptr_nonnull(e.path);
	ck_assert_uint_gt(e.nr_path, 0);
	ck_assert_uint_eq(e.depth, e.nr_path);
	ck_assert_str_eq(e.finding.invariant, "I1");
	ck_assert_uint_eq(e.finding.vcpu, 0);
	ck_assert_uint_lt(e.finding.pcpu, 2);
	ck_assert_ptr_nonnull(strstr(e.finding.text, "vCPU 0 on pCPU"));
	explored_release(&e);
	ck_assert_ptr_null(e.path);
}
END_TEST

/* --- symmetry --- */

START_TEST(merging_names_of_pcpus_hides_no_violation)
{
	struct explored with, without;
	struct setup s;

	setup_init(&s, broken[_i]);
	s.budget.allowed = QUICK;
	run(&s, &with);
	s.x.symmetry = false;
	run(&s, &without);
	ck_assert(with.violated && without.violated);
	ck_assert_str_eq(with.finding.invariant, without.finding.invariant);
	ck_assert_uint_eq(with.nr_path, without.nr_path);
	ck_assert_uint_eq(with.depth, without.depth);
	ck_assert_uint_lt(with.states, without.states);
	/* Two pCPUs: a state has at most one twin. */
	ck_assert_uint_ge(2 * with.states, without.states);
	explored_release(&with);
	explored_release(&without);
}
END_TEST

START_TEST(merging_names_of_pcpus_invents_no_violation)
{
	struct explored with, without;
	struct setup s;

	setup_init(&s, safe[_i]);
	s.budget.allowed = QUICK;
	run(&s, &with);
	s.x.symmetry = false;
	run(&s, &without);
	ck_assert(with.exhausted && without.exhausted);
	ck_assert_uint_eq(with.depth, without.depth);
	ck_assert_uint_lt(with.states, without.states);
	explored_release(&with);
	explored_release(&without);
}
END_TEST

static void setup_vms(struct setup *s, const char *policy, u32 nr_pcpus,
		      u32 nr_vms, u32 allowed)
{
	struct err err;

	setup_init(s, policy);
	small_machine_init(&s->machine, nr_pcpus, nr_vms, 1, allowed);
	if (flush_policy_parse(policy, strlen(policy), &s->machine.policy, &err))
		ck_abort_msg("%s", err.msg);
	s->machine.config.observers = s->observers;
	s->machine.config.nr_observers = 1;
	budget_init(&s->budget, allowed);
}

/* More to rename: frames that come again, and VMs. */
static void setup_large(struct setup *s, const char *policy, u32 which)
{
	static const struct {
		u32 pcpus;
		u32 vms;
		u32 allowed;
		u32 times;
	} size[] = {
		{ 2, 1, 1u << ACTION_MEMSLOT, BUDGET_NONE },
		{ 3, 1, 1u << ACTION_CHANGE, BUDGET_NONE },
		{ 2, 2, 1u << ACTION_CHANGE, 1 },
		{ 2, 2, 1u << ACTION_MEMSLOT, 1 },
	};
	u32 allowed = size[which].allowed | 1u << ACTION_SCHED_IN |
		      1u << ACTION_SCHED_OUT;

	setup_vms(s, policy, size[which].pcpus, size[which].vms, allowed);
	s->budget.times[ACTION_MEMSLOT] = (u8)size[which].times;
	s->budget.times[ACTION_CHANGE] = (u8)size[which].times;
	s->x.reduce = s->x.any = true;
}

#define NR_LARGE	4

START_TEST(merging_names_of_vms_and_frames_changes_no_verdict)
{
	static const char *const policies[] = { "active-roots", "vm-mask" };
	struct explored with, without;
	struct setup s;

	setup_large(&s, policies[_i / NR_LARGE], (u32)_i % NR_LARGE);
	run(&s, &with);
	s.x.symmetry = false;
	run(&s, &without);
	ck_assert_uint_eq(with.violated, without.violated);
	ck_assert_uint_eq(with.exhausted, without.exhausted);
	if (with.violated)
		ck_assert_str_eq(with.finding.invariant,
				 without.finding.invariant);
	else
		ck_assert_uint_gt(without.states, 3 * with.states);
	explored_release(&with);
	explored_release(&without);
}
END_TEST

/* --- invariants --- */

static bool one_is_broken(struct setup *s, const struct observer_ops *judge,
			  u32 *nr_path)
{
	struct explored e;

	s->observers[0] = judge;
	run(s, &e);
	ck_assert(e.violated || e.exhausted);
	if (e.violated)
		ck_assert_str_eq(e.finding.invariant, judge->invariant);
	*nr_path = e.nr_path;
	explored_release(&e);
	return e.violated;
}

/* And the nearest violation of any is what all at once find. */
START_TEST(one_invariant_at_a_time_says_the_same)
{
	static const char *const policies[] = {
		"never", "per-root-mask", "global-flush", "active-roots",
	};
	u32 nearest = UINT32_MAX, nr_path;
	struct explored joint;
	struct setup s;
	bool broken_one = false;

	setup_init(&s, policies[_i]);
	s.budget.allowed = QUICK | 1u << ACTION_APIC_MODE | 1u << ACTION_MEMSLOT |
			   1u << ACTION_CLEAR_DIRTY;
	s.machine.config.nr_roots = 3;
	s.budget.times[ACTION_MEMSLOT] = s.budget.times[ACTION_CLEAR_DIRTY] = 1;
	run(&s, &joint);
	for (u32 i = 0; i < ADVERSARIES_NR; i++) {
		if (!one_is_broken(&s, adversaries[i], &nr_path))
			continue;
		broken_one = true;
		nearest = nr_path < nearest ? nr_path : nearest;
	}
	ck_assert_uint_eq(joint.violated, broken_one);
	if (broken_one)
		ck_assert_uint_eq(joint.nr_path, nearest);
	explored_release(&joint);
}
END_TEST

/* Frames go from VM to VM, and nobody ever flushes. */
START_TEST(entries_of_another_vm_are_found)
{
	const u32 allowed = ACTIONS_SCHED | 1u << ACTION_MEMSLOT |
			    1u << ACTION_RELOAD;
	struct explored e;
	struct setup s;

	setup_vms(&s, "never", 1, 1, allowed);
	s.observers[0] = adversaries[3];
	run(&s, &e);
	ck_assert(e.exhausted);
	setup_vms(&s, "never", 1, 2, allowed);
	s.observers[0] = adversaries[3];
	run(&s, &e);
	ck_assert(e.violated);
	ck_assert_str_eq(e.finding.invariant, "I4");
	explored_release(&e);
}
END_TEST

START_TEST(an_invariant_is_found_by_its_name)
{
	ck_assert_ptr_eq(adversary_find("I3"), adversaries[2]);
	ck_assert_ptr_null(adversary_find("I7"));
	ck_assert_ptr_null(adversary_find(""));
}
END_TEST

/* --- hashes --- */

static void same_outcome(const struct explored *a, const struct explored *b)
{
	ck_assert_uint_eq(a->exhausted, b->exhausted);
	ck_assert_uint_eq(a->violated, b->violated);
	ck_assert_uint_eq(a->states, b->states);
	ck_assert_uint_eq(a->transitions, b->transitions);
	ck_assert_uint_eq(a->depth, b->depth);
	ck_assert_uint_eq(a->nr_path, b->nr_path);
	ck_assert_str_eq(a->finding.text, b->finding.text);
	if (a->nr_path)
		ck_assert_mem_eq(a->path, b->path,
				 a->nr_path * sizeof(*a->path));
}

static void setup_either(struct setup *s, u32 i)
{
	static const char *const policies[] = {
		"per-root-mask", "never", "active-roots", "vm-mask",
	};

	if (i < ARRAY_SIZE(policies))
		setup_init(s, policies[i]);
	else
		setup_large(s, "active-roots", i - ARRAY_SIZE(policies));
}

#define NR_EITHER	(4 + NR_LARGE)

START_TEST(hashes_stand_for_states)
{
	struct explored hashes, strings;
	struct setup s;

	setup_either(&s, (u32)_i);
	run(&s, &hashes);
	s.x.exact = true;
	run(&s, &strings);
	same_outcome(&hashes, &strings);
	ck_assert(strings.state_bytes > hashes.state_bytes);
	explored_release(&hashes);
	explored_release(&strings);
}
END_TEST

/* --- reduction --- */

START_TEST(steps_taken_at_once_hide_no_violation)
{
	struct explored with, without;
	struct setup s;

	setup_init(&s, broken[_i]);
	run(&s, &without);
	s.x.reduce = true;
	run(&s, &with);
	ck_assert(with.violated && with.shortest);
	ck_assert_str_eq(with.finding.text, without.finding.text);
	ck_assert_uint_eq(with.nr_path, without.nr_path);
	ck_assert_mem_eq(with.path, without.path,
			 with.nr_path * sizeof(*with.path));
	explored_release(&with);
	explored_release(&without);
}
END_TEST

START_TEST(steps_taken_at_once_invent_no_violation)
{
	struct explored with, without;
	struct setup s;

	setup_init(&s, safe[_i]);
	run(&s, &without);
	s.x.reduce = true;
	run(&s, &with);
	ck_assert(with.exhausted && without.exhausted);
	ck_assert_uint_lt(with.states, without.states);
	ck_assert_uint_lt(with.transitions, without.transitions);
	explored_release(&with);
	explored_release(&without);
}
END_TEST

/* Where the shortest does not fit, a longer one is played and told. */
START_TEST(a_reduced_path_is_spelled_out)
{
	struct explored reduced, shortest;
	struct setup s;

	setup_init(&s, "per-root-mask");
	s.x.reduce = true;
	run(&s, &shortest);
	s.x.mem_bytes = 1u << 20;
	run(&s, &reduced);
	ck_assert(reduced.violated && !reduced.shortest);
	ck_assert_uint_ge(reduced.nr_path, shortest.nr_path);
	ck_assert_uint_lt(reduced.states, shortest.states);
	explored_release(&reduced);
	explored_release(&shortest);
}
END_TEST

/* --- budgets --- */

START_TEST(a_budget_bounds_what_happens)
{
	struct explored none, one, two, all;
	struct setup s;

	setup_init(&s, "active-roots");
	run(&s, &all);
	s.budget.times[ACTION_CHANGE] = 0;
	run(&s, &none);
	s.budget.times[ACTION_CHANGE] = 1;
	run(&s, &one);
	s.budget.times[ACTION_CHANGE] = 2;
	run(&s, &two);
	ck_assert(none.exhausted && one.exhausted && two.exhausted);
	ck_assert_uint_lt(none.states, one.states);
	ck_assert_uint_lt(one.states, two.states);
	/* Without a budget nothing has to be remembered, and less is told apart. */
	s.budget.times[ACTION_CHANGE] = BUDGET_NONE;
	s.budget.allowed &= ~(1u << ACTION_CHANGE);
	run(&s, &all);
	ck_assert_uint_eq(all.states, none.states);
}
END_TEST

START_TEST(a_budget_may_be_too_small_for_a_violation)
{
	struct explored e;
	struct setup s;

	setup_init(&s, "per-root-mask");
	s.budget.allowed &= ~(1u << ACTION_GUEST_FLUSH);
	s.budget.times[ACTION_SCHED_IN] = 3;
	run(&s, &e);
	ck_assert(e.exhausted);
	s.budget.times[ACTION_SCHED_IN] = 4;
	run(&s, &e);
	ck_assert(e.violated);
	explored_release(&e);
}
END_TEST

START_TEST(one_pcpu_has_one_name)
{
	struct explored with, without;
	struct setup s;

	setup_init(&s, "global-flush");
	s.machine.config.nr_pcpus = 1;
	run(&s, &with);
	s.x.symmetry = false;
	run(&s, &without);
	ck_assert(with.exhausted && without.exhausted);
	ck_assert_uint_eq(with.states, without.states);
	ck_assert_uint_eq(with.transitions, without.transitions);
	explored_release(&with);
	explored_release(&without);
}
END_TEST

/* --- what is found again --- */

START_TEST(the_same_exploration_finds_the_same)
{
	struct explored a, b;
	struct setup s;

	setup_init(&s, _i ? "always" : "never");
	run(&s, &a);
	setup_init(&s, _i ? "always" : "never");
	run(&s, &b);
	same_outcome(&a, &b);
	explored_release(&a);
	explored_release(&b);
}
END_TEST

/* A fresh machine that is led by hand along what the replay tells. */
struct by_hand {
	struct machine *m;
	u32 allowed;
	u32 nr;
	u64 nr_records;
};

static void follow(void *arg, const struct machine *m, const struct action *a)
{
	struct action list[ACTIONS_MAX];
	struct by_hand *h = arg;
	u32 nr = machine_actions(h->m, h->allowed, list), i;

	ck_assert(!machine_objected(m) && !machine_objected(h->m));
	for (i = 0; i < nr; i++)
		if (!memcmp(&list[i], a, sizeof(*a)))
			break;
	ck_assert_msg(i < nr, "step %u: %s %u %u cannot happen", h->nr,
		      action_name(a->kind), a->a, a->b);
	machine_act(h->m, a);
	h->nr++;
}

static void count_record(void *arg, const struct probe_rec *rec)
{
	struct by_hand *h = arg;

	(void)rec;
	h->nr_records++;
}

static void replay_ends_in_violation(const char *policy, bool symmetry)
{
	struct by_hand h = { .allowed = QUICK };
	struct explored e;
	struct finding f;
	struct setup s;
	struct err err;

	setup_init(&s, policy);
	s.budget.allowed = h.allowed;
	s.x.symmetry = symmetry;
	run(&s, &e);
	ck_assert(e.violated);
	ck_assert_int_eq(machine_create(&s.machine.config, &h.m, &err), 0);
	s.machine.config.tap = count_record;
	s.machine.config.tap_arg = &h;
	s.machine.config.tap_wants = BIT64(PROBE_CONTEXT) | BIT64(PROBE_WRITE);
	ck_assert_int_eq(explore_replay(&s.x, &e, follow, &h, &err), 0);
	ck_assert_uint_eq(h.nr, e.nr_path);
	ck_assert_uint_gt(h.nr_records, 1);
	ck_assert(machine_objected(h.m));
	ck_assert(machine_take_finding(h.m, &f));
	ck_assert_str_eq(f.invariant, e.finding.invariant);
	ck_assert_uint_eq(f.vcpu, e.finding.vcpu);
	ck_assert_uint_eq(f.pcpu, e.finding.pcpu);
	ck_assert_str_eq(f.text, e.finding.text);
	machine_destroy(h.m);
	explored_release(&e);
}

START_TEST(a_replayed_path_ends_in_the_violation)
{
	replay_ends_in_violation(broken[_i], true);
}
END_TEST

START_TEST(a_replayed_path_ends_in_the_violation_without_symmetry)
{
	replay_ends_in_violation(broken[_i], false);
}
END_TEST

/* --- ends --- */

START_TEST(it_ends_where_memory_does)
{
	struct explored e;
	struct setup s;

	setup_init(&s, "per-root-gen");
	s.x.mem_bytes = _i ? 1u << 18 : 60000;
	run(&s, &e);
	ck_assert(!e.exhausted);
	ck_assert(!e.violated);
	ck_assert_uint_gt(e.states, 100);
	ck_assert_uint_lt(e.states, 50000);
	ck_assert(e.state_bytes * (double)e.states <= (double)s.x.mem_bytes);
	explored_release(&e);
}
END_TEST

START_TEST(it_stops_when_told_to)
{
	static const volatile sig_atomic_t stop = 1;
	struct explored e;
	struct setup s;

	setup_init(&s, "global-flush");
	s.x.stop = &stop;
	run(&s, &e);
	ck_assert(!e.exhausted);
	ck_assert(!e.violated);
	ck_assert_uint_lt(e.states, 10000);
	explored_release(&e);
}
END_TEST

struct told {
	volatile sig_atomic_t stop;
	bool shall_stop;
	u32 nr;
	u64 states;
	u64 transitions;
};

static void progress(void *arg, u64 states, u64 transitions)
{
	struct told *t = arg;

	ck_assert_uint_ge(states, t->states);
	ck_assert_uint_ge(transitions, t->transitions);
	t->states = states;
	t->transitions = transitions;
	t->nr++;
	t->stop = t->shall_stop;
}

START_TEST(progress_grows_and_changes_nothing)
{
	struct told t = { 0 };
	struct explored e, quiet;
	struct setup s;

	setup_init(&s, "per-root-mask-clear");
	s.budget.allowed = NO_ROOT_GOES & ~(1u << ACTION_FAULT);
	run(&s, &quiet);
	s.x.progress = progress;
	s.x.progress_arg = &t;
	run(&s, &e);
	ck_assert_uint_gt(t.nr, 1);
	ck_assert_uint_le(t.states, e.states);
	ck_assert_uint_le(t.transitions, e.transitions);
	ck_assert_uint_eq(e.states, quiet.states);
	ck_assert_uint_eq(e.transitions, quiet.transitions);
	/* The same, but told to stop on the way. */
	t = (struct told){ .shall_stop = true };
	s.x.stop = &t.stop;
	explored_release(&e);
	run(&s, &e);
	ck_assert(!e.exhausted && !e.violated);
	ck_assert_uint_lt(e.states, quiet.states);
	explored_release(&e);
	explored_release(&quiet);
}
END_TEST

START_TEST(nothing_is_safe_where_nothing_happens)
{
	struct explored all, few;
	struct setup s;

	setup_init(&s, "never");
	s.budget.allowed = 0;
	run(&s, &few);
	ck_assert(few.exhausted);
	ck_assert_uint_eq(few.states, few.transitions + 1);
	/* Nobody takes a mapping away: never to flush is fine. */
	s.budget.allowed = NO_ROOT_GOES & ~(1u << ACTION_CHANGE |
				       1u << ACTION_GUEST_FLUSH);
	run(&s, &all);
	ck_assert(all.exhausted);
	ck_assert(!all.violated);
	ck_assert_uint_gt(all.states, few.states);
	explored_release(&few);
	explored_release(&all);
}
END_TEST

START_TEST(a_checker_that_cannot_look_on_is_an_error)
{
	const struct observer_ops *blind = NULL;
	struct explored e;
	struct setup s;
	struct err err;

	setup_init(&s, "never");
	for (u32 i = 0; i < CHECKERS_NR && !blind; i++)
		if (!checker_list[i]->visit)
			blind = checker_list[i];
	ck_assert_ptr_nonnull(blind);
	s.observers[0] = blind;
	ck_assert_int_eq(explore(&s.x, &e, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.msg, blind->name));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("explore");
	TCase *t = tcase_create("verdicts"), *p = tcase_create("paths");
	TCase *e = tcase_create("ends");
	int nr_safe = (int)ARRAY_SIZE(safe);
	int nr_broken = (int)ARRAY_SIZE(broken);

	tcase_set_timeout(t, 60);
	tcase_set_timeout(p, 60);
	tcase_set_timeout(e, 60);
	tcase_add_loop_test(t, a_safe_policy_is_explored_to_the_end, 0, nr_safe);
	tcase_add_loop_test(t, a_broken_policy_is_caught, 0, nr_broken);
	tcase_add_loop_test(t, merging_names_of_pcpus_hides_no_violation, 0,
			    nr_broken);
	tcase_add_loop_test(t, merging_names_of_pcpus_invents_no_violation, 0,
			    nr_safe);
	tcase_add_loop_test(t, merging_names_of_vms_and_frames_changes_no_verdict,
			    0, 2 * NR_LARGE - 1);
	tcase_add_loop_test(t, one_invariant_at_a_time_says_the_same, 0, 4);
	tcase_add_test(t, entries_of_another_vm_are_found);
	tcase_add_test(t, an_invariant_is_found_by_its_name);
	tcase_add_loop_test(t, hashes_stand_for_states, 0, NR_EITHER);
	tcase_add_loop_test(t, steps_taken_at_once_hide_no_violation, 0,
			    nr_broken);
	tcase_add_loop_test(t, steps_taken_at_once_invent_no_violation, 0,
			    nr_safe);
	tcase_add_test(t, a_reduced_path_is_spelled_out);
	tcase_add_test(t, a_budget_bounds_what_happens);
	tcase_add_test(t, a_budget_may_be_too_small_for_a_violation);
	tcase_add_test(t, one_pcpu_has_one_name);
	tcase_add_loop_test(p, the_same_exploration_finds_the_same, 0, 2);
	tcase_add_loop_test(p, a_replayed_path_ends_in_the_violation, 0,
			    nr_broken);
	tcase_add_loop_test(p, a_replayed_path_ends_in_the_violation_without_symmetry,
			    0, nr_broken);
	tcase_add_loop_test(e, it_ends_where_memory_does, 0, 2);
	tcase_add_test(e, it_stops_when_told_to);
	tcase_add_test(e, progress_grows_and_changes_nothing);
	tcase_add_test(e, nothing_is_safe_where_nothing_happens);
	tcase_add_test(e, a_checker_that_cannot_look_on_is_an_error);
	suite_add_tcase(s, t);
	suite_add_tcase(s, p);
	suite_add_tcase(s, e);
	return suite_main(s);
}
