/*
 * per-root-mask-clear - elide by a cpumask per root, made sound
 *
 * A set bit means: this pCPU holds nothing of the root that a completed flush
 * has condemned.  A strict change clears all bits between the write and the
 * requests; whoever flushes sets the bit first and executes INVEPT second, in
 * one preempt-off section, so a clear that falls between costs one flush too
 * many and never one too few.
 *
 * Guest flushes are per VPID and miss the pCPUs the vCPU has left, hence
 * INVVPID on every migration.  vCPUs in xAPIC and in x2APIC mode must not use
 * each other's translation of the APIC page, hence the last mode per (pCPU,
 * root), tested at every entry.
 *
 * The options take one part of this away each, so that exploring shows what it
 * is good for.
 */
#include "models/flush_policy.h"

static const char *const order_words[] = { "set-flush", "flush-set", NULL };
static const char *const section_words[] = { "one", "split", NULL };
static const char *const clear_words[] = { "before", "after", NULL };
static const char *const roots_words[] = { "listed", "current", NULL };
static const char *const init_words[] = { "before", "after", NULL };

enum { ROW_MASK, ROW_APIC };
enum { OPT_ORDER, OPT_SECTION, OPT_CLEAR, OPT_ROOTS, OPT_INIT };
enum { ORDER_SET_FLUSH, ORDER_FLUSH_SET };
enum { SECTION_ONE, SECTION_SPLIT };
enum { CLEAR_BEFORE, CLEAR_AFTER };
enum { ROOTS_LISTED, ROOTS_CURRENT };
enum { INIT_BEFORE, INIT_AFTER };
enum { APIC_UNKNOWN, APIC_PLAIN, APIC_VIRTUAL };

static u8 mode_of(const struct policy_event *e)
{
	return e->virtual_apic ? APIC_VIRTUAL : APIC_PLAIN;
}

static void flush_here(const struct policy_event *e, struct plan *p, u32 root)
{
	bool flush_first = e->option[OPT_ORDER] == ORDER_FLUSH_SET;

	if (flush_first)
		plan_flush(p, PLAN_INVEPT_SINGLE, root);
	plan_set(p, ROW_MASK, 1, PLAN_HERE, root);
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

/* How many of the listed roots are looked at; the current one is the first. */
static u32 roots_of(const struct policy_event *e)
{
	return e->option[OPT_ROOTS] == ROOTS_CURRENT && e->nr_roots ?
	       e->root != IDX_NONE : e->nr_roots;
}

static void flush_unless_clean(const struct policy_event *e, struct plan *p,
			       u32 root)
{
	u32 clean = plan_skip_if(p, ROW_MASK, 1, PLAN_HERE, root);

	flush_here(e, p, root);
	plan_land(p, clean);
}

static void per_root_mask_clear_vmcs_load(const struct policy_event *e,
					  struct plan *p)
{
	if (!e->migrated)
		return;
	for (u32 i = 0; i < roots_of(e); i++)
		flush_unless_clean(e, p, e->roots[i]);
	plan_invvpid_both(e, p);
}

static void per_root_mask_clear_vm_enter(const struct policy_event *e,
					 struct plan *p)
{
	u32 same = plan_skip_if(p, ROW_APIC, mode_of(e), PLAN_HERE, e->root);

	flush_here(e, p, e->root);
	plan_land(p, same);
}

static void init(const struct policy_event *e, struct plan *p)
{
	plan_set(p, ROW_MASK, 0, PLAN_ALL, e->root);
	plan_set(p, ROW_APIC, APIC_UNKNOWN, PLAN_ALL, e->root);
}

static void per_root_mask_clear_root_alloc(const struct policy_event *e,
					   struct plan *p)
{
	if (e->option[OPT_INIT] == INIT_BEFORE)
		init(e, p);
}

static void per_root_mask_clear_root_use(const struct policy_event *e,
					 struct plan *p)
{
	if (e->fresh && e->option[OPT_INIT] == INIT_AFTER)
		init(e, p);
	section_begin(e, p);
	flush_unless_clean(e, p, e->root);
	section_end(e, p);
}

static void clear_all(const struct policy_event *e, struct plan *p)
{
	for (u32 i = 0; i < e->nr_roots; i++)
		plan_set(p, ROW_MASK, 0, PLAN_ALL, e->roots[i]);
}

static void per_root_mask_clear_strict_change(const struct policy_event *e,
					      struct plan *p)
{
	if (e->option[OPT_CLEAR] == CLEAR_BEFORE)
		clear_all(e, p);
}

static void per_root_mask_clear_request(const struct policy_event *e,
					struct plan *p)
{
	switch (e->request) {
	case REQ_TLB_FLUSH:
		if (e->option[OPT_CLEAR] == CLEAR_AFTER)
			clear_all(e, p);
		section_begin(e, p);
		for (u32 i = 0; i < roots_of(e); i++)
			flush_unless_clean(e, p, e->roots[i]);
		section_end(e, p);
		break;
	case REQ_TLB_FLUSH_CURRENT:
		if (e->root == IDX_NONE)
			break;
		section_begin(e, p);
		flush_here(e, p, e->root);
		section_end(e, p);
		break;
	default:
		policy_service_as_kvm(e, p);
	}
}

const struct flush_policy_ops flush_policy_per_root_mask_clear = {
	.name		= "per-root-mask-clear",
	.brief		= "per-root cpumask cleared by every strict flush, INVVPID on migration",
	.rows		= {
		[ROW_MASK] = { "cpu_flushed_mask", STATE_PCPU_ROOT, STATE_BIT },
		[ROW_APIC] = { "last_apic_mode", STATE_PCPU_ROOT, STATE_INDEX },
	},
	.options	= {
		{ "order", order_words, "of setting the bit and INVEPT" },
		{ "section", section_words, "whether preemption is off around both, but for loads and entries" },
		{ "clear", clear_words, "bits before the requests of a strict change, or when one is served" },
		{ "roots", roots_words, "that a migration and a request look at" },
		{ "init", init_words, "of a new root's state, before the root is published or after" },
	},
	.vcpu_load	= per_root_mask_clear_vmcs_load,
	.nested_transition = per_root_mask_clear_vmcs_load,
	.vm_enter	= per_root_mask_clear_vm_enter,
	.root_alloc	= per_root_mask_clear_root_alloc,
	.root_load	= per_root_mask_clear_root_use,
	.root_switch	= per_root_mask_clear_root_use,
	.strict_change	= per_root_mask_clear_strict_change,
	.request	= per_root_mask_clear_request,
};
