/*
 * The clock driver: discrete events.  Plays a recorded placement through a
 * machine, always letting the actor act whose time has come.
 */
#ifndef SIM_DRIVER_CLOCK_H
#define SIM_DRIVER_CLOCK_H

#include <signal.h>

#include "sim/machine/machine.h"
#include "traces/schedule.h"

/**
 * struct clock_run - one run of a machine over a schedule
 * @config: machine; its policy set, its pCPUs and vCPUs those of @schedule
 * @schedule: recorded placement
 * @stop_at_finding: end at the first objection of a checker
 * @stop: when it becomes nonzero the run ends early; may be NULL
 * @progress: called now and then with events done and in all; may be NULL
 * @progress_arg: handed to @progress
 */
struct clock_run {
	const struct machine_config *config;
	const struct schedule *schedule;
	bool stop_at_finding;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *arg, u64 done, u64 all);
	void *progress_arg;
};

/**
 * clock_play() - run a policy over a schedule
 * @r: run
 * @out: filled in; @completed says whether the schedule was played to its end
 * @err: set on failure
 *
 * Return: 0; -ENOMEM.
 */
int clock_play(const struct clock_run *r, struct run_result *out,
	       struct err *err);

#endif /* SIM_DRIVER_CLOCK_H */
