/*
 * What the environment can do, each kind with a policy that it breaks and one
 * that it does not: the hazards that one kind of event is enough for.
 */
#include <check.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/check/adversary.h"
#include "sim/driver/explore.h"
#include "sim/driver/budget.h"
#include "sim/driver/small.h"
#include "tests/suite.h"

#define WITH(kind)	(ACTIONS_SCHED | 1u << ACTION_##kind)

static const struct {
	const char *says;
	const char *policy;
	u32 pcpus;
	u32 vcpus;
	u32 allowed;
	const char *invariant;		/* NULL: exhausted, nothing found */
} cases[] = {
	{ "a zap that a pCPU has missed", "per-root-mask", 2, 1,
	  WITH(CHANGE), "I1" },
	{ "... and the mask that it clears", "per-root-mask-clear", 2, 1,
	  WITH(CHANGE), NULL },
	{ "a dirty bit that a pCPU still has set", "per-root-mask", 2, 1,
	  WITH(CLEAR_DIRTY), "I6" },
	{ "... and the mask that its clearing clears", "per-root-mask-clear", 2,
	  1, WITH(CLEAR_DIRTY), NULL },
	{ "a flush by the guest that a pCPU has missed", "per-root-mask", 2, 1,
	  WITH(GUEST_FLUSH), "I3" },
	{ "a flush that KVM emulates and a pCPU has missed", "per-root-mask", 2,
	  1, WITH(GUEST_ASKS), "I3" },
	{ "... and INVVPID on migration", "per-root-mask-clear", 2, 1,
	  WITH(GUEST_ASKS), NULL },
	{ "a PV flush that nobody serves", "never", 1, 2, WITH(PV_FLUSH), "I3" },
	{ "... and one that KVM serves", "global-flush", 1, 2, WITH(PV_FLUSH),
	  NULL },
	{ "hazard P: a PV flush that is served while L2 runs", "global-flush",
	  1, 2, WITH(PV_FLUSH) | 1u << ACTION_NESTED_EPT, "I3" },
	{ "hazard E: xAPIC next to x2APIC", "global-flush", 1, 2,
	  WITH(APIC_MODE), "I5" },
	{ "... and the last mode per pCPU and root", "per-root-mask-clear", 1, 2,
	  WITH(APIC_MODE), NULL },
	{ "a pCPU that comes back with what it held", "per-root-mask-clear", 2,
	  1, WITH(HOTPLUG) | 1u << ACTION_CHANGE, NULL },
	{ "hazard F: a bit that survives offline",
	  "vm-mask:strict=mask:invvpid=on:offline=keep", 2, 1,
	  WITH(HOTPLUG) | 1u << ACTION_CHANGE, "I1" },
	{ "... and one that does not", "vm-mask:strict=mask:invvpid=on", 2, 1,
	  WITH(HOTPLUG) | 1u << ACTION_CHANGE, NULL },
	{ "hazard A through an allocation that flushed everywhere",
	  "alloc-all-pcpus", 2, 1, WITH(CHANGE), "I1" },
	{ "an L2, and zaps that reach only one of its roots", "never", 1, 1,
	  WITH(CHANGE) | 1u << ACTION_NESTED_EPT, "I1" },
	{ "... and migrations that flush both MMUs", "active-roots", 2, 1,
	  WITH(CHANGE) | 1u << ACTION_NESTED_EPT, NULL },
};

/* Each once with every step interleaved, once with those left out that need not. */
START_TEST(a_kind_of_event_breaks_what_it_should)
{
	u32 at = (u32)_i / 2;
	static struct small_machine machine;
	static const struct observer_ops *const observers[] = {
		&checker_adversary,
	};
	struct budget budget;
	struct exploration x = {
		.config = &machine.config, .mem_bytes = 512u << 20,
		.environ = { .ops = &environ_budget, .arg = &budget },
		.symmetry = true, .reduce = _i % 2,
	};
	struct explored e;
	struct err err;

	budget_init(&budget, cases[at].allowed);
	small_machine_init(&machine, cases[at].pcpus, 1, cases[at].vcpus,
			   cases[at].allowed);
	if (flush_policy_parse(cases[at].policy, strlen(cases[at].policy),
			       &machine.policy, &err))
		ck_abort_msg("%s", err.msg);
	machine.config.observers = observers;
	machine.config.nr_observers = 1;
	if (explore(&x, &e, &err))
		ck_abort_msg("%s", err.msg);
	ck_assert_msg(e.violated == !!cases[at].invariant, "%s, %s: %s",
		      cases[at].says, cases[at].policy,
		      e.violated ? e.finding.text : "nothing found");
	if (e.violated)
		ck_assert_str_eq(e.finding.invariant, cases[at].invariant);
	else
		ck_assert(e.exhausted);
	explored_release(&e);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("environment");
	TCase *t = tcase_create("kinds of events");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_kind_of_event_breaks_what_it_should, 0,
			    2 * (int)ARRAY_SIZE(cases));
	suite_add_tcase(s, t);
	return suite_main(s);
}
