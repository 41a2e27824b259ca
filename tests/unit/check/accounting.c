/* Cycles add up. */
#include "tests/unit/check/stream.h"

static bool span(struct watch *w, u32 pcpu, u64 from, u64 to, u64 guest)
{
	struct probe_rec r = rec_of(PROBE_SPAN);

	r.pcpu = pcpu;
	r.time = to;
	r.a = from;
	r.cycles[CYC_GUEST] = guest;
	r.cycles[CYC_IDLE] = 10;
	return tell(w, r);
}

static bool finish(struct watch *w, u64 time, const struct stats *stats)
{
	return w->ops->finish(w->state, &w->shape, time, stats, &w->f);
}

/* A run of 100 cycles on three pCPUs, in one span each but on pCPU 0. */
static void start(struct watch *w, struct stats *stats)
{
	*stats = (struct stats){ 0 };
	watch_start(w, &checker_accounting);
	ck_assert(!span(w, 1, 0, 100, 90));
	ck_assert(!span(w, 0, 0, 30, 20));
	ck_assert(!span(w, 0, 30, 100, 60));
	ck_assert(!span(w, 2, 0, 100, 90));
	stats->cycles[CYC_GUEST] = 260;
	stats->cycles[CYC_IDLE] = 40;
}

START_TEST(spans_that_tile_the_run_pass)
{
	struct stats stats;
	struct watch w;

	start(&w, &stats);
	stats.count[COUNT_TLB_LOOKUPS][CAUSE_NONE] = 10;
	stats.count[COUNT_TLB_MISSES][CAUSE_NONE] = 6;
	stats.count[COUNT_STLB_HITS][CAUSE_NONE] = 4;
	ck_assert(!finish(&w, 100, &stats));
	watch_end(&w);
}
END_TEST

START_TEST(gaps_and_overlaps_are_found_once)
{
	struct watch w;

	watch_start(&w, &checker_accounting);
	ck_assert(!span(&w, 0, 0, 30, 20));
	ck_assert(span(&w, 0, 31, 50, 9));
	ck_assert_str_eq(w.f.text, "the span of pCPU 0 that starts at 0.000000031 s does not start where the one before ended, at 0.000000030 s");
	ck_assert_str_eq(w.f.invariant, "accounting");
	ck_assert(w.f.real);
	ck_assert(!span(&w, 0, 50, 80, 20));
	ck_assert(span(&w, 0, 79, 100, 11));
	watch_end(&w);
}
END_TEST

START_TEST(a_span_adds_up_to_its_length)
{
	struct watch w;

	watch_start(&w, &checker_accounting);
	ck_assert(span(&w, 0, 0, 30, 21));
	ck_assert_str_eq(w.f.text, "the span of pCPU 0 from 0.000000000 s to 0.000000030 s is 30 cycles long, but its categories add up to 31");
	ck_assert(span(&w, 1, 0, 30, 19));
	watch_end(&w);
}
END_TEST

START_TEST(every_pcpu_is_accounted_for_up_to_the_end)
{
	struct stats stats;
	struct watch w;

	start(&w, &stats);
	ck_assert(finish(&w, 101, &stats));
	ck_assert_str_eq(w.f.text, "the run ended at 0.000000101 s, but the last span of pCPU 0 at 0.000000100 s");
	watch_end(&w);
}
END_TEST

START_TEST(sums_are_those_of_the_statistics)
{
	struct stats stats;
	struct watch w;

	start(&w, &stats);
	stats.cycles[CYC_GUEST]--;
	stats.cycles[CYC_WALK]++;
	ck_assert(finish(&w, 100, &stats));
	ck_assert_str_eq(w.f.text, "the spans hold 260 cycles of guest, the statistics 259");
	watch_end(&w);
}
END_TEST

START_TEST(every_lookup_ends_in_one_way)
{
	struct stats stats;
	struct watch w;

	start(&w, &stats);
	stats.count[COUNT_TLB_LOOKUPS][CAUSE_NONE] = 9;
	stats.count[COUNT_TLB_MISSES][CAUSE_NONE] = 6;
	stats.count[COUNT_STLB_HITS][CAUSE_NONE] = 4;
	ck_assert(finish(&w, 100, &stats));
	ck_assert_str_eq(w.f.text, "6 TLB misses and 4 second-level hits are more than the 9 look-ups there were");
	watch_end(&w);
}
END_TEST

START_TEST(overrun_of_spans_is_known_to_the_statistics)
{
	struct probe_rec r = rec_of(PROBE_SPAN);
	struct stats stats = { 0 };
	struct watch w;

	watch_start(&w, &checker_accounting);
	w.shape.nr_pcpus = 1;
	r.pcpu = 0;
	r.time = 5;
	r.b = 3;
	r.cycles[CYC_GUEST] = stats.cycles[CYC_GUEST] = 5;
	ck_assert(!tell(&w, r));
	ck_assert(finish(&w, 5, &stats));
	ck_assert_str_eq(w.f.text, "the spans hold 3 cycles of overrun, the statistics only 0");
	stats.overrun_cycles = 3;
	ck_assert(!finish(&w, 5, &stats));
	watch_end(&w);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		spans_that_tile_the_run_pass,
		gaps_and_overlaps_are_found_once,
		a_span_adds_up_to_its_length,
		every_pcpu_is_accounted_for_up_to_the_end,
		sums_are_those_of_the_statistics,
		every_lookup_ends_in_one_way,
		overrun_of_spans_is_known_to_the_statistics,
	};

	return run_suite("check/accounting", tests, ARRAY_SIZE(tests));
}
