/*
 * A finding rests on the facts without which there would be none, told apart
 * from those that only lead there.  The checker of explorations is asked about
 * short streams whose answer is plain.
 */
#include "sim/report/essential.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "sim/check/adversary.h"
#include "tests/suite.h"

static const u32 vm_of_vcpu[] = { 0, 0 };
static const u16 vpids[] = { 1, 2 };
static const struct run_shape shape = {
	.nr_pcpus = 2, .nr_vms = 1, .nr_vcpus = 2, .nr_frames = 2,
	.nr_pages_max = 1, .nr_views = 1, .vm_of_vcpu = vm_of_vcpu,
	.vpids = vpids, .clock_khz = 1000000,
};

#define AT(k, p, v)	.kind = PROBE_##k, .pcpu = p, .vcpu = v, .vm = 0, \
			.root = 0, .frame = 0, .page = 0
#define ALLOC		{ AT(ROOT_ALLOC, 0, 0) }
#define REUSE		{ AT(ROOT_ALLOC, 0, 0), .a = 1 }
#define ENTER(p, v)	{ AT(CONTEXT, p, v) }
#define ENTER_APIC(p, v) { AT(CONTEXT, p, v), .apic = true }
#define LEAVE(p, v)	{ AT(CONTEXT_END, p, v) }
#define ZAP		{ AT(WRITE, IDX_NONE, IDX_NONE), .cls = WRITE_STRICT }
#define MAP		{ AT(WRITE, IDX_NONE, 0), .cls = WRITE_UPGRADE }
#define ACKED		{ AT(ACK, IDX_NONE, IDX_NONE), .cls = WRITE_STRICT }
#define INVEPT(p)	{ AT(FLUSH, p, 0), .op = FLUSH_INVEPT_SINGLE }
#define REMAP(p, v)	{ AT(GUEST_WRITE, p, v) }
#define FLUSHED(p, v)	{ AT(GUEST_FLUSH, p, v), .op = FLUSH_MOV_CR3 }

/* @marks has a letter per record: x what is marked, ! what is objected to. */
static const struct {
	const char *marks;
	struct probe_rec rec[16];
} streams[] = {
	{ "-x-xx!", { ALLOC, ENTER(0, 0), LEAVE(0, 0), ZAP, ACKED, ENTER(0, 0) } },
	/* In guest mode all the time: the flush that returns is the moment. */
	{ "-xx!", { ALLOC, ENTER(0, 0), ZAP, ACKED } },
	/* What was flushed again does not matter, nor does another pCPU. */
	{ "---------x-xx-!",
	  { ALLOC, ENTER(0, 0), LEAVE(0, 0), INVEPT(0), ENTER(1, 1), LEAVE(1, 1),
	    ENTER(0, 1), LEAVE(0, 1), INVEPT(0), ENTER(0, 0), LEAVE(0, 0), ZAP,
	    ACKED, INVEPT(1), ENTER(0, 0) } },
	/* Either entry would do: one is enough. */
	{ "---x-xx!", { ALLOC, ENTER(0, 0), LEAVE(0, 0), ENTER(0, 1), LEAVE(0, 1),
			ZAP, ACKED, ENTER(0, 0) } },
	/* The page came back in between, which changes nothing. */
	{ "-x-xx-!", { ALLOC, ENTER(0, 0), LEAVE(0, 0), ZAP, ACKED, MAP,
		       ENTER(0, 0) } },
	{ "-x-xx!", { ALLOC, ENTER(1, 0), LEAVE(1, 0), REMAP(0, 0), FLUSHED(0, 0),
		      ENTER(1, 0) } },
	{ "-x--!", { ALLOC, ENTER(0, 0), LEAVE(0, 0), ENTER_APIC(1, 1),
		     ENTER_APIC(0, 1) } },
	{ "-x-x!", { ALLOC, ENTER(0, 0), LEAVE(0, 0), REUSE, ENTER(0, 1) } },
	{ "------", { ALLOC, ENTER(0, 0), LEAVE(0, 0), ZAP, INVEPT(0),
		      ACKED } },
	{ "", { ALLOC } },
};

START_TEST(a_finding_rests_on_what_cannot_be_left_out)
{
	const char *marks = streams[_i].marks, *bang = strchr(marks, '!');
	u32 nr = (u32)strlen(marks);
	char got[17] = "";
	bool mark[16];
	int at = essential_mark(&checker_adversary, &shape, streams[_i].rec, nr,
				mark);

	for (u32 i = 0; i < nr; i++)
		got[i] = !mark[i] ? '-' : (int)i == at ? '!' : 'x';
	ck_assert_str_eq(got, marks);
	ck_assert_int_eq(at, bang ? (int)(bang - marks) : -ENOENT);
}
END_TEST

/* Nothing after the objection is looked at. */
START_TEST(what_comes_later_does_not_count)
{
	struct probe_rec rec[8];
	bool mark[8];

	memcpy(rec, streams[0].rec, sizeof(rec));
	rec[6] = (struct probe_rec)ZAP;
	rec[7] = (struct probe_rec)ACKED;
	ck_assert_int_eq(essential_mark(&checker_adversary, &shape, rec, 8, mark),
			 5);
	ck_assert(mark[5] && !mark[6] && !mark[7]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("essential");
	TCase *t = tcase_create("essential");

	tcase_add_loop_test(t, a_finding_rests_on_what_cannot_be_left_out, 0,
			    (int)ARRAY_SIZE(streams));
	tcase_add_test(t, what_comes_later_does_not_count);
	suite_add_tcase(s, t);
	return suite_main(s);
}
