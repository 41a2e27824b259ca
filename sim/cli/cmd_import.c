/* eptsim import: a recorded trace of any known format becomes a .vst. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/flush_policy.h"
#include "sim/base/err.h"
#include "sim/cli/cmd.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/same_file.h"
#include "sim/config/costs.h"
#include "traces/escape.h"
#include "traces/threads_file.h"
#include "traces/trace.h"
#include "traces/vst.h"

enum { OPT_FORMAT = 256, OPT_THREADS, OPT_STRICT, OPT_POLICY, OPT_L0,
       OPT_KERNEL };

struct import_args {
	const char *in;
	const char *out;
	const char *format;
	const char *threads;
	const char *policy;
	const char *l0;
	const char *kernel;
	bool strict;
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUT.vst", 0, "Where to write the compact trace", 0 },
	{ "format", OPT_FORMAT, "FORMAT", 0,
	  "auto, ftrace, perf-script or vst (default auto: by content)", 0 },
	{ "threads", OPT_THREADS, "FILE", 0,
	  "Which process each thread belongs to: lines of 'ps -eLo pid,tid,comm' or 'tgid N tid N comm NAME'", 0 },
	{ "strict", OPT_STRICT, NULL, 0, "Broken lines are fatal", 0 },
	{ "policy", OPT_POLICY, "NAME", 0,
	  "Flush policy the host ran while it was recorded", 1 },
	{ "l0", OPT_L0, "NAME", 0, "What the host ran on: bare, hyperv, kvm",
	  1 },
	{ "kernel", OPT_KERNEL, "RELEASE", 0, "The host's kernel", 1 },
	{ 0 },
};

static const char doc[] =
	"Turn a recorded trace into a compact one.\v"
	"FILE is ftrace text (trace, trace_pipe, trace-cmd report) or perf "
	"script text, plain or packed by zstd or gzip; - is standard input.";

static error_t import_option(int key, char *arg, struct argp_state *state)
{
	struct import_args *a = state->input;
	const char **to[] = { &a->format, &a->threads, NULL, &a->policy,
			      &a->l0, &a->kernel };

	switch (key) {
	case 'o':
		if (!*arg || !strcmp(arg, "-"))
			argp_error(state, "-o: found \"%s\", expected the name of a file",
				   arg);
		a->out = arg;
		return 0;
	case OPT_STRICT:
		a->strict = true;
		return 0;
	case OPT_THREADS:
		if (!*arg)
			argp_error(state, "--threads: found an empty text, expected FILE");
		/* fall through */
	case OPT_FORMAT:
	case OPT_POLICY:
	case OPT_L0:
	case OPT_KERNEL:
		*to[key - OPT_FORMAT] = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->in)
			argp_error(state, "one FILE at a time");
		if (!*arg)
			argp_error(state, "the name of the recording is empty; expected FILE");
		a->in = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->in)
			argp_error(state, "which FILE?");
		if (!a->out)
			argp_error(state, "where to? give -o OUT.vst, a file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int check_output(const struct import_args *a, struct err *err)
{
	const struct file_role in[] = {
		{ "the recording", a->in, true },
		{ "the table of threads", a->threads, true },
	};
	const struct file_role out = { "-o", a->out, false };

	return same_file_refuse(&out, in, ARRAY_SIZE(in), err);
}

/* What a report says of the bias rests on these words: no misspelt ones. */
static int check_under(const struct import_args *a, struct err *err)
{
	struct flush_policy policy;

	if (a->policy &&
	    flush_policy_parse(a->policy, strlen(a->policy), &policy, err))
		return -EINVAL;
	if (!a->l0)
		return 0;
	for (const char *const *l0 = costs_l0s; *l0; l0++)
		if (!strcmp(a->l0, *l0))
			return 0;
	return err_set(err, -EINVAL,
		       "--l0: '%.80s'; expected bare, hyperv or kvm", a->l0);
}

static int under_set(char *to, const char *value, const char *option,
		     struct err *err)
{
	if (!value)
		return 0;
	if (!*value || strlen(value) >= TRACE_UNDER_MAX)
		return err_set(err, -EINVAL,
			       "--%s: '%.80s'; expected 1 to %u bytes", option,
			       value, TRACE_UNDER_MAX - 1);
	memcpy(to, value, strlen(value) + 1);
	return 0;
}

static int import_under(const struct import_args *a, const struct trace *t,
			struct trace_recorded_under *u, struct err *err)
{
	int ret;

	*u = *trace_recorded_under(t);
	ret = under_set(u->policy, a->policy, "policy", err);
	if (ret == 0)
		ret = under_set(u->l0, a->l0, "l0", err);
	if (ret == 0)
		ret = under_set(u->kernel, a->kernel, "kernel", err);
	return ret;
}

static int import_threads(const struct import_args *a, struct trace *t,
			  struct vst_writer *w, struct err *err)
{
	struct trace_rec *rec;
	size_t nr;
	int ret;

	if (!a->threads)
		return 0;
	ret = threads_file_load(a->threads, t, &rec, &nr, err);
	for (size_t i = 0; i < nr && ret == 0; i++)
		ret = trace_vst_append(w, &rec[i], err);
	free(rec);
	return ret;
}

static int import_nothing(const struct import_args *a, const struct trace *t,
			  struct err *err)
{
	const struct trace_counts *c = trace_counts(t);

	return err_set(err, -EPROTO,
		       "%s: no scheduling or KVM event in %" PRIu64 " lines (%" PRIu64 " skipped, %" PRIu64 " broken%s%s); expected sched_switch",
		       a->in, c->lines, c->skipped, c->broken,
		       c->first_broken[0] ? "; first: " : "",
		       c->first_broken);
}

/* @rec is the first record already read: the head of the file is known. */
static int import_records(const struct import_args *a, struct trace *t,
			  struct trace_rec *rec, struct err *err)
{
	struct trace_recorded_under under;
	struct vst_writer *w;
	int ret = import_under(a, t, &under, err);

	if (ret == 0)
		ret = trace_vst_create(a->out, t, &under, &w, err);
	if (ret)
		return ret;
	ret = import_threads(a, t, w, err);
	while (ret == 0 && !interrupted) {
		ret = trace_vst_append(w, rec, err);
		if (ret)
			break;
		ret = trace_next(t, rec, err);
		if (ret <= 0)
			break;
		ret = 0;
	}
	if (ret || interrupted) {
		trace_vst_abort(w);
		return interrupted ? -EINTR : ret;
	}
	return trace_vst_finish(w, trace_counts(t), err);
}

static int import_run(const struct import_args *a, struct trace *t,
		      struct err *err)
{
	struct trace_rec rec;
	int ret;

	if (a->strict)
		trace_set_strict(t);
	ret = trace_next(t, &rec, err);
	if (ret == 0)
		return import_nothing(a, t, err);
	return ret < 0 ? ret : import_records(a, t, &rec, err);
}

static void import_report(const struct import_args *a, const struct trace *t)
{
	const struct trace_counts *c = trace_counts(t);
	char name[ESCAPE_ROOM(256)];

	printf("%s: %" PRIu64 " records of %" PRIu64 " %s (%s)\n",
	       trace_escape(name, sizeof(name), a->out), c->records, c->lines,
	       trace_is_text(t) ? "lines" : "source lines", trace_format(t));
	if (c->lost_events || c->lost_markers)
		fprintf(stderr,
			"warning: the recorder lost %" PRIu64 " events (%" PRIu64 " gaps)\n",
			c->lost_events, c->lost_markers);
	if (c->broken)
		fprintf(stderr,
			"warning: %" PRIu64 " broken lines, %" PRIu64 " of them torn; first: %s\n",
			c->broken, c->torn, c->first_broken);
	if (c->unordered)
		fprintf(stderr,
			"warning: on %" PRIu64 " records time ran back on their CPU\n",
			c->unordered);
}

int cmd_import(int argc, char **argv)
{
	static const struct argp argp = { options, import_option, "FILE", doc,
					  NULL, NULL, NULL };
	struct import_args a = { 0 };
	struct trace *t;
	struct err err;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	interrupt_catch(SIGINT);
	interrupt_catch(SIGTERM);
	ret = check_under(&a, &err);
	if (ret == 0)
		ret = check_output(&a, &err);
	if (ret == 0)
		ret = trace_open(a.in, a.format, &t, &err);
	if (ret == 0) {
		ret = import_run(&a, t, &err);
		if (ret == 0)
			import_report(&a, t);
		trace_close(t);
	}
	if (ret == 0)
		return STATUS_OK;
	if (interrupted) {
		fprintf(stderr, "interrupted: nothing was written\n");
		return STATUS_SIGINT;
	}
	fprintf(stderr, "error: %s\n", err.msg);
	return ret == -ENOMEM ? STATUS_BUG : STATUS_USAGE;
}
