/*
 * Recordings that another program has decoded, and third-party files: only
 * where the data is at hand (EPTSIM_SHARED, or ../shared).
 *
 * Known difference: the reference takes its span from the switches alone, the
 * duration here covers every record.  All else is equal to the last unit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <zstd.h>

#include "tests/unit/traces/helper.h"
#include "traces/input.h"

static const char *shared_path(const char *rel)
{
	static char path[4096];
	const char *root = getenv("EPTSIM_SHARED");

	snprintf(path, sizeof(path), "%s/traces/%s", root ? root : "../shared",
		 rel);
	return path;
}

static bool is_there(const char *path)
{
	return access(path, R_OK) == 0;
}

static const char *const kinds[] = { "trace", "perf_script" };

static struct schedule *decode(const char *kind, FILE *intervals)
{
	struct schedule_options opt = { .intervals = intervals };
	struct schedule *s = NULL;
	struct err err = { "" };
	char rel[256], threads[4096];

	snprintf(threads, sizeof(threads), "%s",
		 shared_path("own/kvmvms/threads.txt"));
	opt.threads_path = threads;
	snprintf(rel, sizeof(rel), "own/kvmvms/%s.txt.zst", kind);
	ck_assert_msg(schedule_load(shared_path(rel), NULL, &opt, &s, &err) ==
		      0, "%s", err.msg);
	return s;
}

static const struct schedule_vcpu *find_tid(const struct schedule *s, u32 tid)
{
	for (u32 i = 0; i < s->nr_vcpus; i++)
		if (s->vcpu[i].tid == tid)
			return &s->vcpu[i];
	ck_abort_msg("thread %u is missing", tid);
	return NULL;
}

static void check_thread(const struct schedule *s, const char *line)
{
	unsigned int tid, ins, changes, hints;
	const struct schedule_vcpu *v;
	char run[32], want[32];

	if (sscanf(line, " tid %u", &tid) != 1)
		return;
	ck_assert_int_eq(sscanf(strstr(line, "sched-ins"),
				"sched-ins %u pcpu-changes %u migrate_events %u runtime_ms %31s",
				&ins, &changes, &hints, want), 4);
	v = find_tid(s, tid);
	ck_assert_uint_eq(v->sched_ins, ins);
	ck_assert_uint_eq(v->pcpu_changes, changes);
	ck_assert_uint_eq(v->migrate_hints, hints);
	snprintf(run, sizeof(run), "%.1f", (double)v->run_ns / 1e6);
	ck_assert_str_eq(run, want);
}

START_TEST(sched_ins_changes_and_run_times_are_those_of_the_reference)
{
	char rel[256], line[512];
	unsigned int switches, breaks;
	struct schedule *s;
	FILE *f;

	snprintf(rel, sizeof(rel), "own/kvmvms/ref_summary_%s.txt", kinds[_i]);
	f = fopen(shared_path(rel), "r");
	if (!f)
		return;
	s = decode(kinds[_i], NULL);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	ck_assert_int_eq(sscanf(line, "%*s switches %u span_s %*f prev/next chain mismatches %u",
				&switches, &breaks), 2);
	ck_assert_uint_eq(s->switches, switches);
	ck_assert_uint_eq(s->chain_breaks, breaks);
	ck_assert_uint_eq(s->nr_vcpus, 18);
	ck_assert_uint_eq(s->nr_vms, 6);
	while (fgets(line, sizeof(line), f))
		check_thread(s, line);
	fclose(f);
	schedule_free(s);
}
END_TEST

START_TEST(intervals_are_those_of_the_reference)
{
	FILE *f = tmpfile();
	char rel[256], line[256];
	struct err err = { "" };
	struct schedule *s;
	struct input *in;
	const char *want;
	size_t len;

	snprintf(rel, sizeof(rel), "own/kvmvms/ref_intervals_%s.txt.zst",
		 kinds[_i]);
	if (!is_there(shared_path(rel)))
		return;
	s = decode(kinds[_i], f);
	schedule_free(s);
	rewind(f);
	ck_assert_int_eq(input_open(shared_path(rel), &in, &err), 0);
	while (input_line(in, &want, &len, &err) == 1) {
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
		ck_assert_msg(strlen(line) == len + 1 &&
			      memcmp(line, want, len) == 0,
			      "line %llu: %.*s, not %s",
			      (unsigned long long)input_line_nr(in), (int)len,
			      want, line);
	}
	ck_assert_ptr_null(fgets(line, sizeof(line), f));
	input_close(in);
	fclose(f);
}
END_TEST

static void import(const char *from, const char *to)
{
	struct err err = { "" };
	struct vst_writer *w;
	struct trace_rec rec;
	struct trace *t;

	ck_assert_int_eq(trace_open(from, NULL, &t, &err), 0);
	ck_assert_int_eq(trace_vst_create(to, t, trace_recorded_under(t), &w,
					  &err), 0);
	while (trace_next(t, &rec, &err) == 1)
		ck_assert_int_eq(trace_vst_append(w, &rec, &err), 0);
	ck_assert_int_eq(trace_vst_finish(w, trace_counts(t), &err), 0);
	trace_close(t);
}

static void same_schedule(const struct schedule *a, const struct schedule *b)
{
	ck_assert_uint_eq(a->nr_events, b->nr_events);
	for (u64 i = 0; i < a->nr_events; i++) {
		ck_assert_uint_eq(a->event[i].ns, b->event[i].ns);
		ck_assert_uint_eq(a->event[i].pcpu, b->event[i].pcpu);
		ck_assert_uint_eq(a->event[i].vcpu, b->event[i].vcpu);
		ck_assert_uint_eq(a->event[i].what, b->event[i].what);
	}
	ck_assert_uint_eq(a->nr_vcpus, b->nr_vcpus);
	for (u32 i = 0; i < a->nr_vcpus; i++)
		ck_assert(memcmp(&a->vcpu[i], &b->vcpu[i],
				 sizeof(a->vcpu[i])) == 0);
	ck_assert_uint_eq(a->nr_vms, b->nr_vms);
	for (u32 i = 0; i < a->nr_vms; i++) {
		ck_assert_uint_eq(a->vm[i].tgid, b->vm[i].tgid);
		ck_assert_int_eq(a->vm[i].assumed, b->vm[i].assumed);
	}
	ck_assert(memcmp(&a->counts, &b->counts, sizeof(a->counts)) == 0);
}

static const char *const recordings[] = {
	"own/kvmvms/trace.txt.zst", "own/kvmvms/perf_script.txt.zst",
	"own/weirdrun/trace.txt.zst", "own/weirdrun/perf_script.txt.zst",
	"own/ftrace-variants/tgid.txt.zst",
	"own/ftrace-variants/trace_pipe_lost.txt.zst",
};

START_TEST(an_imported_trace_gives_the_same_schedule)
{
	struct schedule_options opt = { .allow_empty = true };
	const char *from = shared_path(recordings[_i]);
	struct schedule *text, *vst;
	struct err err = { "" };
	char *to;

	if (!is_there(from))
		return;
	to = temp_path();
	import(from, to);
	ck_assert_int_eq(schedule_load(from, NULL, &opt, &text, &err), 0);
	ck_assert_msg(schedule_load(to, NULL, &opt, &vst, &err) == 0, "%s",
		      err.msg);
	same_schedule(text, vst);
	schedule_free(text);
	schedule_free(vst);
	unlink(to);
	free(to);
}
END_TEST

static int files_seen;

/* Decoded, or refused with a message that begins with the path. */
static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *ftw)
{
	struct schedule_options opt = { .allow_empty = true };
	struct schedule *s = NULL;
	struct err err = { "" };
	int ret;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	ret = schedule_load(path, NULL, &opt, &s, &err);
	if (ret)
		ck_assert_msg(ret == -EPROTO &&
			      strncmp(err.msg, path, strlen(path)) == 0,
			      "%s: %d: %s", path, ret, err.msg);
	else
		schedule_free(s);
	files_seen++;
	return 0;
}

START_TEST(every_file_is_decoded_or_refused)
{
	const char *root = shared_path("");

	if (!is_there(root))
		return;
	ck_assert_int_eq(nftw(root, visit, 16, FTW_PHYS), 0);
	ck_assert_int_gt(files_seen, 0);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("reference");

	tcase_add_loop_test(tc, sched_ins_changes_and_run_times_are_those_of_the_reference,
			    0, ARRAY_SIZE(kinds));
	tcase_add_loop_test(tc, intervals_are_those_of_the_reference, 0,
			    ARRAY_SIZE(kinds));
	tcase_add_loop_test(tc, an_imported_trace_gives_the_same_schedule, 0,
			    ARRAY_SIZE(recordings));
	tcase_add_test(tc, every_file_is_decoded_or_refused);
	return run_suite(tc, "traces/reference");
}
