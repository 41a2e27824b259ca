/*
 * One buffer of plain bytes that slides over the stream, filled either
 * straight from the source or through a decoder.  read(2) in large blocks
 * instead of mmap(2): as fast here, works for pipes, and a file that shrinks
 * meanwhile is an error message, not a SIGBUS.
 */
#define _GNU_SOURCE
#include "traces/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "sim/base/err.h"
#include "traces/trace.h"

#define PLAIN_BYTES	(256u << 10)
#define RAW_BYTES	(128u << 10)

/* A frame that needs more than this to decode is refused, not obeyed. */
#define ZSTD_WINDOW_LOG_MAX	27

_Static_assert(PLAIN_BYTES >= 2 * TRACE_LINE_MAX &&
	       PLAIN_BYTES >= 2 * INPUT_PEEK_MAX, "a line must fit");

struct input {
	char *name;
	int fd;				/* -1 when the source is memory */
	const char *mem;
	size_t mem_left;

	char *raw;			/* packed bytes not yet decoded */
	size_t raw_pos;
	size_t raw_len;
	u64 raw_taken;			/* packed bytes taken from the source */
	ZSTD_DStream *zstd;
	z_stream gz;
	bool gz_on;
	bool in_frame;			/* the decoder stands inside a frame */

	char *buf;			/* plain bytes: [pos, end) is unread */
	size_t pos;
	size_t end;
	u64 buf_offset;			/* of buf[0] in the plain stream */
	bool eof;
	u64 line_nr;
	bool cut;
};

/* Return: bytes read, 0 at the end of the source, or a negative errno. */
static ssize_t input_source(struct input *in, char *dst, size_t room,
			    struct err *err)
{
	ssize_t n;

	if (in->fd < 0) {
		n = (ssize_t)min_u64(room, in->mem_left);
		if (n > 0)
			memcpy(dst, in->mem, (size_t)n);
		in->mem += n;
		in->mem_left -= (size_t)n;
	} else {
		/* A signal that somebody waits for ends a read that blocks. */
		n = read(in->fd, dst, room);
		if (n < 0)
			return err_set(err, -EIO, "%s: offset %llu: %s",
				       in->name,
				       (unsigned long long)in->raw_taken,
				       strerror(errno));
	}
	in->raw_taken += (u64)n;
	return n;
}

/* Return: 1 with packed bytes at hand, 0 at the end, or a negative errno. */
static int input_raw_fill(struct input *in, struct err *err)
{
	ssize_t n;

	if (in->raw_pos < in->raw_len)
		return 1;
	n = input_source(in, in->raw, RAW_BYTES, err);
	if (n < 0)
		return (int)n;
	in->raw_pos = 0;
	in->raw_len = (size_t)n;
	return n > 0;
}

static int input_damaged(const struct input *in, const char *what,
			 struct err *err)
{
	u64 at = in->raw_taken - (in->raw_len - in->raw_pos);

	return err_set(err, -EPROTO, "%s: offset %llu: %s data: %s",
		       in->name, (unsigned long long)at,
		       input_compression(in), what);
}

static ssize_t input_unzstd(struct input *in, char *dst, size_t room,
			    struct err *err)
{
	ZSTD_outBuffer out = { dst, room, 0 };

	for (;;) {
		int more = input_raw_fill(in, err);
		ZSTD_inBuffer src = { in->raw, in->raw_len, in->raw_pos };
		size_t r;

		if (more < 0)
			return more;
		if (!more && !in->in_frame)
			return 0;
		r = ZSTD_decompressStream(in->zstd, &out, &src);
		if (ZSTD_isError(r))
			return input_damaged(in, ZSTD_getErrorName(r), err);
		in->raw_pos = src.pos;
		in->in_frame = r != 0;
		if (out.pos)
			return (ssize_t)out.pos;
		if (!more)
			return input_damaged(in, "the file ends in the middle of a frame",
					     err);
	}
}

static ssize_t input_gunzip(struct input *in, char *dst, size_t room,
			    struct err *err)
{
	for (;;) {
		int more = input_raw_fill(in, err);
		int r;

		if (more < 0)
			return more;
		if (!more && !in->in_frame)
			return 0;
		in->gz.next_in = (Bytef *)in->raw + in->raw_pos;
		in->gz.avail_in = (uInt)(in->raw_len - in->raw_pos);
		in->gz.next_out = (Bytef *)dst;
		in->gz.avail_out = (uInt)room;
		r = inflate(&in->gz, Z_NO_FLUSH);
		in->raw_pos = in->raw_len - in->gz.avail_in;
		in->in_frame = r != Z_STREAM_END;
		if (r == Z_STREAM_END)
			inflateReset(&in->gz);
		else if (r != Z_OK && r != Z_BUF_ERROR)
			return input_damaged(in, in->gz.msg ? in->gz.msg :
					     "not a gzip member", err);
		if (in->gz.avail_out < room)
			return (ssize_t)(room - in->gz.avail_out);
		if (!more && in->in_frame)
			return input_damaged(in, "the file ends in the middle of a member",
					     err);
	}
}

static ssize_t input_fetch(struct input *in, char *dst, size_t room,
			   struct err *err)
{
	ssize_t n;

	if (in->zstd)
		return input_unzstd(in, dst, room, err);
	if (in->gz_on)
		return input_gunzip(in, dst, room, err);
	if (in->raw_pos == in->raw_len)
		return input_source(in, dst, room, err);
	n = (ssize_t)min_u64(room, in->raw_len - in->raw_pos);
	memcpy(dst, in->raw + in->raw_pos, (size_t)n);
	in->raw_pos += (size_t)n;
	return n;
}

/* Return: 1 if the unread part grew, 0 at the end, or a negative errno. */
static int input_fill(struct input *in, struct err *err)
{
	ssize_t n;

	if (in->eof)
		return 0;
	if (in->pos) {
		memmove(in->buf, in->buf + in->pos, in->end - in->pos);
		in->buf_offset += in->pos;
		in->end -= in->pos;
		in->pos = 0;
	}
	BUG_ON(in->end == PLAIN_BYTES);
	n = input_fetch(in, in->buf + in->end, PLAIN_BYTES - in->end, err);
	if (n < 0)
		return (int)n;
	if (n == 0)
		in->eof = true;
	in->end += (size_t)n;
	return n > 0;
}

static int input_start_decoder(struct input *in, struct err *err)
{
	static const u8 zstd_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	const u8 *m = (const u8 *)in->raw;

	/* The magic number of a skippable frame is 0x184D2A5?, little-endian. */
	if (in->raw_len >= 4 && (memcmp(m, zstd_magic, 4) == 0 ||
				 ((m[0] & 0xf0) == 0x50 && m[1] == 0x2a &&
				  m[2] == 0x4d && m[3] == 0x18))) {
		in->zstd = ZSTD_createDStream();
		if (!in->zstd)
			return err_set(err, -ENOMEM, "%s: no memory for zstd",
				       in->name);
		ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax,
				       ZSTD_WINDOW_LOG_MAX);
	} else if (in->raw_len >= 3 && m[0] == 0x1f && m[1] == 0x8b &&
		   m[2] == 8) {
		if (inflateInit2(&in->gz, 16 + MAX_WBITS) != Z_OK)
			return err_set(err, -ENOMEM, "%s: no memory for zlib",
				       in->name);
		in->gz_on = true;
	}
	return 0;
}

/* A pipe may hand out its first bytes one by one; the magic needs four. */
static int input_start(struct input *in, struct err *err)
{
	while (in->raw_len < 4) {
		ssize_t n = input_source(in, in->raw + in->raw_len,
					 RAW_BYTES - in->raw_len, err);

		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		in->raw_len += (size_t)n;
	}
	return input_start_decoder(in, err);
}

static struct input *input_alloc(const char *name, struct err *err)
{
	struct input *in = calloc(1, sizeof(*in));

	if (in) {
		in->fd = -1;
		in->name = strdup(name);
		in->raw = malloc(RAW_BYTES);
		in->buf = malloc(PLAIN_BYTES);
	}
	if (in && in->name && in->raw && in->buf)
		return in;
	input_close(in);
	err_set(err, -ENOMEM, "%s: no memory for a read buffer", name);
	return NULL;
}

static int input_open_fd(struct input *in, const char *path, struct err *err)
{
	struct stat st;
	int code;

	in->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) :
					  open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0) {
		code = -errno;
		return err_set(err, code, "%s: %s", in->name, strerror(errno));
	}
	if (fstat(in->fd, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR,
			       "%s: a directory; expected one trace file (of an LTTng or SchedViz folder, make text first)",
			       in->name);
	return 0;
}

int input_open(const char *path, struct input **out, struct err *err)
{
	struct input *in = input_alloc(strcmp(path, "-") == 0 ? "<stdin>" :
				       path, err);
	int ret;

	if (!in)
		return -ENOMEM;
	ret = input_open_fd(in, path, err);
	if (ret == 0)
		ret = input_start(in, err);
	if (ret) {
		input_close(in);
		return ret;
	}
	*out = in;
	return 0;
}

int input_open_memory(const void *data, size_t len, struct input **out,
		      struct err *err)
{
	struct input *in = input_alloc("<memory>", err);
	int ret;

	if (!in)
		return -ENOMEM;
	in->mem = data;
	in->mem_left = len;
	ret = input_start(in, err);
	if (ret) {
		input_close(in);
		return ret;
	}
	*out = in;
	return 0;
}

int input_peek(struct input *in, const char **data, size_t *len,
	       struct err *err)
{
	while (in->end - in->pos < INPUT_PEEK_MAX) {
		int ret = input_fill(in, err);

		if (ret < 0)
			return ret;
		if (ret == 0)
			break;
	}
	*data = in->buf + in->pos;
	*len = (size_t)min_u64(in->end - in->pos, INPUT_PEEK_MAX);
	return 0;
}

/* Swallow the rest of a line whose beginning has been handed out. */
static int input_skip_rest(struct input *in, struct err *err)
{
	for (;;) {
		char *nl = memchr(in->buf + in->pos, '\n', in->end - in->pos);
		int ret;

		if (nl) {
			in->pos = (size_t)(nl + 1 - in->buf);
			return 0;
		}
		in->pos = in->end;
		ret = input_fill(in, err);
		if (ret <= 0)
			return ret;
	}
}

/* Return: 1 with *@nl set (NULL: the last line has none), 0, or -errno. */
static int input_find_newline(struct input *in, char **nl, struct err *err)
{
	size_t seen = 0;

	for (;;) {
		char *from = in->buf + in->pos + seen;
		int ret;

		*nl = memchr(from, '\n', in->end - in->pos - seen);
		seen = in->end - in->pos;
		if (*nl || seen > TRACE_LINE_MAX)
			return 1;
		ret = input_fill(in, err);
		if (ret < 0)
			return ret;
		if (ret == 0)
			return seen > 0;
	}
}

int input_line(struct input *in, const char **line, size_t *len,
	       struct err *err)
{
	char *nl;
	int ret;

	/* The line handed out last time may be overwritten only now. */
	if (in->cut) {
		in->cut = false;
		ret = input_skip_rest(in, err);
		if (ret < 0)
			return ret;
	}
	ret = input_find_newline(in, &nl, err);
	if (ret <= 0)
		return ret;
	in->line_nr++;
	*line = in->buf + in->pos;
	*len = nl ? (size_t)(nl - *line) : in->end - in->pos;
	if (*len > TRACE_LINE_MAX) {
		*len = TRACE_LINE_MAX;
		in->cut = true;
		in->pos += TRACE_LINE_MAX;
		return 1;
	}
	in->pos += *len + (nl != NULL);
	if (*len && (*line)[*len - 1] == '\r')
		(*len)--;
	return 1;
}

bool input_line_cut(const struct input *in)
{
	return in->cut;
}

u64 input_line_nr(const struct input *in)
{
	return in->line_nr;
}

int input_read(struct input *in, void *dst, size_t nr, struct err *err)
{
	char *to = dst;
	size_t got = 0;

	while (got < nr) {
		size_t n = (size_t)min_u64(nr - got, in->end - in->pos);
		int ret;

		memcpy(to + got, in->buf + in->pos, n);
		in->pos += n;
		got += n;
		if (got == nr)
			break;
		ret = input_fill(in, err);
		if (ret < 0)
			return ret;
		if (ret == 0 && got == 0)
			return 0;
		if (ret == 0)
			return err_set(err, -EPROTO,
				       "%s: offset %llu: the file ends here; expected %zu more bytes",
				       in->name,
				       (unsigned long long)input_offset(in),
				       nr - got);
	}
	return 1;
}

u64 input_offset(const struct input *in)
{
	return in->buf_offset + in->pos;
}

const char *input_name(const struct input *in)
{
	return in->name;
}

const char *input_compression(const struct input *in)
{
	return in->zstd ? "zstd" : in->gz_on ? "gzip" : "none";
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->fd >= 0)
		close(in->fd);
	if (in->zstd)
		ZSTD_freeDStream(in->zstd);
	if (in->gz_on)
		inflateEnd(&in->gz);
	free(in->name);
	free(in->raw);
	free(in->buf);
	free(in);
}
