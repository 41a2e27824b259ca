#include "sim/check/guest_scope.h"

#include "sim/base/err.h"

#define NONGLOBAL	(1u << MAPPING_PCID0 | 1u << MAPPING_PCID1)
#define GLOBAL		(1u << MAPPING_GLOBAL)

static u32 of_pcid(u32 pcid)
{
	BUG_ON(pcid >= PCIDS_MAX);
	return 1u << (MAPPING_PCID0 + pcid);
}

/* An address has global mappings or such of a PCID, never both. */
static u32 at_address(const struct probe_rec *r)
{
	return r->page == ADDRESS_GLOBAL ? GLOBAL : of_pcid(r->id);
}

u8 guest_scope(const struct run_shape *s, const struct probe_rec *r)
{
	if (s->nr_pcids <= 1)
		return 1;
	switch (r->op) {
	case FLUSH_INVLPG:
		return (u8)at_address(r);
	case FLUSH_INVPCID_ADDR:
		return (u8)(at_address(r) & NONGLOBAL);
	case FLUSH_MOV_CR3:
	case FLUSH_INVPCID_SINGLE:
		return (u8)of_pcid(r->id);
	case FLUSH_INVPCID_NONGLOBAL:
		return NONGLOBAL;
	default:
		return NONGLOBAL | GLOBAL;
	}
}

u8 guest_reach(const struct run_shape *s, u32 pcid)
{
	return (u8)(s->nr_pcids <= 1 ? 1 : of_pcid(pcid) | GLOBAL);
}
