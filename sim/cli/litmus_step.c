#include "sim/cli/litmus_step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/cli/litmus.h"
#include "sim/machine/guest_op.h"

#define WORDS_MAX	6u

/* A text cut at its blanks; @at words have been read. */
struct words {
	char text[LITMUS_STEP_MAX];
	u32 nr;
	u32 at;
	const char *word[WORDS_MAX];
};

static u32 left(const struct words *w)
{
	return w->nr - w->at;
}

static int cut(const char *text, struct words *w, struct err *err)
{
	char *at, *save;

	if (strlen(text) >= sizeof(w->text))
		return err_set(err, -EINVAL, "\"%.40s...\" is longer than %zu bytes",
			       text, sizeof(w->text) - 1);
	memcpy(w->text, text, strlen(text) + 1);
	w->nr = w->at = 0;
	for (at = strtok_r(w->text, " ", &save); at;
	     at = strtok_r(NULL, " ", &save)) {
		if (w->nr == WORDS_MAX)
			return err_set(err, -EINVAL, "\"%s\": more than %u words",
				       text, WORDS_MAX);
		w->word[w->nr++] = at;
	}
	return 0;
}

static const struct {
	const char *word;
	u8 what;
} actors[] = {
	{ "vcpu", OPERAND_VCPU }, { "host", OPERAND_VM },
	{ "pcpu", OPERAND_PCPU },
};

static const char *word_of(u8 what)
{
	for (size_t i = 0; i < ARRAY_SIZE(actors); i++)
		if (actors[i].what == what)
			return actors[i].word;
	return "";
}

static u32 bound(const struct litmus *l, u8 what)
{
	switch (what) {
	case OPERAND_VCPU:
		return l->vms * l->vcpus;
	case OPERAND_VM:
		return l->vms;
	case OPERAND_PCPU:
		return l->pcpus;
	case OPERAND_FLAG:
		return 2;
	case OPERAND_MAPPING:
		return guest_mappings(l->pcids);
	default:
		return 1;		/* pages: each VM has one */
	}
}

static int number(const char *word, u32 nr, const char *what, u32 *out,
		  struct err *err)
{
	char *end;
	unsigned long v = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || v >= nr)
		return err_set(err, -EINVAL, "%s: found \"%s\", expected 0..%u",
			       what, word, nr - 1);
	*out = (u32)v;
	return 0;
}

/* Two words: what, and which one. */
static int read_actor(struct words *w, const struct litmus *l,
		      struct litmus_actor *out, struct err *err)
{
	const char *const *word = &w->word[w->at];

	w->at += 2;
	for (size_t i = 0; i < ARRAY_SIZE(actors); i++) {
		if (strcmp(word[0], actors[i].word))
			continue;
		out->what = actors[i].what;
		return number(word[1], bound(l, out->what), word[0],
			      &out->index, err);
	}
	return err_set(err, -EINVAL, "found actor \"%s\", expected vcpu, host or pcpu",
		       word[0]);
}

int litmus_actor_parse(const char *text, const struct litmus *l,
		       struct litmus_actor *out, struct err *err)
{
	struct words w;

	if (cut(text, &w, err))
		return -EINVAL;
	if (w.nr != 2)
		return err_set(err, -EINVAL, "found \"%s\", expected \"vcpu N\", \"host N\" or \"pcpu N\"",
			       text);
	return read_actor(&w, l, out, err);
}

static u32 task_of(const struct litmus *l, const struct litmus_actor *a)
{
	return a->what == OPERAND_VM ? l->vms * l->vcpus + a->index : a->index;
}

static int read_wait(struct words *w, const struct litmus *l,
		     struct litmus_actor whom, struct script_step *out,
		     struct err *err)
{
	u32 nr = left(w);
	const char *word;

	if (nr != 1 && nr != 3)
		return err_set(err, -EINVAL, "wait: found %u words behind it, expected [ACTOR N] CONDITION",
			       nr);
	if (nr == 3 && read_actor(w, l, &whom, err))
		return -EINVAL;
	word = w->word[w->at];
	out->what = SCRIPT_WAIT;
	out->action.a = (u8)whom.index;
	for (u32 k = 0; k < SCRIPT_CONDITION_NR; k++) {
		bool host = k >= SCRIPT_IDLE;

		if (strcmp(word, script_condition_name(k)))
			continue;
		out->condition = (u8)k;
		if (whom.what != (host ? OPERAND_VM : OPERAND_VCPU))
			return err_set(err, -EINVAL, "wait %s: found a %s, expected a %s",
				       word, word_of(whom.what),
				       host ? "host" : "vcpu");
		return 0;
	}
	return err_set(err, -EINVAL, "wait: nothing is named \"%s\"; in_guest, outside, loaded and away are, of vCPUs, idle and unmapped, of hosts",
		       word);
}

static bool does(u8 kind, const struct litmus_actor *who)
{
	u8 first = action_operand(kind, false);

	return first == who->what ||
	       (first == OPERAND_TASK && who->what != OPERAND_PCPU);
}

/* What the guest does by one instruction: a word of its own for each. */
static int read_guest_op(const struct words *w, const struct litmus *l,
			 const struct litmus_actor *who, struct script_step *out,
			 struct err *err)
{
	const char *const *word = &w->word[w->at];
	u32 nr = left(w), op, operands, b = 0;

	for (op = 0; op < GUEST_OP_NR; op++)
		if (!strcmp(guest_op_word(op), word[0]))
			break;
	if (op == GUEST_OP_NR)
		return err_set(err, -EINVAL, "no step is named \"%s\"", word[0]);
	if (!does(ACTION_GUEST_OP, who))
		return err_set(err, -EINVAL, "%s: not for a %s", word[0],
			       word_of(who->what));
	operands = guest_op_operands(op, l->pcids);
	if (!operands)
		return err_set(err, -EINVAL, "%s: \"pcids\" is 1, expected %u",
			       word[0], PCIDS_MAX);
	if (nr != 1u + guest_op_takes(op))
		return err_set(err, -EINVAL, "%s: found %u operands, expected %u",
			       word[0], nr - 1, guest_op_takes(op));
	if (guest_op_takes(op) && number(word[1], operands, word[0], &b, err))
		return -EINVAL;
	out->what = SCRIPT_ACT;
	out->action = (struct action){ ACTION_GUEST_OP, who->index,
				       GUEST_OP_CODE(op, b) };
	return 0;
}

static int read_action(const struct words *w, const struct litmus *l,
		       const struct litmus_actor *who, struct script_step *out,
		       struct err *err)
{
	const char *const *word = &w->word[w->at];
	u32 nr = left(w);
	u8 kind, second;
	u32 b = 0;
	bool wants;

	for (kind = 0; kind < ACTION_NR; kind++)
		if (!strcmp(action_name(kind), word[0]))
			break;
	if (kind == ACTION_NR || kind == ACTION_GUEST_OP)
		return read_guest_op(w, l, who, out, err);
	if (!does(kind, who))
		return err_set(err, -EINVAL, "%s: not for a %s", word[0],
			       word_of(who->what));
	second = action_operand(kind, true);
	wants = second != OPERAND_NONE && second != OPERAND_ROLE;
	if (nr != 1u + wants)
		return err_set(err, -EINVAL, "%s: found %u operands, expected %u",
			       word[0], nr - 1, wants);
	if (wants && number(word[1], bound(l, second), word[0], &b, err))
		return -EINVAL;
	out->what = SCRIPT_ACT;
	out->action = (struct action){
		kind, kind == ACTION_STEP ? task_of(l, who) : who->index, b,
	};
	return 0;
}

int litmus_step_parse(const char *text, const struct litmus *l,
		      const struct litmus_actor *actor,
		      struct script_step *out, struct err *err)
{
	struct litmus_actor who;
	struct words w;

	if (cut(text, &w, err))
		return -EINVAL;
	if (!actor && w.nr < 3)
		return err_set(err, -EINVAL, "found \"%s\", expected ACTOR N STEP",
			       text);
	if (actor)
		who = *actor;
	else if (read_actor(&w, l, &who, err))
		return -EINVAL;
	if (!left(&w))
		return err_set(err, -EINVAL, "found an empty step");
	if (!strcmp(w.word[w.at], "wait")) {
		w.at++;
		return read_wait(&w, l, who, out, err);
	}
	if (strcmp(w.word[w.at], "run") || left(&w) != 1)
		return read_action(&w, l, &who, out, err);
	if (who.what == OPERAND_PCPU)
		return err_set(err, -EINVAL, "run: not for a pcpu");
	out->what = SCRIPT_RUN;
	out->action.a = task_of(l, &who);
	return 0;
}

static void format_guest_op(const struct action *a, char *to)
{
	enum guest_op op = a->b / MAPPING_NR;
	int len = snprintf(to, LITMUS_STEP_MAX, "%s %u %s", word_of(OPERAND_VCPU),
			   a->a, guest_op_word(op));

	if (guest_op_takes(op))
		snprintf(to + len, LITMUS_STEP_MAX - (size_t)len, " %u",
			 a->b % MAPPING_NR);
}

void litmus_step_format(const struct action *a, u32 nr_vcpus, char *to)
{
	u8 first = action_operand(a->kind, false);
	u8 second = action_operand(a->kind, true);
	u32 index = a->a;
	int len;

	if (first == OPERAND_TASK) {
		first = index < nr_vcpus ? OPERAND_VCPU : OPERAND_VM;
		index -= index < nr_vcpus ? 0 : nr_vcpus;
	}
	if (second == OPERAND_CODE) {
		format_guest_op(a, to);
		return;
	}
	len = snprintf(to, LITMUS_STEP_MAX, "%s %u %s", word_of(first), index,
		       action_name(a->kind));
	if (second != OPERAND_NONE && second != OPERAND_ROLE)
		snprintf(to + len, LITMUS_STEP_MAX - (size_t)len, " %u", a->b);
}
