/*
 * Accounting: where the time went adds up, exactly.  The spans of a pCPU tile
 * its time without gap or overlap, the cycles of a span add up to its length,
 * those of a run to pCPUs x time and, category by category, to what the
 * statistics say.  Every look-up of a TLB ends in one way: a hit, a hit in the
 * second level or a miss.
 *
 * State: 8 bytes per pCPU, and the sums.
 */
#include <inttypes.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/check/list.h"
#include "sim/check/say.h"

/*
 * @ends: offset of the time up to which each pCPU is accounted for
 * @cycles: by category, of all spans
 * @overrun: of all spans
 */
struct accounting {
	u64 ends;
	u64 cycles[CYC_NR];
	u64 overrun;
};

static u64 accounting_layout(struct accounting *s,
			     const struct run_shape *shape)
{
	struct arena_layout l = { 0 };

	arena_reserve(&l, 1, sizeof(*s));
	s->ends = arena_reserve(&l, shape->nr_pcpus, sizeof(u64));
	return l.size;
}

static u64 *accounting_end(struct accounting *s, u32 pcpu)
{
	return (u64 *)((char *)s + s->ends) + pcpu;
}

static u64 accounting_state_bytes(const struct run_shape *shape)
{
	struct accounting s;

	return accounting_layout(&s, shape);
}

static void accounting_init(void *state, const struct run_shape *shape)
{
	accounting_layout(state, shape);
}

static bool accounting_on_probe(void *state, const struct run_shape *shape,
				const struct probe_rec *rec, struct finding *f)
{
	struct accounting *s = state;
	const struct finding_at at = { .invariant = "accounting", .real = true,
				       .time = rec->time, .vcpu = rec->vcpu,
				       .pcpu = rec->pcpu };
	u64 *end = accounting_end(s, rec->pcpu), before = *end, sum = 0;

	BUG_ON(rec->pcpu >= shape->nr_pcpus);
	for (u32 c = 0; c < CYC_NR; c++) {
		s->cycles[c] += rec->cycles[c];
		sum += rec->cycles[c];
	}
	s->overrun += rec->b;
	*end = rec->time;
	if (rec->a != before)
		return finding_say(f, &at, "the span of pCPU %u that starts at %s s does not start where the one before ended, at %s s",
				   rec->pcpu, say_seconds(rec->a, shape).text,
				   say_seconds(before, shape).text);
	if (rec->time < rec->a || sum != rec->time - rec->a)
		return finding_say(f, &at, "the span of pCPU %u from %s s to %s s is %" PRIu64 " cycles long, but its categories add up to %" PRIu64,
				   rec->pcpu, say_seconds(rec->a, shape).text,
				   say_seconds(rec->time, shape).text,
				   rec->time - rec->a, sum);
	return false;
}

static bool accounting_counts(const struct stats *stats,
			      const struct finding_at *at, struct finding *f)
{
	u64 lookups = stats_total(stats, COUNT_TLB_LOOKUPS);
	u64 misses = stats_total(stats, COUNT_TLB_MISSES);
	u64 second = stats_total(stats, COUNT_STLB_HITS);

	if (misses > lookups || second > lookups - misses)
		return finding_say(f, at, "%" PRIu64 " TLB misses and %" PRIu64 " second-level hits are more than the %" PRIu64 " look-ups there were",
				   misses, second, lookups);
	return false;
}

static bool accounting_finish(void *state, const struct run_shape *shape,
			      u64 time, const struct stats *stats,
			      struct finding *f)
{
	struct accounting *s = state;
	struct finding_at at = { .invariant = "accounting", .real = true,
				 .time = time, .vcpu = IDX_NONE,
				 .pcpu = IDX_NONE };

	for (u32 p = 0; p < shape->nr_pcpus; p++) {
		if (*accounting_end(s, p) == time)
			continue;
		at.pcpu = p;
		return finding_say(f, &at, "the run ended at %s s, but the last span of pCPU %u at %s s",
				   say_seconds(time, shape).text, p,
				   say_seconds(*accounting_end(s, p), shape).text);
	}
	for (u32 c = 0; c < CYC_NR; c++)
		if (s->cycles[c] != stats->cycles[c])
			return finding_say(f, &at, "the spans hold %" PRIu64 " cycles of %s, the statistics %" PRIu64,
					   s->cycles[c], cycle_category_name(c),
					   stats->cycles[c]);
	if (s->overrun > stats->overrun_cycles)
		return finding_say(f, &at, "the spans hold %" PRIu64 " cycles of overrun, the statistics only %" PRIu64,
				   s->overrun, stats->overrun_cycles);
	return accounting_counts(stats, &at, f);
}

const struct observer_ops checker_accounting = {
	.name = "accounting",
	.brief = "cycles add up to pCPUs x time, exactly",
	.wants = BIT64(PROBE_SPAN),
	.state_bytes = accounting_state_bytes,
	.init = accounting_init,
	.on_probe = accounting_on_probe,
	.finish = accounting_finish,
};
