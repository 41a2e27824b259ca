/* Which reader gets a file, and what is said of files that get none. */
#include <errno.h>

#include "tests/unit/traces/helper.h"
#include "traces/escape.h"
#include "traces/names.h"
#include "traces/vcpu_names.h"

#define MAPPED "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n"

static const struct {
	const char *head;
	size_t len;
	const char *says;
} refused[] = {
#define HEAD(text, says) { text, sizeof(text) - 1, says }
	HEAD("", "the file is empty"),
	HEAD("PERFILE2\0\0\0", "perf script --ns"),
	HEAD("\x17\x08\x44tracing7", "trace-cmd report -t -N"),
	HEAD("/* CTF 1.8 */", "CTF"),
	HEAD("\xc1\x1f\xfc\xc1....", "CTF"),
	HEAD("\x0a\x02\x08\x00\x0a\x02\x08\x00", "traceconv"),
	HEAD("a\0b", "binary file of no known kind"),
	HEAD("<!DOCTYPE html>\n", "systrace HTML"),
	HEAD("{\"traceEvents\":[", "JSON"),
	HEAD("{'traceEvents': [", "Python dictionary"),
	HEAD("{u'systemTraceEvents': u'# tracer: nop", "Python dictionary"),
	HEAD("{\n  'a': 1}", "Python dictionary"),
	HEAD("{}", "JSON"),
	HEAD("18379 0 983361334331 type: 374\n", "options/raw"),
	HEAD("sched_switch: " MAPPED, "context-info"),
	HEAD("CPU 1/TC-18379     0dN.4. 983361334us#: sched_wakeup: comm=a\n", "latency format"),
	HEAD("[10612.025159]  cpuhp/1-23        1d..2. 10608102957us : sched_switch: " MAPPED, "latency format"),
	HEAD("     943.188912 [0000]  perf[18747]    0.000   0.000   0.000\n", "timehist"),
	HEAD("   B0 *D0     943.205366 secs D0 => CPU 0/TCG:18376\n", "perf sched map"),
	HEAD("  Task                  |   Runtime ms  | Switches |\n", "perf sched latency"),
	HEAD("             VM-EXIT    Samples  Samples%     Time%\n", "perf kvm stat"),
	HEAD("0x428@perf.data [0x190]: event: 69\n.\n. ... raw event: size 400 bytes\n", "-D"),
	HEAD("#\\n\\\n a-1 [000] 1.000005: sched_switch: x\\n\\\n", "JavaScript"),
	HEAD("hello world\n", "no known trace format"),
};

START_TEST(a_file_that_cannot_be_used_is_refused_by_name)
{
	struct err err = { "" };
	struct trace *t;

	ck_assert_int_eq(trace_open_memory(refused[_i].head, refused[_i].len,
					   NULL, &t, &err), -EPROTO);
	ck_assert_msg(strstr(err.msg, refused[_i].says), "%s", err.msg);
}
END_TEST

static const struct {
	const char *head;
	const char *format;
} known[] = {
	{ "# tracer: nop\n", "ftrace" },
	{ "a-1 [000] d..2. 1.000005: sched_switch: " MAPPED, "ftrace" },
	{ "version = 6\ncpus=2\n a-1 [000] 1.000005: sched_switch:      " MAPPED, "ftrace" },
	{ "CPU:1 [LOST 21416 EVENTS]\n", "ftrace" },
	{ "a 1 [000] 1.000005: sched:sched_switch: " MAPPED, "perf-script" },
	{ "a 1/1 [000] 1.000005: 1 sched:sched_switch: " MAPPED, "perf-script" },
	{ "a 1 1.000005: sched:sched_switch: " MAPPED, "perf-script" },
};

START_TEST(a_format_is_known_by_its_content)
{
	struct trace *t = open_text(known[_i].head, NULL);

	ck_assert_str_eq(trace_format(t), known[_i].format);
	trace_close(t);
}
END_TEST

START_TEST(an_unknown_format_name_lists_the_known_ones)
{
	struct err err = { "" };
	struct trace *t;

	ck_assert_int_lt(trace_open_memory("x", 1, "ctf", &t, &err), 0);
	ck_assert_msg(strstr(err.msg, "ctf") && strstr(err.msg, "perf-script"),
		      "%s", err.msg);
}
END_TEST

static const struct {
	const char *comm;
	int index;			/* -1: no vCPU */
} threads[] = {
	{ "CPU 0/KVM", 0 }, { "CPU 127/KVM", 127 }, { "CPU 3/TCG", 3 },
	{ "fc_vcpu 12", 12 }, { "vcpu4", 4 }, { "crosvm_vcpu100", 100 },
	{ "kvm-vcpu-2", 2 }, { "EMT-1", 1 }, { "vmx-vcpu-9", 9 },
	{ "CPU 00/KVM", -1 }, { "CPU /KVM", -1 }, { "CPU 1/KVMx", -1 },
	{ " CPU 1/KVM", -1 }, { "vcpu", -1 }, { "vcpu1a", -1 },
	{ "CPU 99999999/KVM", -1 }, { "CPU 99999/KVM", -1 },
	{ "qemu-system-x86", -1 }, { "", -1 }, { "kvm-nx-lpage-re", -1 },
};

START_TEST(vcpu_threads_are_known_by_name)
{
	u32 index = IDX_NONE;
	const char *form = vcpu_name_match(threads[_i].comm, &index);

	ck_assert_int_eq(form != NULL, threads[_i].index >= 0);
	if (form)
		ck_assert_uint_eq(index, (u32)threads[_i].index);
}
END_TEST

START_TEST(names_are_stored_once_and_keep_their_numbers)
{
	struct err err;
	struct names *n = names_create(&err);
	char text[32];
	u32 id;

	for (u32 round = 0; round < 2; round++) {
		for (u32 i = 0; i < 20000; i++) {
			snprintf(text, sizeof(text), "name %u", i);
			ck_assert_int_eq(names_intern(n, text, strlen(text),
						      &id), 0);
			ck_assert_uint_eq(id, i);
			ck_assert_str_eq(names_text(n, id), text);
		}
	}
	ck_assert_uint_eq(names_count(n), 20000);
	ck_assert_int_eq(names_intern(n, "a\0b", 3, &id), -EINVAL);
	ck_assert_str_eq(names_text(n, IDX_NONE), "");
	names_destroy(n);
}
END_TEST

START_TEST(names_are_made_fit_for_a_terminal)
{
	char room[64];

	ck_assert_str_eq(trace_escape(room, sizeof(room), "a\x1b[2J\\\xff\n"),
			 "a\\x1b[2J\\\\\\xff\\x0a");
	ck_assert_str_eq(trace_escape(room, 6, "ab\n"), "ab");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("recognition");

	tcase_add_loop_test(tc, a_file_that_cannot_be_used_is_refused_by_name,
			    0, ARRAY_SIZE(refused));
	tcase_add_loop_test(tc, a_format_is_known_by_its_content, 0,
			    ARRAY_SIZE(known));
	tcase_add_test(tc, an_unknown_format_name_lists_the_known_ones);
	tcase_add_loop_test(tc, vcpu_threads_are_known_by_name, 0,
			    ARRAY_SIZE(threads));
	tcase_add_test(tc, names_are_stored_once_and_keep_their_numbers);
	tcase_add_test(tc, names_are_made_fit_for_a_terminal);
	return run_suite(tc, "traces/recognition");
}
