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

/* I1, I2 and I3 at once. */
extern const struct observer_ops checker_adversary;

#endif /* SIM_CHECK_ADVERSARY_H */
