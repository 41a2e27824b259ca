/*
 * Columns grow side by side; a full block is glued together, packed as one
 * zstd frame and written.  The names that a block needs are written before it.
 */
#define _GNU_SOURCE
#include "traces/vst.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/base/err.h"

#define ZSTD_LEVEL	3
#define VARINT_BYTES	10u
#define COLUMN_BYTES	(VST_BLOCK_RECORDS * VARINT_BYTES)

const struct vst_kind vst_kinds[TRACE_KIND_NR] = {
	[TRACE_SWITCH] = { true, true, true },
	[TRACE_MIGRATE] = { true, true, false },
	[TRACE_KVM_ENTRY] = { true, false, false },
	[TRACE_KVM_EXIT] = { true, false, false },
	[TRACE_TASK] = { false, false, true },
	[TRACE_LOST] = { true, false, false },
};

struct vst_writer {
	char path[PATH_MAX];
	char tmp[PATH_MAX + 16];	/* empty: @path is written directly */
	int fd;
	const struct trace *src;
	ZSTD_CCtx *zstd;
	u8 *col[VST_COL_NR];
	u32 col_bytes[VST_COL_NR];
	u32 nr;				/* records in the block */
	u32 nr_strings;			/* written, or needed by the block */
	u32 need_strings;
	u64 last_ns;
	u64 records;
	u64 bytes;
	u8 *raw;			/* a section before it is packed */
	u32 raw_bytes;
	u8 *packed;
};

static void put_u32(u8 *to, u32 val)
{
	for (int i = 0; i < 4; i++)
		to[i] = (u8)(val >> (8 * i));
}

static u32 put_varint(u8 *to, u64 val)
{
	u32 n = 0;

	for (; val >= 0x80; val >>= 7)
		to[n++] = (u8)(val | 0x80);
	to[n++] = (u8)val;
	return n;
}

static void raw_varint(struct vst_writer *w, u64 val)
{
	w->raw_bytes += put_varint(w->raw + w->raw_bytes, val);
}

static void raw_string(struct vst_writer *w, const char *text)
{
	size_t len = strlen(text);

	BUG_ON(len > UINT8_MAX);
	w->raw[w->raw_bytes++] = (u8)len;
	memcpy(w->raw + w->raw_bytes, text, len);
	w->raw_bytes += (u32)len;
}

static int vst_write(struct vst_writer *w, const u8 *data, size_t len,
		     struct err *err)
{
	while (len) {
		ssize_t n = write(w->fd, data, len);
		int code = -errno;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, code, "%s: %s", w->path,
				       strerror(-code));
		data += n;
		len -= (size_t)n;
		w->bytes += (u64)n;
	}
	return 0;
}

/* Pack and write what has been put into @raw, which is empty afterwards. */
static int vst_section(struct vst_writer *w, const char *tag, u32 items,
		       struct err *err)
{
	u8 *head = w->packed;
	size_t n;

	BUG_ON(w->raw_bytes > VST_RAW_BYTES_MAX);
	n = ZSTD_compress2(w->zstd, head + VST_SECTION_BYTES,
			   VST_PACKED_BYTES_MAX, w->raw, w->raw_bytes);
	if (ZSTD_isError(n))
		return err_set(err, -ENOMEM, "%s: zstd: %s", w->path,
			       ZSTD_getErrorName(n));
	memcpy(head, tag, 4);
	put_u32(head + 4, (u32)n);
	put_u32(head + 8, w->raw_bytes);
	put_u32(head + 12, items);
	w->raw_bytes = 0;
	return vst_write(w, head, VST_SECTION_BYTES + n, err);
}

static int vst_strings(struct vst_writer *w, struct err *err)
{
	while (w->nr_strings < w->need_strings) {
		u32 first = w->nr_strings;

		while (w->nr_strings < w->need_strings &&
		       w->raw_bytes + 256 < VST_RAW_BYTES_MAX)
			raw_string(w, trace_string(w->src, w->nr_strings++));
		if (vst_section(w, "STRS", w->nr_strings - first, err))
			return -EIO;
	}
	return 0;
}

static int vst_block(struct vst_writer *w, struct err *err)
{
	u32 nr = w->nr;

	if (nr == 0)
		return 0;
	if (vst_strings(w, err))
		return -EIO;
	for (int i = 0; i < VST_COL_NR; i++) {
		put_u32(w->raw + w->raw_bytes, w->col_bytes[i]);
		w->raw_bytes += 4;
		memcpy(w->raw + w->raw_bytes, w->col[i], w->col_bytes[i]);
		w->raw_bytes += w->col_bytes[i];
		w->col_bytes[i] = 0;
	}
	w->nr = 0;
	w->last_ns = 0;
	return vst_section(w, "RECS", nr, err);
}

static void col_varint(struct vst_writer *w, enum vst_column col, u64 val)
{
	w->col_bytes[col] += put_varint(w->col[col] + w->col_bytes[col], val);
}

static void col_byte(struct vst_writer *w, enum vst_column col, u8 val)
{
	w->col[col][w->col_bytes[col]++] = val;
}

static void col_string(struct vst_writer *w, enum vst_column col, u32 id)
{
	col_varint(w, col, id == TRACE_STR_NONE ? 0 : id + 1ull);
	if (id != TRACE_STR_NONE && id >= w->need_strings)
		w->need_strings = id + 1;
}

static void vst_columns_of_kind(struct vst_writer *w,
				const struct trace_rec *rec)
{
	switch (rec->kind) {
	case TRACE_SWITCH:
		col_varint(w, VST_COL_X, rec->u.sw.next_tid);
		col_string(w, VST_COL_Y, rec->u.sw.next_comm);
		col_byte(w, VST_COL_Z, (u8)rec->u.sw.prev_state);
		break;
	case TRACE_MIGRATE:
		col_varint(w, VST_COL_X, rec->u.migrate.from_cpu);
		col_varint(w, VST_COL_Y, rec->u.migrate.to_cpu);
		break;
	case TRACE_KVM_ENTRY:
	case TRACE_KVM_EXIT:
		col_varint(w, VST_COL_X, rec->u.kvm.vcpu == IDX_NONE ? 0 :
			   rec->u.kvm.vcpu + 1ull);
		break;
	case TRACE_TASK:
		col_byte(w, VST_COL_Z, rec->u.task.born);
		break;
	case TRACE_LOST:
		col_varint(w, VST_COL_X, rec->u.lost.count);
		break;
	default:
		break;
	}
}

int trace_vst_append(struct vst_writer *w, const struct trace_rec *rec,
		     struct err *err)
{
	u64 step = rec->ts_ns - w->last_ns;

	col_byte(w, VST_COL_KIND, (u8)rec->kind);
	col_varint(w, VST_COL_CPU, rec->cpu);
	col_varint(w, VST_COL_TIME, step >> 63 ? ~(step << 1) : step << 1);
	col_varint(w, VST_COL_TID, rec->tid);
	col_varint(w, VST_COL_TGID, rec->tgid);
	col_string(w, VST_COL_COMM, rec->comm);
	vst_columns_of_kind(w, rec);
	w->last_ns = rec->ts_ns;
	w->records++;
	return ++w->nr == VST_BLOCK_RECORDS ? vst_block(w, err) : 0;
}

static int vst_alloc(struct vst_writer *w, struct err *err)
{
	bool ok = true;

	for (int i = 0; i < VST_COL_NR; i++) {
		w->col[i] = malloc(COLUMN_BYTES);
		ok = ok && w->col[i];
	}
	w->raw = malloc(VST_RAW_BYTES_MAX);
	w->packed = malloc(VST_SECTION_BYTES + VST_PACKED_BYTES_MAX);
	w->zstd = ZSTD_createCCtx();
	if (!ok || !w->raw || !w->packed || !w->zstd)
		return err_set(err, -ENOMEM, "%s: no memory for a writer",
			       w->path);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

/*
 * Beside the target, so that rename() stays on one file system.  What is
 * there and is no regular file (a pipe, /dev/null) must not be replaced.
 */
static int vst_open(struct vst_writer *w, struct err *err)
{
	mode_t mask = umask(0);
	struct stat st;
	int code;

	umask(mask);
	if (stat(w->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		w->fd = open(w->path, O_WRONLY | O_CLOEXEC);
	} else {
		snprintf(w->tmp, sizeof(w->tmp), "%s.XXXXXX", w->path);
		w->fd = mkostemp(w->tmp, O_CLOEXEC);
	}
	code = -errno;
	if (w->fd < 0) {
		w->tmp[0] = '\0';
		return err_set(err, code, "%s: %s", w->path, strerror(-code));
	}
	if (w->tmp[0] && fchmod(w->fd, 0666 & ~mask)) {
		code = -errno;
		return err_set(err, code, "%s: %s", w->path, strerror(-code));
	}
	return 0;
}

/* A link stays one: the file that it leads to is what gets replaced. */
static int vst_resolve(struct vst_writer *w, const char *path, struct err *err)
{
	if (realpath(path, w->path))
		return 0;
	if (snprintf(w->path, sizeof(w->path), "%s", path) <
	    (int)sizeof(w->path))
		return 0;
	return err_set(err, -ENAMETOOLONG, "%.100s...: %s", path,
		       strerror(ENAMETOOLONG));
}

static int vst_head(struct vst_writer *w,
		    const struct trace_recorded_under *under, struct err *err)
{
	u8 preamble[VST_PREAMBLE_BYTES] = { 0 };
	int ret;

	memcpy(preamble, VST_MAGIC, VST_MAGIC_BYTES);
	preamble[8] = VST_VERSION;
	ret = vst_write(w, preamble, sizeof(preamble), err);
	if (ret)
		return ret;
	raw_string(w, under->policy);
	raw_string(w, under->l0);
	raw_string(w, under->kernel);
	raw_string(w, trace_format(w->src));
	return vst_section(w, "HEAD", 4, err);
}

int trace_vst_create(const char *path, const struct trace *src,
		     const struct trace_recorded_under *under,
		     struct vst_writer **out, struct err *err)
{
	struct vst_writer *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return err_set(err, -ENOMEM, "%s: no memory for a writer",
			       path);
	w->fd = -1;
	w->src = src;
	ret = vst_resolve(w, path, err);
	if (ret == 0)
		ret = vst_alloc(w, err);
	if (ret == 0)
		ret = vst_open(w, err);
	if (ret == 0)
		ret = vst_head(w, under, err);
	if (ret) {
		trace_vst_abort(w);
		return ret;
	}
	*out = w;
	return 0;
}

static int vst_tail(struct vst_writer *w, const struct trace_counts *c,
		    struct err *err)
{
	const u64 field[] = {
		w->records, w->nr_strings, c->lines, c->skipped, c->broken,
		c->torn, c->lost_markers, c->lost_events,
	};
	size_t len = strlen(c->first_broken);

	for (size_t i = 0; i < ARRAY_SIZE(field); i++)
		raw_varint(w, field[i]);
	raw_varint(w, len);
	memcpy(w->raw + w->raw_bytes, c->first_broken, len);
	w->raw_bytes += (u32)len;
	return vst_section(w, "TAIL", ARRAY_SIZE(field) + 1, err);
}

static void vst_release(struct vst_writer *w)
{
	for (int i = 0; i < VST_COL_NR; i++)
		free(w->col[i]);
	free(w->raw);
	free(w->packed);
	ZSTD_freeCCtx(w->zstd);
	free(w);
}

int trace_vst_finish(struct vst_writer *w, const struct trace_counts *counts,
		     struct err *err)
{
	int ret = vst_block(w, err);
	int code;

	if (ret == 0)
		ret = vst_tail(w, counts, err);
	if (ret == 0 && close(w->fd)) {
		code = -errno;
		ret = err_set(err, code, "%s: %s", w->path, strerror(-code));
		w->fd = -1;
	} else if (ret == 0) {
		w->fd = -1;
		if (w->tmp[0] && rename(w->tmp, w->path)) {
			code = -errno;
			ret = err_set(err, code, "%s: %s", w->path,
				      strerror(-code));
		}
	}
	if (ret)
		trace_vst_abort(w);
	else
		vst_release(w);
	return ret;
}

void trace_vst_abort(struct vst_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->tmp[0])
		unlink(w->tmp);
	vst_release(w);
}

u64 trace_vst_bytes(const struct vst_writer *w)
{
	return w->bytes;
}
