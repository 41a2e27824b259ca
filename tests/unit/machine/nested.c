/*
 * Nested transitions: two VMCSs that remember each for itself where they were
 * loaded, two MMUs whose roots stay cached, two VPIDs.
 */
#include <check.h>
#include <string.h>

#include "sim/machine/world.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define SEEN	(BIT64(PROBE_NESTED) | BIT64(PROBE_LOAD) |		\
		 BIT64(PROBE_CONTEXT) | BIT64(PROBE_ROOT_LOAD) |	\
		 BIT64(PROBE_FLUSH) | BIT64(PROBE_IPI) |		\
		 BIT64(PROBE_GUEST_FLUSH))

struct scene {
	struct fixture f;
	struct recording rec;
	struct machine *m;
	u64 now;
};

static void scene_init(struct scene *s, u32 epts, const char *policy)
{
	memset(s, 0, sizeof(*s));
	fixture_init(&s->f, 2, 1, 1);
	fixture_quiet(&s->f);
	fixture_policy(&s->f, policy);
	s->f.config.access_model = ACCESS_EXACT;
	s->f.workload.nested_per_s = 1e-6;
	s->f.workload.nested_epts = epts;
	fixture_record(&s->f, &s->rec, SEEN);
	s->m = fixture_machine(&s->f);
	s->now = 10;
	machine_switch(s->m, s->now, 0, MACHINE_VCPU, 0);
	fixture_run(s->m, s->now + 9000);
}

static void scene_release(struct scene *s)
{
	machine_destroy(s->m);
	recording_release(&s->rec);
}

/* The vCPU goes into its L2, or out of it, now. */
static void transition(struct scene *s)
{
	s->now += 10000;
	s->m->vcpu_time[0].env_at = s->now;
	s->m->task_time[0].next = s->now;
	s->rec.nr = 0;
	fixture_run(s->m, s->now + 9000);
}

static void move_to(struct scene *s, u32 pcpu)
{
	s->now += 10000;
	s->rec.nr = 0;
	machine_switch(s->m, s->now, s->m->task[0].pcpu, MACHINE_IDLE, IDX_NONE);
	machine_switch(s->m, s->now, pcpu, MACHINE_VCPU, 0);
	fixture_run(s->m, s->now + 9000);
}

static const struct probe_rec *only(const struct scene *s, enum probe_kind kind)
{
	ck_assert_uint_eq(recording_count(&s->rec, kind), 1);
	return &s->rec.rec[recording_find(&s->rec, 0, kind)];
}

START_TEST(l2_runs_under_a_root_and_a_vpid_of_its_own)
{
	const struct probe_rec *r;
	const struct vcpu *v;
	struct scene s;
	u32 l1;

	scene_init(&s, (u32)_i, "global-flush");
	v = &s.m->vcpu[0];
	l1 = v->mmu[0].root;
	transition(&s);
	r = only(&s, PROBE_NESTED);
	ck_assert_uint_eq(r->view, VIEW_L2);
	ck_assert_uint_eq(r->a, 1);
	r = only(&s, PROBE_CONTEXT);
	ck_assert_uint_eq(r->view, VIEW_L2);
	ck_assert_uint_eq(r->vpid, 2);
	ck_assert_uint_ne(r->root, l1);
	ck_assert_uint_eq(v->loaded, VMCS02);
	/* An EPT of L1 is shadowed in guest_mmu, and root_mmu stays as it was. */
	ck_assert_uint_eq(v->mmu[0].root, _i ? l1 : r->root);
	ck_assert_uint_eq(v->mmu[1].root, _i ? r->root : IDX_NONE);
	ck_assert_uint_eq(v->mmu[0].prev[0], _i ? IDX_NONE : l1);
	scene_release(&s);
}
END_TEST

START_TEST(roots_seen_before_come_back_without_load_and_flush)
{
	struct scene s;

	scene_init(&s, (u32)_i, "global-flush");
	transition(&s);
	for (u32 k = 0; k < 6; k++) {
		transition(&s);
		only(&s, PROBE_NESTED);
		only(&s, PROBE_CONTEXT);
		ck_assert_uint_eq(recording_count(&s.rec, PROBE_FLUSH), 0);
		ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_LOAD), 0);
		ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI), 0);
	}
	scene_release(&s);
}
END_TEST

START_TEST(several_epts_share_guest_mmu)
{
	u32 seen[2] = { IDX_NONE, IDX_NONE };
	struct scene s;

	scene_init(&s, 2, "global-flush");
	for (u32 k = 0; k < 40; k++) {
		const struct vcpu *v = &s.m->vcpu[0];

		transition(&s);
		if (v->role >= ROLE_EPT12)
			seen[v->role - ROLE_EPT12] = v->mmu[1].root;
	}
	ck_assert_uint_ne(seen[0], IDX_NONE);
	ck_assert_uint_ne(seen[1], IDX_NONE);
	ck_assert_uint_ne(seen[0], seen[1]);
	ck_assert(s.m->vcpu[0].mmu[1].prev[0] == seen[0] ||
		  s.m->vcpu[0].mmu[1].prev[0] == seen[1]);
	scene_release(&s);
}
END_TEST

/* Hazard H: L1 comes back to where it was and nobody says it has moved. */
START_TEST(a_vmcs_that_was_not_loaded_elsewhere_has_not_migrated)
{
	struct scene s;

	scene_init(&s, 1, "global-flush");
	transition(&s);
	move_to(&s, 1);
	ck_assert_uint_eq(only(&s, PROBE_LOAD)->a, 1);
	move_to(&s, 0);
	ck_assert_uint_eq(only(&s, PROBE_LOAD)->a, 1);
	transition(&s);
	ck_assert_uint_eq(only(&s, PROBE_NESTED)->a, 0);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_FLUSH), 0);
	scene_release(&s);
}
END_TEST

START_TEST(a_vmcs_left_behind_is_fetched_and_has_migrated)
{
	const struct probe_rec *r;
	struct scene s;

	scene_init(&s, 1, "global-flush");
	transition(&s);
	move_to(&s, 1);
	transition(&s);
	r = only(&s, PROBE_NESTED);
	ck_assert_uint_eq(r->a, 1);
	ck_assert_uint_eq(r->view, VIEW_L1);
	r = only(&s, PROBE_IPI);
	ck_assert_uint_eq(r->cause, CAUSE_NESTED);
	ck_assert_uint_eq(r->a, 0);
	r = only(&s, PROBE_FLUSH);
	ck_assert_uint_eq(r->op, FLUSH_INVEPT_GLOBAL);
	ck_assert_uint_eq(r->cause, CAUSE_NESTED);
	scene_release(&s);
}
END_TEST

START_TEST(a_request_is_served_in_the_context_that_raised_it)
{
	struct scene s;
	u64 flush;

	scene_init(&s, 1, "global-flush");
	transition(&s);
	s.m->vcpu[0].requests |= 1u << REQ_TLB_FLUSH_GUEST;
	transition(&s);
	flush = recording_find(&s.rec, 0, PROBE_FLUSH);
	ck_assert_uint_lt(flush, recording_find(&s.rec, 0, PROBE_NESTED));
	ck_assert_uint_eq(only(&s, PROBE_FLUSH)->vpid, 2);
	scene_release(&s);
}
END_TEST

START_TEST(a_targeted_migration_covers_both_mmus_and_both_vpids)
{
	u32 roots[2], seen = 0;
	struct scene s;

	scene_init(&s, 1, "per-root-mask-clear");
	transition(&s);
	roots[0] = s.m->vcpu[0].mmu[0].root;
	roots[1] = s.m->vcpu[0].mmu[1].root;
	move_to(&s, 1);
	for (u64 i = 0; i < s.rec.nr; i++) {
		const struct probe_rec *r = &s.rec.rec[i];

		if (r->kind != PROBE_FLUSH)
			continue;
		if (r->op == FLUSH_INVVPID_SINGLE)
			seen |= 1u << r->vpid;
		for (u32 k = 0; k < 2; k++)
			if (r->op == FLUSH_INVEPT_SINGLE && r->root == roots[k])
				seen |= 8u << k;
	}
	ck_assert_uint_eq(seen, 1u << 1 | 1u << 2 | 8u | 16u);
	scene_release(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("nested");
	TCase *t = tcase_create("transitions");

	tcase_add_loop_test(t, l2_runs_under_a_root_and_a_vpid_of_its_own, 0, 2);
	tcase_add_loop_test(t, roots_seen_before_come_back_without_load_and_flush,
			    0, 2);
	tcase_add_test(t, several_epts_share_guest_mmu);
	tcase_add_test(t, a_vmcs_that_was_not_loaded_elsewhere_has_not_migrated);
	tcase_add_test(t, a_vmcs_left_behind_is_fetched_and_has_migrated);
	tcase_add_test(t, a_request_is_served_in_the_context_that_raised_it);
	tcase_add_test(t, a_targeted_migration_covers_both_mmus_and_both_vpids);
	suite_add_tcase(s, t);
	return suite_main(s);
}
