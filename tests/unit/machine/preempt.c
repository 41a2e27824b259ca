/*
 * Preemption: a section with preemption off is finished on its pCPU whatever
 * the schedule says, and what the slice had no room for is overrun; without
 * one, a plan is cut where the switch falls and goes on elsewhere.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/world.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define FLUSHES 20u

/* Twenty flushes of which the operand tells them apart. */
static void twenty(const struct policy_event *e, struct plan *p)
{
	(void)e;
	for (u32 i = 0; i < FLUSHES; i++)
		plan_flush(p, PLAN_INVVPID_SINGLE, 0);
}

static void twenty_in_a_section(const struct policy_event *e, struct plan *p)
{
	plan_preempt_off(p);
	twenty(e, p);
	plan_preempt_on(p);
}

static const struct flush_policy_ops open_plan = {
	.name = "open", .brief = "a long preemptible plan", .request = twenty,
};
static const struct flush_policy_ops section = {
	.name = "section", .brief = "a long plan, preemption off",
	.request = twenty_in_a_section,
};
static const struct flush_policy_ops at_load = {
	.name = "at-load", .brief = "a long plan at load", .vcpu_load = twenty,
};
static const struct flush_policy_ops at_put = {
	.name = "at-put", .brief = "a long plan at put", .vcpu_put = twenty,
};

struct scene {
	struct fixture f;
	struct recording rec;
	struct machine *m;
};

static void scene_init(struct scene *s, const struct flush_policy_ops *ops)
{
	memset(s, 0, sizeof(*s));
	fixture_init(&s->f, 2, 1, 2);
	fixture_quiet(&s->f);
	fixture_ops(&s->f, ops);
	s->f.config.access_model = ACCESS_EXACT;
	fixture_record(&s->f, &s->rec, BIT64(PROBE_KIND_NR) - 1);
	s->m = fixture_machine(&s->f);
	s->m->vcpu[0].requests = 1u << REQ_TLB_FLUSH_GUEST;
}

static void scene_release(struct scene *s)
{
	machine_destroy(s->m);
	recording_release(&s->rec);
}

static u32 flushes_on(const struct scene *s, u32 pcpu)
{
	u32 n = 0;

	for (u64 i = 0; i < s->rec.nr; i++)
		n += s->rec.rec[i].kind == PROBE_FLUSH &&
		     s->rec.rec[i].pcpu == pcpu;
	return n;
}

/* vCPU 0 has 1000 cycles on pCPU 0 and then goes on on pCPU 1. */
static void short_stay(struct scene *s)
{
	machine_switch(s->m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(s->m, 1010);
	machine_switch(s->m, 1010, 0, MACHINE_IDLE, IDX_NONE);
	ck_assert_uint_eq(s->m->pcpu[0].preempt_off, 0);
	machine_switch(s->m, 1010, 1, MACHINE_VCPU, 0);
	fixture_run(s->m, 30000);
}

START_TEST(a_plan_with_preemption_on_is_cut_by_the_switch)
{
	struct scene s;

	scene_init(&s, &open_plan);
	short_stay(&s);
	ck_assert_uint_gt(flushes_on(&s, 0), 0);
	ck_assert_uint_gt(flushes_on(&s, 1), 0);
	ck_assert_uint_eq(flushes_on(&s, 0) + flushes_on(&s, 1), FLUSHES);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_PLAN_BEGIN),
			  recording_count(&s.rec, PROBE_PLAN_END));
	scene_release(&s);
}
END_TEST

START_TEST(a_section_is_finished_where_it_began_and_shows_as_overrun)
{
	struct scene s;
	u64 span;

	scene_init(&s, &section);
	short_stay(&s);
	ck_assert_uint_eq(flushes_on(&s, 0), FLUSHES);
	ck_assert_uint_eq(flushes_on(&s, 1), 0);
	ck_assert_uint_gt(machine_stats(s.m)->overrun_cycles, 0);
	/* In the recorded time all the same: nothing is later than the switch. */
	for (u64 i = 0; i < s.rec.nr; i++)
		if (s.rec.rec[i].pcpu == 0 && s.rec.rec[i].vcpu == 0)
			ck_assert_uint_le(s.rec.rec[i].time, 1010);
	span = recording_find(&s.rec, 0, PROBE_SPAN);
	while (span < s.rec.nr && s.rec.rec[span].vcpu != 0)
		span = recording_find(&s.rec, span + 1, PROBE_SPAN);
	ck_assert_uint_lt(span, s.rec.nr);
	ck_assert_uint_eq(s.rec.rec[span].b, machine_stats(s.m)->overrun_cycles);
	scene_release(&s);
}
END_TEST

START_TEST(load_and_put_are_sections)
{
	struct scene s;

	scene_init(&s, _i ? &at_put : &at_load);
	s.m->vcpu[0].requests = 0;
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(s.m, 300);
	machine_switch(s.m, 300, 0, MACHINE_VCPU, 1);
	ck_assert_uint_ge(flushes_on(&s, 0), FLUSHES);
	ck_assert_uint_lt(recording_find(&s.rec, 0, PROBE_PLAN_END),
			  recording_find(&s.rec, 0, PROBE_PUT));
	ck_assert_uint_gt(machine_stats(s.m)->overrun_cycles, 0);
	scene_release(&s);
}
END_TEST

START_TEST(other_pcpus_act_inside_a_section)
{
	struct scene s;
	u64 from, to, inside = 0;

	scene_init(&s, &section);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(s.m, 400);
	machine_switch(s.m, 400, 1, MACHINE_VCPU, 1);
	fixture_run(s.m, 30000);
	from = recording_find(&s.rec, 0, PROBE_PLAN_BEGIN);
	to = recording_find(&s.rec, from, PROBE_PLAN_END);
	ck_assert_uint_lt(to, s.rec.nr);
	for (u64 i = from; i < to; i++)
		inside += s.rec.rec[i].pcpu == 1;
	ck_assert_uint_gt(inside, 2);
	scene_release(&s);
}
END_TEST

/* A load runs on top of what was cut: first its plan, then the rest. */
START_TEST(what_was_cut_goes_on_after_the_load)
{
	static const struct flush_policy_ops both = {
		.name = "both", .brief = "plans at load and at requests",
		.vcpu_load = twenty, .request = twenty,
	};
	struct scene s;
	u64 load;

	scene_init(&s, &both);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	/* Behind the load's flushes and the first of the request's. */
	while (s.m->task[0].loading || !s.m->task[0].plan.next)
		ck_assert_uint_ne(fixture_step(s.m, TIME_NEVER), IDX_NONE);
	load = s.m->task_time[0].clock;
	machine_switch(s.m, load, 0, MACHINE_IDLE, IDX_NONE);
	ck_assert_uint_lt(s.m->task[0].plan.next, s.m->task[0].plan.nr);
	s.rec.nr = 0;
	machine_switch(s.m, load, 1, MACHINE_VCPU, 0);
	while (s.m->task[0].loading)
		ck_assert_uint_ne(fixture_step(s.m, TIME_NEVER), IDX_NONE);
	ck_assert_uint_eq(flushes_on(&s, 1), FLUSHES);
	ck_assert_uint_lt(s.m->task[0].plan.next, s.m->task[0].plan.nr);
	fixture_run(s.m, load + 30000);
	ck_assert_uint_gt(flushes_on(&s, 1), FLUSHES);
	ck_assert_uint_eq(s.m->task[0].plan.next, s.m->task[0].plan.nr);
	scene_release(&s);
}
END_TEST

START_TEST(a_migration_clears_the_vmcs_where_it_was)
{
	struct scene s;
	u64 ipi, load;

	scene_init(&s, &at_load);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(s.m, 9000);
	machine_switch(s.m, 9000, 0, MACHINE_IDLE, IDX_NONE);
	s.rec.nr = 0;
	machine_switch(s.m, 9000, 1, MACHINE_VCPU, 0);
	fixture_run(s.m, 20000);
	ipi = recording_find(&s.rec, 0, PROBE_IPI);
	load = recording_find(&s.rec, 0, PROBE_LOAD);
	ck_assert(ipi < load && load < s.rec.nr);
	ck_assert_uint_eq(s.rec.rec[ipi].pcpu, 1);
	ck_assert_uint_eq(s.rec.rec[ipi].a, 0);
	ck_assert_uint_eq(s.rec.rec[load].a, 1);
	ck_assert_uint_lt(recording_find(&s.rec, 0, PROBE_IPI_ACK), load);
	/* Back on the same pCPU there is nothing to clear. */
	machine_switch(s.m, 20000, 1, MACHINE_IDLE, IDX_NONE);
	s.rec.nr = 0;
	machine_switch(s.m, 20000, 1, MACHINE_VCPU, 0);
	fixture_run(s.m, 30000);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI), 0);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_LOAD), 1);
	scene_release(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("preempt");
	TCase *t = tcase_create("sections");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_plan_with_preemption_on_is_cut_by_the_switch);
	tcase_add_test(t, a_section_is_finished_where_it_began_and_shows_as_overrun);
	tcase_add_loop_test(t, load_and_put_are_sections, 0, 2);
	tcase_add_test(t, other_pcpus_act_inside_a_section);
	tcase_add_test(t, what_was_cut_goes_on_after_the_load);
	tcase_add_test(t, a_migration_clears_the_vmcs_where_it_was);
	suite_add_tcase(s, t);
	return suite_main(s);
}
