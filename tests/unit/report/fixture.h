/*
 * Comparisons made by hand: costs of 1, 10 and 100 cycles, a clock of 1 GHz,
 * runs of one second on two pCPUs.
 */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/core/result.h"
#include "sim/report/recost.h"

#define FIXTURE_RUNS	10
#define SECOND_CYCLES	1000000000ULL

struct fixture {
	struct comparison c;
	struct cost_sheet sheet;
	struct run_result run[FIXTURE_RUNS];
	struct recost rc;
};

static struct fixture fx;

static inline void fx_cost(enum cost_id id, u64 lo, u64 cycles, u64 hi)
{
	fx.sheet.row[id] = (struct cost_row){
		.applies = true, .cycles = cycles, .lo_cycles = lo,
		.hi_cycles = hi, .tag = COST_TAG_ASSUMED, .source = "made up",
	};
}

static inline void fx_begin(void)
{
	memset(&fx, 0, sizeof(fx));
	fx.sheet = (struct cost_sheet){
		.name = "toy", .vendor = "intel", .l0 = "bare",
		.clock_khz = 1000000,
	};
	for (u32 i = 0; i < COST_NR; i++) {
		fx_cost(i, 1, 1, 1);
		fx.sheet.row[i].tag = COST_TAG_MEASURED;
	}
	fx.c = (struct comparison){
		.version = "0.1", .commit = "abc1234", .scenario = "toy",
		.machine = "two-pcpus", .l0 = "bare", .access_model = "exact",
		.seed = 7, .nr_pcpus = 2, .nr_vms = 1, .nr_vcpus = 3,
		.costs = &fx.sheet, .strict_per_s = 2, .guest_flush_per_s = 1,
		.run = fx.run, .replay = "eptsim compare toy.json --seed 7",
	};
}

/* A clean run that spent one second of guest time and nothing else. */
static inline struct run_result *fx_run(const char *policy)
{
	struct run_result *r = &fx.run[fx.c.nr_runs++];

	snprintf(r->policy, sizeof(r->policy), "%s", policy);
	r->completed = true;
	r->simulated_cycles = SECOND_CYCLES;
	r->stats.cycles[CYC_GUEST] = SECOND_CYCLES;
	r->stats.cycles[CYC_IDLE] = SECOND_CYCLES;
	r->stats.count[COUNT_MIGRATIONS][CAUSE_NONE] = 6;
	return r;
}

/* Charges a cost, at the sheet's value, at the expense of idle time. */
static inline void fx_pay(struct run_result *r, enum cost_id id, u64 times)
{
	u64 cycles = times * fx.sheet.row[id].cycles;

	r->stats.charged[id] += times;
	r->stats.cycles[cost_category(id)] += cycles;
	r->stats.cycles[CYC_IDLE] -= cycles;
}

static inline void fx_skip(const char *policy, const char *why)
{
	struct run_result *r = &fx.run[fx.c.nr_runs++];

	snprintf(r->policy, sizeof(r->policy), "%s", policy);
	snprintf(r->why_skipped, sizeof(r->why_skipped), "%s", why);
	r->skipped = true;
}

static inline void fx_find(struct run_result *r, u32 n, bool real,
			   const char *text)
{
	static const char *const names[] = {
		"internal", "I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8",
	};
	struct finding *f = &r->finding[r->nr_stored++];

	*f = (struct finding){
		.invariant = names[n], .real = real, .time = 123456789,
		.vcpu = 2, .pcpu = 1,
	};
	snprintf(f->text, sizeof(f->text), "%.*s",
		 (int)sizeof(f->text) - 1, text);
	r->nr_findings++;
	if (real)
		r->found_real |= VERDICT_BIT(n);
	else
		r->found_possible |= VERDICT_BIT(n);
}

static inline void fx_recost(void)
{
	struct recost_options opt = {
		.nr_draws = RECOST_DRAWS, .seed = 1,
		.categories = OVERHEAD_CATEGORIES,
		.resolution = RECOST_RESOLUTION,
	};
	struct err err;

	recost_release(&fx.rc);
	if (recost(&fx.c, &opt, &fx.rc, &err))
		memset(&fx.rc, 0, sizeof(fx.rc));
}

#endif /* TESTS_UNIT_REPORT_FIXTURE_H */
