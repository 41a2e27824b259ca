/*
 * One list of what can happen, cut in different ways: by actor, by actor and
 * pCPU, and action by action.  Compared at every step of random walks.
 */
#include "sim/machine/actions.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "sim/driver/small.h"
#include "tests/suite.h"

#define ALL	((1u << ACTION_NR) - 1)
#define STEPS	400u

static struct small_machine small;
static u32 allowed;

/* Every other walk with what takes roots, hotplug and nesting away. */
static u32 kinds(u64 seed)
{
	return seed % 2 ? ALL : ALL & ~(ACTIONS_NESTED | 1u << ACTION_MEMSLOT);
}

static struct machine *make(u64 seed)
{
	static const char *const policies[] = {
		"alloc-all-pcpus", "per-root-mask-clear", "global-flush",
	};
	const char *policy = policies[seed % ARRAY_SIZE(policies)];
	struct machine *m;
	struct err err;

	allowed = kinds(seed);
	small_machine_init(&small, 3, 2, 2, allowed);
	if (flush_policy_parse(policy, strlen(policy), &small.policy, &err) ||
	    machine_create(&small.config, &m, &err))
		ck_abort_msg("%s", err.msg);
	return m;
}

static bool listed(const struct action *list, u32 nr, const struct action *a)
{
	bool flag = action_operand(a->kind, true) == OPERAND_FLAG;

	for (u32 i = 0; i < nr; i++)
		if (list[i].kind == a->kind && list[i].a == a->a &&
		    (flag || list[i].b == a->b))
			return true;
	return false;
}

/* Operands a little beyond what there is, too. */
static void check_kind(struct machine *m, u32 kind, const struct action *list,
		       u32 nr)
{
	for (u32 i = 0; i < 8 * 6; i++) {
		struct action a = { kind, i / 6, i % 6 };

		if (machine_can(m, &a) != listed(list, nr, &a))
			ck_abort_msg("%s %u %u", action_name(kind), a.a, a.b);
	}
}

static void check_each(struct machine *m, const struct action *list, u32 nr)
{
	for (u32 kind = 0; kind < ACTION_NR; kind++)
		if (allowed & 1u << kind)
			check_kind(m, kind, list, nr);
}

static void check_by_actor(struct machine *m, const struct action *list, u32 nr)
{
	struct action some[ACTIONS_MAX];
	u32 seen = 0, n;

	for (u32 i = 0; i < machine_nr_actors(m); i++) {
		n = machine_actions_of(m, (struct actor){ i, IDX_NONE }, allowed,
				       some);
		ck_assert_uint_le(seen + n, nr);
		ck_assert_mem_eq(some, &list[seen], n * sizeof(*some));
		seen += n;
	}
	ck_assert_uint_eq(seen, nr);
}

static u32 place_of(const struct action *list, u32 nr, const struct action *a)
{
	u32 k = 0;

	while (k < nr && memcmp(&list[k], a, sizeof(*a)) != 0)
		k++;
	ck_assert_uint_lt(k, nr);
	return k;
}

/* What begins on a pCPU is listed for that one only, all else for each. */
static void check_by_pcpu(struct machine *m, const struct action *list, u32 nr)
{
	u32 found[ACTIONS_MAX] = { 0 }, n;
	struct action some[ACTIONS_MAX];

	for (u32 i = 0; i < 3 * machine_nr_actors(m); i++) {
		n = machine_actions_of(m, (struct actor){ i / 3, i % 3 },
				       allowed, some);
		while (n--)
			found[place_of(list, nr, &some[n])]++;
	}
	for (u32 k = 0; k < nr; k++)
		ck_assert_uint_eq(found[k], list[k].kind != ACTION_INTERRUPT &&
				  action_operand(list[k].kind, true) ==
				  OPERAND_PCPU ? 1 : 3);
}

START_TEST(lists_agree_however_they_are_cut)
{
	struct action list[ACTIONS_MAX];
	struct machine *m = make((u64)_i);
	struct finding finding;
	struct rng rng;
	u32 nr;

	rng_init(&rng, (u64)_i, 1, 0);
	for (u32 i = 0; i < STEPS; i++) {
		nr = machine_actions(m, allowed, list);
		check_each(m, list, nr);
		check_by_actor(m, list, nr);
		check_by_pcpu(m, list, nr);
		machine_act(m, &list[rng_below(&rng, nr)]);
		machine_take_finding(m, &finding);
	}
	machine_destroy(m);
}
END_TEST

START_TEST(a_pcpu_has_the_thread_that_is_on_it)
{
	struct action in = { ACTION_SCHED_IN, 2, 1 };
	struct action change = { ACTION_CHANGE, 1, 2 };
	struct machine *m = make(0);

	ck_assert_uint_eq(machine_pcpu_task(m, 1), IDX_NONE);
	machine_act(m, &in);
	machine_act(m, &change);
	ck_assert_uint_eq(machine_pcpu_task(m, 0), IDX_NONE);
	ck_assert_uint_eq(machine_pcpu_task(m, 1), 2);
	ck_assert_uint_eq(machine_pcpu_task(m, 2), 4 + 1);
	machine_destroy(m);
}
END_TEST

START_TEST(operands_name_the_largest_machine)
{
	struct action a = {
		ACTION_NR - 1, ACTIONS_VCPUS_MAX + ACTIONS_VMS_MAX - 1,
		ACTIONS_VCPUS_MAX - 1,
	};

	ck_assert_uint_eq(a.kind, ACTION_NR - 1);
	ck_assert_uint_eq(a.a, ACTIONS_VCPUS_MAX + ACTIONS_VMS_MAX - 1);
	ck_assert_uint_eq(a.b, ACTIONS_VCPUS_MAX - 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("actions");
	TCase *t = tcase_create("lists");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, lists_agree_however_they_are_cut, 0, 12);
	tcase_add_test(t, a_pcpu_has_the_thread_that_is_on_it);
	tcase_add_test(t, operands_name_the_largest_machine);
	suite_add_tcase(s, t);
	return suite_main(s);
}
