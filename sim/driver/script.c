#include "sim/driver/script.h"

#include <string.h>

#include "sim/base/err.h"

/* How far each program has come. */
static u32 at_of(const struct environ *e, u32 program)
{
	return e->state[2 * program] | (u32)e->state[2 * program + 1] << 8;
}

static void set_at(struct environ *e, u32 program, u32 at)
{
	e->state[2 * program] = (u8)at;
	e->state[2 * program + 1] = (u8)(at >> 8);
}

static const struct script_step *next_of(const struct environ *e, u32 program)
{
	const struct script *s = e->arg;
	u32 at = at_of(e, program);

	return at < s->program[program].nr ? &s->program[program].step[at] :
					     NULL;
}

static bool holds(const struct machine *m, const struct script_step *s)
{
	u32 a = s->action.a;

	switch (s->condition) {
	case SCRIPT_IN_GUEST:
		return machine_vcpu_in_guest(m, a);
	case SCRIPT_OUTSIDE:
		return !machine_vcpu_in_guest(m, a);
	case SCRIPT_LOADED:
		return machine_task_pcpu(m, a) != IDX_NONE;
	case SCRIPT_AWAY:
		return machine_task_pcpu(m, a) == IDX_NONE;
	case SCRIPT_IDLE:
		return machine_host_idle(m, a);
	default:
		return !machine_page_mapped(m, a, 0);
	}
}

/* Where a test ends says whether it has tested anything. */
static void note(const struct environ *e)
{
	const struct script *s = e->arg;
	bool finished = true;

	if (!s->seen)
		return;
	for (u32 p = 0; p < s->nr; p++) {
		u32 at = at_of(e, p);

		if (at > s->seen->at[p])
			s->seen->at[p] = at;
		finished &= at == s->program[p].nr;
	}
	s->seen->finished |= finished;
}

/* Pass what there is nothing to do for. */
static void settle(struct environ *e, const struct machine *m)
{
	const struct script *s = e->arg;
	const struct script_step *next;

	for (u32 p = 0; p < s->nr; p++) {
		while ((next = next_of(e, p)) != NULL) {
			if (next->what == SCRIPT_ACT ||
			    (next->what == SCRIPT_WAIT && !holds(m, next)) ||
			    (next->what == SCRIPT_RUN &&
			     machine_can_step(m, next->action.a)))
				break;
			set_at(e, p, at_of(e, p) + 1);
		}
	}
	note(e);
}

/* Roles say nothing new; of flags the machine offers one that stands for all. */
static bool same(const struct action *a, const struct action *b)
{
	u8 second = action_operand(a->kind, true);

	return a->kind == b->kind && a->a == b->a &&
	       (a->b == b->b || second == OPERAND_ROLE ||
		second == OPERAND_FLAG);
}

/* An exit is how the scheduler gets a vCPU out of guest mode. */
static bool exits_for(const struct action *a, const struct action *next)
{
	return a->kind == ACTION_EXIT && next->kind == ACTION_SCHED_OUT &&
	       a->a == next->a;
}

/* If so, @a gets the flag that the program wants. */
static bool may(const struct environ *e, struct action *a)
{
	const struct script *s = e->arg;

	if (!s->fixed &&
	    (a->kind == ACTION_STEP || a->kind == ACTION_INTERRUPT))
		return true;
	for (u32 p = 0; p < s->nr; p++) {
		const struct script_step *next = next_of(e, p);

		if (!next || next->what == SCRIPT_WAIT)
			continue;
		if (next->what == SCRIPT_RUN && a->kind == ACTION_STEP &&
		    a->a == next->action.a)
			return true;
		if (next->what != SCRIPT_ACT)
			continue;
		if (same(a, &next->action)) {
			if (action_operand(a->kind, true) == OPERAND_FLAG)
				a->b = next->action.b;
			return true;
		}
		if (!s->fixed && exits_for(a, &next->action))
			return true;
	}
	return false;
}

static u32 script_filter(const struct environ *e, const struct machine *m,
			 struct action *list, u32 nr)
{
	u32 left = 0;

	(void)m;
	for (u32 i = 0; i < nr; i++)
		if (may(e, &list[i]))
			list[left++] = list[i];
	return left;
}

static void script_acted(struct environ *e, const struct machine *m,
			 const struct action *a)
{
	const struct script *s = e->arg;

	for (u32 p = 0; p < s->nr; p++) {
		const struct script_step *next = next_of(e, p);

		if (!next || next->what != SCRIPT_ACT || !same(a, &next->action))
			continue;
		set_at(e, p, at_of(e, p) + 1);
		break;
	}
	settle(e, m);
}

static void script_visit(struct environ *e, struct codec *c)
{
	const struct script *s = e->arg;

	for (u32 p = 0; p < s->nr; p++) {
		u64 at = at_of(e, p);

		codec_bits(c, &at, codec_bits_for(s->program[p].nr));
		set_at(e, p, (u32)at);
	}
}

const struct environ_ops environ_script = {
	.init	= settle,
	.filter	= script_filter,
	.acted	= script_acted,
	.visit	= script_visit,
};

const char *script_condition_name(enum script_condition c)
{
	static const char *const names[SCRIPT_CONDITION_NR] = {
#define X(id, name) [SCRIPT_##id] = name,
		SCRIPT_CONDITIONS(X)
#undef X
	};

	BUG_ON(c >= SCRIPT_CONDITION_NR);
	return names[c];
}
