/*
 * From records to "which vCPU is loaded on which pCPU": recognises vCPU
 * threads, groups them into VMs, and replays the switches through a state
 * machine that survives holes.  The result is one read-only array that every
 * policy of a comparison replays.
 */
#ifndef TRACES_SCHEDULE_H
#define TRACES_SCHEDULE_H

#include <stdio.h>

#include "sim/base/types.h"
#include "traces/trace.h"

struct err;

enum schedule_what {
	SCHEDULE_VCPU,			/* @vcpu now runs on @pcpu */
	SCHEDULE_HOST,			/* a thread that is no vCPU */
	SCHEDULE_IDLE,
	SCHEDULE_UNKNOWN,		/* hole: nothing is known from here on */
	SCHEDULE_RUN_BEGIN,		/* @vcpu entered KVM_RUN (vcpu_load) */
	SCHEDULE_RUN_END,		/* @vcpu left KVM_RUN (vcpu_put) */
};

/**
 * struct schedule_event - one step of a recorded placement
 * @ns: nanoseconds since the start of the trace; never decreases
 * @pcpu: dense pCPU index
 * @vcpu: index into vcpu[] of the schedule, or IDX_NONE
 * @what: what holds on @pcpu from @ns on; a vCPU is on one pCPU at most
 * @preempted: the thread that left could have gone on running (R, R+)
 */
struct schedule_event {
	u64 ns;
	u32 pcpu;
	u32 vcpu;
	u8 what;
	bool preempted;
};

/**
 * struct schedule_vcpu - one vCPU thread
 * @tid: thread id in the trace
 * @vm: index into vm[]
 * @index: vCPU number inside its VM, from the name or kvm_entry; a thread that
 *         was started anew has the number of the one before
 * @comm: thread name; control bytes are shown escaped by the printers
 * @sched_ins: times it was switched in
 * @pcpu_changes: switch-ins on another pCPU than the one before
 * @migrate_hints: sched_migrate_task records about it
 * @run_ns: time on a pCPU
 */
struct schedule_vcpu {
	u32 tid;
	u32 vm;
	u32 index;
	char comm[65];
	u64 sched_ins;
	u64 pcpu_changes;
	u64 migrate_hints;
	u64 run_ns;
};

/**
 * struct schedule_vm - one VM
 * @tgid: process id, or 0 when the grouping is assumed
 * @monitor: virtual machine monitor, told by the thread names; a static
 *           string, "unknown" when only KVM events gave the vCPUs away
 * @nr_vcpus: its vCPUs
 * @assumed: grouped by guesswork (names and tids), not by process id
 */
struct schedule_vm {
	u32 tgid;
	const char *monitor;
	u32 nr_vcpus;
	bool assumed;
};

/**
 * struct schedule - a decoded recording; read-only after schedule_load()
 * @event: @nr_events steps in time order
 * @vcpu: @nr_vcpus threads, sorted by (vm, index)
 * @vm: @nr_vms VMs
 * @nr_pcpus: pCPUs seen; dense, @pcpu_id[] holds the recorded numbers
 * @duration_ns: last record minus first
 * @first_ns: time stamp of the first record on the trace's own clock
 * @switches: sched_switch records
 * @kind_records: records of each kind
 * @counts: what the reader met
 * @chain_breaks: switches whose prev is not who ran there
 * @double_runs: threads seen on two pCPUs at once (closed at the new start)
 * @has_brackets: the trace has KVM_RUN brackets, so loads are exact
 * @lost_events: events that the recorder says it lost
 * @lost_markers: places where it said so
 * @torn: records torn over lines by a newline in a thread name
 * @broken: lines that look like records and cannot be parsed, torn included
 * @recorded_under: policy, l0 and kernel the recording was made under;
 *                  "unknown" where not stated
 * @format: name of the format
 * @text: the format is lines of text
 * @trace_file: path it came from
 *
 * Before the first switch of a pCPU the thread that leaves there is taken to
 * have run since the start, unless records were lost; then it is UNKNOWN.
 */
struct schedule {
	struct schedule_event *event;
	u64 nr_events;
	struct schedule_vcpu *vcpu;
	u32 nr_vcpus;
	struct schedule_vm *vm;
	u32 nr_vms;
	u32 *pcpu_id;
	u32 nr_pcpus;
	u64 duration_ns;
	u64 first_ns;
	u64 switches;
	u64 chain_breaks;
	u64 double_runs;
	u64 lost_events;
	u64 lost_markers;
	u64 torn;
	u64 broken;
	bool has_brackets;
	u64 kind_records[TRACE_KIND_NR];
	struct trace_counts counts;
	struct trace_recorded_under recorded_under;
	char format[32];
	bool text;
	char trace_file[4096];
};

/**
 * struct schedule_options - how to read identity out of a trace
 * @threads_path: side table "tgid N tid N comm NAME" or "ps -eLo pid,tid,comm"
 *                lines; NULL for none
 * @strict: broken lines are fatal
 * @allow_empty: a trace without a vCPU thread is no error
 * @intervals: stream to print "start_ns end_ns cpu tid state" lines to, or
 *             NULL; times are the trace's own.  The state is that of the
 *             thread as it left: "R+" preempted, "?" unknown (records are
 *             missing), "-" still running at the end
 */
struct schedule_options {
	const char *threads_path;
	bool strict;
	bool allow_empty;
	FILE *intervals;
};

/**
 * schedule_load() - decode a recording
 * @path: trace of any format trace_open() knows
 * @format: as trace_open()
 * @opt: options
 * @out: set on success; the caller hands it to schedule_free()
 * @err: set on failure
 *
 * Return: 0; what trace_open() and trace_next() return; -EPROTO when the
 * trace holds no switch of a vCPU thread (the message says what was seen).
 */
int schedule_load(const char *path, const char *format,
		  const struct schedule_options *opt, struct schedule **out,
		  struct err *err);

/**
 * schedule_from_trace() - decode a recording that is open already
 * @t: trace, before its first trace_next(); remains the caller's
 * @name: what to call it in messages
 * @opt: options; @strict is the caller's to set on @t
 * @out: set on success; the caller hands it to schedule_free()
 * @err: set on failure
 *
 * Return: as schedule_load().
 */
int schedule_from_trace(struct trace *t, const char *name,
			const struct schedule_options *opt,
			struct schedule **out, struct err *err);

/**
 * schedule_free() - release a schedule
 * @s: schedule; NULL is allowed
 */
void schedule_free(struct schedule *s);

#endif /* TRACES_SCHEDULE_H */
