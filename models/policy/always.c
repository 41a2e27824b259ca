/*
 * always - flush everything, at every entry and everywhere
 *
 * Bounds the cost from above.  A request needs no flush of its own: the entry
 * that follows it flushes, and no guest instruction runs in between.
 */
#include "models/flush_policy.h"

static void always_vm_enter(const struct policy_event *e, struct plan *p)
{
	(void)e;
	plan_flush(p, PLAN_INVEPT_GLOBAL, 0);
	plan_flush(p, PLAN_INVVPID_ALL, 0);
}

static void always_strict_change(const struct policy_event *e, struct plan *p)
{
	(void)e;
	plan_flush_all_pcpus(p, PLAN_INVEPT_GLOBAL, 0);
}

const struct flush_policy_ops flush_policy_always = {
	.name		= "always",
	.brief		= "INVEPT-global and INVVPID-all at every entry, all pCPUs at a strict change",
	.vm_enter	= always_vm_enter,
	.strict_change	= always_strict_change,
};
