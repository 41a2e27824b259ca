/*
 * Numbers and words that every report derives from a result in the same way.
 * The first place where a real number may appear: below this folder all is
 * integer.
 */
#ifndef SIM_REPORT_FIGURES_H
#define SIM_REPORT_FIGURES_H

#include "sim/base/types.h"
#include "sim/core/result.h"

/* What a policy makes a host lose: neither work of guests nor of others. */
#define OVERHEAD_CATEGORIES						\
	(BIT64(CYC_WALK) | BIT64(CYC_FLUSH) | BIT64(CYC_IPI) |		\
	 BIT64(CYC_HYPERCALL) | BIT64(CYC_L0_SHADOW) |			\
	 BIT64(CYC_LOCK_WAIT) | BIT64(CYC_EXIT) | BIT64(CYC_SCHED))

/* Everything that the hypervisor below costs, as one column. */
#define L0_CATEGORIES							\
	(BIT64(CYC_HYPERCALL) | BIT64(CYC_L0_SHADOW) | BIT64(CYC_LOCK_WAIT))

/* An overrun above this share of guest time calls for the closed loop. */
#define OVERRUN_PERCENT_MAX 5.0

#define VERDICT_TEXT_MAX 64

/**
 * figures_cycles() - cycles of several categories
 * @s: sums of a run
 * @categories: BIT64() of each category
 *
 * Return: their sum, overrun apart.
 */
u64 figures_cycles(const struct stats *s, u64 categories);

/**
 * figures_overhead() - all cycles that are overhead
 * @s: sums of a run
 *
 * Overrun is overhead that found no room in the recorded slices, so it
 * counts here although it is no part of pCPUs x time.
 *
 * Return: cycles.
 */
u64 figures_overhead(const struct stats *s);

/**
 * figures_percent() - cycles as a share of guest time
 * @s: sums of a run
 * @cycles: cycles to express
 *
 * Return: percent; NAN if no guest ran.
 */
double figures_percent(const struct stats *s, u64 cycles);

/**
 * figures_slowdown() - (guest + overhead) / guest
 * @s: sums of a run
 *
 * Return: 1 or more; NAN if no guest ran.
 */
double figures_slowdown(const struct stats *s);

/**
 * figures_seconds() - length of a run
 * @c: comparison that the run belongs to
 * @r: run
 *
 * Return: simulated seconds; 0 for a run without length.
 */
double figures_seconds(const struct comparison *c, const struct run_result *r);

/**
 * figures_rate() - a count per simulated second, over all pCPUs
 * @c: comparison that the run belongs to
 * @r: run
 * @id: count
 *
 * Return: events per second; NAN for a run without length.
 */
double figures_rate(const struct comparison *c, const struct run_result *r,
		    enum count_id id);

/**
 * figures_found() - all invariants that a run broke
 * @r: run
 *
 * Return: verdict bits, real and possible ones together; 0 is clean.
 */
u32 figures_found(const struct run_result *r);

/**
 * figures_first_run() - the first run that took place
 * @c: comparison
 *
 * Return: a run of @c, or NULL if all were skipped.
 */
const struct run_result *figures_first_run(const struct comparison *c);

/**
 * figures_costs() - how many costs a run was charged
 * @s: sums of a run
 * @sheet: costs
 * @tag: count those of this tag only; COST_TAG_NR counts all
 *
 * Return: number of costs, each counted once.
 */
u32 figures_costs(const struct stats *s, const struct cost_sheet *sheet,
		  enum cost_tag tag);

/**
 * verdict_name() - word for a verdict bit
 * @n: number of the bit, 0 .. 8
 *
 * Return: "I1" .. "I8", or "internal" for bit 0; a static string.
 */
const char *verdict_name(u32 n);

/**
 * verdict_text() - a verdict in few characters
 * @to: where to write
 * @size: size of @to, VERDICT_TEXT_MAX holds any verdict
 * @r: run
 *
 * "not checked", "none seen", "possible I3", "real I1,I3", "real I1 possible I3"; what does
 * not fit is counted: "real I1,I2 +3".
 */
void verdict_text(char *to, size_t size, const struct run_result *r);

#endif /* SIM_REPORT_FIGURES_H */
