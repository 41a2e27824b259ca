/*
 * perf script text, with and without plugins:
 *
 *   comm  pid/tid [cpu] sec.frac:  period  sys:event: text
 *
 * comm, ids and period may be absent.  A header is accepted at the first ':'
 * that has a time stamp and a CPU before it and an event after it.  Rows of
 * --show-task-events and PERF_RECORD_LOST are read; call chains are skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "traces/event_text.h"
#include "traces/input.h"
#include "traces/scan.h"


/* perf script sorts by time: many steps back mean that times are deltas. */
#define JUDGED_LINES	256u
#define JUDGED_MIN	16u

struct perf_text {
	u64 last_ns;
	u32 judged;			/* rows whose order has been looked at */
	u32 steps_back;
};

enum head_result { HEAD_NO, HEAD_OK, HEAD_NO_CPU, HEAD_BAD_CPU };

struct head {
	struct event_text_head ev;
	u64 ts_ns;
	u32 cpu;
	bool sys;			/* the event has a subsystem: "sched:" */
	const char *event;		/* name, without subsystem */
	size_t event_len;
	const char *text;
};

static const char *head_cpu(const char *p, const char *end, struct head *h,
			    enum head_result *res)
{
	const char *at = scan_spaces_back(p, end);
	const char *digits;
	u64 cpu;

	if (at == p || at[-1] != ']') {
		*res = HEAD_NO_CPU;
		return at;
	}
	digits = scan_digits_back(p, at - 1);
	if (digits == at - 1 || digits == p)
		return NULL;
	if (!scan_u64(digits, at - 1, &cpu) || cpu >= TRACE_CPU_MAX ||
	    digits[-1] == '-') {
		*res = HEAD_BAD_CPU;
		cpu = 0;
		if (digits[-1] == '-')
			digits--;
	}
	if (digits == p || digits[-1] != '[')
		return NULL;
	h->cpu = (u32)cpu;
	return digits - 1;
}

/* "comm tid", "comm pid/tid", "tid" or nothing, ending at @end. */
static bool head_task(const char *p, const char *end, struct head *h)
{
	const char *comm = scan_spaces(p, end);
	const char *id;
	u64 tid, tgid = TRACE_TGID_NONE;

	end = scan_spaces_back(p, end);
	h->ev.tid = IDX_NONE;
	if (comm >= end)
		return true;
	id = scan_digits_back(comm, end);
	if (id == end)
		return end - comm >= 2 && memcmp(end - 2, "-1", 2) == 0;
	if (!scan_u64(id, end, &tid) || tid > TRACE_TID_MAX)
		return false;
	if (id > comm && id[-1] == '/') {
		end = id - 1;
		id = scan_digits_back(comm, end);
		if (id == end || !scan_u64(id, end, &tgid) ||
		    tgid > TRACE_TID_MAX)
			return false;
	}
	/* ":-1 -1": perf does not know the thread; no other id is negative. */
	if (id > comm && id[-1] == '-')
		return end - id == 1 && *id == '1';
	if (id > comm && id[-1] != ' ')
		return false;
	h->ev.tid = (u32)tid;
	h->ev.tgid = (u32)tgid;
	h->ev.comm = comm;
	end = scan_spaces_back(comm, id);
	/* ":1234" stands for a name that perf never learned. */
	if (end > comm && *comm != ':' && end - comm <= (long)TRACE_COMM_MAX)
		h->ev.comm_len = (size_t)(end - comm);
	return true;
}

/* "  1001001  sched:sched_switch: text" at @p; false if that is no event. */
static bool head_event(const char *p, const char *end, struct head *h)
{
	const char *word = scan_spaces(p, end);
	const char *stop, *colon;
	u64 period;

	if (word < end && scan_is_digit(*word)) {
		word = scan_u64(word, end, &period);
		if (!word || word == end || *word != ' ')
			return false;
		word = scan_spaces(word, end);
	}
	if (scan_starts(word, end, "PERF_RECORD_")) {
		h->text = word;
		return true;
	}
	stop = memchr(word, ' ', (size_t)(end - word));
	h->text = stop ? scan_spaces(stop, end) : end;
	if (!stop)
		stop = end;
	if (stop - word < 2 || stop[-1] != ':')
		return false;
	stop--;
	colon = memchr(word, ':', (size_t)(stop - word));
	h->sys = colon != NULL;
	h->event = colon ? colon + 1 : word;
	/* A modifier may follow: "sched:sched_switch:H". */
	colon = memchr(h->event, ':', (size_t)(stop - h->event));
	h->event_len = (size_t)((colon ? colon : stop) - h->event);
	return true;
}

static enum head_result head_parse(const char *p, const char *colon,
				   const char *end, struct head *h)
{
	enum head_result res = HEAD_OK;
	const char *at;

	if (colon == p || !scan_is_digit(colon[-1]))
		return HEAD_NO;
	at = scan_time_back(p, colon, &h->ts_ns);
	if (!at || (at > p && at[-1] != ' '))
		return HEAD_NO;
	at = head_cpu(p, at, h, &res);
	if (!at || !head_task(p, at, h) || !head_event(colon + 1, end, h))
		return HEAD_NO;
	return res;
}

static enum head_result head_find(const char *p, const char *end,
				  struct head *h)
{
	const char *colon = p;

	memset(h, 0, sizeof(*h));
	while ((colon = memchr(colon, ':', (size_t)(end - colon)))) {
		enum head_result res = HEAD_NO;

		if (colon + 1 < end && colon[1] == ' ')
			res = head_parse(p, colon, end, h);
		if (res != HEAD_NO)
			return res;
		if (++colon == end)
			break;
	}
	return HEAD_NO;
}

/* "pid:tid" at @p; @p is moved past it. */
static bool task_ids(const char **p, const char *end, u32 *tgid, u32 *tid)
{
	u64 a, b;

	*p = scan_u64(*p, end, &a);
	if (!*p || *p == end || **p != ':')
		return false;
	*p = scan_u64(*p + 1, end, &b);
	if (!*p || a > TRACE_TID_MAX || b > TRACE_TID_MAX)
		return false;
	*tgid = (u32)a;
	*tid = (u32)b;
	return true;
}

/* "PERF_RECORD_COMM: name:pid/tid", "PERF_RECORD_COMM exec: name:pid/tid" */
static enum line_result task_comm(struct reader *r, struct line *l,
				  const char *p)
{
	const char *name = memchr(p, ':', (size_t)(l->end - p));
	const char *tid, *pid;
	u64 a, b;

	l->expected = "'PERF_RECORD_COMM: name:pid/tid'";
	if (!name || ++name == l->end || *name++ != ' ')
		return LINE_BROKEN;
	tid = scan_digits_back(name, l->end);
	if (tid == name || tid[-1] != '/' || !scan_u64(tid, l->end, &b))
		return LINE_TORN;
	pid = scan_digits_back(name, tid - 1);
	if (pid == name || pid[-1] != ':' || !scan_u64(pid, tid - 1, &a) ||
	    a > TRACE_TID_MAX || b > TRACE_TID_MAX)
		return LINE_BROKEN;
	l->rec->kind = TRACE_TASK;
	l->rec->tgid = (u32)a;
	l->rec->tid = (u32)b;
	return event_text_name(r, l, name, (size_t)(pid - 1 - name),
			       &l->rec->comm);
}

static enum line_result task_fork(struct line *l, const char *p,
				  enum trace_kind kind)
{
	l->rec->kind = kind;
	l->rec->comm = TRACE_STR_NONE;
	l->rec->u.task.born = kind == TRACE_TASK;
	if (p < l->end && *p == '(') {
		p++;
		if (task_ids(&p, l->end, &l->rec->tgid, &l->rec->tid))
			return LINE_RECORD;
	}
	l->expected = "'(pid:tid):(ppid:ptid)' after PERF_RECORD_FORK or _EXIT";
	return LINE_BROKEN;
}

static enum line_result record_lost(struct reader *r, struct line *l,
				    const char *p)
{
	u64 count;

	p = scan_spaces(p, l->end);
	if (!scan_starts(p, l->end, "lost ") ||
	    !scan_u64(p + strlen("lost "), l->end, &count)) {
		l->expected = "'PERF_RECORD_LOST lost N'";
		return LINE_BROKEN;
	}
	r->counts.lost_markers++;
	r->counts.lost_events += count;
	l->rec->kind = TRACE_LOST;
	l->rec->u.lost.count = count;
	return LINE_RECORD;
}

static enum line_result perf_record(struct reader *r, struct line *l,
				    const char *p)
{
	static const char comm[] = "PERF_RECORD_COMM";
	static const char fork[] = "PERF_RECORD_FORK";
	static const char gone[] = "PERF_RECORD_EXIT";
	static const char lost[] = "PERF_RECORD_LOST";
	static const char lost_samples[] = "PERF_RECORD_LOST_SAMPLES";

	if (scan_starts(p, l->end, comm))
		return task_comm(r, l, p + sizeof(comm) - 1);
	if (scan_starts(p, l->end, fork))
		return task_fork(l, p + sizeof(fork) - 1, TRACE_TASK);
	if (scan_starts(p, l->end, gone))
		return task_fork(l, p + sizeof(gone) - 1, TRACE_TASK_EXIT);
	if (scan_starts(p, l->end, lost_samples))
		return record_lost(r, l, p + sizeof(lost_samples) - 1);
	if (scan_starts(p, l->end, lost))
		return record_lost(r, l, p + sizeof(lost) - 1);
	return LINE_SKIPPED;
}

/* "# os release : 6.18.44" out of perf script --header. */
static enum line_result perf_comment(struct reader *r, const struct line *l)
{
	static const char release[] = "# os release : ";
	const char *p = l->p + sizeof(release) - 1;
	size_t len;

	if (!scan_starts(l->p, l->end, release) || p == l->end)
		return LINE_CONSUMED;
	len = (size_t)min_u64((u64)(l->end - p), TRACE_UNDER_MAX - 1);
	if (memchr(p, '\0', len))
		return LINE_CONSUMED;
	memcpy(r->under.kernel, p, len);
	r->under.kernel[len] = '\0';
	return LINE_CONSUMED;
}

static enum line_result perf_judge(struct perf_text *pt, struct line *l)
{
	if (pt->judged >= JUDGED_LINES)
		return LINE_RECORD;
	if (pt->judged++ && l->rec->ts_ns < pt->last_ns)
		pt->steps_back++;
	pt->last_ns = l->rec->ts_ns;
	if (pt->judged < JUDGED_MIN || pt->steps_back * 4 < pt->judged)
		return LINE_RECORD;
	l->expected = "times in order: these step back all the time, as --deltatime prints them; run perf script with --ns and without --deltatime";
	return LINE_FATAL;
}

static enum line_result perf_event(struct reader *r, struct line *l,
				   const struct head *h)
{
	const struct event_text *ev = NULL;
	enum line_result res;

	if (h->event)
		ev = event_text_find(h->event, h->event_len);
	if (!ev)
		return LINE_SKIPPED;
	l->rec->ts_ns = h->ts_ns;
	l->rec->cpu = h->cpu;
	res = perf_judge(r->priv, l);
	if (res != LINE_RECORD)
		return res;
	l->p = h->text;
	return event_text_parse(ev, r, &h->ev, l);
}

static enum line_result headless(struct line *l)
{
	static const char ours[] = ": prev_comm=";

	if (!memmem(l->p, (size_t)(l->end - l->p), ours, sizeof(ours) - 1))
		return LINE_SKIPPED;
	l->expected = "'comm pid/tid [cpu] sec.frac: sys:event:' before the text";
	return LINE_BROKEN;
}

static enum line_result perf_line(struct reader *r, struct line *l)
{
	enum head_result res;
	struct head h;

	/* Frames of a call chain begin with a tab or a run of spaces. */
	if (l->p == l->end || *l->p == '\t')
		return LINE_SKIPPED;
	if (*l->p == '#')
		return perf_comment(r, l);
	res = head_find(l->p, l->end, &h);
	if (res == HEAD_NO)
		return headless(l);
	if (!h.event) {
		/* Synthesised rows may carry CPU -1 or none at all. */
		l->rec->ts_ns = h.ts_ns;
		l->rec->cpu = h.cpu;
		return perf_record(r, l, h.text);
	}
	if (!event_text_find(h.event, h.event_len))
		return LINE_SKIPPED;
	if (res == HEAD_NO_CPU) {
		l->expected = "'[cpu]' before the time: without it nothing can be placed; record with 'perf record -a', print with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'";
		return LINE_FATAL;
	}
	if (res == HEAD_BAD_CPU) {
		l->expected = "a CPU number from 0 to 8191 in '[cpu]'";
		return LINE_BROKEN;
	}
	return perf_event(r, l, &h);
}

static int perf_open(struct reader *r, struct err *err)
{
	r->priv = calloc(1, sizeof(struct perf_text));
	if (!r->priv)
		return err_set(err, -ENOMEM, "%s: no memory for a reader",
			       input_name(r->in));
	return 0;
}

static int perf_next(struct reader *r, struct trace_rec *rec, struct err *err)
{
	return reader_next_line(r, perf_line, rec, err);
}

static void perf_close(struct reader *r)
{
	free(r->priv);
}

static int perf_probe(const char *head, size_t len)
{
	const char *end = head + len;
	int score = 0;
	struct head h;

	for (const char *p = head; p < end; ) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;
		enum head_result res = HEAD_NO;

		if (*p != '#' && *p != '\t')
			res = head_find(p, stop, &h);
		/* Without "[cpu]" only the subsystem tells it from other logs. */
		if (res == HEAD_NO_CPU)
			score += h.sys;
		else if (res != HEAD_NO)
			score++;
		p = nl ? nl + 1 : end;
	}
	return score;
}

const struct reader_ops perf_text_reader = {
	.name = "perf-script",
	.what = "perf script text",
	.text = true,
	.probe = perf_probe,
	.open = perf_open,
	.next = perf_next,
	.close = perf_close,
};
