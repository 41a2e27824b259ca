/*
 * Every latency the simulator charges, by name.  A value is never a literal
 * in C: it comes from a cost sheet (configs/costs/), where each row carries
 * its unit, source, range and tag.
 */
#ifndef SIM_CORE_COST_H
#define SIM_CORE_COST_H

#include "sim/base/types.h"

/*
 * Where the time of a pCPU goes.  The categories of one run add up to
 * pCPUs x simulated time, exactly; the names are the keys of "cycles" in the
 * JSON result.
 */
#define CYCLE_CATEGORIES(X)						\
	X(GUEST,	"guest",	"guest instructions")		\
	X(WALK,		"walk",		"page walks and second-level TLB hits") \
	X(FLUSH,	"flush",	"invalidation instructions and the policy's own bookkeeping") \
	X(IPI,		"ipi",		"sending, waiting for and taking interrupts of flushes") \
	X(HYPERCALL,	"hypercall",	"flush hypercalls to the hypervisor below") \
	X(L0_SHADOW,	"l0_shadow",	"teardown and rebuild of shadow tables by L0") \
	X(LOCK_WAIT,	"lock_wait",	"waiting for a serial section") \
	X(EXIT,		"exit",		"VM exits, entries and second-level faults") \
	X(SCHED,	"sched",	"context switches into and out of vCPUs") \
	X(HOST,		"host",		"threads that are no vCPU")	\
	X(IDLE,		"idle",		"nothing to run")		\
	X(OFFLINE,	"offline",	"pCPU not online")		\
	X(UNKNOWN,	"unknown",	"holes that a lossy trace leaves")

#define X(id, name, help) CYC_##id,
enum cycle_category { CYCLE_CATEGORIES(X) CYC_NR };
#undef X

/*
 * The costs.  Columns: identifier, JSON name, category it is charged to,
 * meaning.  Order is the order of "eptsim list costs".
 */
#define COSTS(X)							\
	X(STLB_HIT,	"stlb_hit",	WALK,	"L1 TLB miss that hits the second level") \
	X(WALK_START,	"walk_start",	WALK,	"fixed part of a page walk") \
	X(WALK_REF,	"walk_ref",	WALK,	"one memory reference of a page walk") \
	X(VM_EXIT,	"vm_exit",	EXIT,	"leaving the guest, up to KVM's handler") \
	X(VM_ENTRY,	"vm_entry",	EXIT,	"from KVM's handler back into the guest") \
	X(NESTED_TRANSITION, "nested_transition", EXIT, "emulating one entry of L1 into L2, or exit, the exits of L0 apart") \
	X(EPT_FAULT,	"ept_fault",	EXIT,	"handling an EPT violation, exit and entry apart") \
	X(CONTEXT_SWITCH, "context_switch", SCHED, "switching a pCPU to a vCPU thread") \
	X(INVEPT_SINGLE, "invept_single", FLUSH, "INVEPT single-context") \
	X(INVEPT_GLOBAL, "invept_global", FLUSH, "INVEPT global") \
	X(INVVPID_SINGLE, "invvpid_single", FLUSH, "INVVPID single-context") \
	X(INVVPID_ALL,	"invvpid_all",	FLUSH,	"INVVPID all-context") \
	X(INVVPID_ADDR,	"invvpid_addr",	FLUSH,	"INVVPID individual-address") \
	X(INVLPG,	"invlpg",	FLUSH,	"INVLPG executed by a guest") \
	X(MOV_CR3,	"mov_cr3",	FLUSH,	"MOV to CR3 executed by a guest, flushing") \
	X(INVPCID_ALL,	"invpcid_all",	FLUSH,	"INVPCID all-contexts executed by a guest") \
	X(STATE_RMW,	"state_rmw",	FLUSH,	"locked read-modify-write of policy state") \
	X(STATE_READ,	"state_read",	FLUSH,	"plain read of policy state") \
	X(SPTE_WRITE,	"spte_write",	HOST,	"changing one EPT entry under mmu_lock") \
	X(IPI_FIRST,	"ipi_first",	IPI,	"sending an IPI, delivery to one target included") \
	X(IPI_EXTRA,	"ipi_extra",	IPI,	"sending to each further target") \
	X(IPI_RECEIVE,	"ipi_receive",	IPI,	"taking an IPI and acknowledging it") \
	X(FLUSH_HYPERCALL, "flush_hypercall", HYPERCALL, "HvCallFlushGuestPhysicalAddressSpace") \
	X(L0_TRAP,	"l0_trap",	FLUSH,	"exit to L0 that an invalidation by L1 costs") \
	X(L0_ROOT_TEARDOWN, "l0_root_teardown", L0_SHADOW, "dropping the shadow tables of one root") \
	X(L0_FAULT,	"l0_fault",	L0_SHADOW, "rebuilding one shadow entry by an L0 fault") \
	X(L0_FILL_SECTION, "l0_fill_section", L0_SHADOW, "part of a rebuild under the partition-wide fill section")

#define X(id, name, cat, help) COST_##id,
enum cost_id { COSTS(X) COST_NR };
#undef X

/* How far a figure can be trusted; first word of what "list costs" prints. */
enum cost_tag {
	COST_TAG_MEASURED,
	COST_TAG_MANUAL,
	COST_TAG_PAPER,
	COST_TAG_DERIVED,
	COST_TAG_ASSUMED,
	COST_TAG_NR,
};

/**
 * struct cost_row - what is known about one cost
 * @applies: false when the sheet marks the cost "n/a" on its platform; then
 *           a run that would charge it is refused before it starts
 * @cycles: value, in cycles of the sheet's clock
 * @lo_cycles: lower end of the uncertainty range
 * @hi_cycles: upper end of the uncertainty range
 * @tag: where the value comes from
 * @source: citation; points into the loaded sheet's own text
 */
struct cost_row {
	bool applies;
	u64 cycles;
	u64 lo_cycles;
	u64 hi_cycles;
	enum cost_tag tag;
	char source[200];
};

/**
 * struct cost_sheet - all costs of one platform
 * @name: name of the sheet
 * @vendor: "intel" or "amd"
 * @l0: hypervisor below: "bare", "hyperv" or "kvm"
 * @clock_khz: cycles per millisecond; turns ns of traces and sheets to cycles
 * @row: one row per cost
 */
struct cost_sheet {
	char name[64];
	char vendor[16];
	char l0[16];
	u64 clock_khz;
	struct cost_row row[COST_NR];
};

/**
 * cost_name() - JSON name of a cost
 * @id: cost
 *
 * Return: a static string.
 */
const char *cost_name(enum cost_id id);

/**
 * cost_help() - one line on what a cost covers
 * @id: cost
 *
 * Return: a static string.
 */
const char *cost_help(enum cost_id id);

/**
 * cost_category() - where a cost is charged
 * @id: cost
 *
 * Return: the category.
 */
enum cycle_category cost_category(enum cost_id id);

/**
 * cost_tag_name() - word for a tag, as cost sheets spell it
 * @tag: tag
 *
 * Return: a static string.
 */
const char *cost_tag_name(enum cost_tag tag);

/**
 * cycle_category_name() - JSON name of a category
 * @cat: category
 *
 * Return: a static string.
 */
const char *cycle_category_name(enum cycle_category cat);

/**
 * ns_to_cycles() - the only conversion from nanoseconds to cycles
 * @ns: time or duration, nanoseconds
 * @clock_khz: core clock, kHz
 *
 * Rounds down; a 128-bit product, so it cannot overflow below 2^64 cycles.
 *
 * Return: cycles.
 */
static inline u64 ns_to_cycles(u64 ns, u64 clock_khz)
{
	return (u64)((unsigned __int128)ns * clock_khz / 1000000);
}

/**
 * cycles_to_ns() - the only conversion from cycles to nanoseconds
 * @cycles: time or duration, cycles
 * @clock_khz: core clock, kHz; not 0
 *
 * Return: nanoseconds, rounded down.
 */
static inline u64 cycles_to_ns(u64 cycles, u64 clock_khz)
{
	return (u64)((unsigned __int128)cycles * 1000000 / clock_khz);
}

#endif /* SIM_CORE_COST_H */
