#include "sim/driver/states.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/err.h"

#define TABLE_FIRST	(1ULL << 16)	/* slots; a power of two */

/* One word in front of each string; an id is the word's place. */
struct head {
	u32 parent;
	u8 nr_words;
	struct action action;
};

struct states {
	u64 *area;
	u64 area_words;
	u64 used_words;
	u64 mem_bytes;
	u64 count;
	u32 last;
	u32 *table;		/* ids, STATE_NONE where empty */
	u64 slots;
};

/* Pages are taken from the system only when they are written. */
static void *reserve(u64 bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

struct states *states_create(u64 mem_bytes, struct err *err)
{
	struct states *s = calloc(1, sizeof(*s));

	if (!s)
		goto fail;
	s->mem_bytes = mem_bytes;
	s->area_words = min_u64(mem_bytes / sizeof(u64), STATE_NONE - 1);
	s->area = reserve(s->area_words * sizeof(u64));
	s->slots = TABLE_FIRST;
	s->table = malloc(s->slots * sizeof(*s->table));
	s->last = STATE_NONE;
	if (!s->area || !s->table)
		goto fail;
	memset(s->table, 0xff, s->slots * sizeof(*s->table));
	return s;
fail:
	states_destroy(s);
	err_set(err, -ENOMEM, "explorer: cannot reserve %llu bytes for states",
		(unsigned long long)mem_bytes);
	return NULL;
}

void states_destroy(struct states *s)
{
	if (!s)
		return;
	if (s->area)
		munmap(s->area, s->area_words * sizeof(u64));
	free(s->table);
	free(s);
}

static const struct head *head_of(const struct states *s, u32 id)
{
	return (const struct head *)&s->area[id];
}

static u64 hash_of(const u64 *words, u32 nr)
{
	return XXH3_64bits(words, nr * sizeof(u64));
}

static bool grow(struct states *s)
{
	u64 slots = s->slots * 2;
	u32 *table;

	if (states_bytes(s) + slots * sizeof(*table) > s->mem_bytes)
		return false;
	table = malloc(slots * sizeof(*table));
	if (!table)
		return false;
	memset(table, 0xff, slots * sizeof(*table));
	for (u32 id = 0; id != STATE_NONE; id = states_next(s, id)) {
		u64 at = hash_of(&s->area[id + 1], head_of(s, id)->nr_words);

		while (table[at & (slots - 1)] != STATE_NONE)
			at++;
		table[at & (slots - 1)] = id;
	}
	free(s->table);
	s->table = table;
	s->slots = slots;
	return true;
}

static bool same(const struct states *s, u32 id, const struct state_ref *ref)
{
	return head_of(s, id)->nr_words == ref->nr_words &&
	       !memcmp(&s->area[id + 1], ref->words,
		       ref->nr_words * sizeof(u64));
}

int states_add(struct states *s, const struct state_ref *ref)
{
	bool room = s->count * 3 <= s->slots * 2 || grow(s);
	u64 at = hash_of(ref->words, ref->nr_words);
	const struct head h = {
		.parent = ref->parent, .nr_words = (u8)ref->nr_words,
		.action = ref->action,
	};
	u32 id;

	BUG_ON(ref->nr_words > STATE_WORDS_MAX);
	for (;; at++) {
		id = s->table[at & (s->slots - 1)];
		if (id == STATE_NONE)
			break;
		if (same(s, id, ref))
			return 0;
	}
	if (!room || s->used_words + 1 + ref->nr_words > s->area_words ||
	    states_bytes(s) + (1 + ref->nr_words) * sizeof(u64) > s->mem_bytes)
		return -1;
	id = (u32)s->used_words;
	memcpy(&s->area[id], &h, sizeof(h));
	memcpy(&s->area[id + 1], ref->words, ref->nr_words * sizeof(u64));
	s->used_words += 1 + ref->nr_words;
	s->table[at & (s->slots - 1)] = id;
	s->last = id;
	s->count++;
	return 1;
}

void states_get(const struct states *s, u32 id, struct state_ref *ref)
{
	const struct head *h = head_of(s, id);

	ref->words = &s->area[id + 1];
	ref->nr_words = h->nr_words;
	ref->parent = h->parent;
	ref->action = h->action;
}

u32 states_next(const struct states *s, u32 id)
{
	return id == s->last ? STATE_NONE : id + 1 + head_of(s, id)->nr_words;
}

u32 states_last(const struct states *s)
{
	return s->last;
}

u64 states_count(const struct states *s)
{
	return s->count;
}

u64 states_bytes(const struct states *s)
{
	return s->used_words * sizeof(u64) + s->slots * sizeof(*s->table);
}
