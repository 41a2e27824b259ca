#include "traces/threads_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "traces/input.h"
#include "traces/scan.h"
#include "traces/trace.h"

#define THREADS_MAX	(1u << 22)

struct thread_row {
	u64 tgid;
	u64 tid;
	const char *comm;
	size_t comm_len;
};

/* Spaces, a keyword and a number; the keyword may be absent in all of them. */
static const char *thread_number(const char *p, const char *end,
				 const char *key, u64 *val)
{
	p = scan_spaces(p, end);
	if (key) {
		if (!scan_starts(p, end, key))
			return NULL;
		p = scan_spaces(p + strlen(key), end);
	}
	p = scan_u64(p, end, val);
	return p && *val <= TRACE_TID_MAX ? p : NULL;
}

static bool thread_parse(const char *p, const char *end, bool keyed,
			 struct thread_row *row)
{
	p = thread_number(p, end, keyed ? "tgid " : NULL, &row->tgid);
	if (!p)
		return false;
	p = thread_number(p, end, keyed ? "tid " : NULL, &row->tid);
	if (!p || p == end || *p != ' ')
		return false;
	p = keyed ? scan_spaces(p, end) : p + 1;
	if (keyed) {
		if (!scan_starts(p, end, "comm"))
			return false;
		p += strlen("comm");
		p += p < end;
	}
	row->comm = p;
	row->comm_len = (size_t)(end - p);
	return row->comm_len <= TRACE_COMM_MAX && !memchr(p, '\0', row->comm_len);
}

static bool thread_is_heading(const char *p, const char *end)
{
	p = scan_spaces(p, end);
	return p == end || *p == '#' || scan_starts(p, end, "PID ") ||
	       scan_starts(p, end, "TGID ");
}

static int thread_add(const struct thread_row *row, struct trace *t,
		      struct trace_rec *rec, struct err *err)
{
	char comm[TRACE_COMM_MAX + 1];

	memcpy(comm, row->comm, row->comm_len);
	comm[row->comm_len] = '\0';
	memset(rec, 0, sizeof(*rec));
	rec->kind = TRACE_TASK;
	rec->tid = (u32)row->tid;
	rec->tgid = (u32)row->tgid;
	return trace_intern(t, comm, &rec->comm, err);
}

static int threads_read(struct input *in, struct trace *t,
			struct trace_rec **rec, size_t *nr, struct err *err)
{
	size_t room = 0;

	for (;;) {
		struct thread_row row;
		const char *p;
		size_t len;
		int ret = input_line(in, &p, &len, err);

		if (ret <= 0)
			return ret;
		if (thread_is_heading(p, p + len))
			continue;
		if (!thread_parse(p, p + len, true, &row) &&
		    !thread_parse(p, p + len, false, &row))
			return err_set(err, -EPROTO,
				       "%s:%llu: found '%.*s'; expected 'tgid N tid N comm NAME' or a line of 'ps -eLo pid,tid,comm'",
				       input_name(in),
				       (unsigned long long)input_line_nr(in),
				       (int)min_u64(len, 80), p);
		if (*nr == THREADS_MAX)
			return err_set(err, -EPROTO,
				       "%s: more than %u threads",
				       input_name(in), THREADS_MAX);
		if (*nr == room) {
			size_t more = room ? 2 * room : 64;
			void *grown = realloc(*rec, more * sizeof(**rec));

			if (!grown)
				return err_set(err, -ENOMEM,
					       "%s: no memory for %zu threads",
					       input_name(in), more);
			*rec = grown;
			room = more;
		}
		ret = thread_add(&row, t, &(*rec)[*nr], err);
		if (ret)
			return ret;
		(*nr)++;
	}
}

int threads_file_load(const char *path, struct trace *t,
		      struct trace_rec **rec, size_t *nr, struct err *err)
{
	struct input *in;
	int ret = input_open(path, &in, err);

	*rec = NULL;
	*nr = 0;
	if (ret)
		return ret;
	ret = threads_read(in, t, rec, nr, err);
	input_close(in);
	if (ret) {
		free(*rec);
		*rec = NULL;
		*nr = 0;
	}
	return ret;
}
