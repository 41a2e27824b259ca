/* eptsim info: what is in a trace. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/cli/cmd.h"
#include "sim/cli/same_file.h"
#include "sim/report/report_file.h"
#include "traces/escape.h"
#include "traces/schedule.h"
#include "traces/trace.h"

enum { OPT_FORMAT = 256, OPT_THREADS, OPT_STRICT, OPT_JSON, OPT_INTERVALS };

struct info_args {
	const char *file;
	const char *dash;		/* a lone "-", perhaps meant for --json */
	const char *format;
	const char *json;		/* path or "-"; NULL for none */
	const char *intervals;
	struct schedule_options opt;
};

static const struct argp_option options[] = {
	{ "json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL,
	  "Write JSON to FILE (default: standard output; the table then goes to standard error)", 0 },
	{ "intervals", OPT_INTERVALS, "FILE", OPTION_ARG_OPTIONAL,
	  "Write one line 'start_ns end_ns cpu tid state' per stretch of a vCPU on a CPU", 0 },
	{ "threads", OPT_THREADS, "FILE", 0,
	  "Which process each thread belongs to: lines of 'ps -eLo pid,tid,comm' or 'tgid N tid N comm NAME'", 0 },
	{ "format", OPT_FORMAT, "FORMAT", 0,
	  "auto, ftrace, perf-script or vst (default auto: by content)", 0 },
	{ "strict", OPT_STRICT, NULL, 0, "Broken lines are fatal", 0 },
	{ 0 },
};

static const char doc[] =
	"Show what is in a recorded trace.\v"
	"FILE is ftrace text, perf script text or .vst, plain or packed by zstd "
	"or gzip; - is standard input.";

static void info_file(struct info_args *a, char *arg, struct argp_state *state)
{
	if (!*arg)
		argp_error(state, "the name of the recording is empty; expected FILE");
	/* "--json -" reaches this place as a file of its own. */
	if (strcmp(arg, "-") == 0 && !a->dash)
		a->dash = arg;
	else if (!a->file)
		a->file = arg;
	else
		argp_error(state, "one FILE at a time");
}

static void info_check(struct info_args *a, struct argp_state *state)
{
	bool json_out, intervals_out;

	if (a->dash && a->file && !a->json && !a->intervals)
		argp_error(state, "one FILE at a time");
	if (!a->file)
		a->file = a->dash;
	if (!a->file)
		argp_error(state, "which FILE?");
	json_out = a->json && strcmp(a->json, "-") == 0;
	intervals_out = a->intervals && strcmp(a->intervals, "-") == 0;
	if (json_out && intervals_out)
		argp_error(state, "--json and --intervals cannot both go to standard output");
}

static const char *not_empty(const struct argp_state *state,
			     const char *option, const char *arg)
{
	if (!*arg)
		argp_error(state, "--%s: found an empty text, expected FILE",
			   option);
	return arg;
}

static error_t info_option(int key, char *arg, struct argp_state *state)
{
	struct info_args *a = state->input;

	switch (key) {
	case OPT_JSON:
		a->json = arg ? not_empty(state, "json", arg) : "-";
		return 0;
	case OPT_INTERVALS:
		a->intervals = arg ? not_empty(state, "intervals", arg) : "-";
		return 0;
	case OPT_THREADS:
		a->opt.threads_path = not_empty(state, "threads", arg);
		return 0;
	case OPT_FORMAT:
		a->format = arg;
		return 0;
	case OPT_STRICT:
		a->opt.strict = true;
		return 0;
	case ARGP_KEY_ARG:
		info_file(a, arg, state);
		return 0;
	case ARGP_KEY_END:
		info_check(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static double per_second(const struct schedule *s, u64 count)
{
	return s->duration_ns ? (double)count * 1e9 / (double)s->duration_ns :
				0;
}

static struct schedule_vcpu info_sum(const struct schedule *s)
{
	struct schedule_vcpu sum = { 0 };

	for (u32 i = 0; i < s->nr_vcpus; i++) {
		sum.sched_ins += s->vcpu[i].sched_ins;
		sum.pcpu_changes += s->vcpu[i].pcpu_changes;
		sum.migrate_hints += s->vcpu[i].migrate_hints;
		sum.run_ns += s->vcpu[i].run_ns;
	}
	return sum;
}

static void info_losses(const struct schedule *s, FILE *to)
{
	const struct trace_counts *c = &s->counts;

	fprintf(to, "lost events      %" PRIu64 " (%" PRIu64 " gaps)\n",
		c->lost_events, c->lost_markers);
	fprintf(to, "chain breaks     %" PRIu64 "\n", s->chain_breaks);
	fprintf(to, "double runs      %" PRIu64 "\n", s->double_runs);
	fprintf(to, "broken           %" PRIu64 " (%" PRIu64 " torn by a newline in a name)\n",
		c->broken, c->torn);
	if (c->first_broken[0])
		fprintf(to, "  first          %s\n", c->first_broken);
	fprintf(to, "skipped          %" PRIu64 "\n", c->skipped);
	fprintf(to, "time ran back    %" PRIu64 "\n", c->unordered);
}

static void info_vcpus(const struct schedule *s, FILE *to)
{
	char name[ESCAPE_ROOM(TRACE_COMM_MAX)];

	if (s->nr_vcpus == 0)
		return;
	fprintf(to, "\n%4s %8s %5s %8s %10s %8s %7s %10s  %s\n", "VM", "process",
		"vCPU", "thread", "sched-ins", "changes", "hints", "run ms",
		"name");
	for (u32 i = 0; i < s->nr_vcpus; i++) {
		const struct schedule_vcpu *v = &s->vcpu[i];
		char process[16] = "assumed";

		if (!s->vm[v->vm].assumed)
			snprintf(process, sizeof(process), "%u",
				 s->vm[v->vm].tgid);
		fprintf(to, "%4u %8s %5u %8u %10" PRIu64 " %8" PRIu64 " %7" PRIu64 " %10.1f  %s\n",
			v->vm, process, v->index, v->tid, v->sched_ins,
			v->pcpu_changes, v->migrate_hints,
			(double)v->run_ns / 1e6,
			trace_escape(name, sizeof(name), v->comm));
	}
}

static u32 info_assumed(const struct schedule *s)
{
	u32 nr = 0;

	for (u32 i = 0; i < s->nr_vms; i++)
		nr += s->vm[i].assumed;
	return nr;
}

static void info_table(const struct schedule *s, FILE *to)
{
	struct schedule_vcpu sum = info_sum(s);
	char name[ESCAPE_ROOM(1024)];
	u32 assumed = info_assumed(s);

	fprintf(to, "trace            %s (%s)\n",
		trace_escape(name, sizeof(name), s->trace_file), s->format);
	fprintf(to, "recorded under   policy %s, ",
		trace_escape(name, sizeof(name), s->recorded_under.policy));
	fprintf(to, "l0 %s, ",
		trace_escape(name, sizeof(name), s->recorded_under.l0));
	fprintf(to, "kernel %s\n",
		trace_escape(name, sizeof(name), s->recorded_under.kernel));
	fprintf(to, "CPUs             %u\n", s->nr_pcpus);
	fprintf(to, "duration         %.6f s from %.9f\n",
		(double)s->duration_ns / 1e9, (double)s->first_ns / 1e9);
	fprintf(to, "records          %" PRIu64 ", %" PRIu64 " of them switches\n",
		s->counts.records, s->switches);
	fprintf(to, "VMs              %u", s->nr_vms);
	if (assumed)
		fprintf(to, ", %u of them assumed from names (give --threads)",
			assumed);
	fprintf(to, "\nvCPUs            %u\n", s->nr_vcpus);
	fprintf(to, "sched-ins        %" PRIu64 ", %.1f per second\n",
		sum.sched_ins, per_second(s, sum.sched_ins));
	fprintf(to, "pCPU changes     %" PRIu64 ", %.1f per second\n",
		sum.pcpu_changes, per_second(s, sum.pcpu_changes));
	fprintf(to, "KVM_RUN brackets %s\n", s->has_brackets ? "yes" : "no");
	info_losses(s, to);
	info_vcpus(s, to);
}

static json_t *info_json_vcpu(const struct schedule_vcpu *v)
{
	char name[ESCAPE_ROOM(TRACE_COMM_MAX)];

	return json_pack("{s:I,s:I,s:s,s:I,s:I,s:I,s:I}",
			 "index", (json_int_t)v->index,
			 "tid", (json_int_t)v->tid,
			 "comm", trace_escape(name, sizeof(name), v->comm),
			 "sched_ins", (json_int_t)v->sched_ins,
			 "pcpu_changes", (json_int_t)v->pcpu_changes,
			 "migrate_hints", (json_int_t)v->migrate_hints,
			 "run_ns", (json_int_t)v->run_ns);
}

static json_t *info_json_vms(const struct schedule *s)
{
	json_t *vms = json_array();
	u32 next = 0;

	for (u32 i = 0; i < s->nr_vms; i++) {
		json_t *vcpus = json_array();

		for (; next < s->nr_vcpus && s->vcpu[next].vm == i; next++)
			json_array_append_new(vcpus,
					      info_json_vcpu(&s->vcpu[next]));
		json_array_append_new(vms,
			json_pack("{s:o,s:b,s:s,s:o}",
				  "tgid", s->vm[i].assumed ? json_null() :
				  json_integer(s->vm[i].tgid),
				  "assumed", (int)s->vm[i].assumed,
				  "monitor", s->vm[i].monitor,
				  "vcpus", vcpus));
	}
	return vms;
}

static json_t *info_json_cpus(const struct schedule *s)
{
	json_t *cpus = json_array();

	for (u32 i = 0; i < s->nr_pcpus; i++)
		json_array_append_new(cpus, json_integer(s->pcpu_id[i]));
	return cpus;
}

static json_t *info_json_counts(const struct schedule *s)
{
	const struct trace_counts *c = &s->counts;
	char first[ESCAPE_ROOM(sizeof(c->first_broken))];

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:s}",
			 "records", (json_int_t)c->records,
			 "lines", (json_int_t)c->lines,
			 "skipped", (json_int_t)c->skipped,
			 "broken", (json_int_t)c->broken,
			 "torn", (json_int_t)c->torn,
			 "lost_events", (json_int_t)c->lost_events,
			 "lost_markers", (json_int_t)c->lost_markers,
			 "unordered", (json_int_t)c->unordered,
			 "chain_breaks", (json_int_t)s->chain_breaks,
			 "double_runs", (json_int_t)s->double_runs,
			 "first_broken",
			 trace_escape(first, sizeof(first), c->first_broken));
}

static json_t *info_json(const struct schedule *s)
{
	const struct trace_recorded_under *u = &s->recorded_under;
	struct schedule_vcpu sum = info_sum(s);
	char file[ESCAPE_ROOM(sizeof(s->trace_file))];
	char policy[ESCAPE_ROOM(TRACE_UNDER_MAX)];
	char l0[ESCAPE_ROOM(TRACE_UNDER_MAX)];
	char kernel[ESCAPE_ROOM(TRACE_UNDER_MAX)];

	return json_pack("{s:s,s:s,s:{s:s,s:s,s:s},s:o,s:I,s:I,s:I,s:I,s:I,s:f,s:I,s:I,s:b,s:o,s:o}",
			 "file", trace_escape(file, sizeof(file), s->trace_file),
			 "format", s->format,
			 "recorded_under",
			 "policy", trace_escape(policy, sizeof(policy), u->policy),
			 "l0", trace_escape(l0, sizeof(l0), u->l0),
			 "kernel", trace_escape(kernel, sizeof(kernel), u->kernel),
			 "cpus", info_json_cpus(s),
			 "first_ns", (json_int_t)s->first_ns,
			 "duration_ns", (json_int_t)s->duration_ns,
			 "switches", (json_int_t)s->switches,
			 "sched_ins", (json_int_t)sum.sched_ins,
			 "pcpu_changes", (json_int_t)sum.pcpu_changes,
			 "pcpu_changes_per_s", per_second(s, sum.pcpu_changes),
			 "migrate_hints", (json_int_t)sum.migrate_hints,
			 "run_ns", (json_int_t)sum.run_ns,
			 "brackets", (int)s->has_brackets,
			 "counts", info_json_counts(s),
			 "vms", info_json_vms(s));
}

static int info_write_json(const struct schedule *s, const char *path,
			   struct err *err)
{
	json_t *root = info_json(s);
	struct report_file file;
	int ret;

	if (!root)
		return err_set(err, -ENOMEM, "no memory for JSON");
	ret = report_file_open(&file, path, stdout, err);
	if (ret == 0) {
		/* The stream remembers a failed write until the commit. */
		json_dumpf(root, file.f, JSON_INDENT(2));
		fputc('\n', file.f);
		ret = report_file_commit(&file, err);
	}
	json_decref(root);
	return ret;
}

static int info_check_output(const struct info_args *a, struct err *err)
{
	const struct file_role file[] = {
		{ "the recording", a->file, true },
		{ "the table of threads", a->opt.threads_path, true },
		{ "--json", a->json, false },
		{ "--intervals", a->intervals, false },
	};
	int ret = same_file_refuse(&file[2], file, 2, err);

	return ret ? ret : same_file_refuse(&file[3], file, 3, err);
}

static int info_load(struct info_args *a, struct schedule **s, struct err *err)
{
	struct report_file file;
	int ret;

	a->opt.allow_empty = true;
	if (!a->intervals)
		return schedule_load(a->file, a->format, &a->opt, s, err);
	ret = report_file_open(&file, a->intervals, stdout, err);
	if (ret)
		return ret;
	a->opt.intervals = file.f;
	ret = schedule_load(a->file, a->format, &a->opt, s, err);
	if (ret) {
		report_file_abort(&file);
		return ret;
	}
	ret = report_file_commit(&file, err);
	if (ret)
		schedule_free(*s);
	return ret;
}

int cmd_info(int argc, char **argv)
{
	static const struct argp argp = { options, info_option, "FILE", doc,
					  NULL, NULL, NULL };
	struct info_args a = { 0 };
	struct schedule *s = NULL;
	bool taken;
	struct err err;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	ret = info_check_output(&a, &err);
	if (ret == 0)
		ret = info_load(&a, &s, &err);
	if (ret == 0) {
		taken = (a.json && strcmp(a.json, "-") == 0) ||
			(a.intervals && strcmp(a.intervals, "-") == 0);
		info_table(s, taken ? stderr : stdout);
		if (a.json)
			ret = info_write_json(s, a.json, &err);
		schedule_free(s);
	}
	if (ret == 0)
		return STATUS_OK;
	fprintf(stderr, "error: %s\n", err.msg);
	return ret == -ENOMEM ? STATUS_BUG : STATUS_USAGE;
}
