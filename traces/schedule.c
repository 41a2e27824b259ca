/*
 * Three passes over compact copies of the records: read and sort, find out
 * who is who (identity.c), replay.  Two views of each CPU are kept: @running
 * follows the switches alone and is what chain breaks, run times and
 * intervals rest on; @shown is what the last event said, which may know more
 * (a KVM event shows who is there after a hole).
 */
#include "traces/schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "traces/identity.h"
#include "traces/threads_file.h"
#include "traces/trace.h"

/* Values of @running and @shown besides a life and LIFE_IDLE. */
#define WHO_UNKNOWN	IDX_NONE

/* One record, cut down to what the replay needs. */
struct step {
	u64 ns;
	u32 a;				/* tid it is about, later the life */
	u32 b;				/* next tid, later life; vCPU of KVM */
	u32 tgid;
	u32 comm_a;
	u32 comm_b;
	u16 cpu;
	u8 kind;
	char state;
	bool born;
};

struct cpu {
	u32 dense;			/* IDX_NONE: no records of it */
	u32 running;
	u32 shown;
	u32 chain;			/* who its last switch let in */
	u32 first_prev;			/* who left in its first switch */
	u64 since_ns;			/* start of @running */
	bool judged;			/* @first_prev is settled */
};

struct builder {
	struct schedule *s;
	const struct schedule_options *opt;
	struct identity *id;
	struct step *step;
	u64 nr_steps;
	u64 room_steps;
	u64 room_events;
	u64 first_ns;
	u64 last_ns;
	bool sorted;
	struct cpu *cpu;		/* [TRACE_CPU_MAX] */
	u32 *on_cpu;			/* per life: where @running has it */
	u32 *shown_on;			/* per life: where @shown has it */
	u32 *last_cpu;			/* per vCPU: last switch-in */
	const char *name;
	struct err *err;
};

static int builder_nomem(struct builder *b)
{
	return err_set(b->err, -ENOMEM, "%s: no memory for %llu records",
		       b->name, (unsigned long long)b->nr_steps);
}

static int builder_push(struct builder *b, const struct trace_rec *rec)
{
	struct step *st;

	if (b->nr_steps == b->room_steps) {
		u64 room = b->room_steps ? b->room_steps * 2 : 4096;
		void *grown = realloc(b->step, room * sizeof(*b->step));

		if (!grown)
			return builder_nomem(b);
		b->step = grown;
		b->room_steps = room;
	}
	st = &b->step[b->nr_steps++];
	memset(st, 0, sizeof(*st));
	st->ns = rec->ts_ns;
	st->a = rec->tid;
	st->tgid = rec->tgid;
	st->comm_a = rec->comm;
	st->cpu = (u16)rec->cpu;
	st->kind = (u8)rec->kind;
	if (rec->kind == TRACE_SWITCH) {
		st->b = rec->u.sw.next_tid;
		st->comm_b = rec->u.sw.next_comm;
		st->state = rec->u.sw.prev_state;
	} else if (rec->kind == TRACE_TASK) {
		st->born = rec->u.task.born;
	} else if (rec->kind == TRACE_KVM_ENTRY || rec->kind == TRACE_KVM_EXIT) {
		st->b = rec->u.kvm.vcpu;
	}
	if (b->nr_steps > 1 && st->ns < st[-1].ns)
		b->sorted = false;
	return 0;
}

/* Records of identity may be synthesised and have no time worth the name. */
static void builder_span(struct builder *b, const struct trace_rec *rec)
{
	if (rec->kind == TRACE_TASK || rec->kind == TRACE_TASK_EXIT ||
	    rec->kind == TRACE_LOST)
		return;
	b->first_ns = min_u64(b->first_ns, rec->ts_ns);
	b->last_ns = max_u64(b->last_ns, rec->ts_ns);
	if (rec->kind != TRACE_MIGRATE && rec->kind != TRACE_WAKEUP)
		b->cpu[rec->cpu].dense = 0;
}

static int builder_threads(struct builder *b, struct trace *t)
{
	struct trace_rec *rec;
	size_t nr;
	int ret;

	if (!b->opt->threads_path)
		return 0;
	ret = threads_file_load(b->opt->threads_path, t, &rec, &nr, b->err);
	for (size_t i = 0; i < nr && ret == 0; i++)
		ret = builder_push(b, &rec[i]);
	free(rec);
	return ret;
}

static int builder_read(struct builder *b, struct trace *t)
{
	struct trace_rec rec;
	int ret = builder_threads(b, t);

	if (ret)
		return ret;
	while ((ret = trace_next(t, &rec, b->err)) > 0) {
		b->s->kind_records[rec.kind]++;
		builder_span(b, &rec);
		if (rec.kind == TRACE_WAKEUP || rec.kind == TRACE_TASK_EXIT)
			continue;
		ret = builder_push(b, &rec);
		if (ret)
			return ret;
	}
	return ret;
}

/* Bottom-up merge sort: stable, and quick on runs that are sorted already. */
static void step_merge(struct step *to, const struct step *from, u64 mid,
		       u64 nr)
{
	u64 i = 0;
	u64 j = mid;

	if (from[mid - 1].ns <= from[mid].ns) {
		memcpy(to, from, nr * sizeof(*to));
		return;
	}
	for (u64 k = 0; k < nr; k++) {
		bool left = j == nr || (i < mid && from[i].ns <= from[j].ns);

		to[k] = left ? from[i++] : from[j++];
	}
}

static int builder_sort(struct builder *b)
{
	u64 nr = b->nr_steps;
	struct step *other;

	if (b->sorted || nr < 2)
		return 0;
	other = malloc(nr * sizeof(*other));
	if (!other)
		return builder_nomem(b);
	for (u64 width = 1; width < nr; width *= 2) {
		struct step *swap = b->step;

		for (u64 at = 0; at < nr; at += 2 * width) {
			u64 len = min_u64(2 * width, nr - at);

			if (len > width)
				step_merge(other + at, b->step + at, width, len);
			else
				memcpy(other + at, b->step + at,
				       len * sizeof(*other));
		}
		b->step = other;
		other = swap;
	}
	free(other);
	b->room_steps = nr;
	return 0;
}

static int step_identify(struct identity *id, struct step *st)
{
	enum identity_name how = IDENTITY_NAME_SURE;
	u32 tid = st->a;
	u32 vcpu = st->b;
	int ret;

	if (st->kind == TRACE_LOST)
		return 0;
	if (st->born)
		identity_end(id, tid);
	if (st->kind != TRACE_SWITCH && st->kind != TRACE_MIGRATE &&
	    st->kind != TRACE_TASK)
		how = IDENTITY_NAME_WEAK;
	ret = identity_see(id, tid, st->comm_a, how, &st->a);
	if (ret)
		return ret;
	identity_tgid(id, st->a, st->tgid);
	if (st->kind == TRACE_SWITCH) {
		identity_ran(id, st->a);
		if (st->state == 'X' || st->state == 'Z' || st->state == 'x')
			identity_end(id, tid);
		ret = identity_see(id, st->b, st->comm_b, how, &st->b);
		if (ret == 0)
			identity_ran(id, st->b);
	} else if (how == IDENTITY_NAME_WEAK) {
		bool numbered = st->kind == TRACE_KVM_ENTRY ||
				st->kind == TRACE_KVM_EXIT;

		identity_kvm(id, st->a, numbered ? vcpu : IDX_NONE);
	}
	return ret;
}

static int builder_identify(struct builder *b)
{
	for (u64 i = 0; i < b->nr_steps; i++) {
		struct step *st = &b->step[i];

		if (step_identify(b->id, st))
			return builder_nomem(b);
		if (st->kind == TRACE_SWITCH && !b->cpu[st->cpu].judged) {
			b->cpu[st->cpu].judged = true;
			b->cpu[st->cpu].first_prev = st->a;
		} else if (st->kind == TRACE_LOST) {
			b->cpu[st->cpu].judged = true;
		}
	}
	return identity_finish(b->id, b->s, b->err);
}

static int builder_pcpus(struct builder *b)
{
	struct schedule *s = b->s;

	s->pcpu_id = malloc(TRACE_CPU_MAX * sizeof(*s->pcpu_id));
	if (!s->pcpu_id)
		return builder_nomem(b);
	for (u32 i = 0; i < TRACE_CPU_MAX; i++) {
		if (b->cpu[i].dense == IDX_NONE)
			continue;
		b->cpu[i].dense = s->nr_pcpus;
		s->pcpu_id[s->nr_pcpus++] = i;
	}
	return 0;
}

static int builder_event(struct builder *b, const struct schedule_event *ev)
{
	struct schedule *s = b->s;

	if (s->nr_events == b->room_events) {
		u64 room = b->room_events ? b->room_events * 2 : 4096;
		void *grown = realloc(s->event, room * sizeof(*s->event));

		if (!grown)
			return builder_nomem(b);
		s->event = grown;
		b->room_events = room;
	}
	s->event[s->nr_events++] = *ev;
	return 0;
}

/* A life, LIFE_IDLE or WHO_UNKNOWN as an event. */
static void who_event(const struct builder *b, u32 who,
		      struct schedule_event *ev)
{
	ev->vcpu = IDX_NONE;
	if (who == WHO_UNKNOWN) {
		ev->what = SCHEDULE_UNKNOWN;
	} else if (who == LIFE_IDLE) {
		ev->what = SCHEDULE_IDLE;
	} else {
		ev->vcpu = identity_vcpu(b->id, who);
		ev->what = ev->vcpu == IDX_NONE ? SCHEDULE_HOST :
						  SCHEDULE_VCPU;
	}
}

static bool who_is_life(u32 who)
{
	return who < LIFE_IDLE;
}

/*
 * Say that @who is on @cpu from @ns on.  A thread shown elsewhere leaves a
 * hole there: nobody saw it go.
 */
static int builder_show(struct builder *b, u32 cpu, u32 who, u64 ns,
			bool preempted)
{
	struct cpu *c = &b->cpu[cpu];
	struct schedule_event ev = { .ns = ns, .pcpu = c->dense };
	struct schedule_event old = ev;
	int ret;

	if (c->shown == who)
		return 0;
	if (who_is_life(who) && b->shown_on[who] != IDX_NONE) {
		ret = builder_show(b, b->shown_on[who], WHO_UNKNOWN, ns, false);
		if (ret)
			return ret;
	}
	who_event(b, c->shown, &old);
	who_event(b, who, &ev);
	if (who_is_life(c->shown))
		b->shown_on[c->shown] = IDX_NONE;
	if (who_is_life(who))
		b->shown_on[who] = cpu;
	c->shown = who;
	/* One host thread after another is nothing new. */
	if (old.what == ev.what && ev.what != SCHEDULE_VCPU)
		return 0;
	ev.preempted = preempted;
	return builder_event(b, &ev);
}

static void interval_print(const struct builder *b, u32 cpu, u32 vcpu,
			   u64 end_ns, char state)
{
	u64 start_ns = b->cpu[cpu].since_ns;

	fprintf(b->opt->intervals, "%llu %llu %u %u %c%s\n",
		(unsigned long long)start_ns, (unsigned long long)end_ns, cpu,
		b->s->vcpu[vcpu].tid, state == '+' ? 'R' : state,
		state == '+' ? "+" : "");
}

/* End of what @running says about @cpu; the time goes to the vCPU. */
static void running_close(struct builder *b, u32 cpu, u64 ns, char state)
{
	struct cpu *c = &b->cpu[cpu];
	u32 vcpu = IDX_NONE;

	if (who_is_life(c->running)) {
		vcpu = identity_vcpu(b->id, c->running);
		b->on_cpu[c->running] = IDX_NONE;
	}
	c->running = WHO_UNKNOWN;
	if (vcpu == IDX_NONE)
		return;
	b->s->vcpu[vcpu].run_ns += ns - c->since_ns;
	if (b->opt->intervals)
		interval_print(b, cpu, vcpu, ns, state);
}

/* @who cannot be running on another CPU: end that, and leave a hole. */
static int running_only_here(struct builder *b, u32 cpu, u32 who, u64 ns)
{
	u32 other;

	if (!who_is_life(who))
		return 0;
	other = b->on_cpu[who];
	if (other == IDX_NONE || other == cpu)
		return 0;
	b->s->double_runs++;
	running_close(b, other, ns, '?');
	return builder_show(b, other, WHO_UNKNOWN, ns, false);
}

static void running_open(struct builder *b, u32 cpu, u32 who, u64 ns)
{
	b->cpu[cpu].running = who;
	b->cpu[cpu].since_ns = ns;
	if (who_is_life(who))
		b->on_cpu[who] = cpu;
}

static void count_sched_in(struct builder *b, u32 cpu, u32 who)
{
	u32 vcpu = who_is_life(who) ? identity_vcpu(b->id, who) : IDX_NONE;

	if (vcpu == IDX_NONE)
		return;
	b->s->vcpu[vcpu].sched_ins++;
	if (b->last_cpu[vcpu] != IDX_NONE && b->last_cpu[vcpu] != cpu)
		b->s->vcpu[vcpu].pcpu_changes++;
	b->last_cpu[vcpu] = cpu;
}

/* A thread that took another name while it ran is still the same thread. */
static bool same_thread(const struct builder *b, u32 who, u32 other)
{
	return who != WHO_UNKNOWN &&
	       identity_tid(b->id, who) == identity_tid(b->id, other);
}

static int replay_switch(struct builder *b, const struct step *st)
{
	struct cpu *c = &b->cpu[st->cpu];
	bool preempted = st->state == 'R' || st->state == '+';
	int ret;

	b->s->switches++;
	if (c->chain != WHO_UNKNOWN && !same_thread(b, c->chain, st->a))
		b->s->chain_breaks++;
	if (c->running != st->a)
		running_close(b, st->cpu, st->ns,
			      same_thread(b, c->running, st->a) ? st->state :
								  '?');
	ret = running_only_here(b, st->cpu, st->a, st->ns);
	if (ret)
		return ret;
	if (c->running == st->a)
		running_close(b, st->cpu, st->ns, st->state);
	/* Prev was there: if only for this moment, it must have been loaded. */
	ret = builder_show(b, st->cpu, st->a, st->ns, false);
	if (ret == 0)
		ret = running_only_here(b, st->cpu, st->b, st->ns);
	if (ret == 0)
		ret = builder_show(b, st->cpu, st->b, st->ns, preempted);
	if (ret)
		return ret;
	c->chain = st->b;
	running_open(b, st->cpu, st->b, st->ns);
	count_sched_in(b, st->cpu, st->b);
	return 0;
}

/* A KVM event: its thread is on the CPU, whatever the switches say. */
static int replay_current(struct builder *b, const struct step *st)
{
	struct cpu *c = &b->cpu[st->cpu];
	struct schedule_event ev = { .ns = st->ns, .pcpu = c->dense };
	int ret = builder_show(b, st->cpu, st->a, st->ns, false);

	if (ret)
		return ret;
	ev.vcpu = st->a == LIFE_IDLE ? IDX_NONE : identity_vcpu(b->id, st->a);
	if (ev.vcpu == IDX_NONE)
		return 0;
	if (st->kind == TRACE_RUN_BEGIN)
		ev.what = SCHEDULE_RUN_BEGIN;
	else if (st->kind == TRACE_RUN_END)
		ev.what = SCHEDULE_RUN_END;
	else
		return 0;
	b->s->has_brackets = true;
	return builder_event(b, &ev);
}

static int replay_step(struct builder *b, const struct step *st)
{
	u32 vcpu;

	switch ((enum trace_kind)st->kind) {
	case TRACE_SWITCH:
		return replay_switch(b, st);
	case TRACE_LOST:
		if (b->cpu[st->cpu].dense == IDX_NONE)
			return 0;
		b->cpu[st->cpu].chain = WHO_UNKNOWN;
		running_close(b, st->cpu, st->ns, '?');
		return builder_show(b, st->cpu, WHO_UNKNOWN, st->ns, false);
	case TRACE_MIGRATE:
		vcpu = st->a == LIFE_IDLE ? IDX_NONE :
					    identity_vcpu(b->id, st->a);
		if (vcpu != IDX_NONE)
			b->s->vcpu[vcpu].migrate_hints++;
		return 0;
	case TRACE_RUN_BEGIN:
	case TRACE_RUN_END:
	case TRACE_KVM_ENTRY:
	case TRACE_KVM_EXIT:
		return replay_current(b, st);
	default:
		return 0;
	}
}

/* Who left a CPU first ran there since the start, if nothing was lost. */
static int replay_start(struct builder *b, bool lossless)
{
	for (u32 i = 0; i < b->s->nr_pcpus; i++) {
		u32 cpu = b->s->pcpu_id[i];
		struct cpu *c = &b->cpu[cpu];
		struct schedule_event ev = { .ns = b->first_ns, .pcpu = i,
					     .vcpu = IDX_NONE,
					     .what = SCHEDULE_UNKNOWN };
		bool known = lossless && c->first_prev != WHO_UNKNOWN;
		int ret;

		/* A thread that leaves two CPUs first was seen on one of them. */
		if (known && who_is_life(c->first_prev) &&
		    b->on_cpu[c->first_prev] != IDX_NONE)
			known = false;
		if (known) {
			ret = builder_show(b, cpu, c->first_prev, b->first_ns,
					   false);
			running_open(b, cpu, c->first_prev, b->first_ns);
		} else {
			ret = builder_event(b, &ev);
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int builder_replay(struct builder *b)
{
	const struct trace_counts *counts = &b->s->counts;
	int ret;

	if (b->opt->intervals)
		fprintf(b->opt->intervals,
			"# start_ns end_ns cpu tid out_state\n");
	ret = replay_start(b, counts->lost_events == 0 &&
			      counts->lost_markers == 0);
	for (u64 i = 0; i < b->nr_steps && ret == 0; i++) {
		struct step *st = &b->step[i];

		/* Identity, and holes before the first record, have no time. */
		if (st->ns < b->first_ns)
			st->ns = b->first_ns;
		ret = replay_step(b, st);
	}
	for (u32 i = 0; i < b->s->nr_pcpus && ret == 0; i++)
		running_close(b, b->s->pcpu_id[i], b->last_ns, '-');
	for (u64 i = 0; i < b->s->nr_events; i++)
		b->s->event[i].ns -= b->first_ns;
	b->s->first_ns = b->first_ns;
	b->s->duration_ns = b->last_ns - b->first_ns;
	if (ret == 0 && b->opt->intervals && ferror(b->opt->intervals))
		return err_set(b->err, -EIO, "writing the intervals: %s",
			       strerror(errno));
	return ret;
}

static int builder_alloc(struct builder *b)
{
	u64 lives = identity_nr_lives(b->id);

	b->on_cpu = malloc((lives + 1) * sizeof(*b->on_cpu));
	b->shown_on = malloc((lives + 1) * sizeof(*b->shown_on));
	b->last_cpu = malloc((b->s->nr_vcpus + 1ull) * sizeof(*b->last_cpu));
	if (!b->on_cpu || !b->shown_on || !b->last_cpu)
		return builder_nomem(b);
	memset(b->on_cpu, 0xff, (lives + 1) * sizeof(*b->on_cpu));
	memset(b->shown_on, 0xff, (lives + 1) * sizeof(*b->shown_on));
	memset(b->last_cpu, 0xff,
	       (b->s->nr_vcpus + 1ull) * sizeof(*b->last_cpu));
	return 0;
}

static void builder_counts(struct builder *b, const struct trace *t)
{
	struct schedule *s = b->s;

	s->counts = *trace_counts(t);
	s->lost_events = s->counts.lost_events;
	s->lost_markers = s->counts.lost_markers;
	s->torn = s->counts.torn;
	s->broken = s->counts.broken;
	s->recorded_under = *trace_recorded_under(t);
	s->text = trace_is_text(t);
	snprintf(s->format, sizeof(s->format), "%s", trace_format(t));
	snprintf(s->trace_file, sizeof(s->trace_file), "%s", b->name);
}

/* There is something to replay, or the message says what there is instead. */
static int builder_judge(struct builder *b)
{
	const struct schedule *s = b->s;
	const struct trace_counts *c = &s->counts;

	if (c->records == 0)
		return err_set(b->err, -EPROTO,
			       "%s: no scheduling or KVM event in %llu %s (%llu skipped, %llu broken%s%s); expected sched_switch",
			       b->name, (unsigned long long)c->lines,
			       s->text ? "lines" : "records",
			       (unsigned long long)c->skipped,
			       (unsigned long long)c->broken,
			       c->first_broken[0] ? "; first: " : "",
			       c->first_broken);
	if (s->nr_vcpus == 0 && !b->opt->allow_empty)
		return err_set(b->err, -EPROTO,
			       "%s: %llu switches, but none of a vCPU thread; expected names such as 'CPU 0/KVM' or 'fc_vcpu 0' (QEMU: -name guest,debug-threads=on), or kvm_entry, kvm_exit or kvm_fpu events",
			       b->name, (unsigned long long)s->switches);
	if (s->switches == 0 && !b->opt->allow_empty)
		return err_set(b->err, -EPROTO,
			       "%s: %llu records, but no sched_switch; record with '-e sched:sched_switch'",
			       b->name, (unsigned long long)c->records);
	return 0;
}

static int builder_run(struct builder *b, struct trace *t)
{
	int ret = builder_read(b, t);

	if (ret)
		return ret;
	builder_counts(b, t);
	/* A trace of WAKEUPs alone has times, one of TASKs alone has not. */
	if (b->first_ns > b->last_ns)
		b->first_ns = b->last_ns;
	ret = builder_sort(b);
	if (ret == 0)
		ret = builder_identify(b);
	if (ret == 0)
		ret = builder_pcpus(b);
	if (ret == 0)
		ret = builder_alloc(b);
	if (ret == 0)
		ret = builder_replay(b);
	return ret ? ret : builder_judge(b);
}

static void builder_release(struct builder *b)
{
	identity_destroy(b->id);
	free(b->step);
	free(b->cpu);
	free(b->on_cpu);
	free(b->shown_on);
	free(b->last_cpu);
}

int schedule_from_trace(struct trace *t, const char *name,
			const struct schedule_options *opt,
			struct schedule **out, struct err *err)
{
	struct builder b = {
		.s = calloc(1, sizeof(*b.s)),
		.opt = opt,
		.cpu = malloc(TRACE_CPU_MAX * sizeof(*b.cpu)),
		.first_ns = TIME_NEVER,
		.sorted = true,
		.name = name,
		.err = err,
	};
	int ret = -ENOMEM;

	b.id = identity_create(t, err);
	if (b.s && b.cpu && b.id) {
		for (u32 i = 0; i < TRACE_CPU_MAX; i++)
			b.cpu[i] = (struct cpu){ IDX_NONE, WHO_UNKNOWN,
						 WHO_UNKNOWN, WHO_UNKNOWN,
						 WHO_UNKNOWN, 0, false };
		ret = builder_run(&b, t);
	} else {
		builder_nomem(&b);
	}
	builder_release(&b);
	if (ret) {
		schedule_free(b.s);
		return ret;
	}
	*out = b.s;
	return 0;
}

int schedule_load(const char *path, const char *format,
		  const struct schedule_options *opt, struct schedule **out,
		  struct err *err)
{
	struct trace *t;
	int ret = trace_open(path, format, &t, err);

	if (ret)
		return ret;
	if (opt->strict)
		trace_set_strict(t);
	ret = schedule_from_trace(t, path, opt, out, err);
	trace_close(t);
	return ret;
}

void schedule_free(struct schedule *s)
{
	if (!s)
		return;
	free(s->event);
	free(s->vcpu);
	free(s->vm);
	free(s->pcpu_id);
	free(s);
}
