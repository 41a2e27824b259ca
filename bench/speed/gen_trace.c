/*
 * gen_trace - a big scheduling trace out of a seed, for measuring speed
 *
 * Models: vCPUs that alternate bursts of CPU time (log-normal, sigma 1) and
 * sleeps (exponential); one run queue per pCPU, first come first served, with
 * a time slice; wake-up placement on the pCPU of before, on an idle one when
 * that is busy (every other time), or anywhere at all (a stated share).  So a
 * vCPU is on one pCPU at a time and every switch leaves who came in last.
 *
 * Leaves out: host threads, preemption by a wake-up, balancing between run
 * queues, caches and topology, KVM_RUN brackets, lost events, the cost of
 * switching.  Mean sleep is fitted to the wanted number of switches by short
 * trial runs, so that number is met to about one in a hundred.  It is a load
 * with plausible rates, not a recording: conclude nothing about policies.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "sim/base/types.h"
#include "traces/trace.h"
#include "traces/vst.h"

#define NS_PER_US	UINT64_C(1000)
#define NS_PER_S	UINT64_C(1000000000)
#define START_NS	(1000 * NS_PER_S)	/* of the made-up clock */
#define SLICE_NS	(3000 * NS_PER_US)
#define FIRST_TGID	1000u
#define SPARE_TIDS	8u		/* of a VM: its other threads */
#define TRIALS		4
#define TRIAL_PART	16u		/* of the run, in a trial */
#define PRIO		120

enum purpose { PURPOSE_VCPU = 1, PURPOSE_PLACE };

struct opts {
	u64 pcpus;
	u64 vms;
	u64 vcpus;
	u64 seconds;
	u64 switches;
	u64 busy_us;
	u64 migrate_permille;
	u64 seed;
	bool text;
	const char *path;
};

struct vcpu {
	u32 tid;
	u32 tgid;
	u32 comm;
	u32 pcpu;			/* where it runs, waits or ran last */
	u32 next;			/* in the run queue */
	bool asleep;
	u64 left_ns;			/* of the burst */
	struct rng rng;
};

struct pcpu {
	u32 curr;			/* vCPU, or IDX_NONE */
	u32 head;			/* run queue */
	u32 tail;
	u32 idle_comm;
};

struct timer {
	u64 ns;
	u32 vcpu;
};

/* Where records go; nothing is written in a trial. */
struct sink {
	FILE *text;
	struct vst_writer *vst;
	struct trace *names;
	u64 records;
};

struct gen {
	const struct opts *o;
	struct sink *sink;		/* NULL in a trial */
	u64 sleep_ns;			/* mean */
	u64 switches;
	u64 changes;
	struct rng place;
	struct vcpu *vcpu;
	struct pcpu *pcpu;
	struct timer *heap;		/* by (ns, vcpu) */
	u32 nr_timers;
};

/* Quantiles k/64 of a log-normal of sigma 1, mean 4096, ends cut. */
static const u32 burst_quantile[65] = {
	138, 285, 381, 460, 530, 595, 658, 718,
	778, 836, 895, 953, 1012, 1071, 1130, 1190,
	1251, 1313, 1377, 1441, 1507, 1574, 1643, 1714,
	1786, 1861, 1938, 2017, 2099, 2184, 2271, 2362,
	2457, 2555, 2657, 2764, 2875, 2992, 3114, 3243,
	3378, 3522, 3673, 3834, 4005, 4188, 4384, 4595,
	4822, 5070, 5340, 5637, 5965, 6332, 6745, 7216,
	7761, 8403, 9178, 10141, 11392, 13128, 15824, 21171,
	47775,
};

_Noreturn static void fail(const struct err *err)
{
	fprintf(stderr, "gen_trace: %s\n", err->msg);
	exit(2);
}

static u64 draw_burst(struct rng *r, u64 mean_ns)
{
	u64 at = rng_below(r, 64 << 16);
	u64 k = at >> 16, part = at & 0xffff;
	u64 q = burst_quantile[k] +
		(((burst_quantile[k + 1] - burst_quantile[k]) * part) >> 16);

	return max_u64(mean_ns * q / 4096, 1);
}

static bool timer_before(const struct timer *a, const struct timer *b)
{
	return a->ns < b->ns || (a->ns == b->ns && a->vcpu < b->vcpu);
}

static void timer_push(struct gen *g, u64 ns, u32 vcpu)
{
	struct timer t = { ns, vcpu };
	u32 i = g->nr_timers++;

	while (i && timer_before(&t, &g->heap[(i - 1) / 2])) {
		g->heap[i] = g->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	g->heap[i] = t;
}

static struct timer timer_pop(struct gen *g)
{
	struct timer top = g->heap[0];
	struct timer t = g->heap[--g->nr_timers];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < g->nr_timers) {
		if (child + 1 < g->nr_timers &&
		    timer_before(&g->heap[child + 1], &g->heap[child]))
			child++;
		if (!timer_before(&g->heap[child], &t))
			break;
		g->heap[i] = g->heap[child];
		i = child;
	}
	g->heap[i] = t;
	return top;
}

static void text_head(FILE *f, const struct trace_rec *r, const char *comm,
		      const char *event)
{
	fprintf(f, "%16s %5u/%-5u [%03u] %5" PRIu64 ".%09" PRIu64 ": %26s ",
		comm, r->tgid, r->tid, r->cpu, r->ts_ns / NS_PER_S,
		r->ts_ns % NS_PER_S, event);
}

/* As "perf script --ns -F comm,pid,tid,cpu,time,event,trace" prints it. */
static void text_record(struct sink *s, const struct trace_rec *r)
{
	const char *comm = trace_string(s->names, r->comm);
	struct trace_rec waker = *r;

	switch (r->kind) {
	case TRACE_SWITCH:
		text_head(s->text, r, comm, "sched:sched_switch:");
		fprintf(s->text,
			"prev_comm=%s prev_pid=%u prev_prio=%d prev_state=%c ==> next_comm=%s next_pid=%u next_prio=%d\n",
			comm, r->tid, PRIO, r->u.sw.prev_state,
			trace_string(s->names, r->u.sw.next_comm),
			r->u.sw.next_tid, PRIO);
		break;
	case TRACE_MIGRATE:
		waker.tid = waker.tgid = 0;
		text_head(s->text, &waker, "swapper", "sched:sched_migrate_task:");
		fprintf(s->text, "comm=%s pid=%u prio=%d orig_cpu=%u dest_cpu=%u\n",
			comm, r->tid, PRIO, r->u.migrate.from_cpu,
			r->u.migrate.to_cpu);
		break;
	default:
		text_head(s->text, r, comm, "PERF_RECORD_COMM:");
		fprintf(s->text, "%s:%u/%u\n", comm, r->tgid, r->tid);
		break;
	}
}

static void emit(struct gen *g, struct trace_rec *r)
{
	struct err err;

	if (!g->sink)
		return;
	r->line = ++g->sink->records;
	if (g->sink->text)
		text_record(g->sink, r);
	else if (trace_vst_append(g->sink->vst, r, &err))
		fail(&err);
}

static void emit_switch(struct gen *g, u64 ns, u32 pcpu, u32 to)
{
	const struct pcpu *p = &g->pcpu[pcpu];
	struct trace_rec r = {
		.ts_ns = ns, .cpu = pcpu, .kind = TRACE_SWITCH,
		.comm = p->idle_comm,
		.u.sw = { .next_comm = p->idle_comm, .prev_state = 'R' },
	};

	if (p->curr != IDX_NONE) {
		const struct vcpu *v = &g->vcpu[p->curr];

		r.tid = v->tid;
		r.tgid = v->tgid;
		r.comm = v->comm;
		r.u.sw.prev_state = v->left_ns ? 'R' : 'S';
	}
	if (to != IDX_NONE) {
		r.u.sw.next_tid = g->vcpu[to].tid;
		r.u.sw.next_comm = g->vcpu[to].comm;
	}
	g->switches++;
	emit(g, &r);
}

static void emit_migrate(struct gen *g, u64 ns, const struct vcpu *v, u32 to)
{
	struct trace_rec r = {
		.ts_ns = ns, .cpu = to, .kind = TRACE_MIGRATE, .tid = v->tid,
		.comm = v->comm,
		.u.migrate = { .from_cpu = v->pcpu, .to_cpu = to },
	};

	emit(g, &r);
}

/* Let @vcpu have its pCPU until its burst or its slice is over. */
static void go_on(struct gen *g, u64 ns, u32 vcpu)
{
	struct vcpu *v = &g->vcpu[vcpu];
	u64 slice = min_u64(v->left_ns, SLICE_NS);

	v->left_ns -= slice;
	g->pcpu[v->pcpu].curr = vcpu;
	timer_push(g, ns + slice, vcpu);
}

static void enqueue(struct gen *g, u32 vcpu)
{
	struct pcpu *p = &g->pcpu[g->vcpu[vcpu].pcpu];

	g->vcpu[vcpu].next = IDX_NONE;
	if (p->head == IDX_NONE)
		p->head = vcpu;
	else
		g->vcpu[p->tail].next = vcpu;
	p->tail = vcpu;
}

static u32 dequeue(struct gen *g, struct pcpu *p)
{
	u32 vcpu = p->head;

	if (vcpu != IDX_NONE)
		p->head = g->vcpu[vcpu].next;
	return vcpu;
}

static u32 find_idle(struct gen *g, u32 otherwise)
{
	u32 nr = (u32)g->o->pcpus;
	u32 from = (u32)rng_below(&g->place, nr);

	for (u32 i = 0; i < nr; i++) {
		u32 p = from + i < nr ? from + i : from + i - nr;

		if (g->pcpu[p].curr == IDX_NONE)
			return p;
	}
	return otherwise;
}

static u32 place(struct gen *g, const struct vcpu *v)
{
	if (rng_below(&g->place, 1000) < g->o->migrate_permille)
		return (u32)rng_below(&g->place, g->o->pcpus);
	if (g->pcpu[v->pcpu].curr != IDX_NONE && rng_below(&g->place, 2))
		return find_idle(g, v->pcpu);
	return v->pcpu;
}

static void wake(struct gen *g, u64 ns, u32 vcpu)
{
	struct vcpu *v = &g->vcpu[vcpu];
	u32 to = place(g, v);

	v->asleep = false;
	v->left_ns = draw_burst(&v->rng, g->o->busy_us * NS_PER_US);
	if (to != v->pcpu) {
		emit_migrate(g, ns, v, to);
		v->pcpu = to;
		g->changes++;
	}
	if (g->pcpu[to].curr != IDX_NONE) {
		enqueue(g, vcpu);
		return;
	}
	emit_switch(g, ns, to, vcpu);
	go_on(g, ns, vcpu);
}

/* The burst or the slice of a running vCPU is over. */
static void stop(struct gen *g, u64 ns, u32 vcpu)
{
	struct vcpu *v = &g->vcpu[vcpu];
	struct pcpu *p = &g->pcpu[v->pcpu];
	u32 next = dequeue(g, p);

	if (v->left_ns && next == IDX_NONE) {
		go_on(g, ns, vcpu);
		return;
	}
	emit_switch(g, ns, v->pcpu, next);
	p->curr = IDX_NONE;
	if (v->left_ns) {
		enqueue(g, vcpu);
	} else {
		v->asleep = true;
		timer_push(g, ns + rng_exp(&v->rng, g->sleep_ns), vcpu);
	}
	if (next != IDX_NONE)
		go_on(g, ns, next);
}

static void gen_reset(struct gen *g)
{
	g->switches = g->changes = 0;
	g->nr_timers = 0;
	rng_init(&g->place, g->o->seed, PURPOSE_PLACE, 0);
	for (u32 i = 0; i < g->o->pcpus; i++)
		g->pcpu[i].curr = g->pcpu[i].head = IDX_NONE;
	for (u32 i = 0; i < g->o->vcpus; i++) {
		struct vcpu *v = &g->vcpu[i];

		rng_init(&v->rng, g->o->seed, PURPOSE_VCPU, i);
		v->pcpu = i % (u32)g->o->pcpus;
		v->asleep = true;
		timer_push(g, START_NS + rng_exp(&v->rng, g->sleep_ns), i);
	}
}

static void gen_run(struct gen *g, u64 duration_ns)
{
	gen_reset(g);
	while (g->heap[0].ns < START_NS + duration_ns) {
		struct timer t = timer_pop(g);

		if (g->vcpu[t.vcpu].asleep)
			wake(g, t.ns, t.vcpu);
		else
			stop(g, t.ns, t.vcpu);
	}
}

/* Two switches per cycle of burst and sleep, fewer where vCPUs queue up. */
static void fit_sleep(struct gen *g)
{
	u64 busy = g->o->busy_us * NS_PER_US;
	u64 duration = g->o->seconds * NS_PER_S;
	u64 cycle = 2 * g->o->vcpus * duration / g->o->switches;
	struct err err;

	for (int i = 0; i < TRIALS; i++) {
		g->sleep_ns = cycle > busy ? cycle - busy : 1;
		gen_run(g, duration / TRIAL_PART);
		cycle = (u64)((unsigned __int128)cycle * g->switches *
			      TRIAL_PART / g->o->switches);
	}
	if (cycle <= busy) {
		err_set(&err, -EINVAL,
			"--switches %" PRIu64 ": bursts of %" PRIu64 " us leave no time for so many, expected at most about %" PRIu64,
			g->o->switches, g->o->busy_us,
			g->switches * TRIAL_PART);
		fail(&err);
	}
	g->sleep_ns = cycle - busy;
}

static u32 intern(struct trace *names, const char *kind, u32 nr,
		  const char *suffix)
{
	char name[TRACE_COMM_MAX];
	struct err err;
	u32 id;

	snprintf(name, sizeof(name), "%s%u%s", kind, nr, suffix);
	if (trace_intern(names, name, &id, &err))
		fail(&err);
	return id;
}

/* vCPUs are dealt out to the VMs in turn; a VM's threads have near tids. */
static void name_threads(struct gen *g, struct trace *names)
{
	u32 vms = (u32)g->o->vms;
	u32 stride = (u32)g->o->vcpus / vms + 1 + SPARE_TIDS;

	for (u32 i = 0; i < g->o->vcpus; i++) {
		struct vcpu *v = &g->vcpu[i];

		v->tgid = FIRST_TGID + i % vms * stride;
		v->tid = v->tgid + 1 + i / vms;
		v->comm = intern(names, "CPU ", i / vms, "/KVM");
	}
	for (u32 i = 0; i < g->o->pcpus; i++)
		g->pcpu[i].idle_comm = intern(names, "swapper/", i, "");
}

static void emit_threads(struct gen *g)
{
	for (u32 i = 0; i < g->o->vcpus; i++) {
		struct trace_rec r = {
			.ts_ns = START_NS, .kind = TRACE_TASK,
			.tid = g->vcpu[i].tid, .tgid = g->vcpu[i].tgid,
			.comm = g->vcpu[i].comm,
		};

		emit(g, &r);
	}
}

static void sink_open(struct sink *s, const struct opts *o, struct err *err)
{
	static const struct trace_recorded_under under = {
		.policy = "unknown", .l0 = "unknown", .kernel = "unknown",
	};
	bool to_stdout = strcmp(o->path, "-") == 0;

	if (!o->text) {
		if (trace_vst_create(o->path, s->names, &under, &s->vst, err))
			fail(err);
		return;
	}
	s->text = to_stdout ? stdout : fopen(o->path, "w");
	if (!s->text) {
		err_set(err, -errno, "%s: %s", o->path, strerror(errno));
		fail(err);
	}
}

static void sink_close(struct sink *s, const struct opts *o, struct err *err)
{
	struct trace_counts counts = {
		.lines = s->records, .records = s->records,
	};

	if (s->vst) {
		if (trace_vst_finish(s->vst, &counts, err))
			fail(err);
		return;
	}
	if (ferror(s->text) || fclose(s->text)) {
		err_set(err, -EIO, "%s: could not write all of it", o->path);
		fail(err);
	}
}

static int generate(const struct opts *o)
{
	/* Something must own the names; it is never read. */
	static const char nothing[] = "# nothing\n";
	struct sink sink = { 0 };
	struct gen g = { .o = o };
	struct err err;

	if (trace_open_memory(nothing, sizeof(nothing) - 1, "perf-script",
			      &sink.names, &err))
		fail(&err);
	g.vcpu = calloc(o->vcpus, sizeof(*g.vcpu));
	g.pcpu = calloc(o->pcpus, sizeof(*g.pcpu));
	g.heap = calloc(o->vcpus + 1, sizeof(*g.heap));
	if (!g.vcpu || !g.pcpu || !g.heap) {
		err_set(&err, -ENOMEM, "no memory");
		fail(&err);
	}
	name_threads(&g, sink.names);
	fit_sleep(&g);

	sink_open(&sink, o, &err);
	g.sink = &sink;
	emit_threads(&g);
	gen_run(&g, o->seconds * NS_PER_S);
	sink_close(&sink, o, &err);
	fprintf(stderr, "%" PRIu64 " records, %" PRIu64 " switches, %" PRIu64 " wake-ups on another pCPU (%" PRIu64 " per second), mean sleep %" PRIu64 " us\n",
		sink.records, g.switches, g.changes, g.changes / o->seconds,
		g.sleep_ns / NS_PER_US);
	free(g.heap);
	free(g.pcpu);
	free(g.vcpu);
	trace_close(sink.names);
	return 0;
}

enum key {
	KEY_PCPUS = 256, KEY_VMS, KEY_VCPUS, KEY_SECONDS, KEY_SWITCHES,
	KEY_BUSY, KEY_MIGRATE, KEY_SEED, KEY_TEXT,
};

static const struct argp_option option_rows[] = {
	{ "pcpus", KEY_PCPUS, "N", 0, "pCPUs (64)", 0 },
	{ "vms", KEY_VMS, "N", 0, "VMs (150)", 0 },
	{ "vcpus", KEY_VCPUS, "N", 0, "vCPUs of all VMs together (300)", 0 },
	{ "seconds", KEY_SECONDS, "N", 0, "length of the trace (60)", 0 },
	{ "switches", KEY_SWITCHES, "N", 0,
	  "about how many sched_switch records (5000000)", 0 },
	{ "busy-us", KEY_BUSY, "N", 0, "mean burst of a vCPU in us (300)", 0 },
	{ "migrate-permille", KEY_MIGRATE, "N", 0,
	  "wake-ups placed on any pCPU at random, in 1000 (20)", 0 },
	{ "seed", KEY_SEED, "N", 0, "seed (1)", 0 },
	{ "text", KEY_TEXT, NULL, 0,
	  "write perf script --ns text, not .vst; FILE may be - then", 0 },
	{ "output", 'o', "FILE", 0, "where to (required)", 0 },
	{ 0 },
};

static u64 number(const struct argp_state *state, const char *text, u64 min,
		  u64 max)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < min || n > max)
		argp_error(state, "\"%s\": expected a number from %" PRIu64 " to %" PRIu64,
			   text, min, max);
	return n;
}

static void check_together(const struct opts *o, struct argp_state *state)
{
	if (!o->path)
		argp_error(state, "no -o FILE");
	if (!o->text && strcmp(o->path, "-") == 0)
		argp_error(state, "-o -: a .vst file needs a name");
	if (o->vcpus < o->vms)
		argp_error(state, "--vcpus %" PRIu64 ": expected at least one for each of %" PRIu64 " VMs",
			   o->vcpus, o->vms);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opts *o = state->input;

	switch (key) {
	case KEY_PCPUS:
		o->pcpus = number(state, arg, 1, PCPU_MAX);
		return 0;
	case KEY_VMS:
		o->vms = number(state, arg, 1, VM_MAX);
		return 0;
	case KEY_VCPUS:
		o->vcpus = number(state, arg, 1, VCPU_MAX);
		return 0;
	case KEY_SECONDS:
		o->seconds = number(state, arg, 1, 86400);
		return 0;
	case KEY_SWITCHES:
		o->switches = number(state, arg, 1, 1000000000);
		return 0;
	case KEY_BUSY:
		o->busy_us = number(state, arg, 1, 1000000);
		return 0;
	case KEY_MIGRATE:
		o->migrate_permille = number(state, arg, 0, 1000);
		return 0;
	case KEY_SEED:
		o->seed = number(state, arg, 0, UINT64_MAX);
		return 0;
	case KEY_TEXT:
		o->text = true;
		return 0;
	case 'o':
		o->path = arg;
		return 0;
	case ARGP_KEY_END:
		check_together(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		option_rows, parse, NULL,
		"Write a made-up scheduling trace of many VMs.",
		NULL, NULL, NULL
	};
	struct opts o = {
		.pcpus = 64, .vms = 150, .vcpus = 300, .seconds = 60,
		.switches = 5000000, .busy_us = 300, .migrate_permille = 20,
		.seed = 1,
	};

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return generate(&o);
}
