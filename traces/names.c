/*
 * Open addressing over ids; the bytes stand in chunks that are never moved,
 * so that a pointer to a name stays good.
 */
#include "traces/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "traces/trace.h"

#define CHUNK_BYTES	65536u
#define SLOTS_FIRST	1024u

struct names {
	char **text;			/* text[id] */
	u32 *hash;			/* hash[id], to rehash and compare fast */
	u8 *len;			/* len[id] */
	u32 nr;
	u32 room;
	u32 *slot;			/* id + 1; 0 is free */
	u32 nr_slots;			/* power of two, more than 2 * nr */
	char **chunk;
	u32 nr_chunks;
	u32 chunk_used;
};

struct names *names_create(struct err *err)
{
	struct names *n = calloc(1, sizeof(*n));

	if (n) {
		n->nr_slots = SLOTS_FIRST;
		n->slot = calloc(SLOTS_FIRST, sizeof(*n->slot));
	}
	if (n && n->slot)
		return n;
	names_destroy(n);
	err_set(err, -ENOMEM, "no memory for thread names");
	return NULL;
}

static u64 names_mix(u64 h, u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 29);
}

static u64 load_u64(const char *p)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Fewer than eight bytes; a loop beats a call for so few. */
static u64 load_short(const char *p, size_t len)
{
	u64 word = 0;

	while (len--)
		word = word << 8 | (u8)p[len];
	return word;
}

static u32 names_hash(const char *text, size_t len)
{
	u64 h = len;

	if (len < 8) {
		h = names_mix(h, load_short(text, len));
	} else {
		/* The last word may overlap the one before. */
		for (size_t at = 0; at + 8 < len; at += 8)
			h = names_mix(h, load_u64(text + at));
		h = names_mix(h, load_u64(text + len - 8));
	}
	return (u32)(h >> 32) ^ (u32)h;
}

static bool names_equal(const char *a, const char *b, size_t len)
{
	if (len < 8)
		return load_short(a, len) == load_short(b, len);
	if (len <= 16)
		return load_u64(a) == load_u64(b) &&
		       load_u64(a + len - 8) == load_u64(b + len - 8);
	return memcmp(a, b, len) == 0;
}

static int names_grow_ids(struct names *n)
{
	u32 room = n->room ? n->room * 2 : 256;
	char **text = realloc(n->text, room * sizeof(*text));
	u32 *hash;
	u8 *len;

	if (!text)
		return -ENOMEM;
	n->text = text;
	len = realloc(n->len, room);
	if (!len)
		return -ENOMEM;
	n->len = len;
	hash = realloc(n->hash, room * sizeof(*hash));
	if (!hash)
		return -ENOMEM;
	n->hash = hash;
	n->room = room;
	return 0;
}

static int names_grow_slots(struct names *n)
{
	u32 nr_slots = n->nr_slots * 2;
	u32 *slot = calloc(nr_slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (u32 id = 0; id < n->nr; id++) {
		u32 i = n->hash[id] & (nr_slots - 1);

		while (slot[i])
			i = (i + 1) & (nr_slots - 1);
		slot[i] = id + 1;
	}
	free(n->slot);
	n->slot = slot;
	n->nr_slots = nr_slots;
	return 0;
}

static char *names_store(struct names *n, const char *text, size_t len)
{
	char *to;

	if (!n->nr_chunks || n->chunk_used + len + 1 > CHUNK_BYTES) {
		size_t bytes = (n->nr_chunks + 1) * sizeof(*n->chunk);
		char **chunk = realloc(n->chunk, bytes);

		if (!chunk)
			return NULL;
		n->chunk = chunk;
		chunk[n->nr_chunks] = malloc(CHUNK_BYTES);
		if (!chunk[n->nr_chunks])
			return NULL;
		n->nr_chunks++;
		n->chunk_used = 0;
	}
	to = n->chunk[n->nr_chunks - 1] + n->chunk_used;
	memcpy(to, text, len);
	to[len] = '\0';
	n->chunk_used += (u32)len + 1;
	return to;
}

static int names_add(struct names *n, const char *text, size_t len, u32 hash)
{
	char *copy;

	if (n->nr >= TRACE_STRINGS_MAX)
		return -ENOSPC;
	if (len > TRACE_COMM_MAX || memchr(text, '\0', len))
		return -EINVAL;
	if (n->nr == n->room && names_grow_ids(n))
		return -ENOMEM;
	if (2 * (n->nr + 1) >= n->nr_slots && names_grow_slots(n))
		return -ENOMEM;
	copy = names_store(n, text, len);
	if (!copy)
		return -ENOMEM;
	n->text[n->nr] = copy;
	n->hash[n->nr] = hash;
	n->len[n->nr] = (u8)len;
	n->nr++;
	return 0;
}

int names_intern(struct names *n, const char *text, size_t len, u32 *id)
{
	u32 hash = names_hash(text, len);
	u32 i = hash & (n->nr_slots - 1);
	int ret;

	for (; n->slot[i]; i = (i + 1) & (n->nr_slots - 1)) {
		u32 at = n->slot[i] - 1;

		if (n->hash[at] == hash && n->len[at] == len &&
		    names_equal(n->text[at], text, len)) {
			*id = at;
			return 0;
		}
	}
	ret = names_add(n, text, len, hash);
	if (ret)
		return ret;
	for (i = hash & (n->nr_slots - 1); n->slot[i]; )
		i = (i + 1) & (n->nr_slots - 1);
	n->slot[i] = n->nr;
	*id = n->nr - 1;
	return 0;
}

const char *names_text(const struct names *n, u32 id)
{
	return id < n->nr ? n->text[id] : "";
}

u32 names_count(const struct names *n)
{
	return n->nr;
}

void names_destroy(struct names *n)
{
	if (!n)
		return;
	for (u32 i = 0; i < n->nr_chunks; i++)
		free(n->chunk[i]);
	free(n->chunk);
	free(n->text);
	free(n->hash);
	free(n->len);
	free(n->slot);
	free(n);
}
