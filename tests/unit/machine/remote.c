/*
 * kvm_flush_remote_tlbs: what is written, who is kicked, what the return
 * means.  The judge reads records only: when a flush returns, every vCPU that
 * was in the guest has left it, and none comes back without flushing first.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/world.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define SEEN	(BIT64(PROBE_CONTEXT) | BIT64(PROBE_CONTEXT_END) |	\
		 BIT64(PROBE_OBLIGE) | BIT64(PROBE_ACK) |		\
		 BIT64(PROBE_WRITE) | BIT64(PROBE_FLUSH) |		\
		 BIT64(PROBE_IPI) | BIT64(PROBE_IPI_ACK) |		\
		 BIT64(PROBE_EXIT) | BIT64(PROBE_ENTRY) | BIT64(PROBE_PUT))

/* What the judge knows; positions in the recording, 0 for never. */
struct judge {
	u64 flushed[16][64];		/* [pCPU][frame]: last INVEPT there */
	u64 oblige[16];			/* [VM]: of the change under way */
	u64 acked[16];			/* [VM]: OBLIGE of the last returned */
	u32 pcpu[64];			/* [vCPU]: where in the guest, or NONE */
	u32 frame[64];
	u32 in_guest[64];		/* [vCPU]: was there at OBLIGE */
	u64 returned;
};

static void judge_flush(struct judge *j, const struct probe_rec *r, u64 at)
{
	for (u32 fr = 0; fr < 64; fr++)
		if (r->op == FLUSH_INVEPT_GLOBAL ||
		    (r->op == FLUSH_INVEPT_SINGLE && r->frame == fr))
			j->flushed[r->pcpu][fr] = at;
}

static void clean_since(const struct judge *j, u32 vcpu, u64 since,
			const char *when)
{
	ck_assert_msg(j->flushed[j->pcpu[vcpu]][j->frame[vcpu]] >= since,
		      "%s: vCPU %u is in the guest on pCPU %u without a flush",
		      when, vcpu, j->pcpu[vcpu]);
}

static void judge_record(struct judge *j, const struct fixture *f,
			 const struct probe_rec *r, u64 at)
{
	switch (r->kind) {
	case PROBE_FLUSH:
		judge_flush(j, r, at);
		break;
	case PROBE_CONTEXT:
		j->pcpu[r->vcpu] = r->pcpu;
		j->frame[r->vcpu] = r->frame;
		clean_since(j, r->vcpu, j->acked[r->vm], "entry after the return");
		break;
	case PROBE_CONTEXT_END:
		j->pcpu[r->vcpu] = IDX_NONE;
		j->in_guest[r->vcpu] = 0;
		break;
	case PROBE_OBLIGE:
		j->oblige[r->vm] = at;
		for (u32 v = 0; v < f->config.nr_vcpus; v++)
			if (f->vm_of_vcpu[v] == r->vm)
				j->in_guest[v] = j->pcpu[v] != IDX_NONE;
		break;
	case PROBE_ACK:
		j->returned++;
		j->acked[r->vm] = j->oblige[r->vm];
		for (u32 v = 0; v < f->config.nr_vcpus; v++) {
			if (f->vm_of_vcpu[v] != r->vm)
				continue;
			ck_assert_msg(!j->in_guest[v],
				      "vCPU %u was in the guest all the time", v);
			if (j->pcpu[v] != IDX_NONE)
				clean_since(j, v, j->acked[r->vm], "return");
		}
		break;
	default:
		break;
	}
}

static u64 judge(const struct fixture *f, const struct recording *rec)
{
	struct judge j = { .returned = 0 };

	memset(j.pcpu, 0xff, sizeof(j.pcpu));
	for (u64 i = 0; i < rec->nr; i++)
		judge_record(&j, f, &rec->rec[i], i + 1);
	return j.returned;
}

START_TEST(on_random_schedules_a_return_means_what_it_says)
{
	static const char *const policy[] = { "global-flush", "active-roots",
					      "always" };
	struct run_result *r = calloc(1, sizeof(*r));
	struct recording rec = { 0 };
	struct fixture f;

	ck_assert_ptr_nonnull(r);
	for (u64 seed = 1; seed <= fixture_seeds(10, 100); seed++) {
		fixture_init(&f, 4, 2, 3);
		fixture_policy(&f, policy[_i]);
		fixture_record(&f, &rec, SEEN);
		f.config.access_model = ACCESS_EXACT;
		f.config.seed = seed;
		f.workload.strict_by = seed % 2;
		fixture_schedule(&f, seed, 2000000, seed % 3 ? 50000 : 4000);
		if (seed % 4 == 3)
			fixture_brackets(&f, seed, 50000);
		rec.nr = 0;
		fixture_play(&f, r);
		ck_assert_uint_gt(judge(&f, &rec), 5);
		fixture_release(&f);
	}
	recording_release(&rec);
	free(r);
}
END_TEST

/* --- one change at a chosen moment --- */

struct scene {
	struct fixture f;
	struct recording rec;
	struct machine *m;
};

/* One VM, a vCPU per pCPU, and a pCPU more on which nothing runs. */
static void scene_init(struct scene *s, u32 vcpus, u32 strict_by)
{
	memset(s, 0, sizeof(*s));
	fixture_init(&s->f, vcpus + 1, 1, vcpus);
	fixture_quiet(&s->f);
	s->f.workload.strict_per_s = 1e-6;
	s->f.workload.strict_by = strict_by;
	s->f.config.access_model = ACCESS_EXACT;
	fixture_record(&s->f, &s->rec, SEEN);
	s->m = fixture_machine(&s->f);
}

static void scene_release(struct scene *s)
{
	machine_destroy(s->m);
	recording_release(&s->rec);
}

/* The host thread of the VM has its moment at a time of the test's choice. */
static void change_at(struct scene *s, u64 time)
{
	s->m->task_time[s->f.config.nr_vcpus].next = time;
}

static u32 ipis_to(const struct scene *s, u32 pcpu)
{
	u32 n = 0;

	for (u64 i = 0; i < s->rec.nr; i++)
		n += s->rec.rec[i].kind == PROBE_IPI && s->rec.rec[i].a == pcpu;
	return n;
}

START_TEST(write_obligation_exit_and_return_come_in_this_order)
{
	struct scene s;
	u64 write, oblige, ipi, end, ack, back;

	scene_init(&s, 2, STRICT_BY_HOST);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	machine_switch(s.m, 10, 1, MACHINE_VCPU, 1);
	fixture_run(s.m, 20000);
	s.rec.nr = 0;
	change_at(&s, 20000);
	fixture_run(s.m, 60000);

	write = recording_find(&s.rec, 0, PROBE_WRITE);
	oblige = recording_find(&s.rec, 0, PROBE_OBLIGE);
	ipi = recording_find(&s.rec, 0, PROBE_IPI);
	end = recording_find(&s.rec, 0, PROBE_CONTEXT_END);
	ack = recording_find(&s.rec, 0, PROBE_ACK);
	back = recording_find(&s.rec, ack, PROBE_CONTEXT);
	ck_assert(write < oblige && oblige < ipi && ipi < end && end < ack);
	ck_assert_uint_lt(back, s.rec.nr);
	ck_assert_uint_eq(s.rec.rec[write].cls, WRITE_STRICT);
	ck_assert_uint_eq(s.rec.rec[write].a, s.rec.rec[write].b + 1);
	ck_assert_uint_eq(s.rec.rec[oblige].id, s.rec.rec[ack].id);
	ck_assert_uint_eq(s.rec.rec[oblige].page, s.rec.rec[ack].page);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI), 2);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI_ACK), 2);
	ck_assert_uint_eq(ipis_to(&s, 0), 1);
	ck_assert_uint_eq(ipis_to(&s, 1), 1);
	scene_release(&s);
}
END_TEST

START_TEST(who_is_outside_the_guest_is_not_kicked)
{
	struct scene s;

	scene_init(&s, 3, STRICT_BY_HOST);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	machine_switch(s.m, 10, 1, MACHINE_VCPU, 1);
	machine_switch(s.m, 10, 2, MACHINE_VCPU, 2);
	fixture_run(s.m, 20000);
	/* 1 is with its monitor, 2 is not running, 0 is in the guest. */
	machine_set_run(s.m, 20000, 1, false);
	machine_switch(s.m, 20000, 2, MACHINE_IDLE, IDX_NONE);
	s.rec.nr = 0;
	change_at(&s, 20000);
	fixture_run(s.m, 60000);
	ck_assert_uint_eq(ipis_to(&s, 0), 1);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI), 1);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ACK), 1);
	/* Their obligation is the bit, for their next entry. */
	ck_assert(s.m->vcpu[1].requests & (1u << REQ_TLB_FLUSH));
	ck_assert(s.m->vcpu[2].requests & (1u << REQ_TLB_FLUSH));
	ck_assert_uint_eq(s.m->vcpu[0].requests, 0);
	scene_release(&s);
}
END_TEST

START_TEST(a_vcpu_that_makes_the_change_gets_only_the_bit)
{
	struct scene s;
	u64 ack, flush, entry;

	scene_init(&s, 1, STRICT_BY_VCPU);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(s.m, 20000);
	s.rec.nr = 0;
	change_at(&s, 20000);
	fixture_run(s.m, 60000);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI), 0);
	ack = recording_find(&s.rec, 0, PROBE_ACK);
	flush = recording_find(&s.rec, ack, PROBE_FLUSH);
	entry = recording_find(&s.rec, ack, PROBE_ENTRY);
	ck_assert(ack < flush && flush < entry && entry < s.rec.nr);
	ck_assert_uint_eq(s.rec.rec[flush].op, FLUSH_INVEPT_GLOBAL);
	scene_release(&s);
}
END_TEST

START_TEST(a_vcpu_pays_for_the_change_it_makes)
{
	struct scene s;

	scene_init(&s, 2, STRICT_BY_VCPU);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	machine_switch(s.m, 10, 1, MACHINE_VCPU, 1);
	fixture_run(s.m, 20000);
	s.rec.nr = 0;
	change_at(&s, 20000);
	fixture_run(s.m, 60000);
	ck_assert_uint_eq(s.rec.rec[recording_find(&s.rec, 0, PROBE_WRITE)].vcpu,
			  0);
	ck_assert_uint_eq(ipis_to(&s, 1), 1);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI), 1);
	machine_finish(s.m, 60000);
	ck_assert_uint_eq(machine_stats(s.m)->charged[COST_SPTE_WRITE], 1);
	ck_assert_uint_gt(machine_stats(s.m)->cycles[CYC_IPI], 0);
	scene_release(&s);
}
END_TEST

/*
 * Every distance between an entry and a change: the kick may fall before the
 * request is looked at, between mode = IN_GUEST_MODE and the VM entry, or
 * after it; it must never be lost.  The vCPU that makes the change has the
 * lower number, so that the other one is met in the middle of its entry.
 */
START_TEST(a_kick_is_not_lost_whenever_it_comes)
{
	struct scene s;
	void *start;

	scene_init(&s, 2, (u32)_i);
	start = malloc(machine_bytes(s.m));
	ck_assert_ptr_nonnull(start);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	/* Lets 1 know the root, so that its entry is short. */
	machine_switch(s.m, 10, 1, MACHINE_VCPU, 1);
	fixture_run(s.m, 20000);
	machine_switch(s.m, 20000, 1, MACHINE_IDLE, IDX_NONE);
	machine_save(s.m, start);
	for (u64 at = 20100; at < 22500; at++) {
		machine_restore(s.m, start);
		s.rec.nr = 0;
		change_at(&s, 21500);
		fixture_run(s.m, at);
		machine_switch(s.m, at, 1, MACHINE_VCPU, 1);
		fixture_run(s.m, 40000);
		ck_assert_uint_eq(judge(&s.f, &s.rec), 1);
		ck_assert_uint_eq(s.m->vcpu[1].requests, 0);
		ck_assert_uint_eq(s.m->vcpu[1].mode, IN_GUEST_MODE);
	}
	free(start);
	scene_release(&s);
}
END_TEST

/*
 * The same between every two micro-steps, time aside: stop the entering vCPU
 * after its n-th step and do to it what the flusher does.
 */
START_TEST(a_request_between_any_two_steps_of_an_entry_is_served_first)
{
	bool entered = false;

	for (u32 n = 0; !entered; n++) {
		struct scene s;
		u32 mode;

		scene_init(&s, 1, STRICT_BY_HOST);
		machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
		for (u32 k = 0; k < n; k++)
			ck_assert_uint_eq(fixture_step(s.m, TIME_NEVER), 0);
		entered = s.m->task[0].step == STEP_GUEST &&
			  !s.m->task[0].loading;
		s.rec.nr = 0;
		s.m->vcpu[0].requests |= 1u << REQ_TLB_FLUSH;
		mode = s.m->vcpu[0].mode;
		ck_assert_uint_eq(mode == IN_GUEST_MODE,
				  s.m->task[0].step >= STEP_RECHECK &&
				  s.m->task[0].step <= STEP_GUEST &&
				  !s.m->task[0].loading);
		if (mode == IN_GUEST_MODE)
			s.m->vcpu[0].mode = EXITING_GUEST_MODE;
		if (!entered && s.m->task[0].step != STEP_ENTRY) {
			fixture_run(s.m, 60000);
			ck_assert_uint_lt(recording_find(&s.rec, 0, PROBE_FLUSH),
					  recording_find(&s.rec, 0, PROBE_ENTRY));
			ck_assert_uint_eq(s.m->vcpu[0].requests, 0);
		}
		scene_release(&s);
	}
}
END_TEST

START_TEST(a_change_that_needs_no_flush_kicks_nobody)
{
	struct scene s;

	scene_init(&s, 2, STRICT_BY_HOST);
	s.f.workload.strict_per_s = 0;
	s.f.workload.upgrade_per_s = _i ? 0 : 1e-6;
	s.f.workload.accessed_clear_per_s = _i ? 1e-6 : 0;
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	machine_switch(s.m, 10, 1, MACHINE_VCPU, 1);
	fixture_run(s.m, 20000);
	s.rec.nr = 0;
	change_at(&s, 20000);
	fixture_run(s.m, 60000);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_WRITE), 1);
	ck_assert_uint_eq(s.rec.rec[0].cls, _i ? WRITE_ACCESSED : WRITE_UPGRADE);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_OBLIGE), 0);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI), 0);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_FLUSH), 0);
	scene_release(&s);
}
END_TEST

/* At whatever moment: what it has begun it has finished, by then. */
START_TEST(a_flusher_that_is_switched_out_has_returned_by_then)
{
	struct scene s;
	void *begin;

	scene_init(&s, 2, STRICT_BY_VCPU);
	begin = malloc(machine_bytes(s.m));
	ck_assert_ptr_nonnull(begin);
	machine_switch(s.m, 10, 0, MACHINE_VCPU, 0);
	machine_switch(s.m, 10, 1, MACHINE_VCPU, 1);
	fixture_run(s.m, 20000);
	machine_save(s.m, begin);
	for (u64 at = 20001; at < 21500; at += 7) {
		machine_restore(s.m, begin);
		s.rec.nr = 0;
		change_at(&s, 20000);
		fixture_run(s.m, at);
		machine_switch(s.m, at, 0, MACHINE_IDLE, IDX_NONE);
		ck_assert(!s.m->task[0].waiting);
		ck_assert_uint_eq(s.m->pcpu[0].preempt_off, 0);
		ck_assert_uint_eq(recording_count(&s.rec, PROBE_IPI_ACK),
				  recording_count(&s.rec, PROBE_IPI));
		for (u64 i = 0; i < s.rec.nr; i++)
			if (s.rec.rec[i].pcpu == 0)
				ck_assert_uint_le(s.rec.rec[i].time, at);
		/* Whoever was asked, the change is made in the end. */
		fixture_run(s.m, 40000);
		ck_assert_uint_le(judge(&s.f, &s.rec), 1);
		machine_switch(s.m, 40000, 0, MACHINE_VCPU, 0);
		fixture_run(s.m, 60000);
		ck_assert_uint_eq(judge(&s.f, &s.rec), 1);
	}
	free(begin);
	scene_release(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("remote");
	TCase *t = tcase_create("remote flush");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, on_random_schedules_a_return_means_what_it_says,
			    0, 3);
	tcase_add_test(t, write_obligation_exit_and_return_come_in_this_order);
	tcase_add_test(t, who_is_outside_the_guest_is_not_kicked);
	tcase_add_test(t, a_vcpu_that_makes_the_change_gets_only_the_bit);
	tcase_add_test(t, a_vcpu_pays_for_the_change_it_makes);
	tcase_add_loop_test(t, a_kick_is_not_lost_whenever_it_comes, 0, 2);
	tcase_add_test(t,
		       a_request_between_any_two_steps_of_an_entry_is_served_first);
	tcase_add_loop_test(t, a_change_that_needs_no_flush_kicks_nobody, 0, 2);
	tcase_add_test(t, a_flusher_that_is_switched_out_has_returned_by_then);
	suite_add_tcase(s, t);
	return suite_main(s);
}
