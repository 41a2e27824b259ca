/*
 * What each operation of VT-x and of the paging hardware must invalidate: one
 * row per operation, one scope per kind of mapping (SDM Vol. 3C, "Operations
 * that Invalidate Cached Mappings").
 */
#ifndef MODELS_HW_VTX_H
#define MODELS_HW_VTX_H

#include "models/hw/tlb.h"

/*
 * Operations.  Where PCIDs matter the row names the case.  CR_* rows are moves
 * to control registers executed in the current context.
 */
#define VTX_OPS(X)							\
	X(MOV_CR3,		"MOV CR3, PCIDE=0")			\
	X(MOV_CR3_PCID,		"MOV CR3, PCIDE=1, bit 63=0")		\
	X(MOV_CR3_NOFLUSH,	"MOV CR3, PCIDE=1, bit 63=1")		\
	X(CR4_PGE,		"CR4.PGE toggled, CR4.PCIDE 1->0, CR0.PG 1->0") \
	X(CR4_PAE,		"CR4.PAE toggled, CR4.SMEP 0->1")	\
	X(INVLPG,		"INVLPG")				\
	X(INVPCID_ADDR,		"INVPCID individual-address")		\
	X(INVPCID_SINGLE,	"INVPCID single-context")		\
	X(INVPCID_ALL,		"INVPCID all-context, globals too")	\
	X(INVPCID_ALL_NONGLOBAL, "INVPCID all-context, not globals")	\
	X(PAGE_FAULT,		"page fault")				\
	X(EPT_VIOLATION,	"EPT violation")			\
	X(INVVPID_ADDR,		"INVVPID individual-address")		\
	X(INVVPID_SINGLE,	"INVVPID single-context")		\
	X(INVVPID_ALL,		"INVVPID all-context")			\
	X(INVVPID_NONGLOBAL,	"INVVPID single-context, retaining globals") \
	X(INVEPT_SINGLE,	"INVEPT single-context")		\
	X(INVEPT_GLOBAL,	"INVEPT global")			\
	X(ENTRY_EXIT_NO_VPID,	"VM entry or exit, VPID disabled")	\
	X(ENTRY_EXIT_VPID,	"VM entry or exit, VPID enabled")	\
	X(VMXON_VMXOFF,		"VMXON, VMXOFF")			\
	X(RESET,		"power-up, RESET")

#define X(id, text) VTX_##id,
enum vtx_op { VTX_OPS(X) VTX_OP_NR };
#undef X

/**
 * struct vtx_operand - what an operation names; unused members are ignored
 * @vpid: INVVPID operand; for the others the current VPID
 * @pcid: INVPCID operand, or the PCID loaded by MOV CR3; for the others the
 *        current PCID
 * @ep4ta: INVEPT operand; for the others the current EP4TA
 * @va: page of INVLPG, INVPCID, INVVPID individual, faults; 4-KiB units
 * @gpa: guest-physical page of an EPT violation; 4-KiB units
 */
struct vtx_operand {
	u16 vpid;
	u16 pcid;
	u32 ep4ta;
	gvpn_t va;
	gfn_t gpa;
};

/**
 * vtx_invalidate() - carry out one operation on one pCPU
 * @t: TLB of the executing pCPU
 * @op: operation
 * @o: operand
 *
 * O(1) in the number of entries; the individual-address forms look at the
 * ways of the sets the address can be in.
 *
 * Return: true if the scope held anything that was filled since it was last
 * flushed, false if the operation had nothing to remove.  An individual
 * address counts if one of its own translations was there.
 */
bool vtx_invalidate(struct tlb *t, enum vtx_op op, const struct vtx_operand *o);

/**
 * vtx_covers_context() - would an operation remove entries of a context?
 * @op: operation
 * @o: operand
 * @ctx: context
 *
 * Return: true if non-global combined (EPT) or linear (no EPT) mappings of
 * @ctx other than single addresses are in the scope.
 */
bool vtx_covers_context(enum vtx_op op, const struct vtx_operand *o,
			const struct tlb_ctx *ctx);

/**
 * vtx_op_name() - the operation in the words of the SDM
 * @op: operation
 *
 * Return: a static string.
 */
const char *vtx_op_name(enum vtx_op op);

#endif /* MODELS_HW_VTX_H */
