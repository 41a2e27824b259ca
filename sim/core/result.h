/*
 * What a run leaves behind for the reports.  Plain data; owned by whoever
 * asked for the run.
 */
#ifndef SIM_CORE_RESULT_H
#define SIM_CORE_RESULT_H

#include "sim/core/cost.h"
#include "sim/core/probe.h"
#include "sim/core/stats.h"

#define FINDINGS_STORED_MAX	64u
#define POLICY_NAME_MAX		96u
#define RATE_BUCKETS		512u

/* Verdict bits: BIT(n) of invariant In, n in 1..8; bit 0 is internal rules. */
#define VERDICT_BIT(n)		(1u << (n))

/**
 * struct run_result - one policy on one schedule
 * @policy: as spelled on the command line, options included
 * @skipped: the policy does not apply here; only @policy and @why_skipped hold
 * @why_skipped: one clause
 * @unchecked: nobody watched, so that nothing was found means nothing
 * @completed: the schedule was played to its end
 * @simulated_cycles: length of the run; times pCPUs is the sum of all cycles
 * @stats: sums
 * @found_real: verdict bits seen in the modelled geometry
 * @found_possible: verdict bits an unbounded TLB could have shown
 * @expect_known: the scenario states an expected verdict
 * @expected: its bits
 * @nr_findings: all objections, stored or not
 * @nr_stored: used entries of @finding
 * @finding: the first objections, at most one per invariant and kind per vCPU
 * @flush_rate: flushes in each of RATE_BUCKETS equal parts of the run
 * @migration_rate: migrations, likewise
 * @world_bytes: size of the world
 */
struct run_result {
	char policy[POLICY_NAME_MAX];
	bool skipped;
	char why_skipped[128];
	bool unchecked;
	bool completed;
	u64 simulated_cycles;
	struct stats stats;
	u32 found_real;
	u32 found_possible;
	bool expect_known;
	u32 expected;
	u64 nr_findings;
	u32 nr_stored;
	struct finding finding[FINDINGS_STORED_MAX];
	u32 flush_rate[RATE_BUCKETS];
	u32 migration_rate[RATE_BUCKETS];
	u64 world_bytes;
};

/**
 * struct comparison - everything a report may print
 * @version: version and commit of the program
 * @commit: git commit or "unknown"
 * @scenario: name of the scenario
 * @machine: name of the machine file
 * @l0: "bare", "hyperv"
 * @access_model: "exact", "touch"
 * @seed: seed of the run
 * @nr_pcpus: pCPUs
 * @nr_vms: VMs
 * @nr_vcpus: vCPUs
 * @partial: interrupted; what is here was computed in full per policy
 * @checked: checkers watched the runs; without them there are no verdicts
 * @costs: cost sheet used
 * @trace: facts about the recording, or NULL members where there is none
 * @changes_recorded: mapping changes came from the trace, not from rates
 * @strict_per_s: synthetic strict changes per second and VM
 * @guest_flush_per_s: synthetic guest flushes per second of vCPU run time
 * @nr_runs: entries of @run
 * @run: results, in the order asked for
 * @replay: command line that gives the same again, policies apart
 * @replay_note: what @replay cannot say and the user has to know, or NULL
 * @policies: list of policies that was asked for, fit for @replay
 */
struct comparison {
	const char *version;
	const char *commit;
	const char *scenario;
	const char *machine;
	const char *l0;
	const char *access_model;
	u64 seed;
	u32 nr_pcpus;
	u32 nr_vms;
	u32 nr_vcpus;
	bool partial;
	bool checked;
	const struct cost_sheet *costs;
	struct {
		const char *file;
		u64 events;
		u64 lost;
		u64 torn;
		u64 chain_breaks;
		const char *recorded_policy;
		const char *recorded_l0;
		const char *recorded_kernel;
		const char *const *events_used;	/* names, nr_events_used */
		u32 nr_events_used;
	} trace;
	bool changes_recorded;
	double strict_per_s;
	double guest_flush_per_s;
	u32 nr_runs;
	struct run_result *run;
	const char *replay;
	const char *replay_note;
	const char *policies;
};

#endif /* SIM_CORE_RESULT_H */
