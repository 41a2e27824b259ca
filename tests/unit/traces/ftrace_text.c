#include "tests/unit/traces/helper.h"

#define SW "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=CPU 0/KVM next_pid=2 next_prio=120\n"

/* One line in, its record out; everything else is up to the caller. */
static struct trace_rec one(const char *line, struct trace **t)
{
	*t = open_text(line, "ftrace");
	return next_rec(*t);
}

START_TEST(a_switch_gives_time_cpu_threads_and_state)
{
	struct trace *t;
	struct trace_rec r = one("               a-1       [003] d..2.  1902.069866: sched_switch: " SW, &t);

	ck_assert_int_eq(r.kind, TRACE_SWITCH);
	ck_assert_uint_eq(r.ts_ns, 1902069866000ull);
	ck_assert_uint_eq(r.cpu, 3);
	ck_assert_uint_eq(r.tid, 1);
	ck_assert_uint_eq(r.u.sw.next_tid, 2);
	ck_assert_int_eq(r.u.sw.prev_state, 'S');
	ck_assert_str_eq(trace_string(t, r.comm), "a");
	ck_assert_str_eq(trace_string(t, r.u.sw.next_comm), "CPU 0/KVM");
	ck_assert_uint_eq(r.line, 1);
	expect_end(t);
	trace_close(t);
}
END_TEST

/* Every shape of the columns that kernels and trace-cmd print. */
static const char *const columns[] = {
	"a-1       [003] d..2.  1.000005: ",
	"a-1     [003] d... 1.000005: ",
	"a-1       [003] .......   1.000005: ",
	"a-1     [003]     1.000005: ",
	"a-1       (-------) [003] d..2.  1.000005: ",
	"a-1       (  18366) [003]   1.000005: ",
	"a-1     (-----) [003] .... 1.000005: ",
	"  318           a-1     [003] 1.000005: ",
	"\t  a-1     [003]     1.000005000: ",
	"[001] d..2-1       [003] d..2.  1.000005: ",
	"a: b: 1.5: c-1       [003] d..2.  1.000005: ",
	"-1       [003] d..2.  1.000005: ",
};

START_TEST(every_shape_of_the_columns_is_read)
{
	char line[512];
	struct trace *t;
	struct trace_rec r;

	snprintf(line, sizeof(line), "%ssched_switch: " SW, columns[_i]);
	r = one(line, &t);
	ck_assert_uint_eq(r.ts_ns, 1000005000);
	ck_assert_uint_eq(r.cpu, 3);
	ck_assert_uint_eq(r.tid, 1);
	trace_close(t);
}
END_TEST

START_TEST(the_tgid_column_belongs_to_the_thread_that_leaves)
{
	struct trace *t;
	struct trace_rec r = one("a-1   (  77) [003] d..2.  1.000005: sched_switch: " SW, &t);

	ck_assert_uint_eq(r.tgid, 77);
	trace_close(t);
}
END_TEST

/* Names that hold the separators: what was sent is what must come back. */
static const char *const names[] = {
	"a ==> b", "x-1 [001] d..2", "with  2spaces", " leading", "trailing ",
	"bad\xff\xfe" "bytes", "(paren) [7]", "next_comm=foo", "prev_pid=42",
	"pid=7 prio=1", "<...>", "-", "", "a\tb", "0", "<idle>", "swapper/0",
	"a:b [120] S", "%s%n", "#comment", " ==> next_comm=", " next_pid=5",
	"prev_state=R ", "1: 2: [0] 3.4: ",
};

START_TEST(hostile_names_come_back_as_they_were)
{
	char line[512];
	struct trace *t;
	struct trace_rec r;

	snprintf(line, sizeof(line),
		 "%16s-1       [003] d..2.  1.000005: sched_switch: prev_comm=%s prev_pid=1 prev_prio=-1 prev_state=R+ ==> next_comm=%s next_pid=2 next_prio=120\n",
		 names[_i], names[_i], names[_i]);
	r = one(line, &t);
	ck_assert_str_eq(trace_string(t, r.comm), names[_i]);
	ck_assert_str_eq(trace_string(t, r.u.sw.next_comm), names[_i]);
	ck_assert_int_eq(r.u.sw.prev_state, '+');
	trace_close(t);
}
END_TEST

START_TEST(hostile_names_come_back_from_the_plugin_style_too)
{
	char line[512];
	struct trace *t;
	struct trace_rec r;

	snprintf(line, sizeof(line),
		 "%16s-1     [003] 1.000005: sched_switch:         %s:1 [120] t ==> %s:2 [-5]\n",
		 "x", names[_i], names[_i]);
	r = one(line, &t);
	ck_assert_uint_eq(r.tid, 1);
	ck_assert_uint_eq(r.u.sw.next_tid, 2);
	/* Leading spaces are the padding of trace-cmd report. */
	ck_assert_str_eq(trace_string(t, r.comm),
			 names[_i] + strspn(names[_i], " "));
	ck_assert_str_eq(trace_string(t, r.u.sw.next_comm), names[_i]);
	trace_close(t);
}
END_TEST

START_TEST(the_fields_option_and_numeric_states_are_read)
{
	struct trace *t;
	struct trace_rec r = one("x-1 [000] d..2.   983.361114: sched_switch: prev_comm=variants.sh prev_pid=0x4c27 (19495) prev_prio=0x78 (120) prev_state=0x0 (0) next_comm=qemu next_pid=0x47be (18366) next_prio=0x78 (120)\n"
				 "x-1 [000] 1.000001: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=1024 next_comm=b next_pid=2 next_prio=0\n", &t);

	ck_assert_uint_eq(r.tid, 19495);
	ck_assert_uint_eq(r.u.sw.next_tid, 18366);
	ck_assert_int_eq(r.u.sw.prev_state, 'R');
	r = next_rec(t);
	ck_assert_int_eq(r.u.sw.prev_state, '+');
	trace_close(t);
}
END_TEST

START_TEST(kvm_and_identity_events_are_read)
{
	struct trace *t = open_text(
		"CPU 3/KVM-9   [001] d.... 1.000001: kvm_entry: vcpu 3, rip 0x22da[immediate exit]\n"
		"CPU 3/KVM-9   [001] d.... 1.000002: kvm_exit: reason EXTERNAL_INTERRUPT rip 0x22da info 0 800000fd\n"
		"CPU 3/KVM-9   [001] d.... 1.000003: kvm_fpu: unload\n"
		"CPU 3/KVM-9   [001] d.... 1.000004: kvm_fpu: load\n"
		"x-8   [001] d.... 1.000005: sched_process_fork: comm=x pid=8 child_comm=y z child_pid=10\n"
		"x-8   [001] d.... 1.000006: sched_process_exit: comm=x pid=8 prio=120 group_dead=true\n"
		"x-8   [001] d.... 1.000007: sched_migrate_task: comm=x pid=8 prio=120 orig_cpu=4 dest_cpu=5\n"
		"x-8   [001] d.... 1.000008: sched_wakeup: comm=x pid=8 prio=120 success=1 target_cpu=005\n"
		"x-8   [001] d.... 1.000009: sched_wakeup: x:8 [120] success=1 CPU:005\n", "ftrace");
	struct trace_rec r = next_rec(t);

	ck_assert_int_eq(r.kind, TRACE_KVM_ENTRY);
	ck_assert_uint_eq(r.tid, 9);
	ck_assert_uint_eq(r.u.kvm.vcpu, 3);
	ck_assert_str_eq(trace_string(t, r.comm), "CPU 3/KVM");
	r = next_rec(t);
	ck_assert_int_eq(r.kind, TRACE_KVM_EXIT);
	ck_assert_uint_eq(r.u.kvm.vcpu, IDX_NONE);
	ck_assert_int_eq(next_rec(t).kind, TRACE_RUN_END);
	ck_assert_int_eq(next_rec(t).kind, TRACE_RUN_BEGIN);
	r = next_rec(t);
	ck_assert_int_eq(r.kind, TRACE_TASK);
	ck_assert(r.u.task.born);
	ck_assert_uint_eq(r.tid, 10);
	ck_assert_str_eq(trace_string(t, r.comm), "y z");
	ck_assert_int_eq(next_rec(t).kind, TRACE_TASK_EXIT);
	r = next_rec(t);
	ck_assert_int_eq(r.kind, TRACE_MIGRATE);
	ck_assert_uint_eq(r.u.migrate.from_cpu, 4);
	ck_assert_uint_eq(r.u.migrate.to_cpu, 5);
	ck_assert_uint_eq(next_rec(t).tid, 8);
	ck_assert_uint_eq(next_rec(t).tid, 8);
	expect_end(t);
	trace_close(t);
}
END_TEST

START_TEST(markers_of_loss_are_records_and_are_counted)
{
	struct trace *t = open_text(
		"# entries-in-buffer/entries-written: 100/130   #P:2\n"
		"a-1 [001] d..2. 1.000005: sched_switch: " SW
		"CPU:1 [LOST 21416 EVENTS]\n"
		"CPU:0 [LOST EVENTS]\n"
		"CPU:1 [123 EVENTS DROPPED]\n"
		"##### CPU 7 buffer started ####\n", "ftrace");
	struct trace_rec r;

	next_rec(t);
	r = next_rec(t);
	ck_assert_int_eq(r.kind, TRACE_LOST);
	ck_assert_uint_eq(r.cpu, 1);
	ck_assert_uint_eq(r.u.lost.count, 21416);
	ck_assert_uint_eq(r.ts_ns, 1000005000);
	ck_assert_uint_eq(next_rec(t).u.lost.count, 0);
	ck_assert_uint_eq(next_rec(t).u.lost.count, 123);
	ck_assert_uint_eq(next_rec(t).cpu, 7);
	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->lost_markers, 3);
	ck_assert_uint_eq(trace_counts(t)->lost_events, 30 + 21416 + 123);
	trace_close(t);
}
END_TEST

/* One broken line per rule, and what the message must say. */
static const struct {
	const char *line;
	const char *says;
} broken[] = {
	{ "a-1 [000] d..2. 1.000005: sched_switch: prev_comm=a prev_pid=1 ==> nonsense", "prev_comm=... prev_pid=N" },
	{ "a-1 [000] d..2. 1.000005: sched_switch: prev_comm=a prev_pid=9999999999 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=1", "prev_pid=N" },
	{ "a-1 [000] d..2. 1.000005: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state= ==> next_comm=b next_pid=2 next_prio=1", "prev_state=S" },
	{ "a-1 [000] d..2. 1.000005: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=0123456789012345678901234567890123456789012345678901234567890123456789 next_pid=2 next_prio=1", "at most 64 bytes" },
	{ "a-1 [-01] d..2. 1.000005: sched_switch: " SW, "CPU number from 0 to 8191" },
	{ "a-1 [8192] d..2. 1.000005: sched_switch: " SW, "CPU number from 0 to 8191" },
	{ "a-1 [000] d..2. 1.0005: sched_switch: " SW, "before the event" },
	{ "a-1 [000] d..2. 99999999999.000005: sched_switch: " SW, "before the event" },
	{ ": sched_switch: " SW, "before the event" },
	{ "a-1 [000] d..2. 1.000005:", "an event after the time stamp" },
	{ "a-1 [000] d..2. 1.000005: kvm_entry: vcpu 99999", "below 65536" },
	{ "a-1 [000] d..2. 1.000005: kvm_fpu: lo", "'load' or 'unload'" },
	{ "a-1 [000] d..2. 1.000005: sched_migrate_task: comm=a pid=1 prio=1 orig_cpu=0 dest_cpu=8192", "below 8192" },
	{ "a-1 [000] d..2. 1.000005: sched_migrate_task: comm=a pid=1 prio=1", "orig_cpu=N" },
	{ "a-1 [000] d..2. 1.000005: sched_wakeup: comm=a pid=x prio=1", "target_cpu=N" },
	{ "a-1 [000] d..2. 1.000005: sched_process_fork: comm=a pid=1 child_comm=b child_pid=z", "child_pid=N" },
	{ "a-1 [000] d..2. 1.000005: sched_process_exit: comm=a pid=1", "pid=N prio=N" },
	{ "CPU:0 [LOST 9x EVENTS]", "LOST N EVENTS" },
	{ "CPU:9999 [LOST 9 EVENTS]", "CPU below 8192" },
	{ "##### CPU 9999 buffer started ####", "N below 8192" },
};

START_TEST(a_broken_line_is_counted_and_explained)
{
	struct trace *t = open_text(broken[_i].line, "ftrace");

	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->broken, 1);
	ck_assert_uint_eq(trace_counts(t)->torn, 0);
	ck_assert_msg(strstr(trace_counts(t)->first_broken, broken[_i].says),
		      "%s", trace_counts(t)->first_broken);
	ck_assert_ptr_nonnull(strstr(trace_counts(t)->first_broken,
				     "<memory>:1: found '"));
	trace_close(t);
}
END_TEST

START_TEST(a_broken_line_is_fatal_when_asked)
{
	struct trace *t = open_text(broken[_i].line, "ftrace");
	struct trace_rec rec;
	struct err err;

	trace_set_strict(t);
	ck_assert_int_lt(trace_next(t, &rec, &err), 0);
	ck_assert_msg(strstr(err.msg, broken[_i].says), "%s", err.msg);
	trace_close(t);
}
END_TEST

START_TEST(a_newline_in_a_name_tears_one_record_and_no_more)
{
	struct trace *t = open_text(
		"             new\nline-15      [001] d..2. 1.000005: sched_switch: prev_comm=new\nline prev_pid=15 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n"
		"a-1 [001] d..2. 1.000006: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=new\nline next_pid=15 next_prio=120\n"
		"a-1 [001] d..2. 1.000007: sched_wakeup: comm=new\nline pid=15 prio=120 target_cpu=001\n"
		"a-1 [001] d..2. 1.000008: sched_switch: " SW, "ftrace");

	ck_assert_uint_eq(next_rec(t).ts_ns, 1000008000);
	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->torn, 3);
	ck_assert_uint_eq(trace_counts(t)->broken, 3);
	trace_close(t);
}
END_TEST

START_TEST(lines_that_are_not_ours_are_skipped)
{
	struct trace *t = open_text(
		"a-1 [000] d..2. 1.000005: tracing_mark_write: fake: sched_switch: prev_comm=\n"
		"a-1 [000] d..2. 1.000005: mod_zone_page_state <-__folio_end_writeback\n"
		"a-1 [000] d..2. 1.000005: <stack trace>\n"
		" => mod_zone_page_state\n"
		"\n"
		"a-1 [000] d..2. 1.000005: sched_stat_runtime: comm=x pid=1 runtime=5 [ns]\n",
		"ftrace");

	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->skipped, 6);
	ck_assert_uint_eq(trace_counts(t)->broken, 0);
	trace_close(t);
}
END_TEST

START_TEST(a_nul_byte_in_a_name_is_a_broken_line)
{
	static const char line[] = "a-1 [000] d..2. 1.000005: sched_switch: prev_comm=a\0b prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=c next_pid=2 next_prio=120\n";
	struct trace *t;
	struct err err;

	ck_assert_int_eq(trace_open_memory(line, sizeof(line) - 1, "ftrace",
					   &t, &err), 0);
	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->broken, 1);
	trace_close(t);
}
END_TEST

START_TEST(a_huge_line_is_one_broken_line)
{
	size_t len = 3u << 20;
	char *text = malloc(len + 512);
	struct trace *t;
	struct err err;

	memset(text, 'x', len);
	snprintf(text + len, 512, "\na-1 [000] d..2. 1.000005: sched_switch: %s", SW);
	ck_assert_int_eq(trace_open_memory(text, strlen(text), "ftrace", &t,
					   &err), 0);
	ck_assert_uint_eq(next_rec(t).line, 2);
	expect_end(t);
	ck_assert_uint_eq(trace_counts(t)->broken, 1);
	ck_assert_ptr_nonnull(strstr(trace_counts(t)->first_broken,
				     "at most 65536 bytes"));
	trace_close(t);
	free(text);
}
END_TEST

START_TEST(a_counter_clock_is_refused_with_the_cure)
{
	struct trace *t = open_text("a-1 [001] d..2. 2271825645698: sched_switch: " SW, NULL);
	struct trace_rec rec;
	struct err err;

	ck_assert_int_lt(trace_next(t, &rec, &err), 0);
	ck_assert_msg(strstr(err.msg, "counter clock") &&
		      strstr(err.msg, "trace_clock"), "%s", err.msg);
	trace_close(t);
}
END_TEST

START_TEST(time_that_runs_back_on_a_cpu_is_counted)
{
	struct trace *t = open_text(
		"a-1 [001] d..2. 1.000005: sched_switch: " SW
		"a-1 [002] d..2. 1.000004: sched_switch: " SW
		"a-1 [001] d..2. 1.000003: sched_switch: " SW, NULL);

	next_rec(t);
	next_rec(t);
	ck_assert_uint_eq(trace_counts(t)->unordered, 0);
	next_rec(t);
	ck_assert_uint_eq(trace_counts(t)->unordered, 1);
	trace_close(t);
}
END_TEST

START_TEST(carriage_returns_do_no_harm)
{
	struct trace *t = open_text("a-1 [001] d..2. 1.000005: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120\r\n", NULL);

	ck_assert_uint_eq(next_rec(t).u.sw.next_tid, 2);
	trace_close(t);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ftrace");

	tcase_add_test(tc, a_switch_gives_time_cpu_threads_and_state);
	tcase_add_loop_test(tc, every_shape_of_the_columns_is_read, 0,
			    ARRAY_SIZE(columns));
	tcase_add_test(tc, the_tgid_column_belongs_to_the_thread_that_leaves);
	tcase_add_loop_test(tc, hostile_names_come_back_as_they_were, 0,
			    ARRAY_SIZE(names));
	tcase_add_loop_test(tc, hostile_names_come_back_from_the_plugin_style_too,
			    0, ARRAY_SIZE(names));
	tcase_add_test(tc, the_fields_option_and_numeric_states_are_read);
	tcase_add_test(tc, kvm_and_identity_events_are_read);
	tcase_add_test(tc, markers_of_loss_are_records_and_are_counted);
	tcase_add_loop_test(tc, a_broken_line_is_counted_and_explained, 0,
			    ARRAY_SIZE(broken));
	tcase_add_loop_test(tc, a_broken_line_is_fatal_when_asked, 0,
			    ARRAY_SIZE(broken));
	tcase_add_test(tc, a_newline_in_a_name_tears_one_record_and_no_more);
	tcase_add_test(tc, lines_that_are_not_ours_are_skipped);
	tcase_add_test(tc, a_nul_byte_in_a_name_is_a_broken_line);
	tcase_add_test(tc, a_huge_line_is_one_broken_line);
	tcase_add_test(tc, a_counter_clock_is_refused_with_the_cure);
	tcase_add_test(tc, time_that_runs_back_on_a_cpu_is_counted);
	tcase_add_test(tc, carriage_returns_do_no_harm);
	return run_suite(tc, "traces/ftrace_text");
}
