/* A caption says what the sentence says, in fewer words. */
#include "sim/report/brief.h"

#include <check.h>
#include <string.h>

#include "sim/report/story.h"
#include "tests/suite.h"

#define FROM(k)	.kind = PROBE_##k, .pcpu = 1, .vm = 2, .vcpu = 3, .root = 4, \
		.vpid = 5, .page = 6, .frame = 7
#define FLUSHED(o)	FROM(FLUSH), .op = FLUSH_##o

static const struct {
	struct probe_rec rec;
	const char *words;
} captions[] = {
	{ { FROM(LOAD), .a = 1 }, "vCPU 3 loaded, VMCS last elsewhere" },
	{ { FROM(LOAD) }, "vCPU 3 loaded, VMCS last here" },
	{ { FROM(PUT) }, "vCPU 3 scheduled out" },
	{ { FROM(CONTEXT) }, "vCPU 3 enters guest: root 4" },
	{ { FROM(CONTEXT), .view = VIEW_L2 }, "vCPU 3 enters L2: root 4" },
	{ { FROM(EXIT) }, "vCPU 3 leaves guest mode" },
	{ { FROM(WRITE), .cls = WRITE_STRICT }, "zap the page of VM 2" },
	{ { FROM(WRITE), .cls = WRITE_DIRTY },
	  "clear the dirty bit, page of VM 2" },
	{ { FROM(WRITE), .cls = WRITE_UPGRADE },
	  "fault of vCPU 3 maps the page anew" },
	{ { FROM(ACK) }, "flush for VM 2 returns" },
	{ { FROM(GUEST_WRITE) }, "guest changes a mapping of vCPU 3" },
	{ { FROM(GUEST_WRITE), .id = MAPPING_GLOBAL },
	  "guest changes a mapping of vCPU 3, a global one" },
	{ { FROM(GUEST_RELY), .id = MAPPING_PCID1 },
	  "vCPU 3 takes its mapping under PCID 1 for flushed" },
	{ { FROM(FLUSH), .op = FLUSH_INVPCID_SINGLE, .id = 1 },
	  "guest: INVPCID-single of PCID 1, VPID of vCPU 3 here" },
	{ { FROM(CONTEXT), .id = 1, .a = 1 }, "vCPU 3 goes on: PCID 1" },
	{ { FROM(GUEST_FLUSH) }, "flush asked by the guest of vCPU 3 is done" },
	{ { FROM(GUEST_FLUSH), .view = VIEW_L2 },
	  "flush asked by L2 of vCPU 3 is done" },
	{ { FROM(NESTED), .view = VIEW_L2 },
	  "vCPU 3: L1 enters L2, vmcs02 last here" },
	{ { FROM(NESTED), .a = 1 },
	  "vCPU 3: L2 leaves to L1, vmcs01 last elsewhere" },
	{ { FROM(CPU_STATE) }, "pCPU 1 goes offline" },
	{ { FROM(CPU_STATE), .a = 1 }, "pCPU 1 comes online" },
	{ { FROM(ROOT_ALLOC) }, "root 4 allocated for VM 2" },
	{ { FROM(ROOT_ALLOC), .a = 1 },
	  "root 4 allocated for VM 2, frame reused" },
	{ { FROM(ROOT_LOAD) }, "vCPU 3 loads root 4" },
	{ { FROM(ROOT_FREE) }, "root 4 freed" },
	{ { FROM(REQUEST) }, "flush request raised on vCPU 3" },
	{ { FROM(IPI), .a = 9 }, "IPI to pCPU 9, wait" },
	{ { FROM(IPI_ACK), .a = 9 }, "IPI of pCPU 9 acknowledged" },
	{ { FLUSHED(INVEPT_SINGLE) }, "INVEPT-single: root 4" },
	{ { FROM(FLUSH_LOST), .op = FLUSH_INVEPT_SINGLE },
	  "INVEPT-single does nothing" },
	{ { FLUSHED(INVEPT_GLOBAL) }, "INVEPT-global" },
	{ { FLUSHED(INVVPID_SINGLE) }, "INVVPID-single: VPID 5" },
	{ { FLUSHED(INVVPID_ALL) }, "INVVPID-all" },
	{ { FLUSHED(MOV_CR3) }, "guest: MOV CR3, VPID of vCPU 3 here" },
	{ { FLUSHED(INVLPG) }, "guest: INVLPG, VPID of vCPU 3 here" },
	{ { FLUSHED(EPT_VIOLATION) },
	  "vCPU 3: EPT violation, the page is absent" },
	{ { FLUSHED(HYPERCALL) }, "flush hypercall: root 4, every pCPU" },
};

START_TEST(a_record_is_a_caption)
{
	char got[BRIEF_MAX];

	brief_probe(&captions[_i].rec, got);
	ck_assert_str_eq(got, captions[_i].words);
}
END_TEST

START_TEST(every_kind_that_is_told_has_a_caption)
{
	bool found = !(STORY_WANTS >> _i & 1);

	for (u32 i = 0; i < ARRAY_SIZE(captions); i++)
		found |= captions[i].rec.kind == _i;
	ck_assert_msg(found, "%s", probe_kind_name((u32)_i));
}
END_TEST

START_TEST(a_caption_is_shorter_than_the_sentence)
{
	struct story story = { 0 };
	char got[BRIEF_MAX];

	story_probe(&story, &captions[_i].rec);
	brief_probe(&captions[_i].rec, got);
	ck_assert_uint_le(strlen(got), strlen(story.text));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("brief");
	TCase *t = tcase_create("brief");

	tcase_add_loop_test(t, a_record_is_a_caption, 0,
			    (int)ARRAY_SIZE(captions));
	tcase_add_loop_test(t, every_kind_that_is_told_has_a_caption, 0,
			    PROBE_KIND_NR);
	tcase_add_loop_test(t, a_caption_is_shorter_than_the_sentence, 0,
			    (int)ARRAY_SIZE(captions));
	suite_add_tcase(s, t);
	return suite_main(s);
}
