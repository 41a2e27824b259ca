/*
 * Litmus files: steps as words and back, what is refused and in which words,
 * and what the programs of a file let happen.
 */
#include "sim/cli/litmus.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/cli/litmus_step.h"
#include "sim/config/complain.h"
#include "sim/core/result.h"
#include "sim/machine/guest_op.h"
#include "tests/suite.h"

static const struct litmus sizes = { .pcpus = 3, .vms = 2, .vcpus = 2,
				      .pcids = 2 };

START_TEST(a_step_reads_back_as_it_was_written)
{
	struct action a = { .kind = (u8)_i, .a = 1, .b = 0 };
	char text[LITMUS_STEP_MAX];
	struct script_step s;
	struct err err;

	for (a.b = 0; a.b < 2; a.b++) {
		u8 second = action_operand(a.kind, true);

		if (a.b && (second == OPERAND_NONE || second == OPERAND_ROLE ||
			    second == OPERAND_PAGE))
			continue;
		litmus_step_format(&a, 4, text);
		ck_assert_msg(!litmus_step_parse(text, &sizes, NULL, &s, &err),
			      "%s: %s", text, err.msg);
		ck_assert_uint_eq(s.what, SCRIPT_ACT);
		ck_assert_mem_eq(&s.action, &a, sizeof(a));
	}
}
END_TEST

START_TEST(every_instruction_of_a_guest_reads_back)
{
	char text[LITMUS_STEP_MAX];
	struct script_step s;
	struct err err;

	for (u32 op = 0; op < GUEST_OP_NR; op++)
		for (u32 k = 0; k < guest_op_operands(op, PCIDS_MAX); k++) {
			struct action a = { ACTION_GUEST_OP, 3,
					    GUEST_OP_CODE(op, k) };

			litmus_step_format(&a, 4, text);
			ck_assert_msg(!litmus_step_parse(text, &sizes, NULL, &s,
							 &err),
				      "%s: %s", text, err.msg);
			ck_assert_mem_eq(&s.action, &a, sizeof(a));
		}
}
END_TEST

START_TEST(a_host_thread_is_a_task_behind_the_vcpus)
{
	struct action a = { .kind = ACTION_STEP, .a = 5 };
	char text[LITMUS_STEP_MAX];
	struct script_step s;
	struct err err;

	litmus_step_format(&a, 4, text);
	ck_assert_str_eq(text, "host 1 step");
	ck_assert_int_eq(litmus_step_parse(text, &sizes, NULL, &s, &err), 0);
	ck_assert_uint_eq(s.action.a, 5);
	ck_assert_int_eq(litmus_step_parse("host 1 run", &sizes, NULL, &s, &err),
			 0);
	ck_assert_uint_eq(s.what, SCRIPT_RUN);
	ck_assert_uint_eq(s.action.a, 5);
}
END_TEST

static const struct {
	const char *step;
	const char *complaint;
} refused[] = {
	{ "vcpu 0 sched_in 3", "sched_in: found \"3\", expected 0..2" },
	{ "vcpu 0 sched_in -1", "sched_in: found \"-1\", expected 0..2" },
	{ "vcpu 0 sched_in 1x", "sched_in: found \"1x\", expected 0..2" },
	{ "vcpu 0 sched_in", "sched_in: found 0 operands, expected 1" },
	{ "vcpu 0 sched_out 1", "sched_out: found 1 operands, expected 0" },
	{ "vcpu 4 exit", "vcpu: found \"4\", expected 0..3" },
	{ "host 2 change 0", "host: found \"2\", expected 0..1" },
	{ "pcpu 3 hotplug", "pcpu: found \"3\", expected 0..2" },
	{ "host 0 sched_out", "sched_out: not for a host" },
	{ "pcpu 0 step", "step: not for a pcpu" },
	{ "pcpu 0 run", "run: not for a pcpu" },
	{ "vcpu 0 flush", "no step is named \"flush\"" },
	{ "cpu 0 exit", "found actor \"cpu\", expected vcpu, host or pcpu" },
	{ "exit", "found \"exit\", expected ACTOR N STEP" },
	{ "vcpu 0 wait", "wait: found 0 words behind it, expected [ACTOR N] CONDITION" },
	{ "vcpu 0 wait idle", "wait idle: found a vcpu, expected a host" },
	{ "vcpu 0 wait host 0 away", "wait away: found a host, expected a vcpu" },
	{ "vcpu 0 wait done", "wait: nothing is named \"done\"; in_guest, outside, loaded and away are, of vCPUs, idle and unmapped, of hosts" },
	{ "a b c d e f g", "\"a b c d e f g\": more than 6 words" },
	{ "vcpu 0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  "\"vcpu 0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\" is longer than 63 bytes" },
};

START_TEST(what_makes_no_sense_is_refused)
{
	struct script_step s;
	struct err err;

	ck_assert_int_ne(litmus_step_parse(refused[_i].step, &sizes, NULL, &s,
					   &err), 0);
	ck_assert_str_eq(err.msg, refused[_i].complaint);
}
END_TEST

/* --- whole files --- */

#define HEAD	"{\"name\": \"t\", \"l0\": \"bare\", \"pcpus\": 2, \"vms\": 1, \"vcpus\": 1, "

static bool read(const char *text, struct litmus *l, char *first, size_t size)
{
	struct json_doc *doc = NULL;
	struct complaints c;
	struct json_node top;

	complaints_init(&c);
	*first = '\0';
	memset(l, 0, sizeof(*l));
	if (!json_doc_parse("t", text, strlen(text), &doc, &c)) {
		top = json_top(doc);
		litmus_read(&top, l, &c);
	}
	if (c.nr)
		snprintf(first, size, "%s", c.text[0]);
	json_doc_free(doc);
	complaints_release(&c);
	return !*first;
}

START_TEST(a_good_file_is_read)
{
	struct flush_policy p;
	struct litmus l;
	struct err err;
	char first[512];
	u32 verdict;

	ck_assert_msg(read(HEAD "\"programs\": ["
			   "{\"actor\": \"vcpu 0\", \"do\": [\"sched_in 0\", "
			   "\"wait in_guest\", \"nested_ept\"]}, "
			   "{\"actor\": \"host 0\", \"do\": [\"change 1\"]}], "
			   "\"expect\": {\"never\": [\"I1\", \"I3\"], "
			   "\"always\": \"clean\", "
			   "\"hypercall-broadcast\": \"n/a\"}}",
			   &l, first, sizeof(first)), "%s", first);
	ck_assert_uint_eq(l.script.nr, 2);
	ck_assert(!l.script.fixed);
	ck_assert_uint_eq(l.script.program[0].nr, 3);
	ck_assert_uint_eq(l.script.program[0].step[1].what, SCRIPT_WAIT);
	ck_assert(l.allowed & 1u << ACTION_NESTED_EPT);
	ck_assert(l.allowed & 1u << ACTION_CHANGE);
	ck_assert_int_eq(flush_policy_parse("never", 5, &p, &err), 0);
	ck_assert(litmus_expected(&l, &p, &verdict));
	ck_assert_uint_eq(verdict, VERDICT_BIT(1) | VERDICT_BIT(3));
	ck_assert_int_eq(flush_policy_parse("hypercall-broadcast:migrate=none",
					    32, &p, &err), 0);
	ck_assert(litmus_expected(&l, &p, &verdict));
	ck_assert_uint_eq(verdict, LITMUS_NA);
	ck_assert_int_eq(flush_policy_parse("per-root-gen", 12, &p, &err), 0);
	ck_assert(!litmus_expected(&l, &p, &verdict));
	litmus_release(&l);
}
END_TEST

static const struct {
	const char *rest;
	const char *complaint;
} bad[] = {
	{ "\"expect\": {}}", "found neither, expected either" },
	{ "\"programs\": [], \"expect\": {}}", "a list of 1..16 programs" },
	{ "\"programs\": {}, \"expect\": {}}", "a list of 1..16 programs" },
	{ "\"programs\": [7], \"expect\": {}}", "programs[0]: found 7, expected an object" },
	{ "\"programs\": [{\"actor\": \"vcpu 0\"}], \"expect\": {}}", "programs[0].do: missing" },
	{ "\"programs\": [{\"actor\": \"vcpu\", \"do\": [\"exit\"]}], \"expect\": {}}", "expected \"vcpu N\"" },
	{ "\"programs\": [{\"actor\": \"vcpu 0\", \"do\": [3]}], \"expect\": {}}", "do[0]: found 3, expected a step" },
	{ "\"programs\": [{\"actor\": \"vcpu 0\", \"do\": []}], \"expect\": {}}", "a list of 1..1000 steps" },
	{ "\"programs\": [{\"actor\": \"vcpu 0\", \"do\": [\"\"]}], \"expect\": {}}", "found an empty step" },
	{ "\"programs\": [{\"actor\": \"vcpu 0\", \"do\": [\"exit\"], \"x\": 1}], \"expect\": {}}", "programs[0].x" },
	{ "\"schedule\": [\"vcpu 0 exit\"]}", "expect: missing" },
	{ "\"schedule\": [\"vcpu 0 exit\"], \"expect\": {\"nevr\": \"I1\"}}", "no policy is named" },
	{ "\"schedule\": [\"vcpu 0 exit\"], \"expect\": {\"never\": []}}", "found a list, expected \"clean\"" },
	{ "\"schedule\": [\"vcpu 0 exit\"], \"expect\": {\"never\": [\"clean\"]}}", "found a list, expected \"clean\"" },
	{ "\"schedule\": [\"vcpu 0 exit\"], \"expect\": {\"never\": 1}}", "found 1, expected \"clean\"" },
	{ "\"l1\": 1, \"schedule\": [\"vcpu 0 exit\"], \"expect\": {}}", "l1: unknown" },
};

START_TEST(a_bad_file_is_refused)
{
	char text[1024], first[512];
	struct litmus l;

	snprintf(text, sizeof(text), HEAD "%s", bad[_i].rest);
	ck_assert(!read(text, &l, first, sizeof(first)));
	ck_assert_msg(strstr(first, bad[_i].complaint), "%s", first);
	litmus_release(&l);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("litmus");
	TCase *t = tcase_create("litmus");

	tcase_add_loop_test(t, a_step_reads_back_as_it_was_written, 0, ACTION_NR);
	tcase_add_test(t, every_instruction_of_a_guest_reads_back);
	tcase_add_test(t, a_host_thread_is_a_task_behind_the_vcpus);
	tcase_add_loop_test(t, what_makes_no_sense_is_refused, 0,
			    (int)ARRAY_SIZE(refused));
	tcase_add_test(t, a_good_file_is_read);
	tcase_add_loop_test(t, a_bad_file_is_refused, 0, (int)ARRAY_SIZE(bad));
	suite_add_tcase(s, t);
	return suite_main(s);
}
