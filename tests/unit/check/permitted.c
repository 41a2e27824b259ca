/*
 * What is permitted and what is one record away from it: P1 to P8, for all
 * checkers of timed runs and for the explorer's at once.  None may object to
 * the stream; with the one record changed, left out or added, those that the
 * row names must, and the others must not.
 */
#include "sim/check/adversary.h"
#include "tests/unit/check/stream.h"

enum { ADVERSARY = 1, I1 = 2, I2 = 4, I3 = 8, I4 = 16, ORDER = 32 };

static const struct {
	const struct observer_ops *ops;
	u32 bit;
} checkers[] = {
	{ &checker_adversary, ADVERSARY }, { &checker_stage2, I1 },
	{ &checker_lifetime, I2 }, { &checker_stage1, I3 },
	{ &checker_isolation, I4 }, { &checker_order, ORDER },
};

/*
 * Records.  vCPUs 0 and 1 are of VM 0, vCPU 2 is of VM 1, as in stream.h.  It
 * is always VM 0's first page that changes, and each vCPU's first guest page.
 */
#define NOTHING			{ .kind = PROBE_SPAN }
#define ALLOC(m, f, inc)	{ .kind = PROBE_ROOT_ALLOC, .vm = (m),	\
				  .root = (f), .frame = (f), .a = (inc) }
#define ENTER_IN(p, v, f, x)	{ .kind = PROBE_CONTEXT, .pcpu = (p),	\
				  .vcpu = (v), .vm = (v) / 2,		\
				  .vpid = (v) + 1, .root = (f),		\
				  .frame = (f), .apic = (x) }
#define ENTER(p, v, f)		ENTER_IN(p, v, f, false)
#define ENTER_XAPIC(p, v, f)	ENTER_IN(p, v, f, true)
#define LEAVE(p)		{ .kind = PROBE_CONTEXT_END, .pcpu = (p) }
#define FLUSH_OF(p, o, f, v)	{ .kind = PROBE_FLUSH, .pcpu = (p),	\
				  .op = (o), .root = (f), .frame = (f),	\
				  .vpid = (v) + 1 }
#define INVEPT(p, f)		FLUSH_OF(p, FLUSH_INVEPT_SINGLE, f, 0)
#define INVEPT_ALL(p)		FLUSH_OF(p, FLUSH_INVEPT_GLOBAL, 0, 0)
#define INVVPID(p, v)		FLUSH_OF(p, FLUSH_INVVPID_SINGLE, 0, v)
#define MOV_CR3(p, v)		FLUSH_OF(p, FLUSH_MOV_CR3, 0, v)
#define HYPERCALL(p, f)		FLUSH_OF(p, FLUSH_HYPERCALL, f, 0)
#define WRITES(c, n)		{ .kind = PROBE_WRITE, .cls = (c),	\
				  .vcpu = IDX_NONE, .a = (n), .b = (n) - 1 }
#define ZAP(n)			WRITES(WRITE_STRICT, n)
#define UPGRADE(n)		WRITES(WRITE_UPGRADE, n)
#define CLEAR_A(n)		WRITES(WRITE_ACCESSED, n)
#define CLEAR_D(n)		WRITES(WRITE_DIRTY, n)
#define OBLIGE(n)		{ .kind = PROBE_OBLIGE, .id = (n) }
#define ACK(n)			{ .kind = PROBE_ACK, .id = (n) }
#define GUEST_WRITE(v, n)	{ .kind = PROBE_GUEST_WRITE,		\
				  .vcpu = (v), .a = (n), .b = (n) - 1 }
#define GUEST_FLUSHED(p, v)	{ .kind = PROBE_GUEST_FLUSH, .pcpu = (p), \
				  .vcpu = (v), .op = FLUSH_MOV_CR3 }
#define IPI(p, to)		{ .kind = PROBE_IPI, .pcpu = (p), .a = (to) }
#define IPI_ACK(p, from)	{ .kind = PROBE_IPI_ACK, .pcpu = (p),	\
				  .a = (from) }
/* vCPU 0 uses, under root 0: versions of its guest page and of the page. */
#define USE(p, s1, s2, s1_now, s2_now)					\
	{ .kind = PROBE_USE, .pcpu = (p),				\
	  .used = { s1, s2, 0, 1 }, .now = { s1_now, s2_now, 0, 1 } }

/* A step, and what becomes of the one that is changed. */
#define IS(...)		{ .rec = __VA_ARGS__ }
#define INTO(...)	.changed = true, .instead = __VA_ARGS__
#define LEFT_OUT	INTO(NOTHING)

struct step {
	struct probe_rec rec;
	bool changed;
	struct probe_rec instead;
};

static const struct {
	const char *what;
	u32 objects;
	struct step step[16];
} rows[] = {
	{ "P1: a vCPU uses the old translation until it is kicked",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(USE(0, 0, 4, 0, 5)), IS(LEAVE(0), LEFT_OUT), IS(ACK(1)) } },
	{ "P1: it leaves and enters again before the flush returns",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(LEAVE(0)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)), IS(ACK(1)),
	    IS(INVEPT(0, 0), LEFT_OUT), IS(ENTER(0, 0, 0)) } },
	{ "P1: it uses the old translation before, and not after",
	  I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(USE(0, 0, 4, 0, 5)), IS(LEAVE(0)), IS(ACK(1)), IS(INVEPT(0, 0)),
	    IS(ENTER(0, 0, 0)), IS(NOTHING, INTO(USE(0, 0, 4, 0, 5))) } },
	{ "P1: it writes through a dirty entry until it is kicked",
	  ADVERSARY,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(CLEAR_D(5)),
	    IS(OBLIGE(1)), IS(LEAVE(0), LEFT_OUT), IS(ACK(1)) } },

	{ "P2: rights that were added are not seen",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)),
	    IS(UPGRADE(5), INTO(ZAP(5))), IS(OBLIGE(1)), IS(ACK(1)),
	    IS(USE(0, 0, 4, 0, 5)) } },
	{ "P2: an accessed bit that was cleared is still set",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)),
	    IS(CLEAR_A(5), INTO(ZAP(5))), IS(OBLIGE(1)), IS(ACK(1)),
	    IS(USE(0, 0, 4, 0, 5)) } },
	{ "P2: a page is mapped while vCPUs run, and zapped when they are out",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ZAP(5)), IS(OBLIGE(1)), IS(ACK(1)),
	    IS(ENTER(0, 0, 0)), IS(ENTER(1, 1, 0)), IS(UPGRADE(6)), IS(ZAP(7)),
	    IS(OBLIGE(2)), IS(LEAVE(0)), IS(LEAVE(1), LEFT_OUT), IS(ACK(2)) } },

	{ "P3: another pCPU holds what was condemned",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)), IS(ZAP(5)),
	    IS(OBLIGE(1)), IS(ACK(1)),
	    IS(ENTER(1, 0, 0), INTO(ENTER(0, 0, 0))) } },
	{ "P3: another root holds what was condemned",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ALLOC(0, 1, 1)), IS(ENTER(0, 0, 0)),
	    IS(LEAVE(0)), IS(ZAP(5)), IS(OBLIGE(1)), IS(ACK(1)),
	    IS(ENTER(0, 0, 1), INTO(ENTER(0, 0, 0))) } },
	{ "P3: another vCPU has left what it flushed elsewhere",
	  ADVERSARY | I3,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(1, 0, 0)), IS(GUEST_WRITE(0, 5)), IS(MOV_CR3(1, 0)),
	    IS(GUEST_FLUSHED(1, 0)), IS(LEAVE(1)),
	    IS(ENTER(0, 1, 0), INTO(ENTER(0, 0, 0))) } },
	{ "P3: an earlier root in the frame was used on another pCPU",
	  ADVERSARY | I2,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ALLOC(0, 0, 2)), IS(ENTER(1, 0, 0), INTO(ENTER(0, 0, 0))) } },
	{ "P3: another VM has used the frame on another pCPU",
	  ADVERSARY | I2 | I4,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ALLOC(1, 0, 2)), IS(ENTER(1, 2, 0), INTO(ENTER(0, 2, 0))) } },

	{ "P4: a vCPU that has been kicked fills once more before it leaves",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(IPI(1, 0)), IS(UPGRADE(6)), IS(LEAVE(0)), IS(IPI_ACK(0, 1)),
	    IS(ACK(1)), IS(INVEPT(0, 0), LEFT_OUT), IS(ENTER(0, 0, 0)) } },
	{ "P4: the kick itself",
	  ORDER,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(IPI(1, 0), LEFT_OUT), IS(UPGRADE(6)), IS(LEAVE(0)),
	    IS(IPI_ACK(0, 1)), IS(ACK(1)) } },
	{ "P4: a vCPU that never leaves fills again after the hypercall",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ALLOC(0, 1, 1)), IS(ENTER(0, 0, 0)),
	    IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(HYPERCALL(1, 0), INTO(HYPERCALL(1, 1))), IS(ACK(1)) } },
	{ "P4: so does one that flushes for itself",
	  ADVERSARY | I3,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(1, 0, 0)), IS(GUEST_WRITE(0, 5)), IS(MOV_CR3(1, 0)),
	    IS(GUEST_FLUSHED(1, 0)), IS(LEAVE(1)),
	    IS(ENTER(1, 0, 0), INTO(ENTER(0, 0, 0))) } },

	{ "P5: needless INVEPT does no harm, and good only where it is due",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(INVEPT_ALL(1)),
	    IS(LEAVE(0)), IS(INVEPT_ALL(0)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ZAP(5)), IS(OBLIGE(1)), IS(ACK(1)),
	    IS(INVEPT(0, 0), INTO(INVEPT(1, 0))), IS(ENTER(0, 0, 0)) } },
	{ "P5: the same of INVVPID",
	  ADVERSARY | I3,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(INVVPID(0, 0)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(1, 0, 0)), IS(GUEST_WRITE(0, 5)), IS(MOV_CR3(1, 0)),
	    IS(GUEST_FLUSHED(1, 0)), IS(LEAVE(1)),
	    IS(INVVPID(0, 0), INTO(INVVPID(0, 1))), IS(ENTER(0, 0, 0)) } },
	{ "P5: the same of a frame that becomes another root",
	  ADVERSARY | I2,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(INVEPT(1, 0)), IS(INVEPT(0, 0), INTO(INVVPID(0, 0))),
	    IS(ALLOC(0, 0, 2)), IS(ENTER(0, 0, 0)) } },
	{ "P5: the same of a frame that goes to another VM",
	  ADVERSARY | I2 | I4,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(INVEPT_ALL(1)), IS(ALLOC(1, 0, 2)),
	    IS(INVEPT_ALL(0), INTO(INVEPT_ALL(2))), IS(ENTER(0, 2, 0)) } },

	{ "P6: a vCPU holds the old and the new translation, and enters",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(UPGRADE(6)), IS(USE(0, 0, 4, 0, 6)), IS(LEAVE(0)),
	    IS(ENTER(0, 0, 0)), IS(LEAVE(0), LEFT_OUT), IS(ACK(1)) } },
	{ "P6: a walk found the new guest entry and an old EPT entry",
	  I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(GUEST_WRITE(0, 5)),
	    IS(MOV_CR3(0, 0)), IS(GUEST_FLUSHED(0, 0)), IS(ZAP(7)),
	    IS(OBLIGE(1)), IS(USE(0, 5, 6, 5, 7)), IS(LEAVE(0)), IS(ACK(1)),
	    IS(INVEPT(0, 0)), IS(ENTER(0, 0, 0)),
	    IS(NOTHING, INTO(USE(0, 5, 6, 5, 7))) } },
	{ "P6: a walk found the new EPT entry and an old guest entry",
	  I3,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(UPGRADE(7)),
	    IS(GUEST_WRITE(0, 5)), IS(USE(0, 4, 7, 5, 7)), IS(MOV_CR3(0, 0)),
	    IS(GUEST_FLUSHED(0, 0)), IS(NOTHING, INTO(USE(0, 4, 7, 5, 7))) } },

	{ "P7: a guest that never flushes uses what it has changed",
	  ADVERSARY | I3,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(1, 0, 0)), IS(GUEST_WRITE(0, 5)),
	    IS(NOTHING, INTO(GUEST_FLUSHED(1, 0))), IS(LEAVE(1)),
	    IS(ENTER(0, 0, 0)), IS(USE(0, 4, 0, 5, 0)) } },
	{ "P7: the flush of another vCPU is not its own",
	  ADVERSARY | I3,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(GUEST_WRITE(0, 5)),
	    IS(GUEST_FLUSHED(2, 1), INTO(GUEST_FLUSHED(2, 0))),
	    IS(ENTER(0, 0, 0)) } },
	{ "P7: a flush covers no later change",
	  ADVERSARY | I3,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(1, 0, 0)), IS(NOTHING, INTO(GUEST_WRITE(0, 5))),
	    IS(MOV_CR3(1, 0)), IS(GUEST_FLUSHED(1, 0)), IS(GUEST_WRITE(0, 6)),
	    IS(USE(1, 5, 0, 6, 0)), IS(LEAVE(1)), IS(ENTER(0, 0, 0)) } },

	{ "P8: two vCPUs of a VM share what is cached under its root",
	  I4,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(0, 1, 0), INTO(ENTER(0, 2, 0))) } },
	{ "P8: they share it in one APIC mode",
	  ADVERSARY,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(0, 1, 0), INTO(ENTER_XAPIC(0, 1, 0))) } },
	{ "P8: one flush makes the pCPU clean for both",
	  ADVERSARY | I1,
	  { IS(ALLOC(0, 0, 1)), IS(ENTER(0, 0, 0)), IS(LEAVE(0)),
	    IS(ENTER(0, 1, 0)), IS(LEAVE(0)), IS(ZAP(5)), IS(OBLIGE(1)),
	    IS(ACK(1)), IS(INVEPT(0, 0), LEFT_OUT), IS(ENTER(0, 0, 0)),
	    IS(LEAVE(0)), IS(ENTER(0, 1, 0)) } },
};

/* Who objects to a row, as it is or changed. */
static u32 objections(u32 row, bool changed)
{
	u32 objects = 0;

	for (u32 k = 0; k < ARRAY_SIZE(checkers); k++) {
		struct watch w;

		watch_start(&w, checkers[k].ops);
		for (u32 i = 0; i < ARRAY_SIZE(rows[row].step); i++) {
			const struct step *s = &rows[row].step[i];
			struct probe_rec r = changed && s->changed ?
					     s->instead : s->rec;

			if (r.kind != PROBE_SPAN && tell(&w, r))
				objects |= checkers[k].bit;
		}
		watch_end(&w);
	}
	return objects;
}

START_TEST(nobody_objects_to_what_is_permitted)
{
	ck_assert_msg(!objections(_i, false), "%s: %#x object", rows[_i].what,
		      objections(_i, false));
}
END_TEST

START_TEST(one_record_makes_it_a_violation)
{
	u32 objects = objections(_i, true);

	ck_assert_msg(objects == rows[_i].objects, "%s: %#x object, not %#x",
		      rows[_i].what, objects, rows[_i].objects);
}
END_TEST

START_TEST(every_row_changes_one_record_and_every_behaviour_has_a_row)
{
	u32 seen = 0;

	for (u32 row = 0; row < ARRAY_SIZE(rows); row++) {
		u32 nr = 0;

		for (u32 i = 0; i < ARRAY_SIZE(rows[row].step); i++)
			nr += rows[row].step[i].changed;
		ck_assert_msg(nr == 1, "%s: %u", rows[row].what, nr);
		seen |= 1u << (rows[row].what[1] - '0');
	}
	ck_assert_uint_eq(seen, 0x1fe);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("check/permitted");
	TCase *tc = tcase_create("permitted");

	tcase_add_loop_test(tc, nobody_objects_to_what_is_permitted, 0,
			    ARRAY_SIZE(rows));
	tcase_add_loop_test(tc, one_record_makes_it_a_violation, 0,
			    ARRAY_SIZE(rows));
	tcase_add_test(tc, every_row_changes_one_record_and_every_behaviour_has_a_row);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
