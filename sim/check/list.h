/*
 * The checkers.  Each watches the records of a run and objects when an
 * invariant is broken; none has a handle on the machine.
 *
 * Adding one: a file here that defines a const struct observer_ops, a line
 * below, a line in list.c, and tests/unit/check/<file>.c.
 */
#ifndef SIM_CHECK_LIST_H
#define SIM_CHECK_LIST_H

#include "sim/core/probe.h"

extern const struct observer_ops checker_stage2;
extern const struct observer_ops checker_lifetime;
extern const struct observer_ops checker_stage1;
extern const struct observer_ops checker_isolation;
extern const struct observer_ops checker_accounting;
extern const struct observer_ops checker_order;

#define CHECKERS_NR	6

/* All checkers, by number of their invariant, internal rules last. */
extern const struct observer_ops *const checker_list[CHECKERS_NR];

/**
 * checker_find() - look a checker up
 * @name: its name, or the number of its invariant such as "I1"
 *
 * Return: the checker, or NULL.
 */
const struct observer_ops *checker_find(const char *name);

#endif /* SIM_CHECK_LIST_H */
