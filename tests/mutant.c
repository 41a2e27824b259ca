#include "tests/mutant.h"

#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"

/* libcheck hands a loop test its number and nothing else. */
static const struct flush_policy_ops *origin;
static const struct mutant *table;

/*
 * Small and busy: three pCPUs for four vCPUs of two VMs, so that vCPUs migrate,
 * share pCPUs and come back; few strict changes in every second schedule, since
 * many make everybody flush and hide what a migration left out.
 */
static u32 play(const struct flush_policy_ops *ops, void (*setup)(struct fixture *f),
		u64 seed, struct run_result *r)
{
	struct fixture f;

	fixture_init(&f, 3, 2, 2);
	fixture_checkers(&f);
	f.config.access_model = ACCESS_EXACT;
	f.config.seed = seed;
	f.workload.strict_by = seed % 4 < 2 ? STRICT_BY_HOST : STRICT_BY_VCPU;
	if (seed % 2)
		f.workload.strict_per_s = 1500;
	fixture_ops(&f, ops);
	if (setup)
		setup(&f);
	fixture_schedule(&f, seed, 2500000, 40000);
	fixture_play(&f, r);
	fixture_release(&f);
	return r->found_real | r->found_possible;
}

START_TEST(a_bug_is_caught_with_what_it_breaks)
{
	const struct mutant *m = &table[_i];
	struct run_result *r = calloc(1, sizeof(*r));
	u32 found = 0;

	ck_assert_ptr_nonnull(r);
	for (u64 seed = 1; seed <= MUTANT_SEEDS; seed++) {
		found |= play(&m->ops, m->setup, seed, r);
		if (m->breaks && (found & m->breaks) == m->breaks)
			break;
	}
	ck_assert_msg(m->breaks ? (found & m->breaks) == m->breaks : !found,
		      "%s: found %#x, expected %#x", m->says, found, m->breaks);
	ck_assert_msg(!(found & VERDICT_BIT(0)), "%s: %s", m->says,
		      r->finding[0].text);
	free(r);
}
END_TEST

START_TEST(without_the_bug_there_is_no_objection)
{
	const struct mutant *m = &table[_i];
	struct run_result *r = calloc(1, sizeof(*r));

	ck_assert_ptr_nonnull(r);
	for (u64 seed = 1; seed <= fixture_seeds(8, MUTANT_SEEDS); seed++) {
		play(origin, m->setup, seed, r);
		ck_assert_msg(!r->nr_findings, "%s, seed %lu: %s", r->policy,
			      (unsigned long)seed, r->finding[0].text);
	}
	free(r);
}
END_TEST

void mutant_nothing(const struct policy_event *e, struct plan *p)
{
	(void)e;
	(void)p;
}

void mutant_load_invvpid(const struct policy_event *e, struct plan *p)
{
	if (e->migrated)
		plan_invvpid_both(e, p);
}

void mutant_nested(struct fixture *f)
{
	f->workload.nested_per_s = 15000;
}

void mutant_frame_reuse(struct fixture *f)
{
	f->workload.memslot_delete_per_s = 40000;
	f->workload.nested_per_s = 15000;
}

int mutants_main(const struct flush_policy_ops *sound,
		 const struct mutant *mutants, u32 nr)
{
	Suite *s = suite_create(sound->name);
	TCase *t = tcase_create("mutants");

	origin = sound;
	table = mutants;
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_bug_is_caught_with_what_it_breaks, 0, (int)nr);
	tcase_add_loop_test(t, without_the_bug_there_is_no_objection, 0, (int)nr);
	suite_add_tcase(s, t);
	return suite_main(s);
}
