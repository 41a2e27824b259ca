/*
 * A scenario: everything a run needs, read from one file and the machine and
 * cost sheet it names, checked as a whole.  After scenario_load() nothing that
 * a user wrote can be wrong any more, save what only the trace itself can
 * tell (scenario_check_schedule()).
 */
#ifndef SIM_CLI_SCENARIO_H
#define SIM_CLI_SCENARIO_H

#include "models/l0/l0.h"
#include "models/workload/access.h"
#include "models/workload/workload.h"
#include "sim/config/complain.h"
#include "sim/core/cost.h"
#include "sim/machine/machine.h"

struct schedule;

#define SCENARIO_OVERRIDES_MAX	16384u
#define SCENARIO_EXPECT_MAX	64u
#define SCENARIO_SEED_MAX	9007199254740991ull	/* 2^53 - 1 */

enum schedule_kind { SCHEDULE_KIND_RECORDED, SCHEDULE_KIND_NR };

/**
 * struct scenario_override - a VM that differs from the others
 * @vm: VM, numbered as in the schedule
 * @workload: complete parameters: those of the scenario where this entry is
 *            silent
 */
struct scenario_override {
	u32 vm;
	struct workload_params workload;
};

/**
 * struct scenario_expect - the verdict a policy is expected to get
 * @policy: as spelled, options included
 * @verdict: VERDICT_BIT(n) of each In that must be found; 0 is clean
 */
struct scenario_expect {
	char policy[96];
	u32 verdict;
};

/**
 * struct scenario - a checked scenario
 * @name: short name
 * @file: path it was read from
 * @notes: free text, lines separated by newlines; "" if there is none
 * @machine: name of the machine
 * @machine_file: path of the machine file
 * @geometry: its sizes
 * @pcpus: pCPUs of the host; 0: as many as the schedule shows
 * @costs_file: path of the cost sheet
 * @costs: its rows
 * @l0: hypervisor below
 * @workload: what a guest does, unless overridden
 * @nr_overrides: entries of @override
 * @override: sorted by VM, one per VM at most
 * @schedule: enum schedule_kind
 * @trace: path of the recording
 * @trace_format: as trace_open(): "auto" or the name of a reader
 * @threads: path of a side table of threads, or NULL
 * @access_model: enum access_model
 * @policies: list as on the command line: "a,b,c" or "all"
 * @seed: seed of all random streams
 * @nr_expect: entries of @expect
 * @expect: expected verdicts; policies that are not listed have none
 *
 * Strings and arrays are owned by the scenario.  Paths are relative to the
 * working directory or absolute.
 */
struct scenario {
	char name[PARAM_STR_MAX];
	char *file;
	char *notes;
	char machine[PARAM_STR_MAX];
	char *machine_file;
	struct hw_geometry geometry;
	u32 pcpus;
	char *costs_file;
	struct cost_sheet costs;
	struct l0_params l0;
	struct workload_params workload;
	u32 nr_overrides;
	struct scenario_override *override;
	u32 schedule;
	char *trace;
	char *trace_format;
	char *threads;
	u32 access_model;
	char *policies;
	u64 seed;
	u32 nr_expect;
	struct scenario_expect *expect;
};

/**
 * scenario_load() - read a scenario and the files it names
 * @path: scenario file
 * @sets: @nr_sets texts "a.b=value" from the command line, applied before any
 *        check; paths that begin with "machine." or "costs." go to those files;
 *        "--trace=FILE", "--threads=FILE" and "--seed=N" stand for the paths
 *        that these options set
 * @nr_sets: number of texts
 * @out: set on success; the caller hands it to scenario_free()
 * @c: complaints are added; on success there are none
 *
 * The trace is not opened, only looked for.
 *
 * Return: 0; -EINVAL when there was something to complain about; -ENOMEM
 * when not even that could be found out.
 */
int scenario_load(const char *path, const char *const *sets, size_t nr_sets,
		  struct scenario **out, struct complaints *c);

/**
 * scenario_free() - release a scenario
 * @s: scenario; NULL is allowed
 */
void scenario_free(struct scenario *s);

/**
 * scenario_workload() - parameters that hold for one VM
 * @s: scenario
 * @vm: VM, numbered as in the schedule
 *
 * Return: parameters owned by @s.
 */
const struct workload_params *scenario_workload(const struct scenario *s,
						u32 vm);

/**
 * scenario_expected() - the verdict a policy should get
 * @s: scenario
 * @policy: as spelled, options included
 * @verdict: set if the scenario states one: VERDICT_BIT()s
 *
 * Return: true if it does.
 */
bool scenario_expected(const struct scenario *s, const char *policy,
		       u32 *verdict);

/**
 * scenario_check_schedule() - what only the recording can tell
 * @s: scenario
 * @schedule: recording to be replayed
 * @c: complaints are added
 *
 * Every override must name a VM that the recording holds, and @pcpus of the
 * scenario must not be fewer than it shows.
 *
 * Return: 0 or -EINVAL.
 */
int scenario_check_schedule(const struct scenario *s,
			    const struct schedule *schedule,
			    struct complaints *c);

/**
 * schedule_kind_name() - word for a kind of schedule, as scenarios spell it
 * @kind: enum schedule_kind
 *
 * Return: a static string.
 */
const char *schedule_kind_name(u32 kind);

/**
 * access_model_name() - word for an access model, as scenarios spell it
 * @model: enum access_model
 *
 * Return: a static string.
 */
const char *access_model_name(u32 model);

#endif /* SIM_CLI_SCENARIO_H */
