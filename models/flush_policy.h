/*
 * How a flush policy plugs in.  A policy decides, the machine acts: a hook is
 * told what happened and appends steps to a plan; the machine carries the
 * steps out one by one, each atomic, and another pCPU may act between any two.
 * A policy never sees a TLB, a cost, a clock or a checker, and it keeps no
 * state of its own: state is declared in rows and read and written by steps.
 *
 * This is the only header a policy file includes.
 */
#ifndef MODELS_FLUSH_POLICY_H
#define MODELS_FLUSH_POLICY_H

#include "sim/base/types.h"

struct err;

#define POLICY_ROWS_MAX		4
#define POLICY_OPTIONS_MAX	6
#define POLICY_ROOTS_MAX	8	/* root + 3 prev_roots, two MMUs */
#define PLAN_STEPS_MAX		48

/* Operands that are resolved when a step is carried out. */
#define PLAN_HERE	(UINT32_MAX - 1)	/* smp_processor_id() */
#define PLAN_ALL	(UINT32_MAX - 2)	/* every index of that axis */

/* What a row of state is indexed by: one index, or two. */
enum state_scope {
	STATE_GLOBAL,		/* - */
	STATE_VM,		/* vm */
	STATE_ROOT,		/* root */
	STATE_VCPU,		/* vcpu */
	STATE_PCPU,		/* pcpu */
	STATE_PCPU_ROOT,	/* pcpu, root */
	STATE_PCPU_VM,		/* pcpu, vm */
	STATE_SCOPE_NR,
};

enum state_kind {
	STATE_BIT,		/* 0 or 1 */
	STATE_INDEX,		/* a small number with a meaning of its own */
	STATE_COUNTER,		/* compared with others by order only */
};

/**
 * struct state_row - one piece of policy state
 * @name: for messages and lists
 * @scope: enum state_scope
 * @kind: enum state_kind
 *
 * The machine allocates, zeroes, snapshots and permutes it.
 */
struct state_row {
	const char *name;
	u8 scope;
	u8 kind;
};

/* Requests, in the order vcpu_enter_guest() services them. */
enum kvm_request {
	REQ_FREE_OBSOLETE_ROOTS,
	REQ_MMU_SYNC,
	REQ_LOAD_MMU_PGD,
	REQ_TLB_FLUSH,
	REQ_TLB_FLUSH_CURRENT,
	REQ_TLB_FLUSH_GUEST,
	REQ_HV_TLB_FLUSH,
	REQ_STEAL_UPDATE,	/* where a PV TLB flush is found */
	REQ_APIC_PAGE_RELOAD,
	REQ_NR,
};

/* Flushes a plan can ask for. */
enum plan_flush {
	PLAN_INVEPT_SINGLE,	/* operand: root */
	PLAN_INVEPT_GLOBAL,
	PLAN_INVVPID_SINGLE,	/* operand: vcpu, whose vpid01 it is */
	PLAN_INVVPID_VPID02,	/* the same for its vpid02 */
	PLAN_INVVPID_ALL,
	PLAN_FLUSH_NR,
};

enum plan_op {
	PLAN_PREEMPT_OFF,
	PLAN_PREEMPT_ON,
	PLAN_SKIP_IF,		/* skip steps if row[i,j] == value */
	PLAN_SKIP_UNLESS_LESS,	/* skip steps unless row[i,j] < register */
	PLAN_SET,		/* row[i,j] = value */
	PLAN_INC,		/* row[i,j]++ */
	PLAN_LATCH,		/* register = row[i,j] */
	PLAN_STORE,		/* row[i,j] = register */
	PLAN_FLUSH,		/* on this pCPU */
	PLAN_FLUSH_ALL_PCPUS,	/* IPI to every online pCPU, and wait */
	PLAN_FLUSH_MASK,	/* ... to those whose row[pcpu,j] is 1; value = row */
	PLAN_HYPERCALL,		/* guest-physical flush hypercall; i = root */
	PLAN_REQUEST,		/* raise request value on vcpu i */
	PLAN_OP_NR,
};

/**
 * struct plan_step - one atomic step
 * @op: enum plan_op
 * @arg: row, or enum plan_flush
 * @value: value compared, stored or requested
 * @skip: PLAN_SKIP_*: how many of the following steps to pass over
 * @site: line of the policy file that asked for it
 * @i: first index: vm, root, vcpu or pcpu; of a flush: its operand
 * @j: second index
 */
struct plan_step {
	u8 op;
	u8 arg;
	u8 value;
	u8 skip;
	u16 site;
	u32 i;
	u32 j;
};

/**
 * struct plan - steps a hook asked for, and how far they have come
 * @nr: steps appended
 * @next: next step to carry out
 * @cause: enum cause of flushes in it, set by the machine
 * @hook: enum policy_hook that filled it, set by the machine
 * @serial: number of the plan, for the records
 * @reg: the one register of the step language
 * @step: steps
 */
struct plan {
	u16 nr;
	u16 next;
	u8 cause;
	u8 hook;
	u32 serial;
	u64 reg;
	struct plan_step step[PLAN_STEPS_MAX];
};

/**
 * struct policy_event - what a hook is told
 * @nr_pcpus: pCPUs of the host
 * @nr_vms: VMs
 * @pcpu: pCPU that executes the hook
 * @vm: VM concerned
 * @vcpu: vCPU concerned, numbered over all VMs; IDX_NONE for host threads
 * @migrated: vcpu_load, nested_transition: the VMCS being loaded was last
 *            loaded on another pCPU, or never
 * @guest_mode: is_guest_mode(): L2 is active, so the current VPID is vpid02
 * @vpid02: the vCPU has a vpid02
 * @fresh: root_load: this vCPU has just made and published @root
 * @root: root concerned (root_*), or the vCPU's current one; IDX_NONE if none
 * @nr_roots: used entries of @roots
 * @roots: vcpu_*, nested_transition, vm_enter, request: root and prev_roots of both MMUs as
 *         listed at this moment, current one first, no duplicates;
 *         strict_change, memslot_delete: every live root of the VM
 * @request: request: enum kvm_request
 * @virtual_apic: APIC-access virtualisation on (xAPIC mode)
 * @option: values of the policy's options, indices into their choices
 */
struct policy_event {
	u32 nr_pcpus;
	u32 nr_vms;
	u32 pcpu;
	u32 vm;
	u32 vcpu;
	bool migrated;
	bool guest_mode;
	bool vpid02;
	bool fresh;
	u32 root;
	u32 nr_roots;
	u32 roots[POLICY_ROOTS_MAX];
	u8 request;
	bool virtual_apic;
	const u8 *option;
};

/* The hooks, in the order of struct flush_policy_ops. */
#define POLICY_HOOKS(X)							\
	X(vcpu_load) X(vcpu_put) X(nested_transition) X(vm_enter)	\
	X(root_alloc) X(root_load) X(root_switch) X(strict_change) X(request) \
	X(pcpu_online) X(pcpu_offline)

#define X(name) HOOK_##name,
enum policy_hook { POLICY_HOOKS(X) HOOK_NR };
#undef X

/**
 * struct policy_option - one word after the colon of a policy's name
 * @name: option
 * @choices: NULL-terminated; the first one is the default
 * @help: one line
 */
struct policy_option {
	const char *name;
	const char *const *choices;
	const char *help;
};

typedef void (*policy_hook_fn)(const struct policy_event *e, struct plan *p);

/**
 * struct flush_policy_ops - one flush policy
 *
 * Tables are const; hooks are deterministic and run to completion.  A hook
 * that does nothing is left NULL.
 */
struct flush_policy_ops {
	/** @name: the word used in configs and on the command line. */
	const char *name;

	/** @brief: one line for "eptsim list policies". */
	const char *brief;

	/** @rows: state, ended by a NULL name or POLICY_ROWS_MAX. */
	struct state_row rows[POLICY_ROWS_MAX];

	/** @options: ended by a NULL name or POLICY_OPTIONS_MAX. */
	struct policy_option options[POLICY_OPTIONS_MAX];

	/** @needs_hypercall: applies only where L0 offers the flush hypercall. */
	bool needs_hypercall;

	/**
	 * @no_remote_flush: strict changes return at once: no request, no
	 * kick, no hypercall.  Only for proving that the checkers notice.
	 */
	bool no_remote_flush;

	/**
	 * @vcpu_load: kvm_arch_vcpu_load: KVM_RUN was entered, or the thread
	 * was switched in while inside it.  Runs with preemption off, before
	 * the vCPU does anything else.
	 */
	policy_hook_fn vcpu_load;

	/** @vcpu_put: the vCPU leaves the pCPU.  Preemption is off. */
	policy_hook_fn vcpu_put;

	/**
	 * @nested_transition: vmx_switch_vmcs: L1 enters L2 or L2 leaves to
	 * L1, and the other of vmcs01 and vmcs02 is loaded.  Runs with
	 * preemption off, before the vCPU's MMU and mode change over;
	 * pending CURRENT and GUEST requests have been serviced.
	 */
	policy_hook_fn nested_transition;

	/** @vm_enter: before a VM entry, with preemption off. */
	policy_hook_fn vm_enter;

	/**
	 * @root_alloc: @root was allocated; its frame may be a reused one.
	 * Runs before it is published, under the lock and with preemption
	 * off: no other vCPU has it yet.
	 */
	policy_hook_fn root_alloc;

	/** @root_load: kvm_mmu_load has made @root the current one. */
	policy_hook_fn root_load;

	/** @root_switch: a fast PGD switch has made @root the current one. */
	policy_hook_fn root_switch;

	/**
	 * @strict_change: an EPT entry reachable from @roots was changed so
	 * that a flush is needed.  Stands between the write and the requests
	 * (or the hypercall) of kvm_flush_remote_tlbs, which the machine
	 * makes, waits for and acknowledges.
	 */
	policy_hook_fn strict_change;

	/**
	 * @request: the vCPU services @request and has already cleared the
	 * bit.  Preemptible: the plan says where preemption must be off.
	 */
	policy_hook_fn request;

	/**
	 * @pcpu_online: VMXON on @pcpu, which runs nobody yet.  Its TLB holds
	 * whatever it held.
	 */
	policy_hook_fn pcpu_online;

	/**
	 * @pcpu_offline: VMXOFF on @pcpu, which runs nobody any more; every
	 * VMCS that was loaded there has been cleared and counts as never
	 * loaded.
	 */
	policy_hook_fn pcpu_offline;
};

/**
 * struct flush_policy - a policy with its options settled
 * @ops: table
 * @option: chosen index per option
 * @spelling: name and options as given
 */
struct flush_policy {
	const struct flush_policy_ops *ops;
	u8 option[POLICY_OPTIONS_MAX];
	char spelling[96];
};

/* One line per policy file. */
extern const struct flush_policy_ops flush_policy_never;
extern const struct flush_policy_ops flush_policy_always;
extern const struct flush_policy_ops flush_policy_global_flush;
extern const struct flush_policy_ops flush_policy_hypercall_broadcast;
extern const struct flush_policy_ops flush_policy_alloc_all_pcpus;
extern const struct flush_policy_ops flush_policy_vm_mask;
extern const struct flush_policy_ops flush_policy_active_roots;
extern const struct flush_policy_ops flush_policy_per_root_mask;
extern const struct flush_policy_ops flush_policy_per_root_mask_clear;
extern const struct flush_policy_ops flush_policy_per_root_gen;

/**
 * flush_policy_count() - number of known policies
 *
 * Return: the number.
 */
u32 flush_policy_count(void);

/**
 * flush_policy_get() - one of the known policies
 * @i: below flush_policy_count(); the order is that of "eptsim list policies"
 *
 * Return: a static table.
 */
const struct flush_policy_ops *flush_policy_get(u32 i);

/**
 * flush_policy_parse() - settle a policy named NAME[:OPTION=VALUE]...
 * @spec: text, not NUL-terminated
 * @len: its length
 * @out: set on success
 * @err: set on failure; names what is unknown and what would be known
 *
 * Return: 0 or -EINVAL.
 */
int flush_policy_parse(const char *spec, size_t len, struct flush_policy *out,
		       struct err *err);

/**
 * flush_policy_same() - are two policies the same, however they are spelled
 * @a: a policy
 * @b: another
 *
 * Return: true if they have one name and one value for each option.
 */
bool flush_policy_same(const struct flush_policy *a,
		       const struct flush_policy *b);

/**
 * flush_policy_check() - refuse a table that is not well formed
 * @ops: table
 * @err: set on failure; names the policy
 *
 * Return: 0 or -EINVAL.
 */
int flush_policy_check(const struct flush_policy_ops *ops, struct err *err);

/**
 * policy_hook_name() - name of a hook
 * @hook: hook
 *
 * Return: a static string.
 */
const char *policy_hook_name(enum policy_hook hook);

/**
 * policy_service_as_kvm() - the flush that VMX with EPT makes for a request
 * @e: event of a request hook
 * @p: plan to append to
 *
 * TLB_FLUSH is INVEPT-global, CURRENT INVEPT-single of the current root,
 * GUEST and HV INVVPID-single; the others flush nothing.
 */
void policy_service_as_kvm(const struct policy_event *e, struct plan *p);

/**
 * plan_invvpid_current() - INVVPID-single of vmx_get_current_vpid()
 * @e: event about a vCPU
 * @p: plan to append to
 */
void plan_invvpid_current(const struct policy_event *e, struct plan *p);

/**
 * plan_invvpid_both() - INVVPID-single of vpid01, and of vpid02 if there is one
 * @e: event about a vCPU
 * @p: plan to append to
 */
void plan_invvpid_both(const struct policy_event *e, struct plan *p);

/**
 * policy_root_load_as_kvm() - the flush at the end of kvm_mmu_load
 * @e: event of a root_load hook
 * @p: plan to append to
 */
void policy_root_load_as_kvm(const struct policy_event *e, struct plan *p);

/*
 * Appending steps.  The macros note the line of the policy file as the site.
 */
#define PLAN_STEP(o, ...)						\
	(struct plan_step){ .op = (o), .site = __LINE__, __VA_ARGS__ }

#define plan_preempt_off(p)	plan_add(p, PLAN_STEP(PLAN_PREEMPT_OFF))
#define plan_preempt_on(p)	plan_add(p, PLAN_STEP(PLAN_PREEMPT_ON))
#define plan_set(p, r, v, x, y)						\
	plan_add(p, PLAN_STEP(PLAN_SET, .arg = (r), .value = (v),	\
			      .i = (x), .j = (y)))
#define plan_inc(p, r, x, y)						\
	plan_add(p, PLAN_STEP(PLAN_INC, .arg = (r), .i = (x), .j = (y)))
#define plan_latch(p, r, x, y)						\
	plan_add(p, PLAN_STEP(PLAN_LATCH, .arg = (r), .i = (x), .j = (y)))
#define plan_store(p, r, x, y)						\
	plan_add(p, PLAN_STEP(PLAN_STORE, .arg = (r), .i = (x), .j = (y)))
#define plan_flush(p, what, x)						\
	plan_add(p, PLAN_STEP(PLAN_FLUSH, .arg = (what), .i = (x)))
#define plan_flush_all_pcpus(p, what, x)				\
	plan_add(p, PLAN_STEP(PLAN_FLUSH_ALL_PCPUS, .arg = (what), .i = (x)))
#define plan_flush_mask(p, what, r, x, y)				\
	plan_add(p, PLAN_STEP(PLAN_FLUSH_MASK, .arg = (what),		\
			      .value = (r), .i = (x), .j = (y)))
#define plan_hypercall(p, root)						\
	plan_add(p, PLAN_STEP(PLAN_HYPERCALL, .i = (root)))
#define plan_request(p, vcpu, req)					\
	plan_add(p, PLAN_STEP(PLAN_REQUEST, .value = (req), .i = (vcpu)))

/* Skips return a mark; plan_land() says where the skip lands. */
#define plan_skip_if(p, r, v, x, y)					\
	plan_add(p, PLAN_STEP(PLAN_SKIP_IF, .arg = (r), .value = (v),	\
			      .i = (x), .j = (y)))
#define plan_skip_unless_less(p, r, x, y)				\
	plan_add(p, PLAN_STEP(PLAN_SKIP_UNLESS_LESS, .arg = (r),	\
			      .i = (x), .j = (y)))

/**
 * plan_add() - append a step; use the macros above
 * @p: plan
 * @step: step to append
 *
 * Return: the position of the step, for plan_land().
 */
u32 plan_add(struct plan *p, struct plan_step step);

/**
 * plan_land() - let a skip land behind the last step appended
 * @p: plan
 * @mark: what the skip returned
 */
void plan_land(struct plan *p, u32 mark);

#endif /* MODELS_FLUSH_POLICY_H */
