/*
 * What a guest does with its mappings, one instruction at a time, none of
 * which leaves guest mode where EPT is on.
 */
#ifndef SIM_MACHINE_GUEST_OP_H
#define SIM_MACHINE_GUEST_OP_H

#include "sim/machine/machine.h"

/*
 * Identifier, word, what the operand is.
 *
 * REMAP             the guest changes a mapping in memory and flushes nothing
 * INVLPG            of an address, in the current PCID, and of what is global
 * INVPCID_ADDR      of the address of a PCID
 * INVPCID_SINGLE    of a PCID
 * INVPCID_ALL       of all PCIDs, globals too
 * INVPCID_NONGLOBAL of all PCIDs, without globals
 * MOV_CR3           to a PCID, which is flushed
 * MOV_CR3_NOFLUSH   to a PCID, bit 63 set; only where PCIDs are on
 */
#define GUEST_OPS(X)							\
	X(REMAP,		"remap",		MAPPING)	\
	X(INVLPG,		"invlpg",		ADDRESS)	\
	X(INVPCID_ADDR,		"invpcid_addr",		PCID)		\
	X(INVPCID_SINGLE,	"invpcid_single",	PCID)		\
	X(INVPCID_ALL,		"invpcid_all",		NOTHING)	\
	X(INVPCID_NONGLOBAL,	"invpcid_nonglobal",	NOTHING)	\
	X(MOV_CR3,		"mov_cr3",		PCID)		\
	X(MOV_CR3_NOFLUSH,	"mov_cr3_noflush",	OTHER_PCID)

#define X(id, word, operand) GUEST_OP_##id,
enum guest_op { GUEST_OPS(X) GUEST_OP_NR };
#undef X

/* An operation and its operand in the one number that an action has for both. */
#define GUEST_OP_CODE(op, operand)	((op) * MAPPING_NR + (operand))

/**
 * guest_op_operands() - what an operation can be given
 * @op: operation
 * @nr_pcids: PCIDs of the guests: 1 or PCIDS_MAX
 *
 * Return: its operands are the numbers below this; 0: there is no such
 *         operation, 1: it has no choice.
 */
u32 guest_op_operands(enum guest_op op, u32 nr_pcids);

/**
 * guest_op_takes() - must the operand be written down?
 * @op: operation
 *
 * Return: false if the operation is complete without.
 */
bool guest_op_takes(enum guest_op op);

/**
 * guest_op_word() - name of an operation
 * @op: operation
 *
 * Return: a static string.
 */
const char *guest_op_word(enum guest_op op);

/**
 * guest_rely() - the guest takes a mapping for flushed
 * @m: machine with an exploring configuration
 * @vcpu: vCPU at STEP_GUEST
 * @mapping: enum guest_mapping, or 0 where there is one
 *
 * It is an assertion, for guests that may have forgotten a flush.
 */
void guest_rely(struct machine *m, u32 vcpu, u32 mapping);

/**
 * guest_mappings() - how many mappings guest_rely() can name
 * @nr_pcids: PCIDs of the guests: 1 or PCIDS_MAX
 *
 * Return: 1 or MAPPING_NR.
 */
u32 guest_mappings(u32 nr_pcids);

/**
 * guest_op() - carry one out
 * @m: machine with an exploring configuration
 * @vcpu: vCPU at STEP_GUEST
 * @code: GUEST_OP_CODE()
 */
void guest_op(struct machine *m, u32 vcpu, u32 code);

#endif /* SIM_MACHINE_GUEST_OP_H */
