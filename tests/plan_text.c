#include "tests/plan_text.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

struct text {
	char *to;
	size_t used;
};

__attribute__((format(printf, 2, 3)))
static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->used)
		t->used += (size_t)snprintf(t->to + t->used,
					    PLAN_TEXT_MAX - t->used, "; ");
	va_start(ap, fmt);
	n = vsnprintf(t->to + t->used, PLAN_TEXT_MAX - t->used, fmt, ap);
	va_end(ap);
	if (n < 0 || t->used + (size_t)n >= PLAN_TEXT_MAX - 2)
		abort();
	t->used += (size_t)n;
}

static void word_of(u32 i, char *to, size_t size)
{
	if (i == PLAN_HERE)
		snprintf(to, size, "here");
	else if (i == PLAN_ALL)
		snprintf(to, size, "all");
	else
		snprintf(to, size, "%u", i);
}

/* row, row[i] or row[i,j], as the scope of the row has it. */
static const char *cell(const struct flush_policy_ops *ops,
			const struct plan_step *s, char *to, size_t size)
{
	const struct state_row *r = &ops->rows[s->arg];
	char i[16], j[16];

	word_of(s->i, i, sizeof(i));
	word_of(s->j, j, sizeof(j));
	if (r->scope == STATE_GLOBAL)
		snprintf(to, size, "%s", r->name);
	else if (r->scope == STATE_PCPU_ROOT || r->scope == STATE_PCPU_VM)
		snprintf(to, size, "%s[%s,%s]", r->name, i, j);
	else
		snprintf(to, size, "%s[%s]", r->name, i);
	return to;
}

static void flush_text(struct text *t, const struct plan_step *s)
{
	const char *all = s->op == PLAN_FLUSH_ALL_PCPUS ? "everywhere " :
			  s->op == PLAN_FLUSH_MASK ? "on mask " : "";

	switch (s->arg) {
	case PLAN_INVEPT_SINGLE:
		say(t, "%sINVEPT-single %u", all, s->i);
		break;
	case PLAN_INVEPT_GLOBAL:
		say(t, "%sINVEPT-global", all);
		break;
	case PLAN_INVVPID_SINGLE:
		say(t, "%sINVVPID-single %u", all, s->i);
		break;
	case PLAN_INVVPID_VPID02:
		say(t, "%sINVVPID-single %u/02", all, s->i);
		break;
	case PLAN_INVVPID_ALL:
		say(t, "%sINVVPID-all", all);
		break;
	default:
		abort();
	}
}

static void step_text(struct text *t, const struct flush_policy_ops *ops,
		      const struct plan_step *s)
{
	static const char *const requests[REQ_NR] = {
		[REQ_TLB_FLUSH] = "TLB_FLUSH",
		[REQ_TLB_FLUSH_CURRENT] = "TLB_FLUSH_CURRENT",
		[REQ_TLB_FLUSH_GUEST] = "TLB_FLUSH_GUEST",
	};
	char c[64];

	switch (s->op) {
	case PLAN_PREEMPT_OFF:
		say(t, "preempt-off");
		break;
	case PLAN_PREEMPT_ON:
		say(t, "preempt-on");
		break;
	case PLAN_SKIP_IF:
		say(t, "unless %s=%u {", cell(ops, s, c, sizeof(c)), s->value);
		break;
	case PLAN_SKIP_UNLESS_LESS:
		say(t, "if %s<reg {", cell(ops, s, c, sizeof(c)));
		break;
	case PLAN_SET:
		say(t, "%s=%u", cell(ops, s, c, sizeof(c)), s->value);
		break;
	case PLAN_INC:
		say(t, "%s++", cell(ops, s, c, sizeof(c)));
		break;
	case PLAN_LATCH:
		say(t, "reg=%s", cell(ops, s, c, sizeof(c)));
		break;
	case PLAN_STORE:
		say(t, "%s=reg", cell(ops, s, c, sizeof(c)));
		break;
	case PLAN_HYPERCALL:
		say(t, "hypercall %u", s->i);
		break;
	case PLAN_REQUEST:
		say(t, "request %s of %u", requests[s->value], s->i);
		break;
	default:
		flush_text(t, s);
	}
}

const char *plan_text(const struct flush_policy_ops *ops, const struct plan *p,
		      char *to)
{
	struct text t = { .to = to };
	bool lands[PLAN_STEPS_MAX + 1] = { false };

	to[0] = '\0';
	for (u32 k = 0; k < p->nr; k++) {
		const struct plan_step *s = &p->step[k];

		step_text(&t, ops, s);
		if (s->op == PLAN_SKIP_IF || s->op == PLAN_SKIP_UNLESS_LESS)
			lands[k + 1 + s->skip] = true;
		if (lands[k + 1])
			say(&t, "}");
	}
	return to;
}

static policy_hook_fn hook_of(const struct flush_policy_ops *ops, u32 hook)
{
	switch (hook) {
#define X(name) case HOOK_##name: return ops->name;
	POLICY_HOOKS(X)
#undef X
	default:
		abort();
	}
}

const char *plan_of(const struct flush_policy_ops *ops, u32 hook,
		    const struct policy_event *e, char *to)
{
	static const u8 defaults[POLICY_OPTIONS_MAX];
	policy_hook_fn fn = hook_of(ops, hook);
	struct policy_event event = *e;
	struct plan p = { 0 };

	if (!event.option)
		event.option = defaults;
	if (fn)
		fn(&event, &p);
	return plan_text(ops, &p, to);
}

/* libcheck hands a loop test its number and nothing else. */
static const struct flush_policy_ops *cases_ops;
static const struct plan_case *cases_table;

START_TEST(an_event_gives_this_plan)
{
	const struct plan_case *c = &cases_table[_i];
	char text[PLAN_TEXT_MAX];

	plan_of(cases_ops, c->hook, &c->e, text);
	ck_assert_msg(!strcmp(text, c->plan), "%s: \"%s\", expected \"%s\"",
		      c->says, text, c->plan);
}
END_TEST

int plan_cases_main(const struct flush_policy_ops *ops,
		    const struct plan_case *cases, u32 nr)
{
	Suite *s = suite_create(ops->name);
	TCase *t = tcase_create("events in, plan out");

	cases_ops = ops;
	cases_table = cases;
	tcase_add_loop_test(t, an_event_gives_this_plan, 0, (int)nr);
	suite_add_tcase(s, t);
	return suite_main(s);
}
