/*
 * The translation caches of one pCPU with the tags Intel gives them (SDM Vol.
 * 3C, "Caching Translation Information").  Finite, with real replacement: for
 * timing, and for stale uses that really would have happened.
 *
 * A cached translation is found by one key compared in one function.  A flush
 * never walks the arrays: every entry remembers when it was filled, every tag
 * when it was last flushed, and an entry is live iff its fill is younger than
 * every flush that covers it.  Dead entries count as empty ways, so results
 * equal those of a model that erases them at once.
 */
#ifndef MODELS_HW_TLB_H
#define MODELS_HW_TLB_H

#include "models/hw/geometry.h"
#include "sim/base/types.h"

enum map_kind {
	MAP_LINEAR,		/* from guest tables only; tag VPID, PCID */
	MAP_COMBINED,		/* from both; tag VPID, PCID, EP4TA */
	MAP_GUEST_PHYS,		/* from EPT only; tag EP4TA */
	MAP_KIND_NR,
};

/**
 * struct tlb_key - what identifies a cached translation
 * @vpn: page number in units of 1 << @shift bytes: guest-virtual for linear
 *       and combined mappings, guest-physical for guest-physical ones
 * @ep4ta: EPTP bits 51:12 as a dense frame index; 0 for linear mappings
 * @vpid: 0 for guest-physical mappings
 * @pcid: 0 for guest-physical mappings
 * @kind: enum map_kind
 * @shift: 12, 21 or 30
 * @global: guest global page: @pcid is not compared
 */
struct tlb_key {
	u64 vpn;
	u32 ep4ta;
	u16 vpid;
	u16 pcid;
	u8 kind;
	u8 shift;
	bool global;
};

/**
 * struct tlb_ctx - what the pCPU runs at the moment
 * @ep4ta: current root as a dense frame index below the limit of tlb_init()
 * @vpid: current VPID
 * @pcid: current PCID
 * @ept: EPT in use: combined and guest-physical mappings, else linear ones
 */
struct tlb_ctx {
	u32 ep4ta;
	u16 vpid;
	u16 pcid;
	bool ept;
};

/**
 * struct tlb_prov - which versions of the tables a translation was built from
 * @s1: version of the guest page-table leaf
 * @s2: version of the EPT leaf
 * @owner: VM that built it
 * @frame: incarnation of the root frame it was built under
 *
 * Opaque to the hardware model: stored at fill, handed back at use.
 */
struct tlb_prov {
	u32 s1;
	u32 s2;
	u32 owner;
	u32 frame;
};

/**
 * struct tlb_access - one use of a page in the current context
 * @va: guest-virtual page
 * @gpa: guest-physical page it maps to
 * @s1_shift: guest page size, 12, 21 or 30
 * @s2_shift: EPT page size; the cached size is the smaller of the two
 * @instr: instruction fetch
 * @global: guest global page
 * @prov: what a walk would read from memory now
 */
struct tlb_access {
	gvpn_t va;
	gfn_t gpa;
	u8 s1_shift;
	u8 s2_shift;
	bool instr;
	bool global;
	struct tlb_prov prov;
};

enum tlb_hit { TLB_MISS, TLB_HIT_L1, TLB_HIT_L2 };

struct tlb;			/* flat block without pointers, in the world */

/**
 * tlb_bytes() - size of the block of one pCPU
 * @g: checked geometry
 * @nr_ep4ta: number of root frames; EP4TAs are below it
 * @nr_vpids: number of VPIDs; VPIDs are below it
 *
 * Return: bytes, a multiple of 64.
 */
u64 tlb_bytes(const struct hw_geometry *g, u32 nr_ep4ta, u32 nr_vpids);

/**
 * tlb_init() - make a zeroed block an empty TLB
 * @t: block of tlb_bytes() zero bytes, aligned to 64
 * @g: geometry; not kept
 * @nr_ep4ta: as for tlb_bytes()
 * @nr_vpids: as for tlb_bytes()
 */
void tlb_init(struct tlb *t, const struct hw_geometry *g, u32 nr_ep4ta,
	      u32 nr_vpids);

/**
 * tlb_set_context() - switch to another address space; invalidates nothing
 * @t: TLB
 * @ctx: context that the following lookups run in
 */
void tlb_set_context(struct tlb *t, const struct tlb_ctx *ctx);

/**
 * tlb_lookup() - use a page through the cached translations
 * @t: TLB
 * @a: access
 * @prov: set to the provenance of the entry used, unless TLB_MISS
 *
 * Updates replacement state.  A level-2 hit is copied into level 1; a miss
 * fills nothing: walker_walk() does.
 *
 * Return: where it hit.
 */
enum tlb_hit tlb_lookup(struct tlb *t, const struct tlb_access *a,
			struct tlb_prov *prov);

/**
 * tlb_fill() - insert a finished translation into level 1 and level 2
 * @t: TLB
 * @a: access that missed; the key is made from it and the current context
 * @prov: provenance to store
 */
void tlb_fill(struct tlb *t, const struct tlb_access *a,
	      const struct tlb_prov *prov);

#endif /* MODELS_HW_TLB_H */
