#include "models/hw/vtx.h"

#include "models/hw/tlb_block.h"
#include "sim/base/err.h"

/*
 * What an operation removes of one kind of mapping.  The first group is lazy,
 * a stamp per scope; the ADDR group looks for the address.  "Globals" of a
 * PCID scope are those of the VPID, since a global mapping serves every PCID.
 */
enum vtx_scope {
	NOTHING,
	ALL,
	NONZERO_VPIDS,		/* every VPID but 0 */
	VPID_ZERO,		/* VPID 0, whatever the operand */
	VPID,
	VPID_NONGLOBAL,
	PCID_ZERO,		/* PCID 0 of the VPID, non-global */
	PCID,			/* PCID of the VPID, non-global */
	EP4TA,
	ADDR_PCID,		/* page in VPID and PCID, non-global */
	ADDR_PCID_GLOBAL,	/* ... and global */
	ADDR_VPID,		/* page in VPID, every PCID, and global */
	ADDR_CONTEXT,		/* page in VPID, PCID and EP4TA, and global */
	ADDR_PHYS,		/* guest-physical page in EP4TA */
};

/*
 * struct vtx_row - what one operation must invalidate
 * @scope: per kind of mapping: linear, combined, guest-physical; an address
 *         scope also takes the paging-structure entries on the way to it
 * @psc_of_pcid: also drops the paging-structure entries of the current PCID
 *               whatever their address
 */
struct vtx_row {
	enum vtx_scope scope[MAP_KIND_NR];
	bool psc_of_pcid;
};

#define ROW(op, linear, combined, phys) \
	[VTX_##op] = { .scope = { linear, combined, phys } }

static const struct vtx_row rows[VTX_OP_NR] = {
	ROW(MOV_CR3,		PCID_ZERO,	PCID_ZERO,	NOTHING),
	ROW(MOV_CR3_PCID,	PCID,		PCID,		NOTHING),
	ROW(MOV_CR3_NOFLUSH,	NOTHING,	NOTHING,	NOTHING),
	ROW(CR4_PGE,		VPID,		VPID,		NOTHING),
	ROW(CR4_PAE,		PCID,		PCID,		NOTHING),
	[VTX_INVLPG] = {
		.scope = { ADDR_PCID_GLOBAL, ADDR_PCID_GLOBAL, NOTHING },
		.psc_of_pcid = true,
	},
	ROW(INVPCID_ADDR,	ADDR_PCID,	ADDR_PCID,	NOTHING),
	ROW(INVPCID_SINGLE,	PCID,		PCID,		NOTHING),
	ROW(INVPCID_ALL,	VPID,		VPID,		NOTHING),
	ROW(INVPCID_ALL_NONGLOBAL, VPID_NONGLOBAL, VPID_NONGLOBAL, NOTHING),
	ROW(PAGE_FAULT,		ADDR_PCID_GLOBAL, ADDR_PCID_GLOBAL, NOTHING),
	ROW(EPT_VIOLATION,	NOTHING,	ADDR_CONTEXT,	ADDR_PHYS),
	ROW(INVVPID_ADDR,	ADDR_VPID,	ADDR_VPID,	NOTHING),
	ROW(INVVPID_SINGLE,	VPID,		VPID,		NOTHING),
	ROW(INVVPID_ALL,	NONZERO_VPIDS,	NONZERO_VPIDS,	NOTHING),
	ROW(INVVPID_NONGLOBAL,	VPID_NONGLOBAL,	VPID_NONGLOBAL,	NOTHING),
	ROW(INVEPT_SINGLE,	NOTHING,	EP4TA,		EP4TA),
	ROW(INVEPT_GLOBAL,	NOTHING,	ALL,		ALL),
	ROW(ENTRY_EXIT_NO_VPID,	VPID_ZERO,	VPID_ZERO,	NOTHING),
	ROW(ENTRY_EXIT_VPID,	NOTHING,	NOTHING,	NOTHING),
	ROW(VMXON_VMXOFF,	NOTHING,	NOTHING,	NOTHING),
	ROW(RESET,		ALL,		ALL,		ALL),
};

#define X(id, text) [VTX_##id] = text,
static const char *const op_names[VTX_OP_NR] = { VTX_OPS(X) };
#undef X

static u64 vpid_covered(struct tlb *t, u32 kind, u32 vpid)
{
	u64 after = max_u64(t->all[kind], tlb_vpid(t, vpid)->all[kind]);

	return vpid ? max_u64(after, t->nonzero_vpids[kind]) : after;
}

static bool flush_vpid(struct tlb *t, u32 kind, u32 vpid, u64 stamp)
{
	struct tlb_vpid_stamps *v = tlb_vpid(t, vpid);
	u64 covered = vpid_covered(t, kind, vpid);

	v->all[kind] = stamp;
	return max_u64(v->fill[kind], v->fill_global[kind]) > covered;
}

static bool flush_vpid_nonglobal(struct tlb *t, u32 kind, u32 vpid, u64 stamp)
{
	struct tlb_vpid_stamps *v = tlb_vpid(t, vpid);
	u64 covered = max_u64(vpid_covered(t, kind, vpid), v->nonglobal[kind]);

	v->nonglobal[kind] = stamp;
	return v->fill[kind] > covered;
}

static bool flush_pcid(struct tlb *t, u32 kind, const struct vtx_operand *o,
		       u64 stamp)
{
	struct tlb_vpid_stamps *v = tlb_vpid(t, o->vpid);
	u64 covered = max_u64(vpid_covered(t, kind, o->vpid),
			      v->nonglobal[kind]);
	struct tlb_pcid_stamps *p = tlb_pcid_stamps(t, o->vpid, o->pcid, true);

	covered = max_u64(covered, p->all[kind]);
	v->pcid = stamp;
	p->all[kind] = stamp;
	return p->fill[kind] > covered;
}

static bool flush_ep4ta(struct tlb *t, u32 kind, u32 ep4ta, u64 stamp)
{
	struct tlb_ep4ta_stamps *p = tlb_ep4ta(t, ep4ta);
	u32 i = kind - MAP_COMBINED;
	u64 covered = max_u64(t->all[kind], p->all[i]);

	p->all[i] = stamp;
	return p->fill[i] > covered;
}

static bool flush_lazy(struct tlb *t, u32 kind, enum vtx_scope scope,
		       const struct vtx_operand *o)
{
	u64 stamp = t->seq << STAMP_BITS | STAMP_MASK;
	struct vtx_operand zero = { .vpid = o->vpid };
	u64 covered;

	switch (scope) {
	case ALL:
		covered = t->all[kind];
		t->all[kind] = stamp;
		return t->fill[kind] > covered;
	case NONZERO_VPIDS:
		covered = max_u64(t->all[kind], t->nonzero_vpids[kind]);
		t->nonzero_vpids[kind] = stamp;
		return t->fill_nonzero[kind] > covered;
	case VPID_ZERO:
		return flush_vpid(t, kind, 0, stamp);
	case VPID:
		return flush_vpid(t, kind, o->vpid, stamp);
	case VPID_NONGLOBAL:
		return flush_vpid_nonglobal(t, kind, o->vpid, stamp);
	case PCID_ZERO:
		return flush_pcid(t, kind, &zero, stamp);
	case PCID:
		return flush_pcid(t, kind, o, stamp);
	default:
		return flush_ep4ta(t, kind, o->ep4ta, stamp);
	}
}

/* Tags only; the address is the caller's affair. */
static bool addr_covers(enum vtx_scope scope, u32 kind,
			const struct vtx_operand *o, const struct tlb_entry *e)
{
	u32 vpid = e->tag >> TAG_VPID_SHIFT & 0xffff;
	u32 ep4ta = (u32)(e->tag >> TAG_EP4TA_SHIFT);
	bool global = e->tag & TAG_GLOBAL;
	bool own_pcid = (e->page & (TLB_PCID_MAX - 1)) == o->pcid;

	if ((e->tag & TAG_KIND_MASK) != kind)
		return false;
	switch (scope) {
	case ADDR_PCID:
		return vpid == o->vpid && own_pcid && !global;
	case ADDR_PCID_GLOBAL:
		return vpid == o->vpid && (own_pcid || global);
	case ADDR_VPID:
		return vpid == o->vpid;
	case ADDR_CONTEXT:
		return vpid == o->vpid && (own_pcid || global) &&
		       ep4ta == o->ep4ta;
	default:
		return ep4ta == o->ep4ta;
	}
}

/*
 * struct vtx_target - what an address flush looks for in one cache
 * @scope: an ADDR scope
 * @kind: kind of mapping
 * @o: operand
 * @page: address in 4-KiB units
 * @any_address: every entry with a matching tag
 */
struct vtx_target {
	enum vtx_scope scope;
	u32 kind;
	const struct vtx_operand *o;
	u64 page;
	bool any_address;
};

static bool set_erase(struct tlb *t, struct tlb_cache *c, struct tlb_set *s,
		      const struct vtx_target *x, u32 shift)
{
	struct tlb_entry *e = tlb_set_entry(c, s, 0);
	bool held = false;
	u64 own, whole;
	u32 wide;

	for (u32 way = 0; way < c->ways; way++, e++) {
		if (s->sig[way] == SIG_EMPTY ||
		    !addr_covers(x->scope, x->kind, x->o, e))
			continue;
		/* A fragment goes with the guest page that it is a part of. */
		own = shift + 9 * ((e->tag & TAG_SIZE_MASK) >> TAG_SIZE_SHIFT);
		wide = max_u64(own, 9 * (e->fill & STAMP_MASK));
		whole = e->page >> PAGE_PCID_BITS << own >> wide;
		if (!x->any_address && whole != x->page >> wide)
			continue;
		held |= tlb_entry_live(t, e);
		tlb_set_erase(c, s, way);
	}
	return held;
}

static bool cache_erase(struct tlb *t, struct tlb_cache *c,
			const struct vtx_target *x, u32 shift)
{
	u32 sets = tlb_cache_sets(c);
	bool held = false, all_sets = sets <= 1 || c->has_fragments;

	for (u32 set = 0; all_sets && set < sets; set++)
		held |= set_erase(t, c, tlb_cache_set(t, c, set), x, shift);
	for (u32 size = 0; !all_sets && size < TLB_SIZES; size++)
		if (c->sizes & 1u << size)
			held |= set_erase(t, c,
					  tlb_set_of(t, c, x->page >> 9 * size),
					  x, shift);
	return held;
}

static bool flush_addr(struct tlb *t, u32 kind, enum vtx_scope scope,
		       const struct vtx_operand *o)
{
	struct vtx_target x = { .scope = scope, .kind = kind, .o = o };
	u32 psc = kind == MAP_GUEST_PHYS ? TLB_PSC_EPT : TLB_PSC_GUEST;
	bool held = false;

	x.page = kind == MAP_GUEST_PHYS ? o->gpa.n : o->va.n;
	for (u32 i = 0; i < TLB_PSC_LEVELS; i++)
		cache_erase(t, &t->cache[psc + i], &x, 9 * (i + 1));
	if (kind == MAP_GUEST_PHYS)
		return cache_erase(t, &t->cache[TLB_GUEST_PHYS], &x, 0);
	for (u32 i = 0; i < TLB_STRUCTS_MAX; i++)
		held |= cache_erase(t, &t->cache[i], &x, 0);
	return held;
}

/* INVLPG: the paging-structure entries of the PCID, all addresses. */
static void flush_psc_of_pcid(struct tlb *t, u32 kind,
			      const struct vtx_operand *o)
{
	struct vtx_target x = {
		.scope = ADDR_PCID, .kind = kind, .o = o, .any_address = true,
	};

	for (u32 i = 0; i < TLB_PSC_LEVELS; i++)
		cache_erase(t, &t->cache[TLB_PSC_GUEST + i], &x, 9 * (i + 1));
}

bool vtx_invalidate(struct tlb *t, enum vtx_op op, const struct vtx_operand *o)
{
	const struct vtx_row *row = &rows[op];
	bool held = false, lazy = false;

	BUG_ON(o->vpid >= t->nr_vpids);
	BUG_ON(o->ep4ta >= t->nr_ep4ta);
	BUG_ON(o->pcid >= TLB_PCID_MAX);
	for (u32 kind = 0; kind < MAP_KIND_NR; kind++) {
		if (row->psc_of_pcid && kind != MAP_GUEST_PHYS)
			flush_psc_of_pcid(t, kind, o);
		if (row->scope[kind] == NOTHING)
			continue;
		if (row->scope[kind] >= ADDR_PCID) {
			held |= flush_addr(t, kind, row->scope[kind], o);
			continue;
		}
		held |= flush_lazy(t, kind, row->scope[kind], o);
		lazy = true;
	}
	if (lazy) {
		t->last_flush = t->seq << STAMP_BITS | STAMP_MASK;
		t->seq++;
		tlb_context_refresh(t);
	}
	return held;
}

bool vtx_covers_context(enum vtx_op op, const struct vtx_operand *o,
			const struct tlb_ctx *ctx)
{
	u32 kind = ctx->ept ? MAP_COMBINED : MAP_LINEAR;

	switch (rows[op].scope[kind]) {
	case ALL:
		return true;
	case NONZERO_VPIDS:
		return ctx->vpid;
	case VPID_ZERO:
		return !ctx->vpid;
	case VPID:
	case VPID_NONGLOBAL:
		return ctx->vpid == o->vpid;
	case PCID_ZERO:
		return ctx->vpid == o->vpid && !ctx->pcid;
	case PCID:
		return ctx->vpid == o->vpid && ctx->pcid == o->pcid;
	case EP4TA:
		return ctx->ep4ta == o->ep4ta;
	default:
		return false;
	}
}

const char *vtx_op_name(enum vtx_op op)
{
	BUG_ON(op >= VTX_OP_NR);
	return op_names[op];
}
