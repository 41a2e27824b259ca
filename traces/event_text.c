/*
 * One row per event.  Every parser works from the right end of the text to
 * the left: thread names come first in a text and may hold anything, also
 * " ==> next_comm=", so each split is accepted only if all that stands before
 * it reads as the fields it must be.
 */
#include "traces/event_text.h"

#include <errno.h>
#include <string.h>

#include "traces/names.h"
#include "traces/scan.h"

struct event_ctx {
	struct reader *r;
	const struct event_text_head *head;
	struct line *l;
	struct trace_rec *rec;
};

struct event_text {
	const char *name;
	size_t len;
	enum line_result (*parse)(struct event_ctx *c, const char *p,
				  const char *end);
};

struct span {
	const char *p;
	size_t len;
};

static enum line_result event_broken(struct event_ctx *c, const char *what)
{
	c->l->expected = what;
	return LINE_BROKEN;
}

enum line_result event_text_name(struct reader *r, struct line *l,
				 const char *text, size_t len, u32 *id)
{
	int ret = names_intern(r->names, text, len, id);

	if (likely(ret == 0))
		return LINE_RECORD;
	if (ret == -ENOSPC) {
		l->expected = "at most 4194304 different thread names";
		return LINE_FATAL;
	}
	if (ret == -ENOMEM) {
		l->expected = "memory for one more thread name";
		return LINE_FATAL;
	}
	l->expected = "a thread name of at most 64 bytes, none of them NUL";
	l->at = text;
	return LINE_BROKEN;
}

/*
 * "18367", or "0x47bf (18367)" as options/fields prints it.  Only priorities
 * may be negative; such a number is too large for whatever has a limit.
 */
static const char *event_number(const char *p, const char *end, u64 *val)
{
	bool minus = p < end && *p == '-';
	u64 twin;

	if (minus)
		p++;
	if (end - p < 2 || p[0] != '0' || p[1] != 'x') {
		p = scan_u64(p, end, val);
		if (p && minus)
			*val = UINT64_MAX;
		return p;
	}
	p = scan_hex(p + 2, end, val);
	if (!p || end - p < 2 || p[0] != ' ' || p[1] != '(')
		return p;
	p += 2;
	if (p < end && *p == '-')
		p++;
	p = scan_u64(p, end, &twin);
	return p && p < end && *p == ')' ? p + 1 : NULL;
}

/*
 * The last @key before @end, which is set back to where the key begins.  The
 * number after it must reach up to the old end, or to a space there.
 */
static __always_inline bool event_field(const char *p, const char **end, const char *key,
			u64 *val)
{
	const char *at = scan_rfind(p, *end, key);
	const char *after;

	if (!at)
		return false;
	after = event_number(at + strlen(key), *end, val);
	if (!after || (after < *end && *after != ' '))
		return false;
	*end = at;
	return true;
}

static bool event_tid_ok(u64 tid)
{
	return tid <= TRACE_TID_MAX;
}

/*
 * The kernel puts a name into the text as it is, a newline too: then the line
 * ends inside the name, and the key that follows the name is missing.
 */
static enum line_result event_torn_or_broken(struct event_ctx *c,
					     const char *p, const char *end,
					     const char *key_after_name)
{
	if (!scan_starts(p, end, "comm=") && !scan_starts(p, end, "prev_comm="))
		return LINE_BROKEN;
	if (scan_rfind(p, end, key_after_name))
		return LINE_BROKEN;
	c->l->expected = "a whole record; a newline in a thread name tore it";
	return LINE_TORN;
}

/* Older kernels have the "preempted" bit at 256, 1024, 2048 or 4096. */
static char event_numeric_state(u64 bits)
{
	if (bits >= 256)
		return '+';
	switch (bits) {
	case 0:
		return 'R';
	case 2:
		return 'D';
	case 16:
	case 32:
		return 'X';
	default:
		return 'S';
	}
}

/* Return: the state as one character, 0 if @p is no state. */
static char event_state(const char *p, const char *end)
{
	u64 bits;

	if (p == end || memchr(p, ' ', (size_t)(end - p)))
		return 0;
	if (end[-1] == '+')
		return '+';
	if (!scan_is_digit(*p))
		return *p;
	return scan_u64(p, end, &bits) == end ? event_numeric_state(bits) : 0;
}

/*
 * "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s" in [p, end), the state
 * perhaps in the form "0x1 (1)".
 */
static bool event_switch_prev(const char *p, const char *end,
			      struct span *comm, struct trace_rec *rec)
{
	const char *at = scan_rfind(p, end, " prev_state=");
	const char *state;
	u64 num;

	if (!at)
		return false;
	state = at + strlen(" prev_state=");
	if (scan_starts(state, end, "0x")) {
		if (event_number(state, end, &num) != end)
			return false;
		rec->u.sw.prev_state = event_numeric_state(num);
	} else {
		rec->u.sw.prev_state = event_state(state, end);
	}
	if (!rec->u.sw.prev_state || !event_field(p, &at, " prev_prio=", &num))
		return false;
	if (!event_field(p, &at, " prev_pid=", &num) || !event_tid_ok(num))
		return false;
	rec->tid = (u32)num;
	if (!scan_starts(p, at, "prev_comm="))
		return false;
	comm->p = p + strlen("prev_comm=");
	comm->len = (size_t)(at - comm->p);
	return true;
}

static bool event_switch_kernel(struct event_ctx *c, const char *p,
				const char *end, struct span comm[2])
{
	const char *at = end;
	const char *split = end;
	u64 num;

	if (!event_field(p, &at, " next_prio=", &num) ||
	    !event_field(p, &at, " next_pid=", &num) || !event_tid_ok(num))
		return false;
	c->rec->u.sw.next_tid = (u32)num;
	split = at;
	while ((split = scan_rfind(p, split, " next_comm="))) {
		const char *left = split;

		comm[1].p = split + strlen(" next_comm=");
		comm[1].len = (size_t)(at - comm[1].p);
		if (left - p > 4 && memcmp(left - 4, " ==>", 4) == 0)
			left -= 4;
		if (event_switch_prev(p, left, &comm[0], c->rec))
			return true;
	}
	return false;
}

/* "comm:pid [prio]" that ends at @end; @end is set to the end of comm. */
static bool event_plugin_task(const char *p, const char **end, u32 *tid)
{
	const char *q = *end;
	u64 num;

	if (q == p || q[-1] != ']')
		return false;
	for (q--; q > p && scan_is_digit(q[-1]); )
		q--;
	if (q > p && q[-1] == '-')
		q--;
	if (q - p < 2 || q[-1] != '[' || q[-2] != ' ')
		return false;
	*end = q - 2;
	for (q -= 2; q > p && scan_is_digit(q[-1]); )
		q--;
	if (q == p || q[-1] != ':' || scan_u64(q, *end, &num) != *end ||
	    !event_tid_ok(num))
		return false;
	*tid = (u32)num;
	*end = q - 1;
	return true;
}

/* Drop what perf appends after the last "[prio]" (an address, a symbol). */
static const char *event_plugin_end(const char *p, const char *end)
{
	const char *at = scan_last(p, end, ']');

	return at ? at + 1 : p;
}

static bool event_plugin_prev(const char *p, const char *end,
			      struct span *comm, struct trace_rec *rec)
{
	const char *state = scan_last(p, end, ' ');

	if (!state)
		return false;
	rec->u.sw.prev_state = event_state(state + 1, end);
	if (!rec->u.sw.prev_state || !event_plugin_task(p, &state, &rec->tid))
		return false;
	comm->p = p;
	comm->len = (size_t)(state - p);
	return true;
}

static bool event_switch_plugin(struct event_ctx *c, const char *p,
				const char *end, struct span comm[2])
{
	const char *right = event_plugin_end(p, end);
	const char *split;

	if (!event_plugin_task(p, &right, &c->rec->u.sw.next_tid))
		return false;
	split = right;
	while ((split = scan_last(p, split, '>'))) {
		if (split - p < 4 || memcmp(split - 3, " ==>", 4) != 0 ||
		    split + 1 >= right || split[1] != ' ')
			continue;
		comm[1].p = split + 2;
		comm[1].len = (size_t)(right - comm[1].p);
		if (event_plugin_prev(p, split - 3, &comm[0], c->rec))
			return true;
	}
	return false;
}

static enum line_result event_switch(struct event_ctx *c, const char *p,
				     const char *end)
{
	struct trace_rec *rec = c->rec;
	struct span comm[2];
	enum line_result res;

	rec->kind = TRACE_SWITCH;
	if (!event_switch_kernel(c, p, end, comm) &&
	    !event_switch_plugin(c, p, end, comm)) {
		event_broken(c, "'prev_comm=... prev_pid=N prev_prio=N prev_state=S ==> next_comm=... next_pid=N next_prio=N' or 'comm:pid [prio] S ==> comm:pid [prio]'");
		return event_torn_or_broken(c, p, end,
					    scan_rfind(p, end, " next_comm=") ?
					    " next_pid=" : " prev_pid=");
	}
	if (rec->tid == c->head->tid)
		rec->tgid = c->head->tgid;
	res = event_text_name(c->r, c->l, comm[0].p, comm[0].len, &rec->comm);
	if (res != LINE_RECORD)
		return res;
	return event_text_name(c->r, c->l, comm[1].p, comm[1].len,
			       &rec->u.sw.next_comm);
}

static enum line_result event_migrate(struct event_ctx *c, const char *p,
				      const char *end)
{
	const char *at = end;
	u64 to, from, prio, tid;

	c->rec->kind = TRACE_MIGRATE;
	if (!event_field(p, &at, " dest_cpu=", &to) ||
	    !event_field(p, &at, " orig_cpu=", &from) ||
	    !event_field(p, &at, " prio=", &prio) ||
	    !event_field(p, &at, " pid=", &tid) ||
	    !scan_starts(p, at, "comm=") || !event_tid_ok(tid)) {
		event_broken(c, "'comm=... pid=N prio=N orig_cpu=N dest_cpu=N'");
		return event_torn_or_broken(c, p, end, " pid=");
	}
	if (from >= TRACE_CPU_MAX || to >= TRACE_CPU_MAX)
		return event_broken(c, "CPU numbers below 8192");
	c->rec->tid = (u32)tid;
	c->rec->u.migrate.from_cpu = (u32)from;
	c->rec->u.migrate.to_cpu = (u32)to;
	p += strlen("comm=");
	return event_text_name(c->r, c->l, p, (size_t)(at - p), &c->rec->comm);
}

/* "comm:pid [prio] success=1 CPU:001", as libtraceevent's plugin prints it. */
static bool event_wakeup_plugin(struct event_ctx *c, const char *p,
				const char *end, struct span *comm)
{
	const char *at = event_plugin_end(p, end);

	if (!event_plugin_task(p, &at, &c->rec->tid))
		return false;
	comm->p = p;
	comm->len = (size_t)(at - p);
	return true;
}

static enum line_result event_wakeup(struct event_ctx *c, const char *p,
				     const char *end)
{
	const char *at = end;
	struct span comm;
	u64 num;

	c->rec->kind = TRACE_WAKEUP;
	if (event_field(p, &at, " prio=", &num) &&
	    event_field(p, &at, " pid=", &num) && event_tid_ok(num) &&
	    scan_starts(p, at, "comm=")) {
		c->rec->tid = (u32)num;
		comm.p = p + strlen("comm=");
		comm.len = (size_t)(at - comm.p);
	} else if (!event_wakeup_plugin(c, p, end, &comm)) {
		event_broken(c, "'comm=... pid=N prio=N target_cpu=N' or 'comm:pid [prio] CPU:N'");
		return event_torn_or_broken(c, p, end, " pid=");
	}
	return event_text_name(c->r, c->l, comm.p, comm.len, &c->rec->comm);
}

static enum line_result event_fork(struct event_ctx *c, const char *p,
				   const char *end)
{
	const char *at = end;
	const char *comm;
	u64 tid;

	c->rec->kind = TRACE_TASK;
	c->rec->u.task.born = true;
	if (!event_field(p, &at, " child_pid=", &tid) || !event_tid_ok(tid))
		goto broken;
	comm = scan_rfind(p, at, " child_comm=");
	if (!comm)
		goto broken;
	c->rec->tid = (u32)tid;
	comm += strlen(" child_comm=");
	return event_text_name(c->r, c->l, comm, (size_t)(at - comm),
			       &c->rec->comm);
broken:
	event_broken(c, "'comm=... pid=N child_comm=... child_pid=N'");
	return event_torn_or_broken(c, p, end,
				    scan_rfind(p, end, " child_comm=") ?
				    " child_pid=" : " pid=");
}

static enum line_result event_exit(struct event_ctx *c, const char *p,
				   const char *end)
{
	const char *at = end;
	u64 num;

	c->rec->kind = TRACE_TASK_EXIT;
	if (!event_field(p, &at, " prio=", &num) ||
	    !event_field(p, &at, " pid=", &num) || !event_tid_ok(num) ||
	    !scan_starts(p, at, "comm=")) {
		event_broken(c, "'comm=... pid=N prio=N'");
		return event_torn_or_broken(c, p, end, " pid=");
	}
	c->rec->tid = (u32)num;
	p += strlen("comm=");
	return event_text_name(c->r, c->l, p, (size_t)(at - p), &c->rec->comm);
}

/* KVM events are about the current thread, which only a column can tell. */
static enum line_result event_current(struct event_ctx *c)
{
	const struct event_text_head *head = c->head;

	if (head->tid == IDX_NONE)
		return event_broken(c, "a thread id before '[cpu]' (perf script -F comm,pid,tid,cpu,time,event,trace)");
	c->rec->tid = head->tid;
	c->rec->tgid = head->tgid;
	c->rec->comm = TRACE_STR_NONE;
	if (!head->comm_len)
		return LINE_RECORD;
	return event_text_name(c->r, c->l, head->comm, head->comm_len,
			       &c->rec->comm);
}

static enum line_result event_fpu(struct event_ctx *c, const char *p,
				  const char *end)
{
	if (scan_starts(p, end, "load"))
		c->rec->kind = TRACE_RUN_BEGIN;
	else if (scan_starts(p, end, "unload"))
		c->rec->kind = TRACE_RUN_END;
	else
		return event_broken(c, "'load' or 'unload'");
	return event_current(c);
}

/* arm64, and x86 before 5.4 in kvm_exit, print no vCPU number. */
static enum line_result event_kvm(struct event_ctx *c, const char *p,
				  const char *end)
{
	u64 vcpu = IDX_NONE;

	p = scan_spaces(p, end);
	if (scan_starts(p, end, "vcpu ")) {
		if (!scan_u64(p + strlen("vcpu "), end, &vcpu) ||
		    vcpu >= VCPU_MAX)
			return event_broken(c, "'vcpu N', N below 65536");
	}
	c->rec->u.kvm.vcpu = (u32)vcpu;
	return event_current(c);
}

static enum line_result event_kvm_entry(struct event_ctx *c, const char *p,
					const char *end)
{
	c->rec->kind = TRACE_KVM_ENTRY;
	return event_kvm(c, p, end);
}

static enum line_result event_kvm_exit(struct event_ctx *c, const char *p,
				       const char *end)
{
	c->rec->kind = TRACE_KVM_EXIT;
	return event_kvm(c, p, end);
}

#define ROW(event, fn) { event, sizeof(event) - 1, fn }

static const struct event_text events[] = {
	ROW("sched_switch", event_switch),
	ROW("sched_wakeup", event_wakeup),
	ROW("sched_waking", event_wakeup),
	ROW("kvm_entry", event_kvm_entry),
	ROW("kvm_exit", event_kvm_exit),
	ROW("kvm_fpu", event_fpu),
	ROW("sched_migrate_task", event_migrate),
	ROW("sched_wakeup_new", event_wakeup),
	ROW("sched_process_fork", event_fork),
	ROW("sched_process_exit", event_exit),
};

const struct event_text *event_text_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].len == len &&
		    memcmp(events[i].name, name, len) == 0)
			return &events[i];
	return NULL;
}

enum line_result event_text_parse(const struct event_text *ev,
				  struct reader *r,
				  const struct event_text_head *head,
				  struct line *l)
{
	struct event_ctx c = { r, head, l, l->rec };
	const char *end = l->end;

	while (end > l->p && end[-1] == ' ')
		end--;
	return ev->parse(&c, l->p, end);
}
