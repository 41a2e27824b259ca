/*
 * Sizes of everything a pCPU caches translations in.  Pure data, read from a
 * machine file (configs/machines/); the rows that describe it stand beside it.
 */
#ifndef MODELS_HW_GEOMETRY_H
#define MODELS_HW_GEOMETRY_H

#include "sim/base/param.h"
#include "sim/base/types.h"

#define TLB_STRUCTS_MAX	12

enum tlb_side { TLB_SIDE_DATA, TLB_SIDE_INSTR, TLB_SIDE_BOTH, TLB_SIDE_NR };
enum tlb_replacement { TLB_LRU, TLB_TREE_PLRU, TLB_REPLACEMENT_NR };
enum tlb_index { TLB_INDEX_LINEAR, TLB_INDEX_XOR, TLB_INDEX_NR };

/* Bits of tlb_struct_geometry.page_sizes. */
#define TLB_PAGE_4K	1u
#define TLB_PAGE_2M	2u
#define TLB_PAGE_1G	4u

/**
 * struct tlb_struct_geometry - one translation cache
 * @name: as the vendor calls it, for messages and lists
 * @level: 1 or 2; level 2 is looked up after every level-1 miss
 * @side: enum tlb_side; which accesses it serves
 * @entries: capacity
 * @ways: associativity; entries / ways is a power of two; equal to @entries
 *        for a fully associative structure
 * @holds_4k: holds 4-KiB translations
 * @holds_2m: holds 2-MiB translations
 * @holds_1g: holds 1-GiB translations
 * @replacement: enum tlb_replacement
 * @index: enum tlb_index
 *
 * Where two structures of one level and side hold the same page size (the
 * halves of an Ice Lake STLB), one translation has its home in one of them,
 * chosen by an address bit above the index bits.
 */
struct tlb_struct_geometry {
	char name[PARAM_STR_MAX];
	u32 level;
	u32 side;
	u32 entries;
	u32 ways;
	bool holds_4k;
	bool holds_2m;
	bool holds_1g;
	u32 replacement;
	u32 index;
};

/**
 * struct hw_geometry - one pCPU
 * @nr_structs: used entries of @tlb
 * @tlb: translation caches
 * @psc_pml4e: paging-structure cache entries for PML4 entries, each dimension
 * @psc_pdpte: ... for PDPT entries
 * @psc_pde: ... for page directory entries
 * @guest_phys_entries: cache of guest-physical translations (nested TLB)
 * @guest_levels: levels of guest page tables, 4 or 5
 * @ept_levels: levels of EPT, 4 or 5
 */
struct hw_geometry {
	u32 nr_structs;
	struct tlb_struct_geometry tlb[TLB_STRUCTS_MAX];
	u32 psc_pml4e;
	u32 psc_pdpte;
	u32 psc_pde;
	u32 guest_phys_entries;
	u32 guest_levels;
	u32 ept_levels;
};

struct err;

/* Rows of one entry of "tlb" and of the scalar members; end at .name == NULL. */
extern const struct param_desc tlb_struct_rows[];
extern const struct param_desc hw_geometry_rows[];

/**
 * hw_geometry_check() - cross-field rules of a geometry
 * @g: geometry whose single values passed their rows
 * @err: set on failure; names the structure and the rule
 *
 * Return: 0 or -EINVAL.
 */
int hw_geometry_check(const struct hw_geometry *g, struct err *err);

#endif /* MODELS_HW_GEOMETRY_H */
