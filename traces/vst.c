/*
 * Reader of .vst.  Every length is checked against its limit before memory is
 * taken, every value against its range before it is handed out, and a file
 * without its TAIL section is a truncated one.
 */
#include "traces/vst.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "sim/base/err.h"
#include "traces/input.h"
#include "traces/names.h"
#include "traces/reader.h"

struct cursor {
	const u8 *p;
	const u8 *end;
};

struct section {
	char tag[5];
	u32 packed_bytes;
	u32 raw_bytes;
	u32 items;
	u64 offset;			/* of its header in the file */
};

struct vst {
	ZSTD_DCtx *zstd;
	u8 *packed;
	u8 *raw;
	u32 packed_room;
	u32 raw_room;
	struct section sec;
	struct cursor col[VST_COL_NR];
	struct names *names;		/* the file's own, by its numbers */
	u32 *id;			/* what the trace calls each of them */
	u32 id_room;
	u32 left;			/* records of the block to hand out */
	u64 last_ns;
	u64 records;
	bool done;
};

static u32 get_u32(const u8 *p)
{
	return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

static bool get_varint(struct cursor *c, u64 *val)
{
	u64 x = 0;

	for (unsigned int shift = 0; shift < 64 && c->p < c->end; shift += 7) {
		u8 byte = *c->p++;

		x |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*val = x;
			return shift < 63 || byte <= 1;
		}
	}
	return false;
}

/* A varint that is at most @max. */
static bool get_max(struct cursor *c, u64 max, u32 *val)
{
	u64 x;

	if (!get_varint(c, &x) || x > max)
		return false;
	*val = (u32)x;
	return true;
}

/* A varint that is one more than a number below @nr, or 0 for "none". */
static bool get_id(struct cursor *c, u64 nr, u32 *id)
{
	u64 x;

	if (!get_varint(c, &x) || x > nr)
		return false;
	*id = x ? (u32)(x - 1) : UINT32_MAX;
	return true;
}

/* The file numbers its names; the trace may know other names already. */
static bool get_name(const struct vst *v, struct cursor *c, u32 *id)
{
	if (!get_id(c, names_count(v->names), id))
		return false;
	if (*id != UINT32_MAX)
		*id = v->id[*id];
	return true;
}

static int vst_damage(const struct reader *r, const char *what,
		      struct err *err)
{
	const struct vst *v = r->priv;

	return err_set(err, -EPROTO, "%s: offset %llu: section '%s': %s",
		       input_name(r->in), (unsigned long long)v->sec.offset,
		       v->sec.tag, what);
}

/* Also an empty section gets memory: there is then no NULL to step from. */
static int vst_room(u8 **buf, u32 *room, u32 bytes)
{
	u8 *grown;

	if (*buf && bytes <= *room)
		return 0;
	bytes += bytes == 0;
	grown = realloc(*buf, bytes);
	if (!grown)
		return -ENOMEM;
	*buf = grown;
	*room = bytes;
	return 0;
}

static bool vst_tag_ok(const char *tag)
{
	return strcmp(tag, "HEAD") == 0 || strcmp(tag, "STRS") == 0 ||
	       strcmp(tag, "RECS") == 0 || strcmp(tag, "TAIL") == 0;
}

static int vst_section_head(struct reader *r, struct err *err)
{
	struct vst *v = r->priv;
	struct section *s = &v->sec;
	u8 head[VST_SECTION_BYTES];
	int ret;

	s->offset = input_offset(r->in);
	ret = input_read(r->in, head, sizeof(head), err);
	if (ret < 0)
		return ret;
	if (ret == 0)
		return err_set(err, -EPROTO,
			       "%s: offset %llu: the file ends without its TAIL section: it is truncated",
			       input_name(r->in),
			       (unsigned long long)s->offset);
	memcpy(s->tag, head, 4);
	s->packed_bytes = get_u32(head + 4);
	s->raw_bytes = get_u32(head + 8);
	s->items = get_u32(head + 12);
	if (!vst_tag_ok(s->tag))
		return vst_damage(r, "no such section; expected HEAD, STRS, RECS or TAIL",
				  err);
	if (s->packed_bytes == 0 || s->packed_bytes > VST_PACKED_BYTES_MAX ||
	    s->raw_bytes > VST_RAW_BYTES_MAX)
		return err_set(err, -EPROTO,
			       "%s: offset %llu: section '%s' claims %u bytes packed and %u unpacked; at most %u and %u are allowed",
			       input_name(r->in),
			       (unsigned long long)s->offset, s->tag,
			       s->packed_bytes, s->raw_bytes,
			       VST_PACKED_BYTES_MAX, VST_RAW_BYTES_MAX);
	return 0;
}

/* Read the next section and unpack it into @raw. */
static int vst_section(struct reader *r, struct err *err)
{
	struct vst *v = r->priv;
	int ret = vst_section_head(r, err);
	size_t n;

	if (ret)
		return ret;
	if (vst_room(&v->packed, &v->packed_room, v->sec.packed_bytes) ||
	    vst_room(&v->raw, &v->raw_room, v->sec.raw_bytes))
		return err_set(err, -ENOMEM, "%s: no memory for a section",
			       input_name(r->in));
	ret = input_read(r->in, v->packed, v->sec.packed_bytes, err);
	if (ret < 0)
		return ret;
	if (ret == 0)
		return vst_damage(r, "the file ends after the section's header: it is truncated",
				  err);
	n = ZSTD_decompressDCtx(v->zstd, v->raw, v->sec.raw_bytes, v->packed,
				v->sec.packed_bytes);
	if (ZSTD_isError(n))
		return vst_damage(r, ZSTD_getErrorName(n), err);
	if (n != v->sec.raw_bytes)
		return vst_damage(r, "shorter than its header says", err);
	return 0;
}

/* u8 length and bytes, at @c; false if that is no string of at most @max. */
static bool get_string(struct cursor *c, size_t max, const char **text,
		       size_t *len)
{
	if (c->p == c->end)
		return false;
	*len = *c->p++;
	if (*len > max || (size_t)(c->end - c->p) < *len)
		return false;
	*text = (const char *)c->p;
	c->p += *len;
	return true;
}

static int vst_under(struct reader *r, struct err *err)
{
	struct vst *v = r->priv;
	struct cursor c = { v->raw, v->raw + v->sec.raw_bytes };
	char *to[] = { r->under.policy, r->under.l0, r->under.kernel };
	const char *text;
	size_t len;

	if (strcmp(v->sec.tag, "HEAD") != 0 || v->sec.items != 4)
		return vst_damage(r, "expected HEAD with 4 items first", err);
	for (size_t i = 0; i < ARRAY_SIZE(to); i++) {
		if (!get_string(&c, TRACE_UNDER_MAX - 1, &text, &len) ||
		    len == 0 || memchr(text, '\0', len))
			return vst_damage(r, "expected policy, l0 and kernel",
					  err);
		memcpy(to[i], text, len);
		to[i][len] = '\0';
	}
	if (!get_string(&c, UINT8_MAX, &text, &len) || c.p != c.end)
		return vst_damage(r, "expected the source format last", err);
	return 0;
}

/* The next name of the file, under the next number. */
static int vst_name(struct reader *r, const char *text, size_t len)
{
	struct vst *v = r->priv;
	u32 expected = names_count(v->names), id;
	int ret = names_intern(v->names, text, len, &id);

	if (ret)
		return ret;
	if (id != expected)
		return -EEXIST;
	if (id == v->id_room) {
		u32 room = v->id_room ? 2 * v->id_room : 64;
		u32 *grown = realloc(v->id, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		v->id = grown;
		v->id_room = room;
	}
	return names_intern(r->names, text, len, &v->id[id]);
}

static int vst_strings(struct reader *r, struct err *err)
{
	struct vst *v = r->priv;
	struct cursor c = { v->raw, v->raw + v->sec.raw_bytes };

	for (u32 i = 0; i < v->sec.items; i++) {
		const char *text;
		size_t len;
		int ret;

		if (!get_string(&c, TRACE_COMM_MAX, &text, &len))
			return vst_damage(r, "a name is too long or cut", err);
		ret = vst_name(r, text, len);
		if (ret == -ENOMEM)
			return err_set(err, ret, "%s: no memory for names",
				       input_name(r->in));
		if (ret)
			return vst_damage(r, "a name holds NUL, is there twice, or is one too many",
					  err);
	}
	if (c.p != c.end)
		return vst_damage(r, "bytes are left after the last name", err);
	return 0;
}

static int vst_block(struct reader *r, struct err *err)
{
	struct vst *v = r->priv;
	struct cursor c = { v->raw, v->raw + v->sec.raw_bytes };

	if (v->sec.items == 0 || v->sec.items > VST_BLOCK_RECORDS)
		return vst_damage(r, "expected 1 to 65536 records", err);
	for (int i = 0; i < VST_COL_NR; i++) {
		u32 bytes;

		if (c.end - c.p < 4)
			return vst_damage(r, "a column is missing", err);
		bytes = get_u32(c.p);
		c.p += 4;
		if ((u64)(c.end - c.p) < bytes)
			return vst_damage(r, "a column is longer than the block",
					  err);
		v->col[i].p = c.p;
		v->col[i].end = c.p + bytes;
		c.p += bytes;
	}
	if (c.p != c.end)
		return vst_damage(r, "bytes are left after the last column",
				  err);
	v->left = v->sec.items;
	v->last_ns = 0;
	return 0;
}

static int vst_block_end(struct reader *r, struct err *err)
{
	const struct vst *v = r->priv;

	for (int i = 0; i < VST_COL_NR; i++)
		if (v->col[i].p != v->col[i].end)
			return vst_damage(r, "a column holds more than its records need",
					  err);
	return 0;
}

static int vst_tail(struct reader *r, struct err *err)
{
	struct vst *v = r->priv;
	struct cursor c = { v->raw, v->raw + v->sec.raw_bytes };
	u64 records, strings, len;
	u64 *to[] = {
		&records, &strings, &r->counts.lines, &r->counts.skipped,
		&r->counts.broken, &r->counts.torn, &r->counts.lost_markers,
		&r->counts.lost_events,
	};
	char more;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(to); i++)
		if (!get_varint(&c, to[i]))
			return vst_damage(r, "a total is missing", err);
	if (!get_varint(&c, &len) || len != (u64)(c.end - c.p) ||
	    len >= sizeof(r->counts.first_broken) || v->sec.items != 9)
		return vst_damage(r, "expected 8 totals and a message", err);
	memcpy(r->counts.first_broken, c.p, len);
	r->counts.first_broken[len] = '\0';
	if (records != v->records || strings != names_count(v->names))
		return err_set(err, -EPROTO,
			       "%s: offset %llu: %llu records and %u names read; the TAIL section says %llu and %llu",
			       input_name(r->in),
			       (unsigned long long)v->sec.offset,
			       (unsigned long long)v->records,
			       names_count(v->names),
			       (unsigned long long)records,
			       (unsigned long long)strings);
	ret = input_read(r->in, &more, 1, err);
	if (ret < 0)
		return ret;
	if (ret > 0)
		return vst_damage(r, "bytes follow; expected the end of the file",
				  err);
	v->done = true;
	return 0;
}

/* Return: 1 when a block is at hand, 0 at the end, or a negative errno. */
static int vst_next_block(struct reader *r, struct err *err)
{
	struct vst *v = r->priv;
	int ret;

	while (!v->left) {
		if (v->done)
			return 0;
		ret = vst_section(r, err);
		if (ret)
			return ret;
		if (strcmp(v->sec.tag, "RECS") == 0)
			ret = vst_block(r, err);
		else if (strcmp(v->sec.tag, "STRS") == 0)
			ret = vst_strings(r, err);
		else if (strcmp(v->sec.tag, "TAIL") == 0)
			ret = vst_tail(r, err);
		else
			ret = vst_damage(r, "a second HEAD", err);
		if (ret)
			return ret;
	}
	return 1;
}

static bool vst_record_of_kind(struct vst *v, struct trace_rec *rec)
{
	const struct vst_kind *k = &vst_kinds[rec->kind];
	struct cursor *x = &v->col[VST_COL_X];
	struct cursor *y = &v->col[VST_COL_Y];
	u8 z = 0;

	if (k->z) {
		if (v->col[VST_COL_Z].p == v->col[VST_COL_Z].end)
			return false;
		z = *v->col[VST_COL_Z].p++;
	}
	switch (rec->kind) {
	case TRACE_SWITCH:
		rec->u.sw.prev_state = (char)z;
		return z && get_max(x, TRACE_TID_MAX, &rec->u.sw.next_tid) &&
		       get_name(v, y, &rec->u.sw.next_comm);
	case TRACE_MIGRATE:
		return get_max(x, TRACE_CPU_MAX - 1, &rec->u.migrate.from_cpu) &&
		       get_max(y, TRACE_CPU_MAX - 1, &rec->u.migrate.to_cpu);
	case TRACE_KVM_ENTRY:
	case TRACE_KVM_EXIT:
		return get_id(x, VCPU_MAX, &rec->u.kvm.vcpu);
	case TRACE_TASK:
		rec->u.task.born = z;
		return z <= 1;
	case TRACE_LOST:
		return get_varint(x, &rec->u.lost.count);
	default:
		return true;
	}
}

static bool vst_record(struct vst *v, struct trace_rec *rec)
{
	struct cursor *kind = &v->col[VST_COL_KIND];
	u64 step;

	if (kind->p == kind->end || *kind->p >= TRACE_KIND_NR)
		return false;
	memset(rec, 0, sizeof(*rec));
	rec->kind = (enum trace_kind)*kind->p++;
	if (!get_max(&v->col[VST_COL_CPU], TRACE_CPU_MAX - 1, &rec->cpu) ||
	    !get_varint(&v->col[VST_COL_TIME], &step) ||
	    !get_max(&v->col[VST_COL_TID], TRACE_TID_MAX, &rec->tid) ||
	    !get_max(&v->col[VST_COL_TGID], TRACE_TID_MAX, &rec->tgid) ||
	    !get_name(v, &v->col[VST_COL_COMM], &rec->comm))
		return false;
	rec->ts_ns = v->last_ns + (step & 1 ? ~(step >> 1) : step >> 1);
	/* Times of all formats fit 63 bits. */
	if (rec->ts_ns >> 63)
		return false;
	v->last_ns = rec->ts_ns;
	return vst_record_of_kind(v, rec);
}

static int vst_next(struct reader *r, struct trace_rec *rec, struct err *err)
{
	struct vst *v = r->priv;
	int ret = vst_next_block(r, err);

	if (ret <= 0)
		return ret;
	if (!vst_record(v, rec))
		return err_set(err, -EPROTO,
			       "%s: offset %llu: record %u of the block is cut or out of range",
			       input_name(r->in),
			       (unsigned long long)v->sec.offset,
			       v->sec.items - v->left);
	rec->line = ++v->records;
	if (--v->left == 0) {
		ret = vst_block_end(r, err);
		if (ret)
			return ret;
	}
	return 1;
}

static int vst_open(struct reader *r, struct err *err)
{
	u8 head[VST_PREAMBLE_BYTES];
	static const u8 zero[VST_PREAMBLE_BYTES - 10];
	struct vst *v = calloc(1, sizeof(*v));
	int ret;

	r->priv = v;
	if (v) {
		v->zstd = ZSTD_createDCtx();
		v->names = names_create(err);
	}
	if (!v || !v->zstd || !v->names)
		return err_set(err, -ENOMEM, "%s: no memory for a reader",
			       input_name(r->in));
	ret = input_read(r->in, head, sizeof(head), err);
	if (ret < 0)
		return ret;
	if (ret == 0 || memcmp(head, VST_MAGIC, VST_MAGIC_BYTES) != 0)
		return err_set(err, -EPROTO,
			       "%s: offset 0: not a .vst trace, or one that was sent as text",
			       input_name(r->in));
	if (head[8] != VST_VERSION || head[9] != 0 ||
	    memcmp(head + 10, zero, sizeof(zero)) != 0)
		return err_set(err, -EPROTO,
			       "%s: offset 8: .vst version %u, flags %u; expected version %u without flags",
			       input_name(r->in), head[8] | head[9] << 8,
			       head[10] | head[11] << 8, VST_VERSION);
	ret = vst_section(r, err);
	return ret ? ret : vst_under(r, err);
}

static void vst_close(struct reader *r)
{
	struct vst *v = r->priv;

	if (!v)
		return;
	ZSTD_freeDCtx(v->zstd);
	free(v->packed);
	free(v->raw);
	free(v->id);
	names_destroy(v->names);
	free(v);
}

static int vst_probe(const char *head, size_t len)
{
	/* Four bytes are enough to know it, also when a text mode spoilt it. */
	return len >= 4 && memcmp(head, VST_MAGIC, 4) == 0 ? 1000000 : 0;
}

const struct reader_ops vst_reader = {
	.name = "vst",
	.what = "compact trace of this program",
	.text = false,
	.probe = vst_probe,
	.open = vst_open,
	.next = vst_next,
	.close = vst_close,
};
