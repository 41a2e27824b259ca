/* eptsim explore --mutate: is every bug of a policy noticed? */
#ifndef SIM_CLI_EXPLORE_MUTATE_H
#define SIM_CLI_EXPLORE_MUTATE_H

#include "sim/cli/explore_run.h"

/**
 * explore_mutate() - explore a policy with each of its possible bugs
 * @r: run; machine and exploration are made here
 * @policy: policy
 * @mem_bytes: room for the states of one exploration
 *
 * Each bug is put into several small environments, in turn, until one shows it;
 * those in which the policy itself is broken are passed over.  Prints a line
 * per bug.  A bug that nothing shows must be named in
 * configs/mutants/equivalent.json, with the reason why it is none.
 *
 * Return: STATUS_OK; STATUS_BROKEN if a bug was not noticed and no reason is
 * known; STATUS_USAGE if the file cannot be read; STATUS_BUG; STATUS_SIGINT.
 */
int explore_mutate(struct explore_run *r, const struct flush_policy *policy,
		   u64 mem_bytes);

#endif /* SIM_CLI_EXPLORE_MUTATE_H */
