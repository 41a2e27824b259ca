/*
 * Picks a reader by content and keeps what every format has in common: order,
 * counts, names.  The list of formats is explicit: what is not in it does not
 * exist.
 */
#include "traces/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "traces/foreign.h"
#include "traces/input.h"
#include "traces/names.h"
#include "traces/reader.h"

static const struct reader_ops *const readers[] = {
	&vst_reader,
	&ftrace_text_reader,
	&perf_text_reader,
};

struct trace {
	struct reader r;
	const struct reader_ops *ops;
	bool opened;			/* ops->close is due */
	u64 last_ns;
	u64 cpu_last_ns[TRACE_CPU_MAX];
	u64 cpu_seen[TRACE_CPU_MAX / 64];
};

static bool trace_cpu_seen(const struct trace *t, u32 cpu)
{
	return t->cpu_seen[cpu / 64] & BIT64(cpu % 64);
}

static int trace_find_format(struct trace *t, const char *format,
			     struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		if (strcmp(readers[i]->name, format) == 0) {
			t->ops = readers[i];
			return 0;
		}
	}
	return err_set(err, -EINVAL,
		       "%s: no such trace format; expected auto, %s, %s or %s",
		       format, readers[0]->name, readers[1]->name,
		       readers[2]->name);
}

static int trace_recognise(struct trace *t, struct err *err)
{
	const char *file = input_name(t->r.in);
	const char *head;
	const char *foreign;
	size_t len;
	int best = 0;
	int ret;

	ret = input_peek(t->r.in, &head, &len, err);
	if (ret)
		return ret;
	if (len == 0)
		return err_set(err, -EPROTO,
			       "%s: the file is empty; expected a trace", file);
	foreign = foreign_recognise(head, len);
	if (foreign)
		return err_set(err, -EPROTO, "%s: this is %s", file, foreign);
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		int score = readers[i]->probe(head, len);

		if (score > best) {
			best = score;
			t->ops = readers[i];
		}
	}
	if (t->ops)
		return 0;
	return err_set(err, -EPROTO,
		       "%s: no known trace format; expected ftrace text (trace, trace_pipe, trace-cmd report), perf script text or .vst, plain or packed by zstd or gzip",
		       file);
}

static void trace_under_init(struct trace_recorded_under *u)
{
	static const struct trace_recorded_under unknown = {
		"unknown", "unknown", "unknown",
	};

	*u = unknown;
}

/* Takes @in over, also on failure. */
static int trace_start(struct input *in, const char *format,
		       struct trace **out, struct err *err)
{
	struct trace *t = calloc(1, sizeof(*t));
	int ret = -ENOMEM;

	if (!t) {
		err_set(err, -ENOMEM, "%s: no memory for a trace",
			input_name(in));
		input_close(in);
		return -ENOMEM;
	}
	t->r.in = in;
	trace_under_init(&t->r.under);
	t->r.names = names_create(err);
	if (!t->r.names)
		goto fail;
	if (format && strcmp(format, "auto") != 0)
		ret = trace_find_format(t, format, err);
	else
		ret = trace_recognise(t, err);
	if (ret)
		goto fail;
	t->opened = true;
	ret = t->ops->open ? t->ops->open(&t->r, err) : 0;
	if (ret)
		goto fail;
	*out = t;
	return 0;
fail:
	trace_close(t);
	return ret;
}

int trace_open(const char *path, const char *format, struct trace **out,
	       struct err *err)
{
	struct input *in;
	int ret = input_open(path, &in, err);

	return ret ? ret : trace_start(in, format, out, err);
}

int trace_open_memory(const void *data, size_t len, const char *format,
		      struct trace **out, struct err *err)
{
	struct input *in;
	int ret = input_open_memory(data, len, &in, err);

	return ret ? ret : trace_start(in, format, out, err);
}

/*
 * A hole begins where the last record of its CPU stands: text markers have no
 * time, and perf stamps the moment it could write again.
 */
static void trace_place_hole(const struct trace *t, struct trace_rec *rec)
{
	rec->ts_ns = trace_cpu_seen(t, rec->cpu) ? t->cpu_last_ns[rec->cpu] :
						   t->last_ns;
}

/* Identity records may be synthesised out of time; they are not judged. */
static void trace_check_order(struct trace *t, const struct trace_rec *rec)
{
	if (rec->kind == TRACE_TASK || rec->kind == TRACE_TASK_EXIT)
		return;
	if (trace_cpu_seen(t, rec->cpu) &&
	    rec->ts_ns < t->cpu_last_ns[rec->cpu])
		t->r.counts.unordered++;
	t->cpu_seen[rec->cpu / 64] |= BIT64(rec->cpu % 64);
	t->cpu_last_ns[rec->cpu] = rec->ts_ns;
	t->last_ns = rec->ts_ns;
}

int trace_next(struct trace *t, struct trace_rec *rec, struct err *err)
{
	int ret = t->ops->next(&t->r, rec, err);

	if (ret <= 0)
		return ret;
	BUG_ON(rec->cpu >= TRACE_CPU_MAX);
	if (rec->kind == TRACE_LOST)
		trace_place_hole(t, rec);
	else
		trace_check_order(t, rec);
	t->r.counts.records++;
	return 1;
}

void trace_set_strict(struct trace *t)
{
	t->r.strict = true;
}

const char *trace_string(const struct trace *t, u32 id)
{
	return names_text(t->r.names, id);
}

const struct trace_counts *trace_counts(const struct trace *t)
{
	return &t->r.counts;
}

const char *trace_format(const struct trace *t)
{
	return t->ops->name;
}

const char *trace_format_name(size_t i)
{
	return i < ARRAY_SIZE(readers) ? readers[i]->name : NULL;
}

bool trace_is_text(const struct trace *t)
{
	return t->ops->text;
}

const char *trace_compression(const struct trace *t)
{
	return input_compression(t->r.in);
}

const struct trace_recorded_under *trace_recorded_under(const struct trace *t)
{
	return &t->r.under;
}

u32 trace_nr_strings(const struct trace *t)
{
	return names_count(t->r.names);
}

int trace_intern(struct trace *t, const char *name, u32 *id, struct err *err)
{
	int ret = names_intern(t->r.names, name, strlen(name), id);

	if (ret == -ENOSPC)
		return err_set(err, ret, "%s: more than %u thread names",
			       input_name(t->r.in), TRACE_STRINGS_MAX);
	if (ret)
		return err_set(err, ret, "%s: thread name '%s': %s",
			       input_name(t->r.in), name, strerror(-ret));
	return 0;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	if (t->opened && t->ops->close)
		t->ops->close(&t->r);
	names_destroy(t->r.names);
	input_close(t->r.in);
	free(t);
}
