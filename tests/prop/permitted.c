/*
 * The litmus files of permitted behaviour: each program really comes to the
 * race it is named after, as a witness sees that looks for it; what is explored
 * is clean all the same; and with another policy, or one step of the program
 * changed, it is not.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/check/adversary.h"
#include "sim/cli/litmus.h"
#include "sim/cli/litmus_step.h"
#include "sim/config/complain.h"
#include "sim/core/codec.h"
#include "sim/driver/explore.h"
#include "tests/suite.h"

enum { PCPUS = 3, VCPUS = 2, FRAMES = 8 };

/* --- the witness --- */

/*
 * @vcpu: who runs there, or IDX_NONE; under @frame
 * @kicked: an IPI is under way that shall end its stay
 * @mine: what each vCPU has filled since the last flush of the frame
 * @old: of that, something was there before the last strict change
 */
struct place {
	u32 vcpu;
	u32 frame;
	bool kicked;
	bool mine[FRAMES][VCPUS];
	bool old[FRAMES];
};

/* @mapped: the one page is; @open: a flush of it has not returned. */
struct witness {
	struct place place[PCPUS];
	bool mapped;
	bool open;
	bool changed;
};

static bool filled(const struct place *p, u32 frame)
{
	bool any = false;

	for (u32 v = 0; v < VCPUS; v++)
		any |= p->mine[frame][v];
	return any;
}

static bool enters_with_old(const struct witness *w, const struct probe_rec *r)
{
	return r->kind == PROBE_CONTEXT && w->open &&
	       w->place[r->pcpu].old[r->frame];
}

static bool p1(const struct witness *w, const struct probe_rec *r)
{
	return enters_with_old(w, r) && !w->mapped;
}

static bool p2(const struct witness *w, const struct probe_rec *r)
{
	bool runs = false;

	for (u32 p = 0; p < PCPUS; p++)
		runs |= w->place[p].vcpu != IDX_NONE;
	return r->kind == PROBE_WRITE && r->cls == WRITE_UPGRADE && runs;
}

static bool p3(const struct witness *w, const struct probe_rec *r)
{
	bool elsewhere = false;

	if (r->kind != PROBE_CONTEXT || w->open)
		return false;
	for (u32 p = 0; p < PCPUS; p++)
		for (u32 f = 0; f < FRAMES; f++)
			elsewhere |= p != r->pcpu && w->place[p].old[f];
	return elsewhere;
}

static bool p4(const struct witness *w, const struct probe_rec *r)
{
	bool fills = false;

	for (u32 p = 0; p < PCPUS; p++)
		fills |= w->place[p].kicked;
	return r->kind == PROBE_WRITE && r->cls == WRITE_UPGRADE && fills;
}

static bool p5(const struct witness *w, const struct probe_rec *r)
{
	bool any = false;

	if (r->kind != PROBE_FLUSH || r->cause == CAUSE_GUEST || w->changed)
		return false;
	for (u32 f = 0; f < FRAMES; f++)
		any |= filled(&w->place[r->pcpu], f);
	return any;
}

static bool p6(const struct witness *w, const struct probe_rec *r)
{
	return enters_with_old(w, r) && w->mapped;
}

static bool p8(const struct witness *w, const struct probe_rec *r)
{
	bool shared = false;

	for (u32 v = 0; r->kind == PROBE_CONTEXT && v < VCPUS; v++)
		shared |= v != r->vcpu &&
			  w->place[r->pcpu].mine[r->frame][v];
	return shared;
}

typedef bool (*race_fn)(const struct witness *w, const struct probe_rec *r);

/* By number; a guest that never flushes is out of a program's reach. */
static const race_fn races[] = {
	[1] = p1, [2] = p2, [3] = p3, [4] = p4, [5] = p5, [6] = p6, [8] = p8,
};

static u32 race;	/* the one that is looked for */

static void fill(struct place *p)
{
	if (p->vcpu != IDX_NONE)
		p->mine[p->frame][p->vcpu] = true;
}

static void drop(struct place *p, u32 frame)
{
	memset(p->mine[frame], 0, sizeof(p->mine[frame]));
	p->old[frame] = false;
	fill(p);
}

static void note_flush(struct witness *w, const struct probe_rec *r)
{
	for (u32 p = 0; p < PCPUS; p++)
		for (u32 f = 0; f < FRAMES; f++)
			if ((r->op == FLUSH_INVEPT_SINGLE && p == r->pcpu &&
			     f == r->frame) ||
			    (r->op == FLUSH_INVEPT_GLOBAL && p == r->pcpu))
				drop(&w->place[p], f);
}

static void note_write(struct witness *w, const struct probe_rec *r)
{
	w->mapped = r->cls == WRITE_UPGRADE;
	if (w->mapped)
		return;
	w->open = w->changed = true;
	for (u32 p = 0; p < PCPUS; p++)
		for (u32 f = 0; f < FRAMES; f++)
			w->place[p].old[f] |= filled(&w->place[p], f);
}

static void note(struct witness *w, const struct probe_rec *r)
{
	struct place *p = r->pcpu == IDX_NONE ? NULL : &w->place[r->pcpu];

	switch (r->kind) {
	case PROBE_CONTEXT:
		p->vcpu = r->vcpu;
		p->frame = r->frame;
		fill(p);
		break;
	case PROBE_CONTEXT_END:
		p->vcpu = p->frame = IDX_NONE;
		p->kicked = false;
		break;
	case PROBE_IPI:
		w->place[r->a].kicked = w->place[r->a].vcpu != IDX_NONE;
		break;
	case PROBE_FLUSH:
		note_flush(w, r);
		break;
	case PROBE_WRITE:
		note_write(w, r);
		break;
	default:
		w->open = false;
	}
}

static u64 witness_state_bytes(const struct run_shape *s)
{
	ck_assert(s->nr_pcpus <= PCPUS && s->nr_vcpus <= VCPUS &&
		  s->nr_frames <= FRAMES);
	return sizeof(struct witness);
}

static void witness_init(void *state, const struct run_shape *s)
{
	struct witness *w = state;

	(void)s;
	w->mapped = true;
	for (u32 p = 0; p < PCPUS; p++)
		w->place[p].vcpu = w->place[p].frame = IDX_NONE;
}

static bool witness_on_probe(void *state, const struct run_shape *s,
			     const struct probe_rec *r, struct finding *f)
{
	bool seen = races[race](state, r);

	(void)s;
	note(state, r);
	if (!seen)
		return false;
	*f = (struct finding){ .invariant = "I1", .vcpu = r->vcpu,
			       .pcpu = r->pcpu, .text = "seen" };
	return true;
}

/* Programs name their actors, so none is ever renamed. */
static void witness_visit(void *state, const struct run_shape *s,
			  struct codec *c)
{
	struct witness *w = state;

	for (u32 p = 0; p < s->nr_pcpus; p++) {
		codec_index(c, &w->place[p].vcpu, CODEC_VCPU);
		codec_index(c, &w->place[p].frame, CODEC_ROOT);
		CODEC_BITS(c, w->place[p].kicked, 1);
		for (u32 f = 0; f < s->nr_frames; f++) {
			CODEC_BITS(c, w->place[p].old[f], 1);
			for (u32 v = 0; v < s->nr_vcpus; v++)
				CODEC_BITS(c, w->place[p].mine[f][v], 1);
		}
	}
	CODEC_BITS(c, w->mapped, 1);
	CODEC_BITS(c, w->open, 1);
	CODEC_BITS(c, w->changed, 1);
}

static const struct observer_ops witness = {
	.name		= "witness",
	.brief		= "a race was seen",
	.wants		= BIT64(PROBE_CONTEXT) | BIT64(PROBE_CONTEXT_END) |
			  BIT64(PROBE_FLUSH) | BIT64(PROBE_WRITE) |
			  BIT64(PROBE_ACK) | BIT64(PROBE_IPI),
	.state_bytes	= witness_state_bytes,
	.init		= witness_init,
	.on_probe	= witness_on_probe,
	.visit		= witness_visit,
};

/* --- the files --- */

#define P(n)	(1u << (n))

/*
 * @shows: the races that its programs come to under global-flush, a bit each
 * @step: NULL, or what stands at @at of program @program, or is inserted there,
 *        to make it a violation
 * @policy: with which it is one, of @breaks
 */
static const struct {
	const char *file;
	u32 shows;
	const char *step;
	u32 program;
	u32 at;
	bool insert;
	const char *policy;
	const char *breaks;
} files[] = {
	{ "p1-before-return", P(1), NULL, 0, 0, false, "never", "I1" },
	{ "p2-upgrade", P(2), "change 2", 2, 1, true, "never", "I1" },
	{ "p3-out-of-reach", P(3), "sched_in 0", 0, 5, false, "never", "I1" },
	{ "p4-fill-after-kick", P(2) | P(3) | P(4) | P(6), NULL, 0, 0, false,
	  "never", "I1" },
	{ "p5-extra-flush", P(1) | P(3) | P(5), NULL, 0, 0, false,
	  "per-root-mask", "I1" },
	{ "p6-old-and-new", P(6), NULL, 0, 0, false, "never", "I1" },
	{ "p7-unflushed-guest", P(5), "guest_flush 1", 0, 6, true, "never", "I3" },
	{ "p8-shared-entries", P(5) | P(8), "apic_mode", 0, 2, true,
	  "global-flush", "I5" },
};

static void load(const char *file, struct litmus *l)
{
	struct complaints c;
	char path[128];

	snprintf(path, sizeof(path), "configs/litmus/permitted-%s.json", file);
	complaints_init(&c);
	if (litmus_load(path, l, &c))
		ck_abort_msg("%s", c.nr_kept ? c.text[0] : path);
	complaints_release(&c);
}

/* What comes first, "clean", or "?" if it did not fit. */
static const char *play(struct litmus *l, const char *policy,
			const struct observer_ops *o)
{
	const struct observer_ops *const observers[1] = { o };
	struct small_machine m;
	struct exploration x = {
		.config = &m.config, .mem_bytes = 256u << 20, .any = true,
		.environ = { .ops = &environ_script, .arg = &l->script },
	};
	struct explored e;
	struct err err;

	litmus_machine(l, &m);
	m.config.observers = observers;
	m.config.nr_observers = 1;
	if (flush_policy_parse(policy, strlen(policy), &m.policy, &err) ||
	    explore(&x, &e, &err))
		ck_abort_msg("%s", err.msg);
	explored_release(&e);
	return e.violated ? e.finding.invariant : e.exhausted ? "clean" : "?";
}

START_TEST(a_program_comes_to_its_race)
{
	struct litmus l;
	u32 shows = 0;

	load(files[_i].file, &l);
	for (race = 1; race < ARRAY_SIZE(races); race++)
		if (races[race] && strcmp(play(&l, "global-flush", &witness),
					  "clean"))
			shows |= P(race);
	ck_assert_msg(shows == files[_i].shows, "%s: races %#x, should be %#x",
		      files[_i].file, shows, files[_i].shows);
	litmus_release(&l);
}
END_TEST

START_TEST(it_does_so_under_every_sound_policy)
{
	static const char *const sound[] = { "active-roots", "per-root-gen",
					     "per-root-mask-clear" };
	struct litmus l;

	load(files[_i].file, &l);
	race = (u32)(files[_i].file[1] - '0');
	for (u32 k = 0; races[race] && k < ARRAY_SIZE(sound); k++)
		ck_assert_msg(strcmp(play(&l, sound[k], &witness), "clean"),
			      "%s under %s", files[_i].file, sound[k]);
	litmus_release(&l);
}
END_TEST

static void change(struct litmus *l, u32 i)
{
	struct litmus_actor who[3] = { { OPERAND_VCPU, 0 }, { OPERAND_VCPU, 1 },
				       { OPERAND_VM, 0 } };
	struct script_program *p = &l->script.program[files[i].program];
	u32 at = files[i].at;
	struct err err;

	ck_assert_uint_le(at + !files[i].insert, p->nr);
	p->step = realloc(p->step, (p->nr + 1) * sizeof(*p->step));
	ck_assert_ptr_nonnull(p->step);
	if (files[i].insert)
		memmove(&p->step[at + 1], &p->step[at],
			(p->nr++ - at) * sizeof(*p->step));
	memset(&p->step[at], 0, sizeof(*p->step));
	if (litmus_step_parse(files[i].step, l, &who[files[i].program],
			      &p->step[at], &err))
		ck_abort_msg("%s", err.msg);
	l->allowed |= 1u << p->step[at].action.kind;
}

START_TEST(one_change_makes_it_a_violation)
{
	struct litmus l;

	load(files[_i].file, &l);
	ck_assert_str_eq(play(&l, "global-flush", &checker_adversary), "clean");
	if (files[_i].step) {
		ck_assert_str_eq(play(&l, files[_i].policy, &checker_adversary),
				 "clean");
		change(&l, _i);
	}
	ck_assert_str_eq(play(&l, files[_i].policy, &checker_adversary),
			 files[_i].breaks);
	litmus_release(&l);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("prop/permitted");
	TCase *tc = tcase_create("permitted");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_program_comes_to_its_race, 0,
			    ARRAY_SIZE(files));
	tcase_add_loop_test(tc, it_does_so_under_every_sound_policy, 0,
			    ARRAY_SIZE(files));
	tcase_add_loop_test(tc, one_change_makes_it_a_violation, 0,
			    ARRAY_SIZE(files));
	suite_add_tcase(s, tc);
	return suite_main(s);
}
