/*
 * ftrace text: trace, trace_pipe, per_cpu/cpuN/trace, systrace text and
 * trace-cmd report, which share one line:
 *
 *   comm-pid  (tgid) [cpu] flags  sec.frac: event: text
 *
 * The columns are read from the right, starting at each ": " in turn until
 * what stands before it is a time stamp, a CPU and a thread: names may hold
 * any byte.  Latency format, raw option and missing context are refused by
 * traces/foreign.c before a line gets here.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "traces/event_text.h"
#include "traces/scan.h"

#define FLAGS_MAX	8		/* 4, 5 or 7 so far */

enum head_result { HEAD_NO, HEAD_OK, HEAD_COUNTER, HEAD_BAD_CPU };

struct head {
	struct event_text_head ev;
	u64 ts_ns;
	u32 cpu;
	const char *event;		/* first byte after ": " */
};

/* Return: first byte of the time stamp that ends at @end, NULL if none. */
static const char *head_time(const char *p, const char *end, struct head *h,
			     enum head_result *res)
{
	const char *digits = scan_digits_back(p, end);

	if (digits > p && digits[-1] == '.')
		return scan_time_back(p, end, &h->ts_ns);
	*res = HEAD_COUNTER;
	return digits < end ? digits : NULL;
}

/* Step over the flags column, if there is one, to just after "[cpu]". */
static const char *head_flags(const char *p, const char *end)
{
	const char *at = scan_spaces_back(p, end);
	const char *flags = at;

	if (at > p && at[-1] == ']')
		return at;
	while (flags > p && flags[-1] != ' ' && at - flags < FLAGS_MAX)
		flags--;
	flags = scan_spaces_back(p, flags);
	return flags > p && flags[-1] == ']' ? flags : NULL;
}

/* Return: first byte of "[cpu]" that ends at @end, NULL if that is not one. */
static const char *head_cpu(const char *p, const char *end, struct head *h,
			    enum head_result *res)
{
	const char *digits = scan_digits_back(p, end - 1);
	u64 cpu;

	if (digits == end - 1 || digits == p)
		return NULL;
	if (digits[-1] == '-' && digits - 1 > p && digits[-2] == '[') {
		*res = HEAD_BAD_CPU;
		return digits - 2;
	}
	if (digits[-1] != '[')
		return NULL;
	if (!scan_u64(digits, end - 1, &cpu) || cpu >= TRACE_CPU_MAX) {
		*res = HEAD_BAD_CPU;
		cpu = 0;
	}
	h->cpu = (u32)cpu;
	return digits - 1;
}

/* "(  123)" or "(-----)" before @end, if there; the new end is returned. */
static const char *head_tgid(const char *p, const char *end, struct head *h)
{
	const char *at = end;
	const char *digits;
	u64 tgid;

	if (at == p || at[-1] != ')')
		return end;
	digits = scan_digits_back(p, at - 1);
	if (digits < at - 1) {
		if (!scan_u64(digits, at - 1, &tgid) || tgid > TRACE_TID_MAX)
			return end;
		h->ev.tgid = (u32)tgid;
		digits = scan_spaces_back(p, digits);
	} else {
		while (digits > p && digits[-1] == '-')
			digits--;
	}
	if (digits == p || digits[-1] != '(')
		return end;
	return scan_spaces_back(p, digits - 1);
}

static bool head_task(const char *p, const char *end, struct head *h)
{
	const char *pid = scan_digits_back(p, end);
	const char *comm = scan_spaces(p, end);
	u64 tid;

	if (pid == end || pid == p || pid[-1] != '-' ||
	    !scan_u64(pid, end, &tid) || tid > TRACE_TID_MAX)
		return false;
	while (comm < pid - 1 && *comm == '\t')
		comm++;
	h->ev.tid = (u32)tid;
	h->ev.comm = comm;
	h->ev.comm_len = (size_t)(pid - 1 - comm);
	/* "<...>" is how the kernel says that it does not know. */
	if (h->ev.comm_len == 5 && memcmp(comm, "<...>", 5) == 0)
		h->ev.comm_len = 0;
	/* Only a report with something glued before the name is longer. */
	if (h->ev.comm_len > TRACE_COMM_MAX)
		h->ev.comm_len = 0;
	return true;
}

/* Are [p, colon) the columns of a line? */
static enum head_result head_parse(const char *p, const char *colon,
				   struct head *h)
{
	enum head_result res = HEAD_OK;
	const char *at;

	if (colon == p || !scan_is_digit(colon[-1]))
		return HEAD_NO;
	at = head_time(p, colon, h, &res);
	if (!at)
		return HEAD_NO;
	at = head_flags(p, at);
	if (!at)
		return HEAD_NO;
	at = head_cpu(p, at, h, &res);
	if (!at || at == p || at[-1] != ' ')
		return HEAD_NO;
	at = head_tgid(p, scan_spaces_back(p, at), h);
	return head_task(p, at, h) ? res : HEAD_NO;
}

static enum head_result head_find(const char *p, const char *end,
				  struct head *h)
{
	const char *colon = p;

	memset(h, 0, sizeof(*h));
	while ((colon = memchr(colon, ':', (size_t)(end - colon)))) {
		enum head_result res = HEAD_NO;

		if (colon + 1 == end || colon[1] == ' ')
			res = head_parse(p, colon, h);
		if (res != HEAD_NO) {
			h->event = colon + 1 == end ? end : colon + 2;
			return res;
		}
		if (++colon == end)
			break;
	}
	return HEAD_NO;
}

/* "# entries-in-buffer/entries-written: 220365/296938   #P:2" */
static void comment_entries(struct reader *r, const char *p, const char *end)
{
	u64 kept, written;

	p = scan_u64(p, end, &kept);
	if (!p || p == end || *p != '/' || !scan_u64(p + 1, end, &written))
		return;
	if (written > kept)
		r->counts.lost_events += written - kept;
}

/* "##### CPU 2 buffer started ####": before this, CPU 2 is unknown. */
static enum line_result buffer_started(struct line *l, const char *p)
{
	u64 cpu;

	l->rec->kind = TRACE_LOST;
	if (!scan_u64(p, l->end, &cpu) || cpu >= TRACE_CPU_MAX) {
		l->expected = "'##### CPU N buffer started ####', N below 8192";
		return LINE_BROKEN;
	}
	l->rec->cpu = (u32)cpu;
	return LINE_RECORD;
}

static enum line_result comment_parse(struct reader *r, struct line *l)
{
	static const char entries[] = "# entries-in-buffer/entries-written: ";
	static const char started[] = "##### CPU ";

	if (scan_starts(l->p, l->end, started))
		return buffer_started(l, l->p + sizeof(started) - 1);
	if (scan_starts(l->p, l->end, entries))
		comment_entries(r, l->p + sizeof(entries) - 1, l->end);
	return LINE_CONSUMED;
}

/*
 * "CPU:0 [LOST 83 EVENTS]", "CPU:0 [LOST EVENTS]" from the kernel,
 * "CPU:1 [123 EVENTS DROPPED]", "CPU:1 [EVENTS DROPPED]" from trace-cmd.
 */
static enum line_result lost_parse(struct reader *r, struct line *l)
{
	const char *p = l->p + strlen("CPU:");
	u64 cpu, count = 0;

	p = scan_u64(p, l->end, &cpu);
	if (!p || cpu >= TRACE_CPU_MAX || !scan_starts(p, l->end, " ["))
		goto broken;
	p += 2;
	if (scan_starts(p, l->end, "LOST "))
		p += strlen("LOST ");
	if (p < l->end && scan_is_digit(*p)) {
		p = scan_u64(p, l->end, &count);
		if (!p || p == l->end || *p++ != ' ')
			goto broken;
	}
	if (!scan_starts(p, l->end, "EVENTS"))
		goto broken;
	r->counts.lost_markers++;
	r->counts.lost_events += count;
	l->rec->kind = TRACE_LOST;
	l->rec->cpu = (u32)cpu;
	l->rec->u.lost.count = count;
	return LINE_RECORD;
broken:
	l->expected = "'CPU:N [LOST N EVENTS]', CPU below 8192";
	return LINE_BROKEN;
}

static enum line_result headless(const struct line *l, const char **expected)
{
	static const char ours[] = ": sched_switch: prev_comm=";

	if (!memmem(l->p, (size_t)(l->end - l->p), ours, sizeof(ours) - 1))
		return LINE_SKIPPED;
	*expected = "'comm-pid [cpu] flags sec.usec:' before the event";
	return LINE_BROKEN;
}

static enum line_result event_line(struct reader *r, struct line *l,
				   const struct head *h, enum head_result res)
{
	const struct event_text *ev;
	const char *colon;

	if (h->event == l->end) {
		l->expected = "an event after the time stamp";
		return LINE_BROKEN;
	}
	/* trace-cmd --ts-diff puts "(+79)" here; function lines have no ':'. */
	colon = memchr(h->event, ':', (size_t)(l->end - h->event));
	if (!colon)
		return LINE_SKIPPED;
	ev = event_text_find(h->event, (size_t)(colon - h->event));
	if (!ev)
		return LINE_SKIPPED;
	if (res == HEAD_COUNTER) {
		l->expected = "a time stamp in seconds (sec.usec): this is a counter clock, which has no unit; record with 'echo mono > trace_clock' or 'trace-cmd record -C mono'";
		return LINE_FATAL;
	}
	if (res == HEAD_BAD_CPU) {
		l->expected = "a CPU number from 0 to 8191 in '[cpu]'";
		return LINE_BROKEN;
	}
	l->rec->ts_ns = h->ts_ns;
	l->rec->cpu = h->cpu;
	l->p = scan_spaces(colon + 1, l->end);
	return event_text_parse(ev, r, &h->ev, l);
}

static enum line_result ftrace_line(struct reader *r, struct line *l)
{
	enum head_result res;
	struct head h;

	if (l->p == l->end)
		return LINE_SKIPPED;
	if (*l->p == '#')
		return comment_parse(r, l);
	if (scan_starts(l->p, l->end, "CPU:"))
		return lost_parse(r, l);
	res = head_find(l->p, l->end, &h);
	if (res == HEAD_NO)
		return headless(l, &l->expected);
	return event_line(r, l, &h, res);
}

static int ftrace_next(struct reader *r, struct trace_rec *rec,
		       struct err *err)
{
	return reader_next_line(r, ftrace_line, rec, err);
}

/* Lines of the first bytes that carry the columns, and the sure headers. */
static int ftrace_probe(const char *head, size_t len)
{
	const char *end = head + len;
	int score = 0;
	struct head h;

	for (const char *p = head; p < end; ) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		if (scan_starts(p, stop, "# tracer:") ||
		    scan_starts(p, stop, "##### CPU ") ||
		    (scan_starts(p, stop, "CPU:") &&
		     memmem(p, (size_t)(stop - p), "EVENTS", 6)))
			score++;
		else if (head_find(p, stop, &h) != HEAD_NO)
			score++;
		p = nl ? nl + 1 : end;
	}
	return score;
}

const struct reader_ops ftrace_text_reader = {
	.name = "ftrace",
	.what = "ftrace text (trace, trace_pipe), systrace text, trace-cmd report",
	.text = true,
	.probe = ftrace_probe,
	.next = ftrace_next,
};
