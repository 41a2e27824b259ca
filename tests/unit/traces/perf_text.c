#include "tests/unit/traces/helper.h"

#define TEXT "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=CPU 0/KVM next_pid=2 next_prio=120"

static const struct {
	const char *columns;
	const char *after;
	u32 tgid;
} shapes[] = {
	{ "               a     1 [003]     1.000005: ", "", 0 },
	{ "               a     1/1     [003]     1.000005: ", "", 1 },
	{ "a  77/1  [003] 1.000005:    1001001   ", "", 77 },
	{ "    1 [003]     1.000005: ", "", 0 },
	{ "1/1 [003] 1.000005000:               ", "", 1 },
	{ "  [003]     1.000005: ", "", 0 },
	{ " a b  7 [1] 2.0: x     1 [003] 1.000005: ", "", 0 },
	{ "           :1     1 [003]     1.000005: ", "", 0 },
	{ "               a     1/1     [003]     1.000005: ",
	  " ffffffff8139ba69 __traceiter_sched_switch+0x4", 1 },
};

START_TEST(every_shape_of_the_columns_is_read)
{
	char line[512];
	struct trace *t;
	struct trace_rec r;

	snprintf(line, sizeof(line), "%ssched:sched_switch: %s%s\n",
		 shapes[_i].columns, TEXT, shapes[_i].after);
	t = open_text(line, NULL);
	ck_assert_str_eq(trace_format(t), "perf-script");
	r = next_rec(t);
	ck_assert_int_eq(r.kind, TRACE_SWITCH);
	ck_assert_uint_eq(r.ts_ns, 1000005000);
	ck_assert_uint_eq(r.cpu, 3);
	ck_assert_uint_eq(r.tid, 1);
	ck_assert_uint_eq(r.u.sw.next_tid, 2);
	ck_assert_uint_eq(r.tgid, shapes[_i].tgid);
	trace_close(t);
}
END_TEST

START_TEST(threads_unknown_to_perf_and_negative_priorities_are_no_mistake)
{
	struct trace *t = open_text(
		":-1 -1 [003] 1.000005: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=-1 prev_state=S ==> next_comm=b next_pid=2 next_prio=-101\n"
		":-1 -1/-1 [003] 1.000006: sched:sched_switch: " TEXT "\n",
		"perf-script");

	ck_assert_uint_eq(next_rec(t).tid, 1);
	ck_assert_uint_eq(next_rec(t).tgid, 0);
	expect_end(t);
	trace_close(t);
}
END_TEST

START_TEST(nanoseconds_are_kept)
{
	struct trace *t = open_text("a 1 [000]   943.205058267: sched:sched_switch: " TEXT "\n", NULL);

	ck_assert_uint_eq(next_rec(t).ts_ns, 943205058267ull);
	trace_close(t);
}
END_TEST

START_TEST(the_plugin_style_is_read_with_what_perf_appends)
{
	struct trace *t = open_text(
		"perf 13322 [003] 1.000005: sched:sched_switch: perf:13322 [120] R ==> kworker/2:1:27 [0]\n"
		"perf 13322 [003] 1.000006: sched:sched_wakeup: a:b [120] S:27 [120] CPU:001\n"
		"perf 13322 [003] 1.000006: sched:sched_switch:H: perf:13322 [120] R+ ==> m:27 [0] ffffffff81 __schedule\n", NULL);
	struct trace_rec r = next_rec(t);

	ck_assert_uint_eq(r.tid, 13322);
	ck_assert_str_eq(trace_string(t, r.u.sw.next_comm), "kworker/2:1");
	r = next_rec(t);
	ck_assert_str_eq(trace_string(t, r.comm), "a:b [120] S");
	r = next_rec(t);
	ck_assert_uint_eq(r.u.sw.next_tid, 27);
	ck_assert_int_eq(r.u.sw.prev_state, '+');
	trace_close(t);
}
END_TEST

START_TEST(task_events_tell_who_is_who)
{
	struct trace *t = open_text(
		"               q     0 [-01]     0.000000: PERF_RECORD_COMM: CPU 0/TCG:18365/18372\n"
		"               q     7 [000]     1.000001: PERF_RECORD_COMM exec: a:b/c:7/8\n"
		"  6782/6783  [004] 926991.722004488: PERF_RECORD_FORK(6784:6785):(5911:5912)\n"
		"  6782/6783  [004] 926991.722004488: PERF_RECORD_EXIT(6784:6785):(5911:5912)\n"
		"  6782/6783  [004] 926991.722004488: PERF_RECORD_LOST lost 282\n"
		"  6782/6783  [004] 926991.722004488: PERF_RECORD_MMAP whatever\n",
		"perf-script");
	struct trace_rec r = next_rec(t);

	ck_assert_int_eq(r.kind, TRACE_TASK);
	ck_assert_uint_eq(r.tgid, 18365);
	ck_assert_uint_eq(r.tid, 18372);
	ck_assert_str_eq(trace_string(t, r.comm), "CPU 0/TCG");
	r = next_rec(t);
	ck_assert_str_eq(trace_string(t, r.comm), "a:b/c");
	r = next_rec(t);
	ck_assert_int_eq(r.kind, TRACE_TASK);
	ck_assert(r.u.task.born);
	ck_assert_uint_eq(r.tid, 6785);
	ck_assert_uint_eq(r.tgid, 6784);
	ck_assert_int_eq(next_rec(t).kind, TRACE_TASK_EXIT);
	r = next_rec(t);
	ck_assert_int_eq(r.kind, TRACE_LOST);
	ck_assert_uint_eq(r.u.lost.count, 282);
	ck_assert_uint_eq(r.cpu, 4);
	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->skipped, 1);
	trace_close(t);
}
END_TEST

START_TEST(call_chains_and_headers_are_passed_over)
{
	struct trace *t = open_text(
		"# os release : 6.18.44-fc\n"
		"perf  7496/7496  [003] 264874.155353:    1001001                cpu-clock: \n"
		"\tffffffff810d47be smp_call_function_single ([kernel.kallsyms])\n"
		"\n"
		"a 1/1 [003] 264874.155354: sched:sched_switch: " TEXT "\n", NULL);

	ck_assert_uint_eq(next_rec(t).line, 5);
	ck_assert_str_eq(trace_recorded_under(t)->kernel, "6.18.44-fc");
	ck_assert_str_eq(trace_recorded_under(t)->policy, "unknown");
	expect_end(t);
	trace_close(t);
}
END_TEST

static const struct {
	const char *line;
	const char *says;
	bool fatal;
} broken[] = {
	{ "a 1 [003] 1.000005: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=", "prev_comm=... prev_pid=N", false },
	{ "a 1 [-03] 1.000005: sched:sched_switch: " TEXT, "CPU number from 0 to 8191", false },
	{ "a 1 [9999] 1.000005: sched:sched_switch: " TEXT, "CPU number from 0 to 8191", false },
	{ "    [001]   770.850287:   kvm:kvm_entry: vcpu 0, rip 0x100146", "a thread id before '[cpu]'", false },
	{ "a 1 [003] 1.000005: PERF_RECORD_FORK(x:1):(2:3)", "(pid:tid)", false },
	{ "a 1 [003] 1.000005: PERF_RECORD_COMM: x:1/z", "name:pid/tid", false },
	{ "a 1 [003] 1.000005: PERF_RECORD_LOST many", "lost N", false },
	{ "no columns: " TEXT, "before the text", false },
	{ "a 1 [003] 1.000005: sched:sched_switch: prev_comm=a prev_pid=-1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120", "prev_pid=N", false },
	{ "a 1 [003] 1.000005: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=-2 next_prio=120", "next_pid=N", false },
	{ "a 1 [003] 1.000005: sched:sched_migrate_task: comm=a pid=-1 prio=120 orig_cpu=1 dest_cpu=2", "pid=N", false },
	{ "a 1 [003] 1.000005: sched:sched_migrate_task: comm=a pid=1 prio=120 orig_cpu=-1 dest_cpu=2", "CPU numbers below 8192", false },
	{ "a -7 [003] 1.000005: sched:sched_switch: " TEXT, "before the text", false },
	{ "a -5/1 [003] 1.000005: sched:sched_switch: " TEXT, "before the text", false },
	{ "a 5/-7 [003] 1.000005: sched:sched_switch: " TEXT, "before the text", false },
	{ "a 1 1.000005: sched:sched_switch: " TEXT, "perf record -a", true },
};

START_TEST(a_broken_line_is_counted_and_explained)
{
	struct trace *t = open_text(broken[_i].line, "perf-script");
	const char *msg = trace_counts(t)->first_broken;
	struct trace_rec rec;
	struct err err = { "" };
	int ret = trace_next(t, &rec, &err);

	if (broken[_i].fatal)
		msg = err.msg;
	ck_assert_int_eq(ret < 0, broken[_i].fatal);
	ck_assert_msg(strstr(msg, broken[_i].says), "%s", msg);
	ck_assert_msg(strstr(msg, "<memory>:1: found '"), "%s", msg);
	trace_close(t);
}
END_TEST

START_TEST(a_newline_in_a_name_is_torn)
{
	struct trace *t = open_text(
		"       new\\nline 15925 [001]   775.564756:       sched:sched_switch: prev_comm=new\n"
		"line prev_pid=15925 prev_prio=120 prev_state=S ==> next_comm=cc1plus next_pid=10984 next_prio=120\n", NULL);

	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->torn, 1);
	ck_assert_uint_eq(trace_counts(t)->skipped, 1);
	trace_close(t);
}
END_TEST

START_TEST(delta_times_are_refused)
{
	char text[8192] = "";
	struct trace_rec rec;
	struct trace *t;
	struct err err;
	int ret = 1;

	for (int i = 0; i < 40; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "a 1 [003] 0.0000%02d: sched:sched_switch: " TEXT "\n",
			 i * 37 % 50);
	t = open_text(text, NULL);
	while (ret > 0)
		ret = trace_next(t, &rec, &err);
	ck_assert_int_lt(ret, 0);
	ck_assert_msg(strstr(err.msg, "--deltatime"), "%s", err.msg);
	trace_close(t);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("perf");

	tcase_add_loop_test(tc, every_shape_of_the_columns_is_read, 0,
			    ARRAY_SIZE(shapes));
	tcase_add_test(tc, threads_unknown_to_perf_and_negative_priorities_are_no_mistake);
	tcase_add_test(tc, nanoseconds_are_kept);
	tcase_add_test(tc, the_plugin_style_is_read_with_what_perf_appends);
	tcase_add_test(tc, task_events_tell_who_is_who);
	tcase_add_test(tc, call_chains_and_headers_are_passed_over);
	tcase_add_loop_test(tc, a_broken_line_is_counted_and_explained, 0,
			    ARRAY_SIZE(broken));
	tcase_add_test(tc, a_newline_in_a_name_is_torn);
	tcase_add_test(tc, delta_times_are_refused);
	return run_suite(tc, "traces/perf_text");
}
