/*
 * per-root-gen with one bug each.  The hooks are written out once more, with a
 * hole where the bug is.
 */
#include "tests/mutant.h"

#define I1	VERDICT_BIT(1)
#define I2	VERDICT_BIT(2)
#define I3	VERDICT_BIT(3)

enum { ROW_GEN, ROW_SEEN };

static void flush_if_behind(struct plan *p, u32 root)
{
	u32 current;

	plan_latch(p, ROW_GEN, root, 0);
	current = plan_skip_unless_less(p, ROW_SEEN, PLAN_HERE, root);
	plan_store(p, ROW_SEEN, PLAN_HERE, root);
	plan_flush(p, PLAN_INVEPT_SINGLE, root);
	plan_land(p, current);
}

static void load(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_if_behind(p, e->roots[i]);
	plan_invvpid_both(e, p);
}

static void bump(const struct policy_event *e, struct plan *p)
{
	plan_inc(p, ROW_GEN, e->root, 0);
}

static void use(const struct policy_event *e, struct plan *p)
{
	plan_preempt_off(p);
	flush_if_behind(p, e->root);
	plan_preempt_on(p);
}

static void change(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_inc(p, ROW_GEN, e->roots[i], 0);
}

static void request(const struct policy_event *e, struct plan *p)
{
	if (e->request != REQ_TLB_FLUSH) {
		policy_service_as_kvm(e, p);
		return;
	}
	plan_preempt_off(p);
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_if_behind(p, e->roots[i]);
	plan_preempt_on(p);
}

/* --- the holes --- */

static void record_only(struct plan *p, u32 root)
{
	plan_latch(p, ROW_GEN, root, 0);
	plan_store(p, ROW_SEEN, PLAN_HERE, root);
}

static void load_recording_only(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; e->migrated && i < e->nr_roots; i++)
		record_only(p, e->roots[i]);
	if (e->migrated)
		plan_flush(p, PLAN_INVVPID_SINGLE, e->vcpu);
}

static void request_recording_only(const struct policy_event *e, struct plan *p)
{
	if (e->request != REQ_TLB_FLUSH) {
		policy_service_as_kvm(e, p);
		return;
	}
	for (u32 i = 0; i < e->nr_roots; i++)
		record_only(p, e->roots[i]);
}

static void load_without_invvpid(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; e->migrated && i < e->nr_roots; i++)
		flush_if_behind(p, e->roots[i]);
}

static void change_first_root_only(const struct policy_event *e, struct plan *p)
{
	if (e->nr_roots)
		plan_inc(p, ROW_GEN, e->roots[0], 0);
}

/* Takes the change of another root for its own. */
static void flush_of_current(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; e->migrated && i < e->nr_roots; i++) {
		u32 current;

		plan_latch(p, ROW_GEN, e->roots[i], 0);
		current = plan_skip_unless_less(p, ROW_SEEN, PLAN_HERE,
						e->roots[i]);
		plan_store(p, ROW_SEEN, PLAN_HERE, e->roots[i]);
		plan_flush(p, PLAN_INVEPT_SINGLE, e->roots[0]);
		plan_land(p, current);
	}
	if (e->migrated)
		plan_flush(p, PLAN_INVVPID_SINGLE, e->vcpu);
}

#define WHOLE(f_load, f_alloc, f_use, f_change, f_request)		\
	{ .name = "mutant", .brief = "per-root-gen with a bug",		\
	  .rows = { { "gen", STATE_ROOT, STATE_COUNTER },		\
		    { "seen", STATE_PCPU_ROOT, STATE_COUNTER } },	\
	  .vcpu_load = (f_load), .nested_transition = (f_load),		\
	  .root_alloc = (f_alloc),					\
	  .root_load = (f_use), .root_switch = (f_use),			\
	  .strict_change = (f_change), .request = (f_request) }

static const struct flush_policy_ops unmutated =
	WHOLE(load, bump, use, change, request);

static const struct mutant mutants[] = {
	{ "the generation is recorded on migration but not flushed",
	  WHOLE(load_recording_only, bump, use, change, request), I1, NULL },
	{ "the generation is recorded at a request but not flushed",
	  WHOLE(load, bump, use, change, request_recording_only), I1, NULL },
	{ "a strict change bumps nothing",
	  WHOLE(load, bump, use, mutant_nothing, request), I1, NULL },
	{ "a strict change bumps the first root only",
	  WHOLE(load, bump, use, change_first_root_only, request), I1,
	  mutant_nested },
	{ "no INVVPID on migration",
	  WHOLE(load_without_invvpid, bump, use, change, request), I3, NULL },
	{ "no root is tested on migration",
	  WHOLE(mutant_load_invvpid, bump, use, change, request), I1, NULL },
	{ "each root behind flushes the current one",
	  WHOLE(flush_of_current, bump, use, change, request), I1,
	  mutant_nested },
	/*
	 * The deletion that ends a root bumps it, too, but a vCPU that loads it
	 * between the bump and its request records that and still enters.
	 */
	{ "a new root has the generation of the root that had its frame",
	  WHOLE(load, NULL, use, change, request), I2, mutant_frame_reuse },
	{ "neither its end nor its allocation gives a frame a new generation",
	  WHOLE(load, NULL, use, mutant_nothing, request), I2, mutant_frame_reuse },
};

int main(void)
{
	return mutants_main(&unmutated, mutants, ARRAY_SIZE(mutants));
}
