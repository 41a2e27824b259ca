#include "models/hw/geometry.h"

#include <errno.h>

#include "sim/base/err.h"

#define ENTRIES_MAX	65536
#define WAYS_MAX	256
#define PLRU_WAYS_MAX	64

static const char *const side_words[] = { "data", "instr", "both", NULL };
static const char *const replacement_words[] = { "lru", "tree-plru", NULL };
static const char *const index_words[] = { "linear", "xor", NULL };

#define FIELD(f) .offset = offsetof(struct tlb_struct_geometry, f)

const struct param_desc tlb_struct_rows[] = {
	{ .name = "name", .unit = "", .type = PARAM_STR, FIELD(name),
	  .min = 1, .max = 63, .required = true,
	  .help = "name of the structure, for messages and lists" },
	{ .name = "level", .unit = "", .type = PARAM_U32, FIELD(level),
	  .min = 1, .max = 2, .required = true,
	  .help = "level; level 2 is looked up after a level-1 miss" },
	{ .name = "side", .unit = "", .type = PARAM_ENUM, FIELD(side),
	  .min = 0, .max = TLB_SIDE_NR - 1, .required = true,
	  .choices = side_words, .help = "accesses that the structure serves" },
	{ .name = "entries", .unit = "entries", .type = PARAM_U32, FIELD(entries),
	  .min = 1, .max = ENTRIES_MAX, .required = true,
	  .help = "capacity" },
	{ .name = "ways", .unit = "ways", .type = PARAM_U32, FIELD(ways),
	  .min = 1, .max = WAYS_MAX, .required = true,
	  .help = "associativity; equal to entries if fully associative" },
	{ .name = "holds_4k", .unit = "", .type = PARAM_BOOL, FIELD(holds_4k),
	  .min = 0, .max = 1, .required = true,
	  .help = "whether it holds 4-KiB translations" },
	{ .name = "holds_2m", .unit = "", .type = PARAM_BOOL, FIELD(holds_2m),
	  .min = 0, .max = 1, .required = true,
	  .help = "whether it holds 2-MiB translations" },
	{ .name = "holds_1g", .unit = "", .type = PARAM_BOOL, FIELD(holds_1g),
	  .min = 0, .max = 1, .required = true,
	  .help = "whether it holds 1-GiB translations" },
	{ .name = "replacement", .unit = "", .type = PARAM_ENUM,
	  FIELD(replacement), .min = 0, .max = TLB_REPLACEMENT_NR - 1,
	  .required = true, .choices = replacement_words,
	  .help = "how the victim of a full set is chosen" },
	{ .name = "index", .unit = "", .type = PARAM_ENUM, FIELD(index),
	  .min = 0, .max = TLB_INDEX_NR - 1, .required = true,
	  .choices = index_words,
	  .help = "how the set is chosen from the page number" },
	{ .name = NULL },
};

#undef FIELD
#define FIELD(f) .offset = offsetof(struct hw_geometry, f)

const struct param_desc hw_geometry_rows[] = {
	{ .name = "psc_pml4e", .unit = "entries", .type = PARAM_U32,
	  FIELD(psc_pml4e), .min = 0, .max = WAYS_MAX, .required = true,
	  .help = "paging-structure cache for PML4 entries, each dimension" },
	{ .name = "psc_pdpte", .unit = "entries", .type = PARAM_U32,
	  FIELD(psc_pdpte), .min = 0, .max = WAYS_MAX, .required = true,
	  .help = "paging-structure cache for PDPT entries, each dimension" },
	{ .name = "psc_pde", .unit = "entries", .type = PARAM_U32,
	  FIELD(psc_pde), .min = 0, .max = WAYS_MAX, .required = true,
	  .help = "paging-structure cache for page directory entries, each dimension" },
	{ .name = "guest_phys_entries", .unit = "entries", .type = PARAM_U32,
	  FIELD(guest_phys_entries), .min = 0, .max = WAYS_MAX,
	  .required = true,
	  .help = "cache of guest-physical translations (nested TLB)" },
	{ .name = "guest_levels", .unit = "levels", .type = PARAM_U32,
	  FIELD(guest_levels), .min = 4, .max = 5, .required = true,
	  .help = "levels of guest page tables" },
	{ .name = "ept_levels", .unit = "levels", .type = PARAM_U32,
	  FIELD(ept_levels), .min = 4, .max = 5, .required = true,
	  .help = "levels of EPT" },
	{ .name = NULL },
};

static bool is_power_of_two(u32 n)
{
	return n && !(n & (n - 1));
}

/* What would fit: the nearest numbers of entries with a whole power of two. */
static u32 sets_below(u32 entries, u32 ways)
{
	u32 sets = 1;

	while (sets * 2 <= entries / ways)
		sets *= 2;
	return sets;
}

static int struct_check(const struct tlb_struct_geometry *s, struct err *err)
{
	u32 sets;

	if (!s->entries || !s->ways || s->ways > s->entries)
		return err_set(err, -EINVAL,
			       "%s: %u ways of %u entries; expected 1 to %u ways",
			       s->name, s->ways, s->entries, s->entries);
	sets = sets_below(s->entries, s->ways);
	if (s->entries % s->ways)
		return err_set(err, -EINVAL,
			       "%s: %u entries are not a multiple of %u ways; %u or %u would fit",
			       s->name, s->entries, s->ways, sets * s->ways,
			       2 * sets * s->ways);
	if (!is_power_of_two(s->entries / s->ways))
		return err_set(err, -EINVAL,
			       "%s: %u entries in %u ways make %u sets, not a power of two; %u or %u entries would fit",
			       s->name, s->entries, s->ways,
			       s->entries / s->ways, sets * s->ways,
			       2 * sets * s->ways);
	if (s->replacement == TLB_TREE_PLRU &&
	    (!is_power_of_two(s->ways) || s->ways > PLRU_WAYS_MAX))
		return err_set(err, -EINVAL,
			       "%s: tree-plru needs a power of two of ways up to %d, found %u; lru takes any number",
			       s->name, PLRU_WAYS_MAX, s->ways);
	if (!s->holds_4k && !s->holds_2m && !s->holds_1g)
		return err_set(err, -EINVAL,
			       "%s: holds no page size; set one of holds_4k, holds_2m, holds_1g",
			       s->name);
	return 0;
}

static bool struct_serves(const struct tlb_struct_geometry *s, u32 level,
			  u32 side, u32 size)
{
	const bool holds[] = { s->holds_4k, s->holds_2m, s->holds_1g };

	return s->level == level && holds[size] &&
	       (s->side == TLB_SIDE_BOTH || s->side == side);
}

/* One translation has one home: at most two structures, halves of one. */
static int homes_check(const struct hw_geometry *g, u32 level, u32 side,
		       struct err *err)
{
	static const char *const size_words[] = { "4-KiB", "2-MiB", "1-GiB" };
	const struct tlb_struct_geometry *first, *s;
	u32 nr;

	for (u32 size = 0; size < 3; size++) {
		nr = 0;
		first = NULL;
		for (u32 i = 0; i < g->nr_structs; i++) {
			s = &g->tlb[i];
			if (!struct_serves(s, level, side, size))
				continue;
			if (++nr == 1)
				first = s;
			else if (nr > 2 || s->entries / s->ways !=
					   first->entries / first->ways)
				return err_set(err, -EINVAL,
					       "%s: holds %s translations of level %u like %s; at most two structures with the same number of sets may share them",
					       s->name, size_words[size],
					       level, first->name);
		}
		if (!nr && level == 1 && !size)
			return err_set(err, -EINVAL,
				       "no level-1 structure holds 4-KiB translations for %s accesses; expected one with side %s or both",
				       side_words[side], side_words[side]);
	}
	return 0;
}

int hw_geometry_check(const struct hw_geometry *g, struct err *err)
{
	int ret;

	if (!g->nr_structs || g->nr_structs > TLB_STRUCTS_MAX)
		return err_set(err, -EINVAL,
			       "%u translation caches; expected 1 to %d",
			       g->nr_structs, TLB_STRUCTS_MAX);
	for (u32 i = 0; i < g->nr_structs; i++) {
		if (g->tlb[i].level != 1 && g->tlb[i].level != 2)
			return err_set(err, -EINVAL,
				       "%s: level %u; expected 1 or 2",
				       g->tlb[i].name, g->tlb[i].level);
		ret = struct_check(&g->tlb[i], err);
		if (ret)
			return ret;
	}
	for (u32 level = 1; level <= 2; level++) {
		for (u32 side = TLB_SIDE_DATA; side <= TLB_SIDE_INSTR; side++) {
			ret = homes_check(g, level, side, err);
			if (ret)
				return ret;
		}
	}
	if (g->guest_levels < 4 || g->guest_levels > 5)
		return err_set(err, -EINVAL,
			       "guest_levels: %u levels; expected 4 or 5",
			       g->guest_levels);
	if (g->ept_levels < 4 || g->ept_levels > 5)
		return err_set(err, -EINVAL,
			       "ept_levels: %u levels; expected 4 or 5",
			       g->ept_levels);
	return 0;
}
