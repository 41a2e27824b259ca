/*
 * Recorded scheduling traces: one interface over every format.  A trace is a
 * stream of records in the trace's own terms (threads, CPUs); what they mean
 * for vCPUs is decided in traces/schedule.h.
 */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include "sim/base/types.h"

struct err;
struct trace;				/* opaque; one open trace file */

/* Limits on hostile input; each is checked, documented and tested. */
#define TRACE_LINE_MAX	65536u		/* bytes of one text line */
#define TRACE_COMM_MAX	64u		/* bytes of one thread name, NUL apart */
#define TRACE_STRINGS_MAX	(1u << 22)	/* distinct thread names */
#define TRACE_CPU_MAX	PCPU_MAX
#define TRACE_TID_MAX	((1u << 30) - 1)	/* far above the kernel's limit */

enum trace_kind {
	TRACE_SWITCH,			/* sched_switch */
	TRACE_MIGRATE,			/* sched_migrate_task: a hint only */
	TRACE_WAKEUP,			/* sched_wakeup, sched_waking, ..._new */
	TRACE_RUN_BEGIN,		/* KVM_RUN entered (kvm_fpu: load) */
	TRACE_RUN_END,			/* KVM_RUN left (kvm_fpu: unload) */
	TRACE_KVM_ENTRY,		/* kvm_entry */
	TRACE_KVM_EXIT,			/* kvm_exit */
	TRACE_TASK,			/* thread identity: fork, comm, task events */
	TRACE_TASK_EXIT,		/* thread ended */
	TRACE_LOST,			/* records missing on @cpu before this point */
	TRACE_KIND_NR,
};

#define TRACE_STR_NONE	UINT32_MAX
#define TRACE_TGID_NONE	0u

/**
 * struct trace_rec - one record, parsed, still in the trace's terms
 * @ts_ns: time stamp in nanoseconds of the trace's clock
 * @line: 1-based line of a text file, or the record's ordinal in a binary one
 * @cpu: CPU that logged it, 0-based
 * @tid: thread the record is about: the one leaving (TRACE_SWITCH, 0 is
 *       idle), the current one (RUN, KVM_ENTRY/EXIT), the one moved or named
 * @tgid: process of @tid where the record says it, else TRACE_TGID_NONE
 * @comm: name of @tid as an id for trace_string(), or TRACE_STR_NONE
 * @kind: says which union member is valid
 * @u: per kind; @lost.count is 0 when the recorder gave no number
 *
 * Plain data with no pointers in it: copy it freely.
 */
struct trace_rec {
	u64 ts_ns;
	u64 line;
	u32 cpu;
	u32 tid;
	u32 tgid;
	u32 comm;
	enum trace_kind kind;
	union {
		struct {
			u32 next_tid;	/* 0 is idle */
			u32 next_comm;
			char prev_state; /* 'R', 'S', 'D', 'X' ...; '+' = R+ */
		} sw;
		struct { u32 from_cpu, to_cpu; } migrate;
		struct { u32 vcpu; } kvm;	/* IDX_NONE if not printed */
		struct { bool born; } task;	/* forked just now */
		struct { u64 count; } lost;
	} u;
};

/**
 * struct trace_counts - what a reader met besides records
 * @lines: lines or binary records read
 * @records: records handed out
 * @skipped: lines that are not ours
 * @broken: lines that look like ours and cannot be parsed
 * @torn: of @broken, records torn over lines by a newline in a thread name
 * @lost_markers: lost-event markers
 * @lost_events: sum of their counts where given, header of ftrace included
 * @unordered: records whose time ran back on their own CPU
 * @first_broken: message for the first broken line, empty if none
 */
struct trace_counts {
	u64 lines;
	u64 records;
	u64 skipped;
	u64 broken;
	u64 torn;
	u64 lost_markers;
	u64 lost_events;
	u64 unordered;
	char first_broken[512];
};

#define TRACE_UNDER_MAX	64u		/* bytes of one field below, NUL included */

/**
 * struct trace_recorded_under - the conditions of a recording
 * @policy: flush policy in force, as on the command line of this program
 * @l0: what the host ran on: "bare", "hyperv", ...
 * @kernel: release of the host's kernel
 *
 * A field that is not known holds "unknown", never an empty string.
 */
struct trace_recorded_under {
	char policy[TRACE_UNDER_MAX];
	char l0[TRACE_UNDER_MAX];
	char kernel[TRACE_UNDER_MAX];
};

/**
 * trace_open() - open a trace of any known format
 * @path: file, or "-" for standard input; zstd and gzip are undone on the fly
 * @format: name of a format, or NULL / "auto" to recognise it by content
 * @out: set to the new trace on success; the caller hands it to trace_close()
 * @err: set on failure
 *
 * Return: 0; a negative errno of open(2); -EPROTO if no reader knows the
 * content (the message then says what would be usable).
 */
int trace_open(const char *path, const char *format, struct trace **out,
	       struct err *err);

/**
 * trace_open_memory() - open a trace that stands in memory
 * @data: the bytes of the file, borrowed until trace_close()
 * @len: bytes in @data
 * @format: as trace_open()
 * @out: set to the new trace on success; the caller hands it to trace_close()
 * @err: set on failure
 *
 * Return: as trace_open().
 */
int trace_open_memory(const void *data, size_t len, const char *format,
		      struct trace **out, struct err *err);

/**
 * trace_next() - read the next record
 * @t: trace
 * @rec: filled in when 1 is returned
 * @err: set on failure; starts with "path:line:" or "path: offset N:"
 *
 * Records keep the order of the file.  A line that is not ours is skipped and
 * counted; one that looks like ours and is broken is counted, and fatal only
 * after trace_set_strict().
 *
 * Return: 1 with a record, 0 at the end, -EPROTO for damage, -EIO.
 */
int trace_next(struct trace *t, struct trace_rec *rec, struct err *err);

/**
 * trace_set_strict() - make broken lines fatal
 * @t: trace, before the first trace_next()
 */
void trace_set_strict(struct trace *t);

/**
 * trace_string() - text of a thread name
 * @t: trace
 * @id: id out of a record
 *
 * Return: NUL-terminated bytes as recorded (any byte but NUL; not UTF-8 by
 * nature), valid until trace_close(); "" for TRACE_STR_NONE.
 */
const char *trace_string(const struct trace *t, u32 id);

/**
 * trace_counts() - what has been met so far
 * @t: trace
 *
 * Return: counts that live as long as @t.
 */
const struct trace_counts *trace_counts(const struct trace *t);

/**
 * trace_format() - name of the format a trace was recognised as
 * @t: trace
 *
 * Return: a static string such as "ftrace", "perf-script", "vst".
 */
const char *trace_format(const struct trace *t);

/**
 * trace_format_name() - names of the formats, for help texts
 * @i: 0, 1, 2 ...
 *
 * Return: a static string, or NULL past the last format.
 */
const char *trace_format_name(size_t i);

/**
 * trace_is_text() - do record lines count lines of text
 * @t: trace
 *
 * Return: true for a text format.
 */
bool trace_is_text(const struct trace *t);

/**
 * trace_compression() - how the file was packed
 * @t: trace
 *
 * Return: "none", "zstd" or "gzip"; a .vst file counts as "none".
 */
const char *trace_compression(const struct trace *t);

/**
 * trace_recorded_under() - the conditions of the recording
 * @t: trace
 *
 * Return: what the file states, "unknown" where it is silent; lives as long
 * as @t.  A text trace may state it in lines before its first record, so ask
 * after that.
 */
const struct trace_recorded_under *trace_recorded_under(const struct trace *t);

/**
 * trace_nr_strings() - how many thread names have been met
 * @t: trace
 *
 * Return: number of names; the ids of trace_string() are below it.
 */
u32 trace_nr_strings(const struct trace *t);

/**
 * trace_intern() - id of a name that did not come from the trace itself
 * @t: trace
 * @name: NUL-terminated, at most TRACE_COMM_MAX bytes
 * @id: set on success
 * @err: set on failure
 *
 * Return: 0, -EINVAL, -ENOSPC, -ENOMEM.
 */
int trace_intern(struct trace *t, const char *name, u32 *id, struct err *err);

/**
 * trace_close() - release a trace
 * @t: trace; NULL is allowed
 */
void trace_close(struct trace *t);

#endif /* TRACES_TRACE_H */
