/* Records in order, beginnings and ends in pairs. */
#include "sim/check/pending.h"
#include "tests/unit/check/stream.h"

static bool plan(struct watch *w, enum probe_kind kind, u64 serial)
{
	struct probe_rec r = rec_of(kind);

	r.pcpu = 1;
	r.b = serial;
	return tell(w, r);
}

static bool ipi(struct watch *w, enum probe_kind kind, u32 pcpu, u32 peer)
{
	struct probe_rec r = rec_of(kind);

	r.pcpu = pcpu;
	r.a = peer;
	return tell(w, r);
}

static bool entry_at(struct watch *w, u32 pcpu, u64 time)
{
	struct probe_rec r = rec_of(PROBE_ENTRY);

	r.pcpu = pcpu;
	r.time = time;
	return tell(w, r);
}

START_TEST(an_orderly_stream_passes)
{
	struct watch w;

	watch_start(&w, &checker_order);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!plan(&w, PROBE_PLAN_BEGIN, 7));
	ck_assert(!zap(&w, 0, 2, 5));
	ck_assert(!plan(&w, PROBE_PLAN_BEGIN, 8));
	ck_assert(!ipi(&w, PROBE_IPI, 0, 1));
	ck_assert(!ipi(&w, PROBE_IPI, 0, 2));
	ck_assert(!plan(&w, PROBE_PLAN_END, 7));
	ck_assert(!ipi(&w, PROBE_IPI_ACK, 2, 0));
	ck_assert(!plan(&w, PROBE_PLAN_END, 8));
	ck_assert(!ipi(&w, PROBE_IPI_ACK, 1, 0));
	ck_assert(!leave(&w, 0));
	watch_end(&w);
}
END_TEST

START_TEST(time_may_stand_still_on_a_pcpu_but_not_run_back)
{
	struct watch w;

	watch_start(&w, &checker_order);
	ck_assert(!entry_at(&w, 0, 100));
	ck_assert(!entry_at(&w, 1, 50));
	ck_assert(!entry_at(&w, 0, 100));
	ck_assert(entry_at(&w, 0, 99));
	ck_assert_str_eq(w.f.text, "time on pCPU 0 runs back: entry at 0.000000099 s comes after a record of 0.000000100 s");
	ck_assert_str_eq(w.f.invariant, "order");
	watch_end(&w);
}
END_TEST

START_TEST(records_about_no_pcpu_have_no_clock)
{
	struct probe_rec r = rec_of(PROBE_WRITE);
	struct watch w;

	watch_start(&w, &checker_order);
	ck_assert(!entry_at(&w, 0, 100));
	r.time = 50;
	ck_assert(!tell(&w, r));
	watch_end(&w);
}
END_TEST

START_TEST(positions_only_increase)
{
	struct probe_rec r = rec_of(PROBE_REQUEST);
	struct watch w;

	watch_start(&w, &checker_order);
	r.seq = 5;
	ck_assert(!w.ops->on_probe(w.state, &w.shape, &r, &w.f));
	ck_assert(w.ops->on_probe(w.state, &w.shape, &r, &w.f));
	ck_assert_str_eq(w.f.text, "record 5 (request) comes after record 5");
	watch_end(&w);
}
END_TEST

START_TEST(flushes_that_return_have_begun)
{
	struct watch w;

	watch_start(&w, &checker_order);
	ck_assert(!obligation(&w, PROBE_OBLIGE, 0, 2, 4));
	ck_assert(!obligation(&w, PROBE_OBLIGE, 0, 2, 5));
	ck_assert(!obligation(&w, PROBE_ACK, 0, 2, 5));
	ck_assert(!obligation(&w, PROBE_ACK, 0, 2, 4));
	ck_assert(obligation(&w, PROBE_ACK, 0, 2, 4));
	ck_assert_str_eq(w.f.text, "flush 4 of page 2 of VM 0 returned without having begun");
	obligation(&w, PROBE_OBLIGE, 1, 2, 6);
	ck_assert(obligation(&w, PROBE_ACK, 1, 2, 9));
	ck_assert_str_eq(w.f.text, "the flush of page 2 of VM 1 that returned as number 9 had begun under another number");
	watch_end(&w);
}
END_TEST

START_TEST(plans_that_end_have_begun_once)
{
	struct watch w;

	watch_start(&w, &checker_order);
	ck_assert(plan(&w, PROBE_PLAN_END, 7));
	ck_assert_str_eq(w.f.text, "plan 7 ended on pCPU 1 without having begun");
	ck_assert(!plan(&w, PROBE_PLAN_BEGIN, 7));
	ck_assert(plan(&w, PROBE_PLAN_BEGIN, 7));
	ck_assert(!plan(&w, PROBE_PLAN_END, 7));
	ck_assert(plan(&w, PROBE_PLAN_END, 7));
	watch_end(&w);
}
END_TEST

START_TEST(interrupts_that_are_acknowledged_were_sent)
{
	struct watch w;

	watch_start(&w, &checker_order);
	ck_assert(!ipi(&w, PROBE_IPI, 0, 1));
	ck_assert(ipi(&w, PROBE_IPI_ACK, 2, 0));
	ck_assert_str_eq(w.f.text, "pCPU 2 acknowledged an interrupt that pCPU 0 has not sent");
	ck_assert(!ipi(&w, PROBE_IPI_ACK, 1, 0));
	ck_assert(ipi(&w, PROBE_IPI_ACK, 1, 0));
	watch_end(&w);
}
END_TEST

START_TEST(a_pool_of_things_under_way_can_be_used_up_and_used_again)
{
	enum { NR = 9 };
	struct arena_layout l = { 0 };
	struct pending_item it;
	struct pending *p;
	struct err err;

	arena_reserve(&l, 1, pending_bytes(NR));
	p = arena_create(&l, "pool", &err);
	ck_assert_ptr_nonnull(p);
	pending_init(p, NR);
	for (u32 round = 0; round < 3; round++) {
		for (u32 i = 0; i < NR; i++)
			pending_add(p, round, i)->a = i;
		ck_assert_ptr_null(pending_add(p, round, NR));
		ck_assert_ptr_null(pending_add(p, round, 0));
		for (u32 i = NR; i-- > 0; ) {
			ck_assert(pending_take(p, round, i, &it));
			ck_assert_uint_eq(it.a, i);
			ck_assert(!pending_take(p, round, i, &it));
		}
	}
	arena_destroy(p);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		an_orderly_stream_passes,
		time_may_stand_still_on_a_pcpu_but_not_run_back,
		records_about_no_pcpu_have_no_clock,
		positions_only_increase,
		flushes_that_return_have_begun,
		plans_that_end_have_begun_once,
		interrupts_that_are_acknowledged_were_sent,
		a_pool_of_things_under_way_can_be_used_up_and_used_again,
	};

	return run_suite("check/order", tests, ARRAY_SIZE(tests));
}
