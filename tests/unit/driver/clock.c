/*
 * The clock driver: always whose time has come, nothing else.  What it plays
 * is what a plain search for the next actor plays.
 */
#include "sim/driver/clock.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/fixture.h"
#include "tests/suite.h"

static struct run_result *result_new(void)
{
	struct run_result *r = calloc(1, sizeof(*r));

	ck_assert_ptr_nonnull(r);
	return r;
}

/* The schedule by hand, one step at a time. */
static void play_plainly(const struct fixture *f, struct run_result *r)
{
	static const enum machine_occupant occupant[] = {
		[SCHEDULE_VCPU] = MACHINE_VCPU, [SCHEDULE_HOST] = MACHINE_HOST,
		[SCHEDULE_IDLE] = MACHINE_IDLE,
		[SCHEDULE_UNKNOWN] = MACHINE_UNKNOWN,
	};
	struct machine *m = fixture_machine(f);

	for (u64 i = 0; i < f->schedule.nr_events; i++) {
		const struct schedule_event *e = &f->schedule.event[i];

		/* At the same moment actors come before the schedule. */
		fixture_run(m, e->ns + 1);
		if (e->what == SCHEDULE_RUN_BEGIN || e->what == SCHEDULE_RUN_END)
			machine_set_run(m, e->ns, e->vcpu,
					e->what == SCHEDULE_RUN_BEGIN);
		else
			machine_switch(m, e->ns, e->pcpu, occupant[e->what],
				       e->vcpu);
	}
	fixture_run(m, f->schedule.duration_ns);
	machine_finish(m, f->schedule.duration_ns);
	machine_collect(m, r);
	machine_destroy(m);
}

START_TEST(it_plays_what_a_plain_search_plays)
{
	struct run_result *a = result_new(), *b = result_new();
	struct fixture f;

	for (u64 seed = 1; seed <= 5; seed++) {
		fixture_init(&f, 3, 2, 2);
		fixture_policy(&f, flush_policy_get((u32)_i)->name);
		f.config.access_model = ACCESS_EXACT;
		f.config.seed = seed;
		f.workload.strict_by = seed % 2;
		if (f.policy.ops->needs_hypercall || seed == 3)
			fixture_hyperv(&f);
		fixture_schedule(&f, seed, 1000000, 30000);
		if (seed % 2)
			fixture_brackets(&f, seed, 50000);
		fixture_play(&f, a);
		play_plainly(&f, b);
		ck_assert_mem_eq(a->stats.cycles, b->stats.cycles,
				 sizeof(a->stats.cycles));
		ck_assert_mem_eq(a->stats.charged, b->stats.charged,
				 sizeof(a->stats.charged));
		ck_assert_uint_eq(a->stats.overrun_cycles, b->stats.overrun_cycles);
		fixture_release(&f);
	}
	free(a);
	free(b);
}
END_TEST

START_TEST(a_run_lasts_as_long_as_the_schedule)
{
	struct run_result *r = result_new();
	struct fixture f;

	fixture_init(&f, 2, 1, 2);
	fixture_schedule(&f, 1, 700001, 20000);
	fixture_play(&f, r);
	ck_assert(r->completed);
	ck_assert_uint_eq(r->simulated_cycles, 700001);
	ck_assert_str_eq(r->policy, "global-flush");
	ck_assert_uint_gt(r->world_bytes, 0);
	fixture_release(&f);
	free(r);
}
END_TEST

START_TEST(an_empty_schedule_is_unknown_time)
{
	struct run_result *r = result_new();
	struct fixture f;

	fixture_init(&f, 2, 1, 1);
	fixture_quiet(&f);
	f.schedule.nr_pcpus = 2;
	f.schedule.duration_ns = 1000;
	fixture_play(&f, r);
	ck_assert(r->completed);
	ck_assert_uint_eq(r->stats.cycles[CYC_UNKNOWN], 2000);
	free(r);
}
END_TEST

START_TEST(idle_host_and_holes_are_told_apart)
{
	static struct schedule_event event[] = {
		{ .ns = 0, .pcpu = 0, .vcpu = IDX_NONE, .what = SCHEDULE_IDLE },
		{ .ns = 0, .pcpu = 1, .vcpu = IDX_NONE, .what = SCHEDULE_HOST },
		{ .ns = 300, .pcpu = 0, .vcpu = IDX_NONE, .what = SCHEDULE_HOST },
		{ .ns = 600, .pcpu = 1, .vcpu = IDX_NONE,
		  .what = SCHEDULE_UNKNOWN },
	};
	struct run_result *r = result_new();
	struct fixture f;

	fixture_init(&f, 2, 1, 1);
	fixture_quiet(&f);
	f.schedule.event = event;
	f.schedule.nr_events = ARRAY_SIZE(event);
	f.schedule.nr_pcpus = 2;
	f.schedule.duration_ns = 1000;
	fixture_play(&f, r);
	ck_assert_uint_eq(r->stats.cycles[CYC_IDLE], 300);
	ck_assert_uint_eq(r->stats.cycles[CYC_HOST], 700 + 600);
	ck_assert_uint_eq(r->stats.cycles[CYC_UNKNOWN], 400);
	ck_assert_uint_eq(r->stats.cycles[CYC_GUEST], 0);
	free(r);
}
END_TEST

START_TEST(a_thread_outside_kvm_run_is_no_guest)
{
	static struct schedule_event event[] = {
		{ .ns = 0, .pcpu = 0, .vcpu = 0, .what = SCHEDULE_RUN_END },
		{ .ns = 0, .pcpu = 0, .vcpu = 0, .what = SCHEDULE_VCPU },
	};
	struct run_result *r = result_new();
	struct fixture f;

	fixture_init(&f, 1, 1, 1);
	fixture_quiet(&f);
	f.schedule.event = event;
	f.schedule.nr_events = ARRAY_SIZE(event);
	f.schedule.nr_pcpus = 1;
	f.schedule.duration_ns = 50000;
	fixture_play(&f, r);
	ck_assert_uint_eq(r->stats.cycles[CYC_HOST], 50000);
	ck_assert_uint_eq(stats_total(&r->stats, COUNT_VM_ENTRIES), 0);
	ck_assert_uint_eq(stats_total(&r->stats, COUNT_SCHED_INS), 1);
	free(r);
}
END_TEST

START_TEST(it_stops_when_told_to_and_keeps_what_was_done)
{
	static volatile sig_atomic_t stop = 1;
	struct run_result *r = result_new();
	struct fixture f;
	struct err err;
	u64 sum = 0;

	fixture_init(&f, 2, 1, 2);
	fixture_checkers(&f);
	fixture_schedule(&f, 1, 1000000, 20000);
	ck_assert_int_eq(clock_play(&(struct clock_run){
		.config = &f.config, .schedule = &f.schedule, .stop = &stop,
	}, r, &err), 0);
	ck_assert(!r->completed);
	ck_assert_uint_lt(r->simulated_cycles, 1000000);
	for (u32 c = 0; c < CYC_NR; c++)
		sum += r->stats.cycles[c];
	ck_assert_uint_eq(sum, 2 * r->simulated_cycles);
	ck_assert_uint_eq(r->nr_findings, 0);
	fixture_release(&f);
	free(r);
}
END_TEST

START_TEST(it_stops_at_the_first_objection_if_asked)
{
	struct run_result *r = result_new(), *whole = result_new();
	struct fixture f;
	struct err err;

	fixture_init(&f, 3, 2, 2);
	fixture_checkers(&f);
	fixture_policy(&f, "never");
	fixture_schedule(&f, 1, 2000000, 20000);
	fixture_play(&f, whole);
	ck_assert_int_eq(clock_play(&(struct clock_run){
		.config = &f.config, .schedule = &f.schedule,
		.stop_at_finding = true,
	}, r, &err), 0);
	ck_assert(whole->completed && !r->completed);
	ck_assert_uint_gt(r->nr_findings, 0);
	ck_assert_uint_lt(r->nr_findings, whole->nr_findings);
	ck_assert_uint_lt(r->simulated_cycles, whole->simulated_cycles);
	/* The same one that the whole run met first. */
	ck_assert_str_eq(r->finding[0].text, whole->finding[0].text);
	fixture_release(&f);
	free(r);
	free(whole);
}
END_TEST

static void progress(void *arg, u64 done, u64 all)
{
	u64 *last = arg;

	ck_assert_uint_gt(done, *last);
	ck_assert_uint_le(done, all);
	*last = done;
}

START_TEST(progress_grows)
{
	struct run_result *r = result_new();
	struct fixture f;
	struct err err;
	u64 done = 0;

	fixture_init(&f, 4, 1, 4);
	fixture_quiet(&f);
	fixture_schedule(&f, 1, 20000000, 5000);
	ck_assert_int_eq(clock_play(&(struct clock_run){
		.config = &f.config, .schedule = &f.schedule,
		.progress = progress, .progress_arg = &done,
	}, r, &err), 0);
	ck_assert_uint_gt(done, 4096);
	fixture_release(&f);
	free(r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("clock");
	TCase *t = tcase_create("clock");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, it_plays_what_a_plain_search_plays, 0,
			    (int)flush_policy_count());
	tcase_add_test(t, a_run_lasts_as_long_as_the_schedule);
	tcase_add_test(t, an_empty_schedule_is_unknown_time);
	tcase_add_test(t, idle_host_and_holes_are_told_apart);
	tcase_add_test(t, a_thread_outside_kvm_run_is_no_guest);
	tcase_add_test(t, it_stops_when_told_to_and_keeps_what_was_done);
	tcase_add_test(t, it_stops_at_the_first_objection_if_asked);
	tcase_add_test(t, progress_grows);
	suite_add_tcase(s, t);
	return suite_main(s);
}
