/* What the command line of explore asks for. */
#ifndef SIM_CLI_EXPLORE_ARGS_H
#define SIM_CLI_EXPLORE_ARGS_H

#include "sim/cli/explore_output.h"
#include "sim/cli/explore_random.h"
#include "sim/driver/budget.h"

/**
 * struct explore_args - options
 * @policies: list as given
 * @output: names of the files to write
 * @random: random runs, if any; sizes may be larger then
 * @exhaustive: an option that was given and makes no sense with them, or NULL
 * @size: the next three as given, or NULL
 * @pcpus: pCPUs
 * @vms: VMs
 * @vcpus: vCPUs of each
 * @pcids: PCIDs of the guests
 * @named: BIT(ACTION_...) of the kinds in --with
 * @roots: frames that can hold a root; 0: what can be live
 * @mem_mib: memory for states
 * @jobs: threads
 * @l0: enum l0_kind
 * @budget: what may happen, and how often
 * @judge: the adversary of one invariant; NULL: of all
 * @no_symmetry: tell states apart that differ in names
 * @no_reduction: interleave all steps
 * @exact: compare whole states
 * @mutate: look for bugs put into the policies
 */
struct explore_args {
	const char *policies;
	struct explore_output output;
	struct random_args random;
	const char *exhaustive;
	const char *size[3];
	u32 pcpus;
	u32 vms;
	u32 vcpus;
	u32 pcids;
	u32 named;
	u32 roots;
	u32 mem_mib;
	u32 jobs;
	u32 l0;
	struct budget budget;
	const struct observer_ops *judge;
	bool no_symmetry;
	bool no_reduction;
	bool exact;
	bool mutate;
};

/**
 * explore_args_parse() - read the command line
 * @a: filled in; nothing to release
 * @argc: arguments
 * @argv: arguments, the command first
 *
 * Return: 0, or an error that has been told.  May not return, as argp.
 */
int explore_args_parse(struct explore_args *a, int argc, char **argv);

#endif /* SIM_CLI_EXPLORE_ARGS_H */
