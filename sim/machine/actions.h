/*
 * The machine as a transition system: what can happen in a state, each an
 * atomic step of one actor.  For a driver that tries them all.
 *
 * Only machines whose configuration says "explore" have actions: their time
 * stands still, nothing costs anything, and guests do not run by themselves:
 * whatever a guest may do is an action.
 */
#ifndef SIM_MACHINE_ACTIONS_H
#define SIM_MACHINE_ACTIONS_H

#include "sim/machine/machine.h"

#define ACTIONS_MAX	1024u

/* What the operands of an action can name; sizes of exploring machines. */
#define ACTIONS_PCPUS_MAX	256u
#define ACTIONS_VCPUS_MAX	512u
#define ACTIONS_VMS_MAX		512u

/*
 * Kinds: identifier, name, what operands a and b name.
 *
 * STEP          micro-step of a thread
 * INTERRUPT     a pCPU takes an IPI of another
 * SCHED_IN      the scheduler runs a vCPU on a pCPU
 * SCHED_OUT     the scheduler preempts it
 * EXIT          an external interrupt ends guest mode
 * FAULT         the guest touches an absent page
 * GUEST_WRITE   the guest changes a mapping and does not flush
 * GUEST_FLUSH   the guest changes a mapping and flushes: MOV CR3 if the flag is
 *               set, else INVLPG
 * GUEST_OP      the guest changes a mapping or executes an instruction that
 *               invalidates: b is a GUEST_OP_CODE()
 * GUEST_RELY    the guest takes a mapping for flushed: an assertion
 * GUEST_ASKS    the guest changes a mapping and has KVM emulate the flush
 * PV_FLUSH      the guest on a vCPU changes a mapping of another one, which is
 *               preempted and shall flush before it goes on
 * RELOAD        the guest changes CR0, CR4 or EFER: roots are dropped
 * APIC_MODE     the guest changes between xAPIC and x2APIC mode
 * NESTED_EPT    L1 enters L2 for which it has an EPT
 * NESTED_OTHER  ... under another EPT than that one
 * NESTED_SHADOW ... for which it uses shadow paging
 * EPTP_SWITCH   L2 goes from one EPT to the other by VMFUNC, which KVM emulates
 * NESTED_EXIT   L2 leaves to L1
 * CHANGE        the host zaps a page of a VM
 * CLEAR_DIRTY   the host clears a dirty bit of a VM
 * MEMSLOT       the host deletes a memslot of a VM: all its roots go
 * HOTPLUG       a pCPU goes offline, or comes online
 */
#define ACTIONS(X)							\
	X(STEP,		 "step",	  TASK, NONE)			\
	X(INTERRUPT,	 "interrupt",	  PCPU, PCPU)			\
	X(SCHED_IN,	 "sched_in",	  VCPU, PCPU)			\
	X(SCHED_OUT,	 "sched_out",	  VCPU, NONE)			\
	X(EXIT,		 "exit",	  VCPU, NONE)			\
	X(FAULT,	 "fault",	  VCPU, PAGE)			\
	X(GUEST_WRITE,	 "guest_write",  VCPU, NONE)			\
	X(GUEST_FLUSH,	 "guest_flush",	  VCPU, FLAG)			\
	X(GUEST_OP,	 "guest_op",	  VCPU, CODE)			\
	X(GUEST_RELY,	 "rely",	  VCPU, MAPPING)		\
	X(GUEST_ASKS,	 "guest_asks",	  VCPU, NONE)			\
	X(PV_FLUSH,	 "pv_flush",	  VCPU, VCPU)			\
	X(RELOAD,	 "reload",	  VCPU, NONE)			\
	X(APIC_MODE,	 "apic_mode",	  VCPU, NONE)			\
	X(NESTED_EPT,	 "nested_ept",	  VCPU, ROLE)			\
	X(NESTED_OTHER,	 "nested_other",  VCPU, ROLE)			\
	X(NESTED_SHADOW, "nested_shadow", VCPU, ROLE)			\
	X(EPTP_SWITCH,	 "eptp_switch",  VCPU, NONE)			\
	X(NESTED_EXIT,	 "nested_exit",	  VCPU, ROLE)			\
	X(CHANGE,	 "change",	  VM,	PCPU)			\
	X(CLEAR_DIRTY,	 "clear_dirty",	  VM,	PCPU)			\
	X(MEMSLOT,	 "memslot",	  VM,	PCPU)			\
	X(HOTPLUG,	 "hotplug",	  PCPU, NONE)

#define X(id, name, a, b) ACTION_##id,
enum action_kind { ACTIONS(X) ACTION_NR };
#undef X

/*
 * What an operand is.  ROLE follows from the kind: nobody has a choice.  PAGE
 * is an index in the VM of the vCPU, MAPPING an enum guest_mapping.
 */
enum action_operand {
	OPERAND_NONE,
	OPERAND_TASK,
	OPERAND_VCPU,
	OPERAND_PCPU,
	OPERAND_VM,
	OPERAND_PAGE,
	OPERAND_FLAG,
	OPERAND_CODE,
	OPERAND_MAPPING,
	OPERAND_ROLE,
};

/* The kinds that an actor does by itself: no environment forbids them. */
#define ACTIONS_ALWAYS	(1u << ACTION_STEP | 1u << ACTION_INTERRUPT |	\
			 1u << ACTION_NESTED_EXIT)

/* What is asserted, hence for programs, not for an environment that does all. */
#define ACTIONS_ASSERT	(1u << ACTION_GUEST_RELY)

/* What a scheduler does: it preempts a guest by an interrupt. */
#define ACTIONS_SCHED	(1u << ACTION_SCHED_IN | 1u << ACTION_SCHED_OUT | \
			 1u << ACTION_EXIT)

/* The kinds that need machines whose vCPUs have an L2. */
#define ACTIONS_NESTED	(1u << ACTION_NESTED_EPT | 1u << ACTION_NESTED_OTHER | \
			 1u << ACTION_NESTED_SHADOW |			\
			 1u << ACTION_EPTP_SWITCH)

/**
 * struct action - one thing that can happen
 * @kind: enum action_kind
 * @a: first operand, as action_operand() says; a task is a vCPU or a VM
 * @b: second operand
 *
 * Three bytes: explorers keep one with every state.
 */
struct action {
	u32 kind : 5;
	u32 a : 10;
	u32 b : 9;
} __attribute__((packed));

_Static_assert(sizeof(struct action) == 3 && ACTION_NR <= 1u << 5,
	       "three bytes, whatever the kind");
_Static_assert(ACTIONS_VCPUS_MAX + ACTIONS_VMS_MAX <= 1u << 10 &&
	       ACTIONS_VCPUS_MAX <= 1u << 9 && ACTIONS_PCPUS_MAX <= 1u << 9,
	       "operands name every task, vCPU and pCPU");

/**
 * machine_actions() - what can happen now
 * @m: machine with an exploring configuration
 * @allowed: BIT(ACTION_...) of the kinds that may happen; ACTIONS_ALWAYS may
 *           in any case
 * @list: ACTIONS_MAX entries, filled in
 *
 * Return: number of actions; the order is fixed.
 */
u32 machine_actions(struct machine *m, u32 allowed, struct action *list);

/**
 * struct actor - who does something, and where
 * @index: below machine_nr_actors(): what a vCPU or the host thread of a VM
 *         does, or what becomes of a pCPU
 * @pcpu: of what it can begin on some pCPU, that on this one; IDX_NONE: on all
 */
struct actor {
	u32 index;
	u32 pcpu;
};

/**
 * machine_actions_of() - what one actor can do now
 * @m: machine with an exploring configuration
 * @actor: who, and where
 * @allowed: as for machine_actions()
 * @list: ACTIONS_MAX entries, filled in
 *
 * Return: number of actions; those of all actors, in order, are those of
 * machine_actions().
 */
u32 machine_actions_of(struct machine *m, struct actor actor, u32 allowed,
		       struct action *list);

/**
 * machine_can() - can something happen now?
 * @m: machine with an exploring configuration
 * @a: action; may name what the machine does not have
 *
 * Return: true if machine_actions() would list it; of flags it lists one that
 * stands for all.
 */
bool machine_can(struct machine *m, const struct action *a);

/**
 * machine_act() - let one thing happen
 * @m: machine
 * @a: an action of machine_actions() in this state
 */
void machine_act(struct machine *m, const struct action *a);

/**
 * machine_task_pcpu() - where a thread is
 * @m: machine
 * @task: vCPU, or vCPUs + VM for the host thread of a VM
 *
 * Return: pCPU, or IDX_NONE.
 */
u32 machine_task_pcpu(const struct machine *m, u32 task);

/**
 * machine_pcpu_task() - who is on a pCPU
 * @m: machine
 * @pcpu: pCPU
 *
 * Return: vCPU, or as a task the host thread at work there; IDX_NONE.
 */
u32 machine_pcpu_task(const struct machine *m, u32 pcpu);

/**
 * machine_vcpu_in_guest() - is a vCPU in guest mode?
 * @m: machine
 * @vcpu: vCPU
 *
 * Return: true if its guest may use the TLB.
 */
bool machine_vcpu_in_guest(const struct machine *m, u32 vcpu);

/**
 * machine_host_idle() - has the host thread of a VM nothing to do?
 * @m: machine
 * @vm: VM
 *
 * Return: false while it makes a change.
 */
bool machine_host_idle(const struct machine *m, u32 vm);

/**
 * machine_page_mapped() - is a page in the EPT?
 * @m: machine
 * @vm: VM
 * @page: page of the VM
 *
 * Return: false from the moment it is zapped until a fault maps it anew.
 */
bool machine_page_mapped(const struct machine *m, u32 vm, u32 page);

/**
 * machine_can_step() - can a task take a micro-step by itself?
 * @m: machine
 * @task: vCPU, or vCPUs + VM for the host thread of a VM
 *
 * Return: false in guest mode, while it waits, and where it is on no pCPU.
 */
bool machine_can_step(const struct machine *m, u32 task);

/**
 * machine_describe() - what a micro-step will do to the policy's state
 * @m: machine
 * @a: action about to happen
 * @to: where to write one clause
 * @size: size of @to, 160 is enough
 *
 * Return: true if it reads or writes policy state; all else that happens
 * leaves records.
 */
bool machine_describe(const struct machine *m, const struct action *a, char *to,
		      size_t size);

/**
 * action_operand() - what an operand is
 * @kind: enum action_kind
 * @second: of @b; else of @a
 *
 * Return: enum action_operand.
 */
enum action_operand action_operand(enum action_kind kind, bool second);

/**
 * action_name() - short name of a kind
 * @kind: enum action_kind
 *
 * Return: a static string.
 */
const char *action_name(enum action_kind kind);

#endif /* SIM_MACHINE_ACTIONS_H */
