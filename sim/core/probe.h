/*
 * What happened, as plain records, and those who watch.  The machine emits;
 * a policy can neither hide a fact nor invent one.  Observers get no handle on
 * the machine, so a run is byte-identical with and without them.
 *
 * Order: records about one pCPU come in time order, and so do all records that
 * one page, root or obligation of a VM is concerned by.  Records of pCPUs that
 * have nothing to do with each other may come out of order.
 */
#ifndef SIM_CORE_PROBE_H
#define SIM_CORE_PROBE_H

#include "sim/base/types.h"
#include "sim/core/cost.h"
#include "sim/core/stats.h"

struct codec;
struct err;

/*
 * Kinds.  The members that are valid besides time, seq and kind:
 *
 * SPAN          pcpu; vcpu or IDX_NONE; a = start, b = cycles of overrun;
 *               cycles[] of the span.  Spans tile the time of each pCPU
 * LOAD          pcpu, vm, vcpu; a = 1 if the VMCS was on another pCPU
 * NESTED        pcpu, vm, vcpu, view = where it goes; a as for LOAD, of the
 *               VMCS that is loaded for it
 * PUT           pcpu, vm, vcpu
 * CONTEXT       pcpu, vm, vcpu, view, root, frame, vpid, id = PCID; apic: the pCPU may
 *               from now on fill and use translations of this context (VM entry,
 *               or a root or PCID switched in guest context: a = 1)
 * CONTEXT_END   pcpu, vm, vcpu: no guest context is active there any more
 * FLUSH         pcpu, op, vpid, frame, page; cause; vcpu on whose behalf;
 *               id = PCID (MOV CR3, INVPCID; INVLPG: the current one);
 *               a = 1 if it removed something
 * FLUSH_LOST    as FLUSH, for one that a fault keeps from doing its job
 * WRITE         vm, page; cls; a = new version, b = the version it supersedes;
 *               vcpu or IDX_NONE: who writes
 * OBLIGE        vm, page, id: a strict write whose flush has begun
 * ACK           vm, page, id: that flush has returned: t_ack
 * GUEST_WRITE   vm, vcpu, view, page, id = enum guest_mapping; a = new version, b =
 *               superseded version
 * GUEST_FLUSH   pcpu, vm, vcpu, view, op, page or IDX, id as for FLUSH: v's own
 *               flush has completed
 * GUEST_RELY    pcpu, vm, vcpu, view, id = enum guest_mapping: the guest takes that
 *               mapping for flushed in this virtual TLB, whatever it has executed
 * USE           pcpu, vm, vcpu, view, root, frame, page; a = the page as the guest
 *               sees it (numbered as in GUEST_WRITE); used: provenance of the
 *               translation used, now: what the tables hold.  Emitted only
 *               where the two differ; equal ones can break no invariant
 * ROOT_ALLOC    vm, root, frame, view of those who will use it; a = incarnation of the frame
 * ROOT_LOAD     pcpu, vm, vcpu, root, frame
 * ROOT_FREE     vm, root, frame; a = incarnation that ended
 * IPI           pcpu = sender, a = target pCPU, b = arrival time; cause
 * IPI_ACK       pcpu = target, a = sender pCPU
 * REQUEST       vm, vcpu = target; a = request; cause
 * ENTRY         pcpu, vm, vcpu: VM entry
 * EXIT          pcpu, vm, vcpu; a = reason
 * L0            pcpu; a = shadow entries dropped or 1 fault; b = cycles
 * CPU_STATE     pcpu; a = 1 online, 0 offline
 * PLAN_BEGIN    pcpu, vcpu; a = hook, b = plan serial
 * PLAN_END      pcpu, vcpu; b = plan serial: every step was carried out
 */
#define PROBE_KINDS(X)							\
	X(SPAN, "span") X(LOAD, "load") X(NESTED, "nested") X(PUT, "put") \
	X(CONTEXT, "context") X(CONTEXT_END, "context_end")		\
	X(FLUSH, "flush") X(FLUSH_LOST, "flush_lost")			\
	X(WRITE, "write") X(OBLIGE, "oblige")				\
	X(ACK, "ack") X(GUEST_WRITE, "guest_write")			\
	X(GUEST_FLUSH, "guest_flush") X(GUEST_RELY, "guest_rely")	\
	X(USE, "use")							\
	X(ROOT_ALLOC, "root_alloc") X(ROOT_LOAD, "root_load")		\
	X(ROOT_FREE, "root_free") X(IPI, "ipi") X(IPI_ACK, "ipi_ack")	\
	X(REQUEST, "request") X(ENTRY, "entry") X(EXIT, "exit")		\
	X(L0, "l0") X(CPU_STATE, "cpu_state")				\
	X(PLAN_BEGIN, "plan_begin") X(PLAN_END, "plan_end")

#define X(id, name) PROBE_##id,
enum probe_kind { PROBE_KINDS(X) PROBE_KIND_NR };
#undef X

/*
 * What a completed flush removed on the pCPU that executed it, in the words of
 * the manual; checkers judge by these scopes and never by the cost model.
 */
#define FLUSH_OPS(X)							\
	X(INVEPT_SINGLE, "INVEPT-single")  /* frame: combined + guest-physical */ \
	X(INVEPT_GLOBAL, "INVEPT-global")  /* all frames */		\
	X(INVVPID_SINGLE, "INVVPID-single") /* vpid: linear + combined */ \
	X(INVVPID_ALL, "INVVPID-all")	   /* all VPIDs but 0 */	\
	X(INVVPID_ADDR, "INVVPID-address") /* vpid, va */		\
	X(INVLPG, "INVLPG")		   /* vpid, va */		\
	X(MOV_CR3, "MOV CR3")		   /* vpid, PCID, non-global */ \
	X(INVPCID_ADDR, "INVPCID-address") /* vpid, PCID, va, non-global */ \
	X(INVPCID_SINGLE, "INVPCID-single") /* vpid, PCID, non-global */ \
	X(INVPCID_ALL, "INVPCID-all")	   /* vpid, globals too */	\
	X(INVPCID_NONGLOBAL, "INVPCID-all-nonglobal") /* vpid, every PCID */ \
	X(EPT_VIOLATION, "EPT violation")  /* frame, page: that address */ \
	X(HYPERCALL, "flush hypercall")	   /* frame, on every pCPU; pcpu = caller */

#define X(id, name) FLUSH_##id,
enum flush_op { FLUSH_OPS(X) FLUSH_OP_NR };
#undef X

/* Classes of EPT changes (SDM "Guidelines for Use of the INVEPT Instruction"). */
enum write_class {
	WRITE_STRICT,		/* zapped */
	WRITE_UPGRADE,
	WRITE_ACCESSED,
	WRITE_DIRTY,		/* strict, too: dirty bit cleared, mapping stays */
};

/*
 * Whose page tables a vCPU runs on.  Each view is a virtual TLB of its own:
 * the guest's flushes in one are nothing to the other.
 */
enum view { VIEW_L1, VIEW_L2, VIEW_NR };

/*
 * What the guest mappings of a virtual TLB are told apart by, where they are:
 * one non-global page per PCID, at one address, and a global page at another.
 */
enum guest_mapping { MAPPING_PCID0, MAPPING_PCID1, MAPPING_GLOBAL, MAPPING_NR };
enum guest_address { ADDRESS_OF_PCID, ADDRESS_GLOBAL, ADDRESS_NR };

#define PCIDS_MAX	2u

/**
 * struct probe_prov - which versions a translation was built from
 * @s1: version of the guest page-table leaf
 * @s2: version of the EPT leaf
 * @owner: VM that built it
 * @frame: incarnation of the root frame it was built under
 */
struct probe_prov {
	u32 s1;
	u32 s2;
	u32 owner;
	u32 frame;
};

/**
 * struct probe_rec - one fact about the run, as plain data
 * @time: cycles since the start of the run, on the clock of @pcpu
 * @seq: position in the whole run; breaks ties
 * @kind: enum probe_kind; says which members are valid
 * @op: enum flush_op
 * @cause: enum cause
 * @cls: enum write_class
 * @apic: APIC-access virtualisation is on in the context
 * @view: enum view
 * @pcpu: pCPU, or IDX_NONE
 * @vm: VM, or IDX_NONE
 * @vcpu: vCPU (numbered over all VMs), or IDX_NONE
 * @root: index of the root, or IDX_NONE
 * @frame: frame of the root; this is the EP4TA tag
 * @vpid: VPID
 * @page: index of the page in its VM (WRITE, USE: guest-physical) or in the
 *        vCPU's working set (GUEST_WRITE, GUEST_FLUSH: guest-virtual)
 * @id: number of an obligation
 * @a: per kind
 * @b: per kind
 * @used: USE
 * @now: USE
 * @cycles: SPAN
 *
 * No pointers: copy it freely.
 */
struct probe_rec {
	u64 time;
	u64 seq;
	u8 kind;
	u8 op;
	u8 cause;
	u8 cls;
	bool apic;
	u8 view;
	u16 vpid;
	u32 pcpu;
	u32 vm;
	u32 vcpu;
	u32 root;
	u32 frame;
	u32 page;
	u32 id;
	u64 a;
	u64 b;
	union {
		struct {
			struct probe_prov used;
			struct probe_prov now;
		};
		u64 cycles[CYC_NR];
	};
};

/**
 * struct run_shape - sizes of a run, fixed before it starts
 * @nr_pcpus: pCPUs
 * @nr_vms: VMs
 * @nr_vcpus: vCPUs over all VMs
 * @nr_frames: frames that can hold a root
 * @nr_pages_max: pages of the largest VM
 * @nr_views: VIEW_NR if any vCPU runs an L2, else 1
 * @nr_pcids: PCIDS_MAX if guests use PCIDs and global pages; else all their
 *            mappings count as one
 * @vm_of_vcpu: @nr_vcpus entries, lent for the run
 * @vpids: VPID of each virtual TLB, see shape_vpid(); lent for the run
 * @clock_khz: turns cycles into ns
 */
struct run_shape {
	u32 nr_pcpus;
	u32 nr_vms;
	u32 nr_vcpus;
	u32 nr_frames;
	u32 nr_pages_max;
	u32 nr_views;
	u32 nr_pcids;
	const u32 *vm_of_vcpu;
	const u16 *vpids;
	u64 clock_khz;
};

/**
 * shape_vtlb() - number of a virtual TLB
 * @s: shape
 * @vcpu: vCPU
 * @view: below @s->nr_views
 *
 * Return: index, below shape_vtlbs().
 */
static inline u32 shape_vtlb(const struct run_shape *s, u32 vcpu, u32 view)
{
	return vcpu * s->nr_views + view;
}

/**
 * shape_vtlbs() - how many virtual TLBs there are
 * @s: shape
 *
 * Return: vCPUs x views.
 */
static inline u32 shape_vtlbs(const struct run_shape *s)
{
	return s->nr_vcpus * s->nr_views;
}

/**
 * shape_mappings() - how many guest mappings a virtual TLB tells apart
 * @s: shape
 *
 * Return: 1 or MAPPING_NR.
 */
static inline u32 shape_mappings(const struct run_shape *s)
{
	return s->nr_pcids > 1 ? MAPPING_NR : 1;
}

/**
 * shape_vpid() - VPID under which a virtual TLB is cached
 * @s: shape
 * @vcpu: vCPU
 * @view: below @s->nr_views
 *
 * Return: vpid01 or vpid02.
 */
static inline u16 shape_vpid(const struct run_shape *s, u32 vcpu, u32 view)
{
	return s->vpids[shape_vtlb(s, vcpu, view)];
}

#define FINDING_TEXT_MAX 400

/**
 * struct finding - what a checker objects to
 * @invariant: "I1" .. "I8", or the checker's name for internal rules
 * @real: the modelled geometry did it; else an unbounded TLB could have
 * @time: cycles
 * @vcpu: who used the translation, or IDX_NONE
 * @pcpu: where, or IDX_NONE
 * @text: one sentence: vCPU, pCPUs, page, the flush that condemned it
 */
struct finding {
	const char *invariant;
	bool real;
	u64 time;
	u32 vcpu;
	u32 pcpu;
	char text[FINDING_TEXT_MAX];
};

/**
 * struct observer_ops - something that watches a run: a checker or a report
 *
 * State is a block of zeroed bytes in the run's arena that the machine owns,
 * saves and restores with the rest of the world; it holds no pointers.
 */
struct observer_ops {
	/** @name: for lists and messages. */
	const char *name;

	/** @brief: one line: the invariant, or what is written. */
	const char *brief;

	/** @invariant: "I1" .. or NULL for internal rules and reports. */
	const char *invariant;

	/** @wants: BIT64(PROBE_...) of the kinds to be handed over. */
	u64 wants;

	/**
	 * @state_bytes: Size of the state for a run of @shape.
	 *
	 * Return: bytes; 0 is allowed.
	 */
	u64 (*state_bytes)(const struct run_shape *shape);

	/** @init: Set up the zeroed @state.  @shape outlives the run.  Optional. */
	void (*init)(void *state, const struct run_shape *shape);

	/**
	 * @on_probe: Take note of @rec, valid during the call only.
	 *
	 * Return: true if @rec breaks the invariant; then @f is filled in
	 * completely, unless it is NULL: the caller only counts.  At most one
	 * finding per record.
	 */
	bool (*on_probe)(void *state, const struct run_shape *shape,
			 const struct probe_rec *rec, struct finding *f);

	/**
	 * @finish: The run has ended at @time with sums @stats.  Optional.
	 *
	 * Return: true with @f filled in if the sums break the invariant.
	 */
	bool (*finish)(void *state, const struct run_shape *shape, u64 time,
		       const struct stats *stats, struct finding *f);

	/**
	 * @visit: Write the state to @c or read it from there.  Optional:
	 * only an observer that has it can look on at an exploration.
	 */
	void (*visit)(void *state, const struct run_shape *shape,
		      struct codec *c);
};

/**
 * probe_kind_name() - word for a kind of record
 * @kind: kind
 *
 * Return: a static string.
 */
const char *probe_kind_name(enum probe_kind kind);

/**
 * flush_op_name() - name of an operation in the words of the manual
 * @op: operation
 *
 * Return: a static string.
 */
const char *flush_op_name(enum flush_op op);

#endif /* SIM_CORE_PROBE_H */
