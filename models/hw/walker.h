/*
 * The two-dimensional page walk: counts memory references through the
 * paging-structure caches of both dimensions and the guest-physical cache.
 */
#ifndef MODELS_HW_WALKER_H
#define MODELS_HW_WALKER_H

#include "models/hw/tlb.h"

/**
 * struct walk_result - what a walk did
 * @refs: memory references: 1..4 without EPT, up to 24 with 4 x 4 levels
 * @prov: provenance of the new translation; its @s2 and @frame come from the
 *        guest-physical cache where that supplied the last step
 */
struct walk_result {
	u32 refs;
	struct tlb_prov prov;
};

/**
 * walker_walk() - walk the tables for an access that missed, and fill
 * @t: TLB of the pCPU
 * @a: access; its page is present in both dimensions
 * @res: set
 *
 * Fills TLB, guest-physical cache and paging-structure caches.  The tables of
 * a guest address space are placed by its VPID, so two vCPUs do not share
 * table pages.
 */
void walker_walk(struct tlb *t, const struct tlb_access *a,
		 struct walk_result *res);

#endif /* MODELS_HW_WALKER_H */
