#include "sim/driver/states.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"

/*
 * Shards, so that threads seldom meet; an id is the shard and the place in it.
 * Entries stay where they are while more are added: they lie in chunks, eight
 * of a size, and the next eight are twice as large.
 */
#define SHARDS_MAX	64u
#define CHUNKS_EACH	8u
#define FIRST_BITS	9u
#define CHUNKS		((32u - FIRST_BITS + 1) * CHUNKS_EACH)
#define TABLE_FIRST	1024u		/* slots; a power of two */

struct entry {
	u64 hash[2];
	u32 parent;
	struct action action;
};

struct shard {
	pthread_mutex_t lock;
	struct entry *chunk[CHUNKS];
	u64 **string[CHUNKS];		/* exact only */
	u32 *table;			/* places, STATE_NONE where empty */
	u32 slots;
	_Atomic u32 nr;
	u32 level;			/* first place of the level being made */
};

struct states {
	struct shard shard[SHARDS_MAX];
	u32 nr_shards;
	u32 place_bits;
	u64 mem_bytes;
	_Atomic u64 used;
	bool exact;
};

bool states_take(struct states *s, u64 bytes)
{
	u64 before = atomic_fetch_add(&s->used, bytes);

	if (before + bytes <= s->mem_bytes)
		return true;
	states_give(s, bytes);
	return false;
}

void states_give(struct states *s, u64 bytes)
{
	atomic_fetch_sub(&s->used, bytes);
}

static void *take(struct states *s, u64 bytes)
{
	void *p = states_take(s, bytes) ? malloc(bytes) : NULL;

	return p;
}

static u32 *take_table(struct states *s, u32 slots)
{
	u32 *table = take(s, slots * sizeof(*table));

	if (table)
		memset(table, 0xff, slots * sizeof(*table));
	return table;
}

struct states *states_create(u64 mem_bytes, bool exact, u32 nr_threads,
			     struct err *err)
{
	struct states *s = calloc(1, sizeof(*s));
	bool ok = s != NULL;

	if (s) {
		s->mem_bytes = mem_bytes;
		s->exact = exact;
		s->nr_shards = nr_threads > 1 ? SHARDS_MAX : 1;
		s->place_bits = 32 - (u32)__builtin_ctz(s->nr_shards);
	}
	for (u32 i = 0; ok && i < s->nr_shards; i++) {
		struct shard *d = &s->shard[i];

		pthread_mutex_init(&d->lock, NULL);
		d->slots = TABLE_FIRST;
		d->table = take_table(s, d->slots);
		ok = d->table != NULL;
	}
	if (ok)
		return s;
	states_destroy(s);
	err_set(err, -ENOMEM, "explorer: %llu bytes are too few to begin with",
		(unsigned long long)mem_bytes);
	return NULL;
}

/* Which chunk a place is in, and how far from its beginning. */
static u32 chunk_of(u32 place, u32 *offset)
{
	u64 x = (u64)place + BIT64(FIRST_BITS);
	u32 bits = 63 - (u32)__builtin_clzll(x) - 3;

	*offset = (u32)(x & (BIT64(bits) - 1));
	return (bits + 3 - FIRST_BITS) * CHUNKS_EACH +
	       (u32)(x >> bits & (CHUNKS_EACH - 1));
}

static u32 chunk_size(u32 chunk)
{
	return 1u << (FIRST_BITS - 3 + chunk / CHUNKS_EACH);
}

static struct entry *entry_at(const struct shard *d, u32 place)
{
	u32 offset, c = chunk_of(place, &offset);

	return &d->chunk[c][offset];
}

static u64 **string_at(const struct shard *d, u32 place)
{
	u32 offset, c = chunk_of(place, &offset);

	return &d->string[c][offset];
}

static struct entry *entry_of(const struct states *s, u32 id)
{
	u64 shard = (u64)id >> s->place_bits;

	return entry_at(&s->shard[shard],
			id & (u32)(BIT64(s->place_bits) - 1));
}

static void shard_release(struct states *s, struct shard *d)
{
	for (u32 place = 0; s->exact && place < d->nr; place++)
		free(*string_at(d, place));
	for (u32 c = 0; c < CHUNKS; c++) {
		free(d->chunk[c]);
		free(d->string[c]);
	}
	free(d->table);
	pthread_mutex_destroy(&d->lock);
}

void states_destroy(struct states *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->nr_shards; i++)
		if (s->shard[i].slots)
			shard_release(s, &s->shard[i]);
	free(s);
}

/* Words are compared with one in front that says how many there are. */
static bool same_string(const struct shard *d, u32 place,
			const struct state_ref *ref)
{
	const u64 *w = *string_at(d, place);

	return w[0] == ref->nr_words &&
	       !memcmp(&w[1], ref->words, ref->nr_words * sizeof(u64));
}

static bool same(const struct states *s, const struct shard *d, u32 place,
		 const struct state_ref *ref, XXH128_hash_t h)
{
	const struct entry *e = entry_at(d, place);

	return e->hash[0] == h.low64 && e->hash[1] == h.high64 &&
	       (!s->exact || same_string(d, place, ref));
}

static bool grow(struct states *s, struct shard *d)
{
	u32 slots = d->slots * 2, *table = take_table(s, slots);

	if (!table)
		return false;
	for (u32 place = 0; place < d->nr; place++) {
		u64 at = entry_at(d, place)->hash[0];

		while (table[at & (slots - 1)] != STATE_NONE)
			at++;
		table[at & (slots - 1)] = place;
	}
	states_give(s, d->slots * sizeof(*table));
	free(d->table);
	d->table = table;
	d->slots = slots;
	return true;
}

static bool keep_string(struct states *s, struct shard *d,
			const struct state_ref *ref)
{
	u64 *w = take(s, (1 + (u64)ref->nr_words) * sizeof(*w));

	if (!w)
		return false;
	w[0] = ref->nr_words;
	memcpy(&w[1], ref->words, ref->nr_words * sizeof(*w));
	*string_at(d, d->nr) = w;
	return true;
}

/* Room for one more entry. */
static bool make_room(struct states *s, struct shard *d,
		      const struct state_ref *ref)
{
	u32 offset, c = chunk_of(d->nr, &offset);

	if (d->nr == (u32)(BIT64(s->place_bits) - 1))
		return false;
	if (!d->chunk[c])
		d->chunk[c] = take(s, chunk_size(c) * sizeof(struct entry));
	if (s->exact && !d->string[c])
		d->string[c] = take(s, chunk_size(c) * sizeof(u64 *));
	return d->chunk[c] && (!s->exact || (d->string[c] &&
					     keep_string(s, d, ref)));
}

static int compare_hashes(const struct entry *a, const struct entry *b)
{
	if (a->hash[0] != b->hash[0])
		return a->hash[0] < b->hash[0] ? -1 : 1;
	return (a->hash[1] > b->hash[1]) - (a->hash[1] < b->hash[1]);
}

int states_compare(const struct states *s, u32 parent, struct action action,
		   u32 parent2, struct action action2)
{
	int order = parent == parent2 ? 0 :
		    compare_hashes(entry_of(s, parent), entry_of(s, parent2));

	if (order)
		return order;
	if (action.kind != action2.kind)
		return action.kind - action2.kind;
	return action.a != action2.a ? action.a - action2.a :
				       action.b - action2.b;
}

/* Reached again: by a lesser way? */
static void reached(struct states *s, struct shard *d, u32 place,
		    const struct state_ref *ref)
{
	struct entry *e = entry_at(d, place);

	if (place < d->level || e->parent == STATE_NONE ||
	    states_compare(s, ref->parent, ref->action, e->parent,
			   e->action) >= 0)
		return;
	e->parent = ref->parent;
	e->action = ref->action;
}

static enum state_added add(struct states *s, struct shard *d,
			    const struct state_ref *ref, XXH128_hash_t h,
			    u32 *place)
{
	bool room = (u64)d->nr * 3 <= (u64)d->slots * 2 || grow(s, d);

	for (u64 at = h.low64;; at++) {
		*place = d->table[at & (d->slots - 1)];
		if (*place == STATE_NONE) {
			if (!room || !make_room(s, d, ref))
				return STATE_NO_ROOM;
			*place = d->nr;
			d->table[at & (d->slots - 1)] = d->nr;
			break;
		}
		if (same(s, d, *place, ref, h)) {
			reached(s, d, *place, ref);
			return STATE_KNOWN;
		}
	}
	*entry_at(d, *place) = (struct entry){
		.hash = { h.low64, h.high64 }, .parent = ref->parent,
		.action = ref->action,
	};
	d->nr++;
	return STATE_NEW;
}

enum state_added states_add(struct states *s, const struct state_ref *ref,
			    u32 *id)
{
	XXH128_hash_t h = XXH3_128bits(ref->words, ref->nr_words * sizeof(u64));
	u32 number = (u32)(h.high64 % s->nr_shards), place;
	struct shard *d = &s->shard[number];
	enum state_added added;

	BUG_ON(ref->nr_words > STATE_WORDS_MAX);
	pthread_mutex_lock(&d->lock);
	added = add(s, d, ref, h, &place);
	pthread_mutex_unlock(&d->lock);
	*id = (u32)((u64)number << s->place_bits) | place;
	return added;
}

void states_new_level(struct states *s)
{
	for (u32 i = 0; i < s->nr_shards; i++)
		s->shard[i].level = s->shard[i].nr;
}

u32 states_parent(const struct states *s, u32 id, struct action *action)
{
	const struct entry *e = entry_of(s, id);

	*action = e->action;
	return e->parent;
}

u64 states_count(const struct states *s)
{
	u64 n = 0;

	for (u32 i = 0; i < s->nr_shards; i++)
		n += atomic_load_explicit(&s->shard[i].nr, memory_order_relaxed);
	return n;
}

u64 states_bytes(const struct states *s)
{
	return s->used;
}
