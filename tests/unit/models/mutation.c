/*
 * Bugs put into plans: what each kind leaves of a plan, that skips still land
 * where they did, and that lists hold no bug twice and none that changes
 * nothing.
 */
#include "models/mutation.h"

#include <check.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/plan_text.h"
#include "tests/suite.h"

enum { ROW_BIT };

static const struct flush_policy_ops ops = {
	.name = "p", .brief = "b",
	.rows = { [ROW_BIT] = { "bit", STATE_PCPU_ROOT, STATE_BIT } },
};

/* Two roots tested in a section, then INVVPID. */
static void build(struct plan *p)
{
	u32 mark;

	memset(p, 0, sizeof(*p));
	plan_preempt_off(p);
	for (u32 root = 6; root < 8; root++) {
		mark = plan_skip_if(p, ROW_BIT, 1, PLAN_HERE, root);
		plan_set(p, ROW_BIT, 1, PLAN_HERE, root);
		plan_flush(p, PLAN_INVEPT_SINGLE, root);
		plan_land(p, mark);
	}
	plan_preempt_on(p);
	plan_set(p, ROW_BIT, 0, PLAN_ALL, 6);
	plan_flush(p, PLAN_INVEPT_GLOBAL, 0);
}

#define ALL	"preempt-off; "						\
		"unless bit[here,6]=1 {; bit[here,6]=1; INVEPT-single 6; }; " \
		"unless bit[here,7]=1 {; bit[here,7]=1; INVEPT-single 7; }; " \
		"preempt-on; bit[all,6]=0; INVEPT-global"

static const struct {
	u8 kind;
	u32 at;
	const char *plan;
} cases[] = {
	{ MUTATE_DELETE, 2, "preempt-off; unless bit[here,6]=1 {; INVEPT-single 6; }; unless bit[here,7]=1 {; INVEPT-single 7; }; preempt-on; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_DELETE, 3, "preempt-off; unless bit[here,6]=1 {; bit[here,6]=1; }; unless bit[here,7]=1 {; bit[here,7]=1; }; preempt-on; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_FIRST, 3, "preempt-off; unless bit[here,6]=1 {; bit[here,6]=1; INVEPT-single 6; }; unless bit[here,7]=1 {; bit[here,7]=1; }; preempt-on; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_LATER, 3, "preempt-off; unless bit[here,6]=1 {; bit[here,6]=1; }; unless bit[here,7]=1 {; bit[here,7]=1; INVEPT-single 7; }; preempt-on; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_SWAP, 2, "preempt-off; unless bit[here,6]=1 {; INVEPT-single 6; bit[here,6]=1; }; unless bit[here,7]=1 {; INVEPT-single 7; bit[here,7]=1; }; preempt-on; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_TEST, 1, "preempt-off; bit[here,6]=1; INVEPT-single 6; bit[here,7]=1; INVEPT-single 7; preempt-on; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_SKIP, 1, "preempt-off; preempt-on; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_PREEMPT, 0, "unless bit[here,6]=1 {; bit[here,6]=1; INVEPT-single 6; }; unless bit[here,7]=1 {; bit[here,7]=1; INVEPT-single 7; }; bit[all,6]=0; INVEPT-global" },
	{ MUTATE_NARROW, 8, "preempt-off; unless bit[here,6]=1 {; bit[here,6]=1; INVEPT-single 6; }; unless bit[here,7]=1 {; bit[here,7]=1; INVEPT-single 7; }; preempt-on; bit[here,6]=0; INVEPT-global" },
	{ MUTATE_NARROW, 9, "preempt-off; unless bit[here,6]=1 {; bit[here,6]=1; INVEPT-single 6; }; unless bit[here,7]=1 {; bit[here,7]=1; INVEPT-single 7; }; preempt-on; bit[all,6]=0; INVEPT-single 6" },
};

START_TEST(a_bug_changes_its_site_and_nothing_else)
{
	const struct policy_event e = { .root = 6 };
	struct mutation m = { .kind = cases[_i].kind, .hook = HOOK_request };
	char text[PLAN_TEXT_MAX];
	struct plan p;

	build(&p);
	ck_assert_str_eq(plan_text(&ops, &p, text), ALL);
	m.op = p.step[cases[_i].at].op;
	m.arg = p.step[cases[_i].at].arg;
	m.site = p.step[cases[_i].at].site;
	ck_assert(!mutation_apply(&m, HOOK_vcpu_load, &e, &p));
	ck_assert_str_eq(plan_text(&ops, &p, text), ALL);
	ck_assert(mutation_apply(&m, HOOK_request, &e, &p));
	ck_assert_str_eq(plan_text(&ops, &p, text), cases[_i].plan);
}
END_TEST

START_TEST(a_list_has_no_bug_twice)
{
	static struct mutation list[MUTATIONS_MAX];
	char text[MUTATION_TEXT_MAX];
	struct flush_policy policy;
	struct err err;
	u32 nr;

	ck_assert_int_eq(flush_policy_parse(flush_policy_get((u32)_i)->name,
					    strlen(flush_policy_get((u32)_i)->name),
					    &policy, &err), 0);
	nr = mutation_list(&policy, list);
	ck_assert_uint_lt(nr, MUTATIONS_MAX);
	for (u32 i = 0; i < nr; i++) {
		for (u32 j = 0; j < i; j++)
			ck_assert(memcmp(&list[i], &list[j], sizeof(list[0])));
		mutation_text(&list[i], policy.ops, text);
		ck_assert_ptr_nonnull(strstr(text, ": "));
	}
	/* The empty policy has no bugs; all others have. */
	ck_assert_int_eq(nr == 0, !strcmp(policy.ops->name, "never"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mutation");
	TCase *t = tcase_create("mutation");

	tcase_add_loop_test(t, a_bug_changes_its_site_and_nothing_else, 0,
			    (int)ARRAY_SIZE(cases));
	tcase_add_loop_test(t, a_list_has_no_bug_twice, 0,
			    (int)flush_policy_count());
	suite_add_tcase(s, t);
	return suite_main(s);
}
