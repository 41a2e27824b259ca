/*
 * The adversary: a TLB without bounds that speculates eagerly, held as a few
 * bits per pCPU and tag.  For the explorer, whose states must be finite: of a
 * translation only matters whether it is current, superseded, or superseded
 * and acknowledged.  The timed checkers say the same with moments in time.
 *
 * One page per VM and one guest page per vCPU are followed; which page it is
 * makes no difference to what the host does.
 */
#ifndef SIM_CHECK_ADVERSARY_H
#define SIM_CHECK_ADVERSARY_H

#include "sim/core/probe.h"

#define ADVERSARIES_NR	6u

/* I1 to I6 at once. */
extern const struct observer_ops checker_adversary;

/*
 * I1 to I6, one each.  No invariant has a say in what the host does, so one at
 * a time says the same, and each has fewer states to tell apart.
 */
extern const struct observer_ops *const adversaries[ADVERSARIES_NR];

/**
 * adversary_find() - the adversary that judges one invariant
 * @name: "I1" to "I6"
 *
 * Return: one of @adversaries, or NULL.
 */
const struct observer_ops *adversary_find(const char *name);

#endif /* SIM_CHECK_ADVERSARY_H */
