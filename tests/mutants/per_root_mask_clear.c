/*
 * per-root-mask-clear with one bug each.  The hooks are written out once more,
 * with a hole where the bug is.
 */
#include "tests/mutant.h"

#define I1	VERDICT_BIT(1)
#define I2	VERDICT_BIT(2)
#define I3	VERDICT_BIT(3)

enum { ROW_MASK, ROW_APIC };
enum { APIC_UNKNOWN, APIC_PLAIN };

static void flush(struct plan *p, u32 root)
{
	plan_set(p, ROW_MASK, 1, PLAN_HERE, root);
	plan_set(p, ROW_APIC, APIC_PLAIN, PLAN_HERE, root);
	plan_flush(p, PLAN_INVEPT_SINGLE, root);
}

static void flush_unless_clean(struct plan *p, u32 root)
{
	u32 clean = plan_skip_if(p, ROW_MASK, 1, PLAN_HERE, root);

	flush(p, root);
	plan_land(p, clean);
}

static void load(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_unless_clean(p, e->roots[i]);
	plan_invvpid_both(e, p);
}

static void load_invvpid_current(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_unless_clean(p, e->roots[i]);
	plan_invvpid_current(e, p);
}

static void load_invvpid_vpid01(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_unless_clean(p, e->roots[i]);
	plan_flush(p, PLAN_INVVPID_SINGLE, e->vcpu);
}

static void enter(const struct policy_event *e, struct plan *p)
{
	u32 same = plan_skip_if(p, ROW_APIC, APIC_PLAIN, PLAN_HERE, e->root);

	flush(p, e->root);
	plan_land(p, same);
}

static void alloc(const struct policy_event *e, struct plan *p)
{
	plan_set(p, ROW_MASK, 0, PLAN_ALL, e->root);
	plan_set(p, ROW_APIC, APIC_UNKNOWN, PLAN_ALL, e->root);
}

static void use(const struct policy_event *e, struct plan *p)
{
	plan_preempt_off(p);
	flush_unless_clean(p, e->root);
	plan_preempt_on(p);
}

static void change(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_set(p, ROW_MASK, 0, PLAN_ALL, e->roots[i]);
}

static void request(const struct policy_event *e, struct plan *p)
{
	if (e->request != REQ_TLB_FLUSH) {
		policy_service_as_kvm(e, p);
		return;
	}
	plan_preempt_off(p);
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_unless_clean(p, e->roots[i]);
	plan_preempt_on(p);
}

/* --- the holes --- */

static void load_without_invvpid(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; e->migrated && i < e->nr_roots; i++)
		flush_unless_clean(p, e->roots[i]);
}

/* The bit is set, the flush it stands for is not made. */
static void mark_only(struct plan *p, u32 root)
{
	plan_set(p, ROW_MASK, 1, PLAN_HERE, root);
}

static void load_marking_only(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		mark_only(p, e->roots[i]);
	plan_flush(p, PLAN_INVVPID_SINGLE, e->vcpu);
}

static void request_marking_only(const struct policy_event *e, struct plan *p)
{
	if (e->request != REQ_TLB_FLUSH) {
		policy_service_as_kvm(e, p);
		return;
	}
	for (u32 i = 0; i < e->nr_roots; i++)
		mark_only(p, e->roots[i]);
}

static void request_nothing(const struct policy_event *e, struct plan *p)
{
	if (e->request != REQ_TLB_FLUSH)
		policy_service_as_kvm(e, p);
}

static void use_marking_only(const struct policy_event *e, struct plan *p)
{
	mark_only(p, e->root);
}

static void alloc_keeping_the_mask(const struct policy_event *e, struct plan *p)
{
	plan_set(p, ROW_APIC, APIC_PLAIN, PLAN_ALL, e->root);
}

/* Clears the bit of the pCPU that makes the change and of no other. */
static void change_here_only(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_set(p, ROW_MASK, 0, PLAN_HERE, e->roots[i]);
}

/* A root is flushed, another one is not: the list is cut short. */
static void change_first_root_only(const struct policy_event *e, struct plan *p)
{
	if (e->nr_roots)
		plan_set(p, ROW_MASK, 0, PLAN_ALL, e->roots[0]);
}

static void load_current_root_only(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	if (e->root != IDX_NONE)
		flush_unless_clean(p, e->root);
	plan_flush(p, PLAN_INVVPID_SINGLE, e->vcpu);
}

static void request_current_root_only(const struct policy_event *e,
				      struct plan *p)
{
	if (e->request != REQ_TLB_FLUSH) {
		policy_service_as_kvm(e, p);
		return;
	}
	plan_preempt_off(p);
	if (e->root != IDX_NONE)
		flush_unless_clean(p, e->root);
	plan_preempt_on(p);
}

/* INVVPID of the vCPU with the next number: the wrong operand. */
static void load_of_another_vpid(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_unless_clean(p, e->roots[i]);
	plan_flush(p, PLAN_INVVPID_SINGLE, e->vcpu ^ 1);
}

/*
 * The clear stands behind the requests instead of between the write and them:
 * here, in the service of the request.  Whoever is served first sets a bit
 * that the next one takes away: costly.  Whoever finds the bit set before it
 * is cleared does not flush: wrong.
 */
static void request_clearing_too_late(const struct policy_event *e,
				      struct plan *p)
{
	request(e, p);
	if (e->request == REQ_TLB_FLUSH)
		change(e, p);
}

#define ROWS								\
	.rows = { { "mask", STATE_PCPU_ROOT, STATE_BIT },		\
		  { "apic", STATE_PCPU_ROOT, STATE_INDEX } }
#define WHOLE(f_load, f_use, f_switch, f_change, f_request)		\
	{ .name = "mutant", .brief = "per-root-mask-clear with a bug",	\
	  ROWS, .vcpu_load = (f_load), .nested_transition = (f_load),		\
	  .vm_enter = enter,						\
	  .root_alloc = alloc, .root_load = (f_use),			\
	  .root_switch = (f_switch), .strict_change = (f_change),	\
	  .request = (f_request) }

static const struct flush_policy_ops unmutated =
	WHOLE(load, use, use, change, request);

static const struct mutant mutants[] = {
	{ "the mask is never cleared",
	  WHOLE(load, use, use, mutant_nothing, request), I1, NULL },
	{ "no INVVPID on migration",
	  WHOLE(load_without_invvpid, use, use, change, request), I3, NULL },
	{ "INVVPID of the current VPID only on migration",
	  WHOLE(load_invvpid_current, use, use, change, request), I3,
	  mutant_nested },
	{ "INVVPID of vpid01 only on migration",
	  WHOLE(load_invvpid_vpid01, use, use, change, request), I3,
	  mutant_nested },
	{ "INVVPID of another vCPU on migration",
	  WHOLE(load_of_another_vpid, use, use, change, request), I3, NULL },
	{ "no root is tested on migration",
	  WHOLE(mutant_load_invvpid, use, use, change, request), I1, NULL },
	{ "a migration sets the bit and does not flush",
	  WHOLE(load_marking_only, use, use, change, request), I1, NULL },
	{ "the service of a request sets the bit and does not flush",
	  WHOLE(load, use, use, change, request_marking_only), I1, NULL },
	{ "a request is served by nothing",
	  WHOLE(load, use, use, change, request_nothing), I1, NULL },
	{ "only the current root is tested on migration and at a switch none",
	  WHOLE(load_current_root_only, use, mutant_nothing, change, request), I1,
	  mutant_nested },
	{ "only the current root is served and at a switch none",
	  WHOLE(load, use, mutant_nothing, change, request_current_root_only), I1,
	  mutant_nested },
	{ "a strict change clears the bit of its own pCPU only",
	  WHOLE(load, use, use, change_here_only, request), I1, NULL },
	{ "a strict change clears the first root only",
	  WHOLE(load, use, use, change_first_root_only, request), I1,
	  mutant_nested },
	{ "the mask is cleared after the requests",
	  WHOLE(load, use, use, mutant_nothing, request_clearing_too_late), I1,
	  NULL },
	/* Not I2: the APIC rule flushes a new root at its first entry. */
	{ "a root load sets the bit and does not flush",
	  WHOLE(load, use_marking_only, use, change, request), I1, NULL },
	{ "a reused frame keeps the mask of the root before",
	  { .name = "mutant", .brief = "stale mask", ROWS, .vcpu_load = load,
	    .nested_transition = load,
	    .vm_enter = enter, .root_alloc = alloc_keeping_the_mask,
	    .root_load = use, .root_switch = use, .strict_change = change,
	    .request = request }, I2, mutant_frame_reuse },
};

int main(void)
{
	return mutants_main(&unmutated, mutants, ARRAY_SIZE(mutants));
}
