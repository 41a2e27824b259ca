/*
 * What one run counts.  The machine adds; checkers and reports read.  Plain
 * sums with no pointers, so two runs compare with memcmp().
 */
#ifndef SIM_CORE_STATS_H
#define SIM_CORE_STATS_H

#include "sim/base/types.h"
#include "sim/core/cost.h"

/* Why something was flushed: the hook or the request it came from. */
#define CAUSES(X)							\
	X(MIGRATION,	"migration")	/* a VMCS loaded on another pCPU */ \
	X(LOAD,		"load")		/* a root loaded by kvm_mmu_load */ \
	X(STRICT,	"strict")	/* an EPT change that needs a flush */ \
	X(CR_APIC,	"cr_apic")	/* CR0/CR4 changes, APIC mode */ \
	X(GUEST,	"guest")	/* executed by or for the guest */ \
	X(NESTED,	"nested")	/* nested entry or exit */	\
	X(NONE,		"none")		/* not a flush, or no single cause */

#define X(id, name) CAUSE_##id,
enum cause { CAUSES(X) CAUSE_NR };
#undef X

/* The keys of "counts" in the JSON result, in its order. */
#define COUNTS(X)							\
	X(MIGRATIONS,	"migrations")					\
	X(INVEPT_GLOBAL, "invept_global")				\
	X(INVEPT_SINGLE, "invept_single")				\
	X(INVVPID,	"invvpid")					\
	X(FLUSH_HYPERCALLS, "flush_hypercalls")				\
	X(ASID_FLUSHES,	"asid_flushes")					\
	X(INVLPGB,	"invlpgb")					\
	X(IPIS,		"ipis")						\
	X(TLB_LOOKUPS,	"tlb_lookups")					\
	X(TLB_MISSES,	"tlb_misses")					\
	X(WALK_REFS,	"walk_refs")					\
	X(L0_FAULTS,	"l0_faults")					\
	X(SHADOW_PAGES_DROPPED, "shadow_pages_dropped")			\
	X(FLUSHES_ELIDED, "flushes_elided")				\
	X(FLUSHES_NEEDLESS, "flushes_needless")				\
	X(SCHED_INS,	"sched_ins")					\
	X(VM_ENTRIES,	"vm_entries")					\
	X(EPT_FAULTS,	"ept_faults")					\
	X(STLB_HITS,	"stlb_hits")					\
	X(ROOT_LOADS,	"root_loads")					\
	X(REMOTE_FLUSHES, "remote_flushes")				\
	X(STRICT_CHANGES, "strict_changes")				\
	X(GUEST_FLUSHES, "guest_flushes")				\
	X(NESTED_TRANSITIONS, "nested_transitions")			\
	X(MICRO_STEPS,	"micro_steps")

#define X(id, name) COUNT_##id,
enum count_id { COUNTS(X) COUNT_NR };
#undef X

/**
 * struct stats - the sums of one run
 * @count: events by kind and cause; CAUSE_NONE where causes mean nothing
 * @cycles: cycles by category; after the run they add up to pCPUs x time
 * @charged: how often each cost was charged, so that the run can be costed
 *           again with other values: cycles = sum of charged x value
 * @overrun_cycles: work that the recorded slices had no room for
 * @slices: vCPU slices that ended
 * @slices_overrun: those with some overrun
 */
struct stats {
	u64 count[COUNT_NR][CAUSE_NR];
	u64 cycles[CYC_NR];
	u64 charged[COST_NR];
	u64 overrun_cycles;
	u64 slices;
	u64 slices_overrun;
};

/**
 * stats_total() - one count over all causes
 * @s: sums
 * @id: which count
 *
 * Return: the total.
 */
u64 stats_total(const struct stats *s, enum count_id id);

/**
 * count_name() - JSON name of a count
 * @id: count
 *
 * Return: a static string.
 */
const char *count_name(enum count_id id);

/**
 * cause_name() - JSON name of a cause
 * @cause: cause
 *
 * Return: a static string.
 */
const char *cause_name(enum cause cause);

#endif /* SIM_CORE_STATS_H */
