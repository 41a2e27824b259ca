/*
 * per-root-gen - a generation per root, the last one seen per pCPU
 *
 * Every strict change bumps the root's generation between the write and the
 * requests.  Whoever arrives reads the generation, executes INVEPT if the pCPU
 * has seen an older one only, and records the value read before; a bump that
 * falls in between is then still newer than what is recorded.  This is the
 * scheme of tlb_gen in arch/x86/mm/tlb.c, and N vCPUs of a VM that share a
 * pCPU flush once instead of N times.
 *
 * INVVPID on migration and the APIC-mode rule as in per-root-mask-clear.  The
 * options take one part of this away each.
 */
#include "models/flush_policy.h"

static const char *const record_words[] = { "before", "after", NULL };
static const char *const section_words[] = { "one", "split", NULL };
static const char *const init_words[] = { "before", "after", NULL };

enum { ROW_GEN, ROW_SEEN, ROW_APIC };
enum { OPT_RECORD, OPT_SECTION, OPT_INIT };
enum { RECORD_BEFORE, RECORD_AFTER };
enum { SECTION_ONE, SECTION_SPLIT };
enum { INIT_BEFORE, INIT_AFTER };
enum { APIC_UNKNOWN, APIC_PLAIN, APIC_VIRTUAL };

static u8 mode_of(const struct policy_event *e)
{
	return e->virtual_apic ? APIC_VIRTUAL : APIC_PLAIN;
}

static void flush_here(const struct policy_event *e, struct plan *p, u32 root)
{
	bool flush_first = e->option[OPT_RECORD] == RECORD_AFTER;

	if (flush_first)
		plan_flush(p, PLAN_INVEPT_SINGLE, root);
	plan_store(p, ROW_SEEN, PLAN_HERE, root);
	plan_set(p, ROW_APIC, mode_of(e), PLAN_HERE, root);
	if (!flush_first)
		plan_flush(p, PLAN_INVEPT_SINGLE, root);
}

static void section_begin(const struct policy_event *e, struct plan *p)
{
	if (e->option[OPT_SECTION] == SECTION_ONE)
		plan_preempt_off(p);
}

static void section_end(const struct policy_event *e, struct plan *p)
{
	if (e->option[OPT_SECTION] == SECTION_ONE)
		plan_preempt_on(p);
}

static void flush_if_behind(const struct policy_event *e, struct plan *p,
			    u32 root)
{
	u32 current;

	plan_latch(p, ROW_GEN, root, 0);
	current = plan_skip_unless_less(p, ROW_SEEN, PLAN_HERE, root);
	flush_here(e, p, root);
	plan_land(p, current);
}

static void per_root_gen_vmcs_load(const struct policy_event *e, struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < e->nr_roots; i++)
		flush_if_behind(e, p, e->roots[i]);
	plan_invvpid_both(e, p);
}

static void per_root_gen_vm_enter(const struct policy_event *e, struct plan *p)
{
	u32 same = plan_skip_if(p, ROW_APIC, mode_of(e), PLAN_HERE, e->root);

	plan_latch(p, ROW_GEN, e->root, 0);
	flush_here(e, p, e->root);
	plan_land(p, same);
}

static void init(const struct policy_event *e, struct plan *p)
{
	plan_inc(p, ROW_GEN, e->root, 0);
	plan_set(p, ROW_APIC, APIC_UNKNOWN, PLAN_ALL, e->root);
}

static void per_root_gen_root_alloc(const struct policy_event *e, struct plan *p)
{
	if (e->option[OPT_INIT] == INIT_BEFORE)
		init(e, p);
}

static void per_root_gen_root_use(const struct policy_event *e, struct plan *p)
{
	if (e->fresh && e->option[OPT_INIT] == INIT_AFTER)
		init(e, p);
	section_begin(e, p);
	flush_if_behind(e, p, e->root);
	section_end(e, p);
}

static void per_root_gen_strict_change(const struct policy_event *e,
				       struct plan *p)
{
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_inc(p, ROW_GEN, e->roots[i], 0);
}

static void per_root_gen_request(const struct policy_event *e, struct plan *p)
{
	switch (e->request) {
	case REQ_TLB_FLUSH:
		section_begin(e, p);
		for (u32 i = 0; i < e->nr_roots; i++)
			flush_if_behind(e, p, e->roots[i]);
		section_end(e, p);
		break;
	case REQ_TLB_FLUSH_CURRENT:
		if (e->root == IDX_NONE)
			break;
		section_begin(e, p);
		plan_latch(p, ROW_GEN, e->root, 0);
		flush_here(e, p, e->root);
		section_end(e, p);
		break;
	default:
		policy_service_as_kvm(e, p);
	}
}

const struct flush_policy_ops flush_policy_per_root_gen = {
	.name		= "per-root-gen",
	.brief		= "generation per root bumped by every strict flush, INVVPID on migration",
	.rows		= {
		[ROW_GEN] = { "gen", STATE_ROOT, STATE_COUNTER },
		[ROW_SEEN] = { "seen_gen", STATE_PCPU_ROOT, STATE_COUNTER },
		[ROW_APIC] = { "last_apic_mode", STATE_PCPU_ROOT, STATE_INDEX },
	},
	.options	= {
		{ "record", record_words, "the generation before INVEPT, or after" },
		{ "section", section_words, "whether preemption is off around both, but for loads and entries" },
		{ "init", init_words, "of a new root's state, before the root is published or after" },
	},
	.vcpu_load	= per_root_gen_vmcs_load,
	.nested_transition = per_root_gen_vmcs_load,
	.vm_enter	= per_root_gen_vm_enter,
	.root_alloc	= per_root_gen_root_alloc,
	.root_load	= per_root_gen_root_use,
	.root_switch	= per_root_gen_root_use,
	.strict_change	= per_root_gen_strict_change,
	.request	= per_root_gen_request,
};
