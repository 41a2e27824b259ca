/*
 * hypercall-broadcast with its hole closed (INVVPID on migration, see hazard
 * B), on Hyper-V with its flush hypercall; and one bug each.  Roles are not
 * switched here: a root in prev_roots is one that no hypercall is made for,
 * which is the hole of tests/prop/verdicts.c.
 */
#include "tests/mutant.h"

#define I1	VERDICT_BIT(1)
#define I2	VERDICT_BIT(2)
#define I3	VERDICT_BIT(3)
#define I4	VERDICT_BIT(4)

static void use(const struct policy_event *e, struct plan *p)
{
	plan_hypercall(p, e->root);
}

static void hyperv(struct fixture *f)
{
	fixture_hyperv(f);
	f->workload.nested_per_s = 0;
}

static void frame_reuse(struct fixture *f)
{
	hyperv(f);
	f->workload.memslot_delete_per_s = 6000;
}

#define WHOLE(f_load, f_use)						\
	{ .name = "mutant", .brief = "hypercall-broadcast with a bug",	\
	  .needs_hypercall = true, .vcpu_load = (f_load),		\
	  .nested_transition = (f_load),				\
	  .root_load = (f_use), .request = policy_service_as_kvm }

static const struct flush_policy_ops unmutated = WHOLE(mutant_load_invvpid, use);

static const struct mutant mutants[] = {
	{ "no INVVPID on migration", WHOLE(NULL, use), I3, hyperv },
	{ "a root load does not flush", WHOLE(mutant_load_invvpid, NULL), I2 | I4, frame_reuse },
	{ "a root load flushes its own pCPU only",
	  WHOLE(mutant_load_invvpid, policy_root_load_as_kvm), I2, frame_reuse },
	{ "strict changes are no hypercall",
	  { .name = "mutant", .brief = "no remote flush", .vcpu_load = mutant_load_invvpid,
	    .nested_transition = mutant_load_invvpid,
	    .root_load = use, .request = policy_service_as_kvm,
	    .needs_hypercall = true, .no_remote_flush = true }, I1, hyperv },
};

int main(void)
{
	return mutants_main(&unmutated, mutants, ARRAY_SIZE(mutants));
}
