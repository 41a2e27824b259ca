#include <glob.h>

#include "tests/unit/traces/helper.h"

#define RECORDS 150000			/* more than two blocks */

static const char *const TEXT =
	"CPU:1 [LOST 5 EVENTS]\n"
	"a-1       (  77) [003] d..2.  1.000005: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=CPU 0/KVM next_pid=2 next_prio=120\n"
	"CPU 0/KVM-2 (  78) [003] d..2.  1.000006: kvm_fpu: load\n"
	"CPU 0/KVM-2 (  78) [003] d..2.  1.000007: kvm_entry: vcpu 0\n"
	"CPU 0/KVM-2 (  78) [003] d..2.  1.000008: kvm_exit: reason HLT rip 0x1\n"
	"CPU 0/KVM-2 (  78) [003] d..2.  1.000009: sched_migrate_task: comm=x pid=9 prio=1 orig_cpu=3 dest_cpu=4\n"
	"CPU 0/KVM-2 (  78) [003] d..2.  1.000010: sched_process_fork: comm=x pid=9 child_comm=y child_pid=10\n"
	"CPU 0/KVM-2 (  78) [003] d..2.  1.000011: sched_process_exit: comm=x pid=9 prio=1\n"
	"CPU 0/KVM-2 (  78) [001] d..2.  0.500000: sched_wakeup: comm=\xff\x01 pid=9 prio=1 target_cpu=1\n"
	"broken: sched_switch: prev_comm=\n"
	"skipped\n";

static char *path;

static void setup(void)
{
	path = temp_path();
}

static void teardown(void)
{
	unlink(path);
	free(path);
}

static const struct trace_recorded_under under = {
	"global-flush", "hyperv", "6.12",
};

/* Write all of @t to @path. */
static void import_all(struct trace *t)
{
	struct err err = { "" };
	struct vst_writer *w;
	struct trace_rec rec;

	ck_assert_msg(trace_vst_create(path, t, &under, &w, &err) == 0, "%s",
		      err.msg);
	while (trace_next(t, &rec, &err) == 1)
		ck_assert_int_eq(trace_vst_append(w, &rec, &err), 0);
	ck_assert_msg(trace_vst_finish(w, trace_counts(t), &err) == 0, "%s",
		      err.msg);
}

static char *slurp(size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(1u << 22);

	*len = fread(data, 1, 1u << 22, f);
	fclose(f);
	return data;
}

/* Read to the end; what was returned last, and the records in @nr. */
static int read_all(const char *data, size_t len, u64 *nr, struct err *err)
{
	struct trace_rec rec;
	struct trace *t;
	int ret = trace_open_memory(data, len, "vst", &t, err);

	*nr = 0;
	if (ret)
		return ret;
	while ((ret = trace_next(t, &rec, err)) == 1)
		(*nr)++;
	trace_close(t);
	return ret;
}

static void same_record(struct trace *a, const struct trace_rec *ra,
			struct trace *b, const struct trace_rec *rb)
{
	struct trace_rec x = *ra, y = *rb;

	ck_assert_str_eq(trace_string(a, x.comm), trace_string(b, y.comm));
	ck_assert_int_eq(x.comm == TRACE_STR_NONE, y.comm == TRACE_STR_NONE);
	ck_assert_uint_eq(x.ts_ns, y.ts_ns);
	ck_assert_uint_eq(x.cpu, y.cpu);
	ck_assert_uint_eq(x.tid, y.tid);
	ck_assert_uint_eq(x.tgid, y.tgid);
	ck_assert_int_eq(x.kind, y.kind);
	if (x.kind == TRACE_SWITCH) {
		ck_assert_str_eq(trace_string(a, x.u.sw.next_comm),
				 trace_string(b, y.u.sw.next_comm));
		ck_assert_uint_eq(x.u.sw.next_tid, y.u.sw.next_tid);
		ck_assert_int_eq(x.u.sw.prev_state, y.u.sw.prev_state);
	} else {
		ck_assert(memcmp(&x.u, &y.u, sizeof(x.u)) == 0);
	}
}

START_TEST(every_kind_of_record_comes_back_as_it_was)
{
	struct trace *a = open_text(TEXT, NULL);
	struct trace_rec ra, rb;
	struct trace *b;
	struct err err = { "" };

	import_all(a);
	trace_close(a);
	a = open_text(TEXT, NULL);
	ck_assert_msg(trace_open(path, NULL, &b, &err) == 0, "%s", err.msg);
	ck_assert_str_eq(trace_format(b), "vst");
	while (trace_next(a, &ra, &err) == 1) {
		rb = next_rec(b);
		same_record(a, &ra, b, &rb);
	}
	expect_end(b);
	ck_assert(memcmp(trace_counts(a), trace_counts(b),
			 sizeof(struct trace_counts)) == 0);
	ck_assert_uint_eq(trace_counts(b)->broken, 1);
	ck_assert_uint_eq(trace_counts(b)->skipped, 1);
	ck_assert_uint_eq(trace_counts(b)->unordered, 0);
	ck_assert_str_eq(trace_recorded_under(b)->l0, "hyperv");
	trace_close(a);
	trace_close(b);
}
END_TEST

START_TEST(many_blocks_come_back_in_order)
{
	struct trace *t = open_text(TEXT, NULL);
	struct err err = { "" };
	struct vst_writer *w;
	struct trace_rec rec;
	struct trace *back;

	next_rec(t);
	rec = next_rec(t);
	ck_assert_int_eq(trace_vst_create(path, t, &under, &w, &err), 0);
	for (u64 i = 0; i < RECORDS; i++) {
		rec.ts_ns = i % 7 ? i * 1000 : i;
		rec.cpu = (u32)(i % TRACE_CPU_MAX);
		ck_assert_int_eq(trace_vst_append(w, &rec, &err), 0);
	}
	ck_assert_int_eq(trace_vst_finish(w, trace_counts(t), &err), 0);
	ck_assert_int_eq(trace_open(path, NULL, &back, &err), 0);
	for (u64 i = 0; i < RECORDS; i++) {
		rec = next_rec(back);
		ck_assert_uint_eq(rec.ts_ns, i % 7 ? i * 1000 : i);
		ck_assert_uint_eq(rec.cpu, i % TRACE_CPU_MAX);
	}
	expect_end(back);
	trace_close(back);
	trace_close(t);
}
END_TEST

START_TEST(every_truncation_is_an_error)
{
	struct trace *t = open_text(TEXT, NULL);
	char *data;
	size_t len;

	import_all(t);
	trace_close(t);
	data = slurp(&len);
	for (size_t cut = 0; cut < len; cut++) {
		struct err err = { "" };
		u64 nr;

		ck_assert_msg(read_all(data, cut, &nr, &err) < 0,
			      "cut at %zu went unnoticed", cut);
		ck_assert_ptr_nonnull(strstr(err.msg, "<memory>: "));
	}
	free(data);
}
END_TEST

START_TEST(a_flipped_bit_is_an_error_or_changes_nothing)
{
	struct trace *t = open_text(TEXT, NULL);
	size_t unnoticed = 0;
	char *data;
	size_t len;
	u64 all;

	import_all(t);
	trace_close(t);
	data = slurp(&len);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		struct err err = { "" };
		u64 nr;

		data[bit / 8] ^= (char)(1 << bit % 8);
		if (read_all(data, len, &nr, &err) == 0) {
			ck_assert_uint_eq(nr, 9);
			unnoticed++;
		}
		data[bit / 8] ^= (char)(1 << bit % 8);
	}
	/* zstd has unused bits in its frame header; there is nothing to harm. */
	ck_assert_uint_le(unnoticed, 4 * 12);
	ck_assert_int_eq(read_all(data, len, &all, &(struct err){ "" }), 0);
	ck_assert_uint_eq(all, 9);
	free(data);
}
END_TEST

START_TEST(a_claim_of_a_gigabyte_is_refused_unallocated)
{
	static const char head[16] = VST_MAGIC "\1";
	char data[1024] = { 0 };
	struct err err = { "" };
	u64 nr;

	memcpy(data, head, 16);
	memcpy(data + 16, "HEAD", 4);
	memcpy(data + 20 + 4 * _i, "\0\0\0\x40", 4);
	data[20 + 4 * !_i] = 1;
	ck_assert_int_lt(read_all(data, sizeof(data), &nr, &err), 0);
	ck_assert_msg(strstr(err.msg, "1073741824"), "%s", err.msg);
}
END_TEST

START_TEST(a_newer_version_and_a_text_mode_copy_are_named)
{
	char data[32] = VST_MAGIC "\2";
	struct err err = { "" };
	u64 nr;

	ck_assert_int_lt(read_all(data, sizeof(data), &nr, &err), 0);
	ck_assert_msg(strstr(err.msg, "version 2"), "%s", err.msg);
	data[4] = '\n';
	ck_assert_int_lt(read_all(data, sizeof(data), &nr, &err), 0);
	ck_assert_msg(strstr(err.msg, "sent as text"), "%s", err.msg);
}
END_TEST

START_TEST(bytes_after_the_end_are_an_error)
{
	struct trace *t = open_text(TEXT, NULL);
	struct err err = { "" };
	char *data;
	size_t len;
	u64 nr;

	import_all(t);
	trace_close(t);
	data = slurp(&len);
	data[len] = 'x';
	ck_assert_int_lt(read_all(data, len + 1, &nr, &err), 0);
	ck_assert_msg(strstr(err.msg, "bytes follow"), "%s", err.msg);
	free(data);
}
END_TEST

START_TEST(an_aborted_file_leaves_nothing_behind)
{
	struct trace *t = open_text(TEXT, NULL);
	struct err err = { "" };
	struct vst_writer *w;
	char target[256];
	char pattern[300];
	glob_t found;

	snprintf(target, sizeof(target), "%s.vst", path);
	ck_assert_int_eq(trace_vst_create(target, t, &under, &w, &err), 0);
	trace_vst_abort(w);
	trace_close(t);
	snprintf(pattern, sizeof(pattern), "%s*", target);
	ck_assert_int_eq(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
	globfree(&found);
}
END_TEST

START_TEST(a_folder_that_does_not_exist_is_named)
{
	struct trace *t = open_text(TEXT, NULL);
	struct err err = { "" };
	struct vst_writer *w;

	ck_assert_int_lt(trace_vst_create("/nonexistent/x.vst", t, &under, &w,
					  &err), 0);
	ck_assert_msg(strstr(err.msg, "/nonexistent/x.vst: "), "%s", err.msg);
	trace_close(t);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("vst");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, every_kind_of_record_comes_back_as_it_was);
	tcase_add_test(tc, many_blocks_come_back_in_order);
	tcase_add_test(tc, every_truncation_is_an_error);
	tcase_add_test(tc, a_flipped_bit_is_an_error_or_changes_nothing);
	tcase_add_loop_test(tc, a_claim_of_a_gigabyte_is_refused_unallocated,
			    0, 2);
	tcase_add_test(tc, a_newer_version_and_a_text_mode_copy_are_named);
	tcase_add_test(tc, bytes_after_the_end_are_an_error);
	tcase_add_test(tc, an_aborted_file_leaves_nothing_behind);
	tcase_add_test(tc, a_folder_that_does_not_exist_is_named);
	return run_suite(tc, "traces/vst");
}
