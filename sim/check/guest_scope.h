/* Which mappings of a guest its own flushes cover. */
#ifndef SIM_CHECK_GUEST_SCOPE_H
#define SIM_CHECK_GUEST_SCOPE_H

#include "sim/core/probe.h"

/**
 * guest_scope() - what a flush must remove from the pCPU that executes it
 * @s: shape
 * @r: FLUSH or GUEST_FLUSH by an operation that names a VPID
 *
 * SDM Vol. 3C, "Operations that Invalidate Cached Mappings".
 *
 * Return: BIT(enum guest_mapping); where mappings are not told apart, BIT(0).
 */
u8 guest_scope(const struct run_shape *s, const struct probe_rec *r);

/**
 * guest_reach() - what a context can translate by
 * @s: shape
 * @pcid: its PCID
 *
 * Return: BIT(enum guest_mapping): those of the PCID, and what is global.
 */
u8 guest_reach(const struct run_shape *s, u32 pcid);

#endif /* SIM_CHECK_GUEST_SCOPE_H */
