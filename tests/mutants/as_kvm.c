/*
 * The policies close to KVM of today with one bug each: active-roots, whose
 * flushes on migration are narrower than global-flush, and the flush at the
 * end of kvm_mmu_load that lets frees go without one.
 *
 * Accounting and order hold by construction of the machine: no policy can book
 * a cycle or emit a record.  What trips those checkers is a bad stream and not
 * a bad policy; the streams are in tests/unit/check.  Isolation can be lost
 * through a frame that a root of another VM has had, which is I4 below.
 */
#include "tests/mutant.h"

#define I1	VERDICT_BIT(1)
#define I2	VERDICT_BIT(2)
#define I3	VERDICT_BIT(3)
#define I4	VERDICT_BIT(4)

static void load(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; e->migrated && i < e->nr_roots; i++)
		plan_flush(p, PLAN_INVEPT_SINGLE, e->roots[i]);
}

/* --- the holes --- */

static void load_current_only(const struct policy_event *e, struct plan *p)
{
	if (e->migrated && e->root != IDX_NONE)
		plan_flush(p, PLAN_INVEPT_SINGLE, e->root);
}

/* Takes "not migrated" for "migrated". */
static void load_the_wrong_way_round(const struct policy_event *e,
				     struct plan *p)
{
	for (u32 i = 0; !e->migrated && i < e->nr_roots; i++)
		plan_flush(p, PLAN_INVEPT_SINGLE, e->roots[i]);
}

static void request_current_for_all(const struct policy_event *e, struct plan *p)
{
	struct policy_event weaker = *e;

	if (e->request == REQ_TLB_FLUSH)
		weaker.request = REQ_TLB_FLUSH_CURRENT;
	policy_service_as_kvm(&weaker, p);
}

static void request_invvpid_for_all(const struct policy_event *e, struct plan *p)
{
	struct policy_event weaker = *e;

	if (e->request == REQ_TLB_FLUSH)
		weaker.request = REQ_TLB_FLUSH_GUEST;
	policy_service_as_kvm(&weaker, p);
}

#define WHOLE(f_load, f_use, f_request)					\
	{ .name = "mutant", .brief = "active-roots with a bug",		\
	  .vcpu_load = (f_load), .nested_transition = (f_load),		\
	  .root_load = (f_use),						\
	  .request = (f_request) }
#define AS_KVM	policy_service_as_kvm
#define LOAD	policy_root_load_as_kvm

static const struct flush_policy_ops unmutated = WHOLE(load, LOAD, AS_KVM);

static const struct mutant mutants[] = {
	{ "a migration flushes nothing",
	  WHOLE(NULL, LOAD, AS_KVM), I1 | I3, NULL },
	{ "a migration flushes the current root only",
	  WHOLE(load_current_only, LOAD, AS_KVM), I1, mutant_nested },
	{ "a migration is INVVPID only",
	  WHOLE(mutant_load_invvpid, LOAD, AS_KVM), I1, NULL },
	{ "what did not migrate flushes",
	  WHOLE(load_the_wrong_way_round, LOAD, AS_KVM), I1 | I3, NULL },
	{ "TLB_FLUSH is served by the current root only",
	  WHOLE(load, LOAD, request_current_for_all), I1, mutant_nested },
	{ "TLB_FLUSH is served by INVVPID, which keeps guest-physical mappings",
	  WHOLE(load, LOAD, request_invvpid_for_all), I1, NULL },
	{ "no request is served at all",
	  WHOLE(load, LOAD, NULL), I1, NULL },
	{ "a root load does not flush",
	  WHOLE(load, NULL, AS_KVM), I2, mutant_frame_reuse },
	{ "a frame of another VM is entered with its entries",
	  WHOLE(mutant_load_invvpid, NULL, AS_KVM), I2 | I4, mutant_frame_reuse },
	{ "strict changes are not flushed remotely",
	  { .name = "mutant", .brief = "no remote flush", .vcpu_load = load,
	    .nested_transition = load,
	    .root_load = LOAD, .request = AS_KVM, .no_remote_flush = true },
	  I1, NULL },
};

int main(void)
{
	return mutants_main(&unmutated, mutants, ARRAY_SIZE(mutants));
}
