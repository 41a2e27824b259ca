#include <errno.h>

#include "tests/unit/traces/helper.h"

/* "at cpu prev -> next state" as a line; times in microseconds. */
#define SW(us, cpu, pc, pt, st, nc, nt) \
	pc "-" #pt " [00" #cpu "] d..2. 1.0000" #us ": sched_switch: prev_comm=" \
	pc " prev_pid=" #pt " prev_prio=120 prev_state=" st " ==> next_comm=" \
	nc " next_pid=" #nt " next_prio=120\n"
#define RUN(us, cpu, c, t, what) \
	c "-" #t " [00" #cpu "] ..... 1.0000" #us ": kvm_fpu: " what "\n"
#define IDLE "swapper", 0

static struct schedule *decode_with(const char *text, const char *threads,
				    FILE *intervals)
{
	struct schedule_options opt = { .threads_path = threads,
					.intervals = intervals };
	struct schedule *s = NULL;
	struct trace *t = open_text(text, NULL);
	struct err err = { "" };
	int ret = schedule_from_trace(t, "test", &opt, &s, &err);

	ck_assert_msg(ret == 0, "%s", err.msg);
	trace_close(t);
	return s;
}

static struct schedule *decode(const char *text)
{
	return decode_with(text, NULL, NULL);
}

/* The events as text, to be compared with what they should be. */
static const char *story(const struct schedule *s)
{
	static const char *const what[] = { "V", "H", "I", "?", "[", "]" };
	static char text[4096];

	text[0] = '\0';
	for (u64 i = 0; i < s->nr_events; i++) {
		const struct schedule_event *ev = &s->event[i];
		size_t at = strlen(text);
		char vcpu[16] = "";

		if (ev->vcpu != IDX_NONE)
			snprintf(vcpu, sizeof(vcpu), "%u", ev->vcpu);
		snprintf(text + at, sizeof(text) - at, "%s%u:%u%s%s%s",
			 i ? " " : "", (unsigned int)(ev->ns / 1000), ev->pcpu,
			 what[ev->what], vcpu, ev->preempted ? "+" : "");
	}
	return text;
}

START_TEST(a_vcpu_comes_and_goes)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(20, 0, "CPU 0/KVM", 7, "R+", "bash", 8)
		SW(30, 0, "bash", 8, "S", "CPU 0/KVM", 7)
		SW(40, 0, "CPU 0/KVM", 7, "S", "swapper", 0));

	ck_assert_str_eq(story(s), "0:0I 0:0V0+ 10:0H+ 20:0V0 30:0I");
	ck_assert_uint_eq(s->vcpu[0].sched_ins, 2);
	ck_assert_uint_eq(s->vcpu[0].run_ns, 20000);
	ck_assert_uint_eq(s->vcpu[0].pcpu_changes, 0);
	ck_assert_uint_eq(s->chain_breaks, 0);
	ck_assert_uint_eq(s->duration_ns, 30000);
	ck_assert_uint_eq(s->first_ns, 1000010000);
	ck_assert_uint_eq(s->nr_vms, 1);
	ck_assert(s->vm[0].assumed);
	schedule_free(s);
}
END_TEST

START_TEST(a_change_of_cpu_is_counted_at_the_switch_in)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "fc_vcpu 1", 7)
		SW(20, 0, "fc_vcpu 1", 7, "S", "swapper", 0)
		SW(30, 2, "swapper", 0, "R", "fc_vcpu 1", 7)
		SW(40, 2, "fc_vcpu 1", 7, "S", "swapper", 0)
		"x-1 [000] ..... 1.000045: sched_migrate_task: comm=fc_vcpu 1 pid=7 prio=120 orig_cpu=2 dest_cpu=0\n");

	ck_assert_uint_eq(s->vcpu[0].pcpu_changes, 1);
	ck_assert_uint_eq(s->vcpu[0].migrate_hints, 1);
	ck_assert_uint_eq(s->vcpu[0].index, 1);
	ck_assert_uint_eq(s->nr_pcpus, 2);
	ck_assert_uint_eq(s->pcpu_id[1], 2);
	schedule_free(s);
}
END_TEST

START_TEST(who_leaves_first_ran_since_the_start)
{
	struct schedule *s = decode(
		SW(10, 1, "swapper", 0, "R", "bash", 9)
		SW(30, 0, "CPU 0/KVM", 7, "S", "swapper", 0));

	ck_assert_str_eq(story(s), "0:0V0 0:1I 0:1H+ 20:0I");
	ck_assert_uint_eq(s->vcpu[0].run_ns, 20000);
	ck_assert_uint_eq(s->vcpu[0].sched_ins, 0);
	schedule_free(s);
}
END_TEST

START_TEST(before_the_first_switch_of_a_lossy_trace_nothing_is_known)
{
	struct schedule *s = decode(
		"# entries-in-buffer/entries-written: 2/9   #P:2\n"
		SW(10, 1, "swapper", 0, "R", "bash", 9)
		SW(30, 0, "CPU 0/KVM", 7, "S", "swapper", 0));

	/* Prev was there at that moment, and that is all there is to say. */
	ck_assert_str_eq(story(s), "0:0? 0:1? 0:1I 0:1H+ 20:0V0 20:0I");
	ck_assert_uint_eq(s->vcpu[0].run_ns, 0);
	ck_assert_uint_eq(s->lost_events, 7);
	schedule_free(s);
}
END_TEST

START_TEST(a_hole_begins_where_the_last_record_of_its_cpu_stands)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(20, 1, "swapper", 0, "R", "bash", 9)
		"CPU:0 [LOST 5 EVENTS]\n"
		SW(50, 0, "bash", 8, "S", "CPU 0/KVM", 7));

	ck_assert_str_eq(story(s), "0:0? 0:1? 0:0I 0:0V0+ 0:0? 10:1I 10:1H+ 40:0H 40:0V0");
	ck_assert_uint_eq(s->chain_breaks, 0);
	ck_assert_uint_eq(s->lost_markers, 1);
	ck_assert_uint_eq(s->vcpu[0].run_ns, 0);
	schedule_free(s);
}
END_TEST

START_TEST(a_break_in_the_chain_is_counted_and_prev_is_trusted)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(20, 0, "CPU 1/KVM", 8, "S", "swapper", 0));

	ck_assert_uint_eq(s->chain_breaks, 1);
	ck_assert_str_eq(story(s), "0:0I 0:0V0+ 10:0V1 10:0I");
	schedule_free(s);
}
END_TEST

START_TEST(a_thread_on_two_cpus_is_closed_on_the_older)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(20, 1, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(30, 1, "CPU 0/KVM", 7, "S", "swapper", 0));

	ck_assert_uint_eq(s->double_runs, 1);
	ck_assert_str_eq(story(s), "0:0I 0:1I 0:0V0+ 10:0? 10:1V0+ 20:1I");
	ck_assert_uint_eq(s->vcpu[0].run_ns, 20000);
	schedule_free(s);
}
END_TEST

START_TEST(kvm_run_brackets_are_events)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		RUN(12, 0, "CPU 0/KVM", 7, "load")
		RUN(18, 0, "CPU 0/KVM", 7, "unload")
		SW(20, 0, "CPU 0/KVM", 7, "S", "swapper", 0));

	ck_assert(s->has_brackets);
	ck_assert_str_eq(story(s), "0:0I 0:0V0+ 2:0[0 8:0]0 10:0I");
	schedule_free(s);
}
END_TEST

START_TEST(a_thread_of_a_kvm_event_is_a_vcpu_whatever_its_name)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "qemu-system-x86", 7)
		"qemu-system-x86-7 [000] ..... 1.000012: kvm_entry: vcpu 5\n"
		SW(20, 0, "qemu-system-x86", 7, "S", "qemu-system-x86", 8)
		SW(30, 0, "qemu-system-x86", 8, "S", "swapper", 0));

	ck_assert_uint_eq(s->nr_vcpus, 1);
	ck_assert_uint_eq(s->vcpu[0].index, 5);
	ck_assert_uint_eq(s->vcpu[0].run_ns, 10000);
	schedule_free(s);
}
END_TEST

START_TEST(a_thread_that_takes_a_vcpu_name_while_running_breaks_no_chain)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "qemu", 7)
		SW(20, 0, "CPU 0/KVM", 7, "S", "swapper", 0)
		SW(30, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(40, 0, "CPU 0/KVM", 7, "S", "swapper", 0));

	ck_assert_uint_eq(s->chain_breaks, 0);
	ck_assert_uint_eq(s->nr_vcpus, 1);
	ck_assert_uint_eq(s->vcpu[0].sched_ins, 1);
	schedule_free(s);
}
END_TEST

START_TEST(a_thread_id_that_is_used_again_is_another_thread)
{
	struct schedule *s = decode(
		SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(20, 0, "CPU 0/KVM", 7, "X", "swapper", 0)
		SW(30, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(40, 0, "CPU 0/KVM", 7, "S", "swapper", 0));

	ck_assert_uint_eq(s->nr_vcpus, 2);
	ck_assert_uint_eq(s->nr_vms, 2);
	schedule_free(s);
}
END_TEST

static const char *const TWO_VMS =
	SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 32)
	SW(11, 0, "CPU 0/KVM", 32, "S", "CPU 1/KVM", 34)
	SW(12, 0, "CPU 1/KVM", 34, "S", "CPU 0/KVM", 33)
	SW(13, 0, "CPU 0/KVM", 33, "S", "CPU 1/KVM", 35)
	SW(14, 0, "CPU 1/KVM", 35, "S", "swapper", 0);

START_TEST(without_processes_vms_are_assumed)
{
	struct schedule *s = decode(TWO_VMS);

	/* Interleaved starts: the guess is wrong, which is why it says so. */
	ck_assert_uint_eq(s->nr_vms, 3);
	ck_assert(s->vm[0].assumed && s->vm[1].assumed && s->vm[2].assumed);
	ck_assert_uint_eq(s->vm[1].nr_vcpus, 2);
	schedule_free(s);
}
END_TEST

static const char *const tables[] = {
	"tgid 31 tid 32 comm CPU 0/KVM\ntgid 31 tid 34 comm CPU 1/KVM\n"
	"tgid 30 tid 33 comm CPU 0/KVM\ntgid 30 tid 35 comm CPU 1/KVM\n",
	"    PID     TID COMMAND\n     31      32 CPU 0/KVM\n"
	"     31      34 CPU 1/KVM\n     30      33 CPU 0/KVM\n"
	"     30      35 CPU 1/KVM\n     30      99 CPU 2/KVM\n",
};

START_TEST(a_side_file_tells_the_processes)
{
	char *path = temp_path();
	FILE *f = fopen(path, "w");
	struct schedule *s;

	fputs(tables[_i], f);
	fclose(f);
	s = decode_with(TWO_VMS, path, NULL);
	ck_assert_uint_eq(s->nr_vms, 2);
	/* A thread that the trace never shows is no vCPU of it. */
	ck_assert_uint_eq(s->nr_vcpus, 4);
	ck_assert_uint_eq(s->vm[0].tgid, 30);
	ck_assert_uint_eq(s->vm[1].tgid, 31);
	ck_assert(!s->vm[0].assumed);
	ck_assert_uint_eq(s->vcpu[0].tid, 33);
	ck_assert_uint_eq(s->vcpu[1].tid, 35);
	ck_assert_uint_eq(s->vcpu[1].index, 1);
	schedule_free(s);
	unlink(path);
	free(path);
}
END_TEST

START_TEST(a_broken_side_file_is_fatal)
{
	char *path = temp_path();
	struct schedule_options opt = { .threads_path = path };
	struct trace *t = open_text(TWO_VMS, NULL);
	FILE *f = fopen(path, "w");
	struct schedule *s;
	struct err err;

	fputs("tgid 1 tid 2 comm x\ntgid 1 tid\n", f);
	fclose(f);
	ck_assert_int_lt(schedule_from_trace(t, "test", &opt, &s, &err), 0);
	ck_assert_msg(strstr(err.msg, ":2: found 'tgid 1 tid'"), "%s",
		      err.msg);
	trace_close(t);
	unlink(path);
	free(path);
}
END_TEST

START_TEST(the_tgid_column_tells_the_processes)
{
	struct schedule *s = decode(
		"CPU 0/KVM-7 (  70) [000] d..2. 1.000010: sched_switch: prev_comm=CPU 0/KVM prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120\n");

	ck_assert_uint_eq(s->vm[0].tgid, 70);
	ck_assert(!s->vm[0].assumed);
	schedule_free(s);
}
END_TEST

START_TEST(records_out_of_order_are_sorted_stably)
{
	struct schedule *s = decode(
		SW(30, 0, "CPU 0/KVM", 7, "S", "swapper", 0)
		SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
		SW(30, 0, "swapper", 0, "R", "bash", 8));

	ck_assert_str_eq(story(s), "0:0I 0:0V0+ 20:0I 20:0H+");
	ck_assert_uint_eq(s->chain_breaks, 0);
	schedule_free(s);
}
END_TEST

START_TEST(intervals_are_printed_in_the_traces_own_time)
{
	char *path = temp_path();
	FILE *f = fopen(path, "w+");
	char text[512] = "";
	struct schedule *s;
	size_t len;

	s = decode_with(SW(10, 0, "swapper", 0, "R", "CPU 0/KVM", 7)
			SW(20, 0, "CPU 0/KVM", 7, "R+", "CPU 1/KVM", 8)
			SW(30, 3, "swapper", 0, "R", "bash", 9), NULL, f);
	rewind(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	ck_assert_str_eq(text, "# start_ns end_ns cpu tid out_state\n"
			 "1000010000 1000020000 0 7 R+\n"
			 "1000020000 1000030000 0 8 -\n");
	fclose(f);
	schedule_free(s);
	unlink(path);
	free(path);
}
END_TEST

static int decode_fails(const char *text, bool allow_empty, struct err *err)
{
	struct schedule_options opt = { .allow_empty = allow_empty };
	struct schedule *s = NULL;
	struct trace *t = open_text(text, "ftrace");
	int ret = schedule_from_trace(t, "test", &opt, &s, err);

	trace_close(t);
	schedule_free(ret ? NULL : s);
	return ret;
}

START_TEST(a_trace_without_vcpus_says_what_was_expected)
{
	struct err err = { "" };

	ck_assert_int_eq(decode_fails(SW(10, 0, "a", 1, "S", "b", 2), false,
				      &err), -EPROTO);
	ck_assert_msg(strstr(err.msg, "debug-threads=on"), "%s", err.msg);
	ck_assert_int_eq(decode_fails(SW(10, 0, "a", 1, "S", "b", 2), true,
				      &err), 0);
	ck_assert_int_eq(decode_fails("nothing\n", true, &err), -EPROTO);
	ck_assert_msg(strstr(err.msg, "1 lines (1 skipped"), "%s", err.msg);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("schedule");

	tcase_add_test(tc, a_vcpu_comes_and_goes);
	tcase_add_test(tc, a_change_of_cpu_is_counted_at_the_switch_in);
	tcase_add_test(tc, who_leaves_first_ran_since_the_start);
	tcase_add_test(tc, before_the_first_switch_of_a_lossy_trace_nothing_is_known);
	tcase_add_test(tc, a_hole_begins_where_the_last_record_of_its_cpu_stands);
	tcase_add_test(tc, a_break_in_the_chain_is_counted_and_prev_is_trusted);
	tcase_add_test(tc, a_thread_on_two_cpus_is_closed_on_the_older);
	tcase_add_test(tc, kvm_run_brackets_are_events);
	tcase_add_test(tc, a_thread_of_a_kvm_event_is_a_vcpu_whatever_its_name);
	tcase_add_test(tc, a_thread_that_takes_a_vcpu_name_while_running_breaks_no_chain);
	tcase_add_test(tc, a_thread_id_that_is_used_again_is_another_thread);
	tcase_add_test(tc, without_processes_vms_are_assumed);
	tcase_add_loop_test(tc, a_side_file_tells_the_processes, 0,
			    ARRAY_SIZE(tables));
	tcase_add_test(tc, a_broken_side_file_is_fatal);
	tcase_add_test(tc, the_tgid_column_tells_the_processes);
	tcase_add_test(tc, records_out_of_order_are_sorted_stably);
	tcase_add_test(tc, intervals_are_printed_in_the_traces_own_time);
	tcase_add_test(tc, a_trace_without_vcpus_says_what_was_expected);
	return run_suite(tc, "traces/schedule");
}
