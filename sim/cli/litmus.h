/*
 * Litmus files: a small machine, programs for its actors, and the verdict each
 * policy should get.  configs/litmus/FORMAT.md is the grammar.
 */
#ifndef SIM_CLI_LITMUS_H
#define SIM_CLI_LITMUS_H

#include "models/flush_policy.h"
#include "sim/config/json.h"
#include "sim/driver/script.h"
#include "sim/driver/small.h"

#define LITMUS_EXPECT_MAX	64u

/* Verdict bits: VERDICT_BIT() of invariants; 0 is clean. */
#define LITMUS_NA		0xffffffffu	/* does not apply */

/**
 * struct litmus_expect - what a policy should get
 * @policy: settings
 * @verdict: bits, any of which will do; 0: clean; LITMUS_NA
 */
struct litmus_expect {
	struct flush_policy policy;
	u32 verdict;
};

/**
 * struct litmus - one file
 * @file: its name
 * @name: name of the test
 * @l0: enum l0_kind
 * @pcpus: pCPUs
 * @vms: VMs
 * @vcpus: of each VM
 * @pcids: PCIDs of the guests, 1 or PCIDS_MAX
 * @faults: BIT(FAULT_...) of what is broken
 * @script: programs
 * @allowed: BIT(ACTION_...) of the kinds that occur in them
 * @nr_expect: used entries of @expect
 * @expect: expected verdicts
 */
struct litmus {
	char file[512];
	char name[PARAM_STR_MAX];
	u32 l0;
	u32 pcpus;
	u32 vms;
	u32 vcpus;
	u32 pcids;
	u32 faults;
	struct script script;
	u32 allowed;
	u32 nr_expect;
	struct litmus_expect expect[LITMUS_EXPECT_MAX];
};

/* Rows of a litmus file, and the keys that are read by hand. */
extern const struct param_desc litmus_rows[];
extern const char *const litmus_keys[];

/**
 * litmus_read() - check a parsed file
 * @top: its top
 * @out: filled in; litmus_release() frees its programs in any case
 * @c: complaints are added
 *
 * Return: 0 or -EINVAL.
 */
int litmus_read(const struct json_node *top, struct litmus *out,
		struct complaints *c);

/**
 * litmus_load() - read and check a file
 * @path: file
 * @out: filled in; litmus_release() frees its programs in any case
 * @c: complaints are added
 *
 * Return: 0, -EINVAL, or what json_doc_read() returns.
 */
int litmus_load(const char *path, struct litmus *out, struct complaints *c);

/**
 * litmus_release() - free the programs
 * @l: test; the struct itself stays the caller's
 */
void litmus_release(struct litmus *l);

/**
 * litmus_expected() - what a policy should get
 * @l: test
 * @policy: policy
 * @verdict: set if the test says
 *
 * Return: true if it does.
 */
bool litmus_expected(const struct litmus *l, const struct flush_policy *policy,
		     u32 *verdict);

/**
 * litmus_machine() - the machine of a test
 * @l: test
 * @m: filled in; policy and observers are the caller's to set
 */
void litmus_machine(const struct litmus *l, struct small_machine *m);

#endif /* SIM_CLI_LITMUS_H */
