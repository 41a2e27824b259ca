/*
 * A slow TLB for comparison: every flush looks at every entry and erases what
 * the manual says at once, ages are kept as plain numbers, and nothing is
 * packed, cached or hashed.  Written from semantics, not from models/hw.
 */
#ifndef TESTS_UNIT_MODELS_HW_EAGER_H
#define TESTS_UNIT_MODELS_HW_EAGER_H

#include "models/hw/vtx.h"
#include "models/hw/walker.h"

#define EAGER_CACHES 20
#define EAGER_ENTRIES 256

struct eager_entry {
	bool valid;
	struct tlb_key key;
	u32 page_shift;		/* of the guest page it is a part of */
	u64 used;		/* time of the last use */
	struct tlb_prov prov;
};

struct eager_cache {
	struct tlb_struct_geometry g;
	u32 shift;		/* paging-structure caches: region covered */
	bool nodes[EAGER_ENTRIES][64];	/* per set: tree-PLRU, true = right */
	struct eager_entry e[EAGER_ENTRIES];
};

/* [0..nr-1] TLBs, then guest PDE, PDPTE, PML4E, EPT ditto, guest-physical. */
struct eager {
	struct hw_geometry g;
	struct tlb_ctx ctx;
	u64 clock;
	u32 nr_learned;
	struct {
		struct eager_cache *c;
		struct eager_entry e;
	} learned[64];
	struct eager_cache cache[EAGER_CACHES];
};

/**
 * eager_init() - an empty TLB
 * @r: to fill in
 * @g: geometry; at most EAGER_ENTRIES entries in each structure
 */
void eager_init(struct eager *r, const struct hw_geometry *g);

/**
 * eager_lookup() - tlb_lookup() by looking at everything
 * @r: TLB
 * @a: access
 * @prov: set unless it misses
 *
 * Return: where it hit.
 */
enum tlb_hit eager_lookup(struct eager *r, const struct tlb_access *a,
			  struct tlb_prov *prov);

/**
 * eager_walk() - walker_walk() by looking at everything
 * @r: TLB
 * @a: access
 * @res: set
 */
void eager_walk(struct eager *r, const struct tlb_access *a,
		struct walk_result *res);

/**
 * eager_invalidate() - erase what an operation must invalidate
 * @r: TLB
 * @op: operation
 * @o: operand
 *
 * Return: translations erased.
 */
u32 eager_invalidate(struct eager *r, enum vtx_op op,
		     const struct vtx_operand *o);

#endif /* TESTS_UNIT_MODELS_HW_EAGER_H */
