/*
 * A story is read by people: each record a numbered sentence with the names of
 * those who act, and nothing where nothing happened.
 */
#include "sim/report/story.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

static char *text;
static size_t size;
static FILE *out;
static struct story story;

static void setup(void)
{
	out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
	story = (struct story){ .out = out };
}

static void teardown(void)
{
	fclose(out);
	free(text);
}

static const char *told(void)
{
	fflush(out);
	return text;
}

#define FROM(k)	.kind = PROBE_##k, .pcpu = 1, .vm = 2, .vcpu = 3, .root = 4, \
		.vpid = 5, .page = 6, .frame = 7
#define FLUSHED(o)	FROM(FLUSH), .op = FLUSH_##o

static const struct {
	struct probe_rec rec;
	const char *sentence;
} sentences[] = {
	{ { FROM(LOAD), .a = 1 },
	  "pCPU 1: vCPU 3 is loaded; its VMCS was last loaded elsewhere" },
	{ { FROM(LOAD) },
	  "pCPU 1: vCPU 3 is loaded; its VMCS was last loaded here" },
	{ { FROM(PUT) }, "pCPU 1: vCPU 3 is scheduled out" },
	{ { FROM(CONTEXT) }, "pCPU 1: vCPU 3 enters the guest under root 4" },
	{ { FROM(FLUSH_LOST), .op = FLUSH_INVEPT_SINGLE },
	  "pCPU 1: INVEPT-single, which does nothing" },
	{ { FROM(EXIT) }, "pCPU 1: vCPU 3 leaves guest mode" },
	{ { FROM(WRITE), .cls = WRITE_STRICT }, "the host zaps the page of VM 2" },
	{ { FROM(WRITE), .cls = WRITE_UPGRADE },
	  "vCPU 3's fault maps the page of VM 2 anew" },
	{ { FROM(ACK) },
	  "the flush for VM 2 returns: from now on nobody may use the old translation" },
	{ { FROM(GUEST_WRITE) },
	  "pCPU 1: the guest changes a mapping of vCPU 3" },
	{ { FROM(GUEST_FLUSH), .op = FLUSH_INVVPID_SINGLE },
	  "pCPU 1: what the guest had asked to be flushed for vCPU 3 counts as flushed" },
	{ { FROM(GUEST_FLUSH), .op = FLUSH_INVVPID_SINGLE, .view = VIEW_L2 },
	  "pCPU 1: what L2 had asked to be flushed for vCPU 3 counts as flushed" },
	{ { FROM(NESTED), .view = VIEW_L2 },
	  "pCPU 1: vCPU 3: L1 enters L2; vmcs02 was last loaded here" },
	{ { FROM(NESTED), .a = 1 },
	  "pCPU 1: vCPU 3: L2 leaves to L1; vmcs01 was last loaded elsewhere" },
	{ { FROM(CPU_STATE) }, "pCPU 1 goes offline" },
	{ { FROM(CPU_STATE), .a = 1 }, "pCPU 1 comes online" },
	{ { FROM(WRITE), .cls = WRITE_DIRTY },
	  "the host clears the dirty bit of the page of VM 2" },
	{ { FROM(ROOT_ALLOC) }, "pCPU 1: root 4 is allocated for VM 2" },
	{ { FROM(ROOT_ALLOC), .a = 1 },
	  "pCPU 1: root 4 is allocated for VM 2; its frame has been a root before" },
	{ { FROM(ROOT_LOAD) }, "pCPU 1: vCPU 3 loads root 4" },
	{ { FROM(ROOT_FREE) }, "root 4 is freed" },
	{ { FROM(REQUEST) }, "a flush request is raised on vCPU 3" },
	{ { FROM(IPI), .a = 9 }, "pCPU 1 sends an IPI to pCPU 9 and waits" },
	{ { FROM(IPI_ACK), .a = 9 }, "pCPU 1 acknowledges the IPI of pCPU 9" },
	{ { FLUSHED(INVEPT_SINGLE) }, "pCPU 1: INVEPT-single of root 4" },
	{ { FLUSHED(INVEPT_GLOBAL) }, "pCPU 1: INVEPT-global" },
	{ { FLUSHED(INVVPID_SINGLE) }, "pCPU 1: INVVPID-single of VPID 5" },
	{ { FLUSHED(INVVPID_ALL) }, "pCPU 1: INVVPID-all" },
	{ { FLUSHED(MOV_CR3) },
	  "pCPU 1: the guest executes MOV CR3 there, for vCPU 3's VPID on this pCPU only" },
	{ { FLUSHED(INVLPG) },
	  "pCPU 1: the guest executes INVLPG there, for vCPU 3's VPID on this pCPU only" },
	{ { FLUSHED(EPT_VIOLATION) },
	  "pCPU 1: vCPU 3 touches the absent page: EPT violation" },
	{ { FLUSHED(HYPERCALL) },
	  "pCPU 1: flush hypercall for root 4, effective on every pCPU" },
};

START_TEST(a_record_is_a_sentence)
{
	char want[256];

	story_probe(&story, &sentences[_i].rec);
	snprintf(want, sizeof(want), "   1. %s.\n", sentences[_i].sentence);
	ck_assert_str_eq(told(), want);
	ck_assert_uint_eq(story.nr, 1);
}
END_TEST

START_TEST(sentences_are_numbered_from_one)
{
	const u32 nr = ARRAY_SIZE(sentences);
	const char *line;

	for (u32 i = 0; i < nr; i++)
		story_probe(&story, &sentences[i].rec);
	line = told();
	for (u32 i = 0; i < nr; i++) {
		char want[256];

		snprintf(want, sizeof(want), "%4u. %s.\n", i + 1,
			 sentences[i].sentence);
		ck_assert_int_eq(strncmp(line, want, strlen(want)), 0);
		line += strlen(want);
	}
	ck_assert_str_eq(line, "");
	ck_assert_uint_eq(story.nr, nr);
}
END_TEST

START_TEST(what_is_said_freely_is_numbered_too)
{
	story_say(&story, "%s %u", "pCPU", 7);
	story_probe(&story, &(struct probe_rec){ FROM(EXIT) });
	story_say(&story, "end");
	ck_assert_str_eq(told(), "   1. pCPU 7.\n"
			 "   2. pCPU 1: vCPU 3 leaves guest mode.\n"
			 "   3. end.\n");
}
END_TEST

START_TEST(the_last_sentence_is_kept_whether_it_is_printed_or_not)
{
	char much[2 * STORY_TEXT_MAX];

	story_say(&story, "one");
	ck_assert_str_eq(story.text, "one");
	story.out = NULL;
	story_probe(&story, &(struct probe_rec){ FROM(EXIT) });
	ck_assert_str_eq(story.text, "pCPU 1: vCPU 3 leaves guest mode");
	memset(much, 'x', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	story_say(&story, "%s", much);
	ck_assert_uint_eq(strlen(story.text), STORY_TEXT_MAX - 1);
	ck_assert_uint_eq(story.nr, 3);
}
END_TEST

START_TEST(a_story_can_be_long)
{
	const char *last;

	for (u32 i = 0; i < 12345; i++)
		story_say(&story, "x");
	last = told() + strlen(told()) - strlen("12345. x.\n");
	ck_assert_str_eq(last, "12345. x.\n");
}
END_TEST

START_TEST(a_kind_speaks_if_it_is_wanted)
{
	struct probe_rec r = { .kind = (u8)_i };

	story_probe(&story, &r);
	ck_assert_uint_eq(story.nr, STORY_WANTS >> _i & 1);
	ck_assert_uint_eq(strlen(told()) > 0, STORY_WANTS >> _i & 1);
}
END_TEST

START_TEST(a_kind_that_does_not_exist_is_silent)
{
	story_probe(&story, &(struct probe_rec){ .kind = PROBE_KIND_NR });
	story_probe(&story, &(struct probe_rec){ .kind = 255 });
	ck_assert_str_eq(told(), "");
}
END_TEST

START_TEST(every_operation_has_a_sentence)
{
	const struct probe_rec r = { FROM(FLUSH), .op = (u8)_i };

	story_probe(&story, &r);
	ck_assert_uint_eq(story.nr, 1);
	ck_assert_ptr_nonnull(strstr(told(), flush_op_name((u32)_i)));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("story");
	TCase *t = tcase_create("story");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_record_is_a_sentence, 0,
			    (int)ARRAY_SIZE(sentences));
	tcase_add_test(t, sentences_are_numbered_from_one);
	tcase_add_test(t, what_is_said_freely_is_numbered_too);
	tcase_add_test(t, the_last_sentence_is_kept_whether_it_is_printed_or_not);
	tcase_add_test(t, a_story_can_be_long);
	tcase_add_loop_test(t, a_kind_speaks_if_it_is_wanted, 0, PROBE_KIND_NR);
	tcase_add_test(t, a_kind_that_does_not_exist_is_silent);
	tcase_add_loop_test(t, every_operation_has_a_sentence, 0, FLUSH_OP_NR);
	suite_add_tcase(s, t);
	return suite_main(s);
}
