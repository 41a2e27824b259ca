/*
 * No false winners: one event log, costed again with many draws from the
 * uncertainty ranges of the cost sheet.  A run counts how often each cost was
 * charged, so a draw is a dot product.  What a run lost without charging a
 * cost (waiting for a lock or for acknowledgements) is taken as it is.
 */
#ifndef SIM_REPORT_RECOST_H
#define SIM_REPORT_RECOST_H

#include "sim/base/types.h"
#include "sim/core/result.h"
#include "sim/report/figures.h"

struct err;

#define RECOST_DRAWS		1000u
#define RECOST_DRAWS_MAX	1000000u

/* A policy is best if it wins this share of the draws. */
#define RECOST_BEST_SHARE	0.95

/* Overheads this close, as a share of guest time, are one and the same. */
#define RECOST_RESOLUTION	0.001

/**
 * struct recost_options - how to cost again
 * @nr_draws: draws, 1 .. RECOST_DRAWS_MAX; RECOST_DRAWS is usual
 * @seed: seed of the draws
 * @categories: BIT64() of each category that counts as overhead;
 *              OVERHEAD_CATEGORIES is usual
 * @resolution: share of guest time; RECOST_RESOLUTION is usual
 */
struct recost_options {
	u32 nr_draws;
	u64 seed;
	u64 categories;
	double resolution;
};

/**
 * struct recost_run - what the draws say about one run
 * @competes: completed and clean in this run: may be called best
 * @overhead: cycles at the values of the sheet
 * @won: draws in which no competing run had less overhead
 * @near: draws in which it was within the resolution of the lowest
 * @tied: no draw of the ranges tells it from the others so marked
 *
 * A run that does not compete is held against the lowest competing one, so
 * @won and @near say what it would have reached.
 */
struct recost_run {
	bool competes;
	double overhead;
	u32 won;
	u32 near;
	bool tied;
};

/**
 * struct recost_flip - a cost that decides the order of the top two alone
 * @cost: enum cost_id, or IDX_NONE if no single cost does
 * @at_cycles: value at which the two are equal, the other costs at default
 * @above: the order is reversed above that value, else below
 * @nr_others: further costs that can do the same, at a larger step
 */
struct recost_flip {
	u32 cost;
	double at_cycles;
	bool above;
	u32 nr_others;
};

/**
 * struct recost - the outcome; owned by the caller, see recost_release()
 * @nr_draws: draws made
 * @resolution: share of guest time below which overheads are the same
 * @nr_runs: entries of @run, as in the comparison
 * @nr_competing: runs that may be called best
 * @nr_costs: costs that any run was charged
 * @nr_assumed: those tagged "assumed"
 * @nr_derived: those tagged "derived"
 * @best: index of the best run, or IDX_NONE
 * @first: competing run of least overhead at the sheet's values, or IDX_NONE
 * @second: the next one, or IDX_NONE
 * @flip: what reverses @first and @second
 * @close: draws in which all competing runs were within the resolution
 * @run: one per run
 */
struct recost {
	u32 nr_draws;
	double resolution;
	u32 nr_runs;
	u32 nr_competing;
	u32 nr_costs;
	u32 nr_assumed;
	u32 nr_derived;
	u32 best;
	u32 first;
	u32 second;
	struct recost_flip flip;
	u32 close;
	struct recost_run *run;
};

/**
 * recost() - cost a comparison again
 * @c: comparison
 * @opt: how
 * @out: filled in on success
 * @err: set on failure
 *
 * Every draw takes each charged cost once, log-uniformly from its range, for
 * all runs alike.  A range that starts at 0 is drawn uniformly in
 * log(1 + value).  Deterministic: same comparison, same options, same result.
 *
 * Return: 0; -EINVAL for options out of range; -ENOMEM.
 */
int recost(const struct comparison *c, const struct recost_options *opt,
	   struct recost *out, struct err *err);

/**
 * recost_release() - free what recost() allocated
 * @rc: outcome; the struct itself stays the caller's
 */
void recost_release(struct recost *rc);

/**
 * recost_flip_text() - one sentence on what reverses the top two
 * @to: where to write
 * @size: size of @to, 400 is enough
 * @c: comparison
 * @rc: outcome of recost()
 *
 * Empty if fewer than two runs compete.
 */
void recost_flip_text(char *to, size_t size, const struct comparison *c,
		      const struct recost *rc);

#endif /* SIM_REPORT_RECOST_H */
