#include "sim/machine/guest_op.h"

#include "sim/machine/guest.h"
#include "sim/machine/invalidate.h"
#include "sim/machine/observe.h"
#include "sim/machine/roots.h"
#include "sim/machine/vcpu.h"

enum operand { NOTHING, ADDRESS, PCID, OTHER_PCID, MAPPING };

static const struct {
	const char *word;
	enum operand operand;
} ops[GUEST_OP_NR] = {
#define X(id, word, operand) [GUEST_OP_##id] = { word, operand },
	GUEST_OPS(X)
#undef X
};

/* Those that invalidate something. */
static const struct {
	enum vtx_op vtx;
	enum flush_op op;
} flushes[GUEST_OP_NR] = {
	[GUEST_OP_INVLPG] = { VTX_INVLPG, FLUSH_INVLPG },
	[GUEST_OP_INVPCID_ADDR] = { VTX_INVPCID_ADDR, FLUSH_INVPCID_ADDR },
	[GUEST_OP_INVPCID_SINGLE] = { VTX_INVPCID_SINGLE, FLUSH_INVPCID_SINGLE },
	[GUEST_OP_INVPCID_ALL] = { VTX_INVPCID_ALL, FLUSH_INVPCID_ALL },
	[GUEST_OP_INVPCID_NONGLOBAL] = { VTX_INVPCID_ALL_NONGLOBAL,
					 FLUSH_INVPCID_NONGLOBAL },
	[GUEST_OP_MOV_CR3] = { VTX_MOV_CR3_PCID, FLUSH_MOV_CR3 },
};

u32 guest_mappings(u32 nr_pcids)
{
	return nr_pcids > 1 ? MAPPING_NR : 1;
}

u32 guest_op_operands(enum guest_op op, u32 nr_pcids)
{
	BUG_ON(op >= GUEST_OP_NR);
	switch (ops[op].operand) {
	case ADDRESS:
		return nr_pcids > 1 ? ADDRESS_NR : 1;
	case PCID:
		return nr_pcids;
	case OTHER_PCID:
		return nr_pcids > 1 ? nr_pcids : 0;
	case MAPPING:
		return guest_mappings(nr_pcids);
	default:
		return 1;
	}
}

bool guest_op_takes(enum guest_op op)
{
	BUG_ON(op >= GUEST_OP_NR);
	return ops[op].operand != NOTHING;
}

const char *guest_op_word(enum guest_op op)
{
	BUG_ON(op >= GUEST_OP_NR);
	return ops[op].word;
}

static struct probe_rec make(const struct machine *m, u32 vcpu,
			     enum probe_kind kind)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	struct probe_rec r = probe_make(m, kind, m->task[vcpu].pcpu,
					m->task_time[vcpu].clock);

	r.vm = v->vm;
	r.vcpu = vcpu;
	r.view = (u8)vcpu_view(v);
	r.vpid = vcpu_vpid(m, vcpu);
	r.cause = CAUSE_GUEST;
	return r;
}

void guest_rely(struct machine *m, u32 vcpu, u32 mapping)
{
	struct probe_rec r = make(m, vcpu, PROBE_GUEST_RELY);

	r.id = mapping;
	probe_emit(m, &r);
}

/* Which PCID an operation acts on; INVLPG names the current one. */
static u32 pcid_of(const struct vcpu *v, enum guest_op op, u32 operand)
{
	return ops[op].operand == PCID ? operand : v->pcid[vcpu_view(v)];
}

static void flush(struct machine *m, u32 vcpu, enum guest_op op, u32 operand)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	struct probe_rec r = make(m, vcpu, PROBE_FLUSH);
	const struct vtx_operand o = {
		.vpid = r.vpid, .ep4ta = root_current(v),
		.pcid = (u16)pcid_of(v, op, operand),
	};

	r.op = (u8)flushes[op].op;
	r.id = o.pcid;
	if (ops[op].operand == ADDRESS)
		r.page = operand;
	else if (op == GUEST_OP_INVPCID_ADDR)
		r.page = ADDRESS_OF_PCID;
	if (op == GUEST_OP_INVLPG && operand == ADDRESS_GLOBAL &&
	    fault_is_on(m, FAULT_INVLPG_GLOBAL))
		r.kind = PROBE_FLUSH_LOST;
	else
		r.a = hw_invalidate(m, m->task[vcpu].pcpu, flushes[op].vtx, &o);
	probe_emit(m, &r);
	r.kind = PROBE_GUEST_FLUSH;
	probe_emit(m, &r);
}

/* The flush comes first: what is new cannot be stale any more. */
static void move_cr3(struct machine *m, u32 vcpu, u32 pcid)
{
	struct vcpu *v = &m->vcpu[vcpu];

	v->pcid[vcpu_view(v)] = (u8)pcid;
	vcpu_emit_context(m, vcpu, PROBE_CONTEXT);
}

void guest_op(struct machine *m, u32 vcpu, u32 code)
{
	enum guest_op op = code / MAPPING_NR;
	u32 operand = code % MAPPING_NR;

	BUG_ON(op >= GUEST_OP_NR);
	if (op == GUEST_OP_REMAP)
		guest_change(m, vcpu, operand);
	if (flushes[op].op || flushes[op].vtx)
		flush(m, vcpu, op, operand);
	if (op == GUEST_OP_MOV_CR3 || op == GUEST_OP_MOV_CR3_NOFLUSH)
		move_cr3(m, vcpu, operand);
}
