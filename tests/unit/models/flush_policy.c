/*
 * What all policies share: the list, the spelling of a policy with its
 * options, the checks of a table, and the building of plans.
 */
#include "models/flush_policy.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/plan_text.h"
#include "tests/suite.h"

static int parse(const char *spec, struct flush_policy *out, struct err *err)
{
	return flush_policy_parse(spec, strlen(spec), out, err);
}

/* --- the list --- */

START_TEST(the_policies_of_the_first_comparison_are_listed)
{
	static const char *const name[] = {
		"never", "always", "global-flush", "hypercall-broadcast",
		"active-roots", "per-root-mask", "per-root-mask-clear",
		"per-root-gen",
	};
	struct flush_policy p;
	struct err err;

	for (u32 i = 0; i < ARRAY_SIZE(name); i++) {
		ck_assert_int_eq(parse(name[i], &p, &err), 0);
		ck_assert_str_eq(p.ops->name, name[i]);
	}
}
END_TEST

START_TEST(every_listed_policy_is_well_formed)
{
	const struct flush_policy_ops *ops = flush_policy_get((u32)_i);
	struct err err;

	ck_assert_int_eq(flush_policy_check(ops, &err), 0);
	ck_assert_msg(ops->brief[0], "%s has no brief", ops->name);
	ck_assert_ptr_null(strpbrk(ops->name, ":,= "));
	for (int i = 0; i < _i; i++)
		ck_assert_str_ne(ops->name, flush_policy_get((u32)i)->name);
}
END_TEST

START_TEST(a_place_behind_the_list_is_a_bug)
{
	flush_policy_get(flush_policy_count());
}
END_TEST

START_TEST(hooks_have_the_names_of_their_members)
{
	ck_assert_str_eq(policy_hook_name(HOOK_vcpu_load), "vcpu_load");
	ck_assert_str_eq(policy_hook_name(HOOK_strict_change), "strict_change");
	ck_assert_str_eq(policy_hook_name(HOOK_request), "request");
}
END_TEST

/* --- spelling --- */

START_TEST(an_option_not_given_has_its_first_value)
{
	struct flush_policy p;
	struct err err;

	ck_assert_int_eq(parse("hypercall-broadcast", &p, &err), 0);
	ck_assert_uint_eq(p.option[0], 0);
	ck_assert_str_eq(p.spelling, "hypercall-broadcast");
}
END_TEST

START_TEST(an_option_given_is_kept_with_its_spelling)
{
	struct flush_policy p;
	struct err err;

	ck_assert_int_eq(parse("hypercall-broadcast:migrate=invept-single", &p,
			       &err), 0);
	ck_assert_uint_eq(p.option[0], 1);
	ck_assert_str_eq(p.spelling, "hypercall-broadcast:migrate=invept-single");
	ck_assert_int_eq(parse("hypercall-broadcast:migrate=none", &p, &err), 0);
	ck_assert_uint_eq(p.option[0], 0);
}
END_TEST

START_TEST(the_text_need_not_end_where_the_name_ends)
{
	struct flush_policy p;
	struct err err;

	ck_assert_int_eq(flush_policy_parse("never,always", 5, &p, &err), 0);
	ck_assert_ptr_eq(p.ops, &flush_policy_never);
	ck_assert_str_eq(p.spelling, "never");
}
END_TEST

static const struct {
	const char *spec;
	const char *says;		/* what the message has to name */
} wrong[] = {
	{ "", "\"\"" },
	{ "nevr", "\"nevr\"" },
	{ "never ", "\"never \"" },
	{ "NEVER", "\"NEVER\"" },
	{ "per-root", "\"per-root\"" },
	{ "never:", "never" },
	{ "never:x=1", "\"x\"" },
	{ "hypercall-broadcast:migrate", "\"migrate\"" },
	{ "hypercall-broadcast:migrate=", "migrate" },
	{ "hypercall-broadcast:migrate=invept", "\"invept\"" },
	{ "hypercall-broadcast:migrate=foo",
	  "expected \"none\" or \"invept-single\"" },
	{ "hypercall-broadcast:migrat=none", "\"migrat\"" },
	{ "hypercall-broadcast:migrate=none:migrate=invept-single",
	  "option migrate is given twice" },
	{ "hypercall-broadcast:migrate=none:migrate=none",
	  "option migrate is given twice" },
	{ "hypercall-broadcast:migrate=none:", "hypercall-broadcast" },
	{ "hypercall-broadcast:=none", "\"\"" },
	{ "hypercall-broadcast:migrate=none:migrate=none:migrate=none:"
	  "migrate=none:migrate=none:migrate=none", "95" },
};

START_TEST(what_is_wrong_with_a_spelling_is_named)
{
	struct flush_policy p;
	struct err err = { "" };

	ck_assert_int_eq(parse(wrong[_i].spec, &p, &err), -EINVAL);
	ck_assert_msg(strstr(err.msg, wrong[_i].says), "%s", err.msg);
}
END_TEST

START_TEST(policies_are_the_same_by_settings_not_by_spelling)
{
	struct flush_policy bare, spelt, other, never;
	struct err err;

	ck_assert_int_eq(parse("hypercall-broadcast", &bare, &err), 0);
	ck_assert_int_eq(parse("hypercall-broadcast:migrate=none", &spelt,
			       &err), 0);
	ck_assert_int_eq(parse("hypercall-broadcast:migrate=invept-single",
			       &other, &err), 0);
	ck_assert_int_eq(parse("never", &never, &err), 0);
	ck_assert(flush_policy_same(&bare, &spelt));
	ck_assert(!flush_policy_same(&bare, &other));
	ck_assert(!flush_policy_same(&bare, &never));
}
END_TEST

/* --- tables --- */

static const char *const one_word[] = { "word", NULL };
static const char *const no_word[] = { NULL };

static const struct flush_policy_ops malformed[] = {
	{ .brief = "no name" },
	{ .name = "no-brief" },
	{ .name = "p", .brief = "scope",
	  .rows = { { "r", STATE_SCOPE_NR, STATE_BIT } } },
	{ .name = "p", .brief = "kind",
	  .rows = { { "r", STATE_VM, STATE_BIT },
		    { "s", STATE_VM, STATE_COUNTER + 1 } } },
	{ .name = "p", .brief = "null choices",
	  .options = { { "o", NULL, "help" } } },
	{ .name = "p", .brief = "no choices",
	  .options = { { "o", one_word, "help" }, { "q", no_word, "help" } } },
};

START_TEST(a_malformed_table_is_refused)
{
	struct err err = { "" };

	ck_assert_int_eq(flush_policy_check(&malformed[_i], &err), -EINVAL);
	ck_assert_uint_gt(strlen(err.msg), 0);
}
END_TEST

/* --- plans --- */

START_TEST(a_skip_lands_behind_the_last_step)
{
	struct plan p = { 0 };
	u32 mark;

	mark = plan_skip_if(&p, 0, 1, PLAN_HERE, 3);
	plan_flush(&p, PLAN_INVEPT_SINGLE, 3);
	plan_set(&p, 0, 1, PLAN_HERE, 3);
	plan_land(&p, mark);
	plan_preempt_on(&p);
	ck_assert_uint_eq(p.nr, 4);
	ck_assert_uint_eq(p.next, 0);
	ck_assert_uint_eq(p.step[0].skip, 2);
}
END_TEST

START_TEST(a_skip_of_nothing_lands_at_once)
{
	struct plan p = { 0 };

	plan_preempt_off(&p);
	plan_land(&p, plan_skip_unless_less(&p, 0, 1, 2));
	ck_assert_uint_eq(p.step[1].skip, 0);
}
END_TEST

START_TEST(each_step_says_what_it_was_asked_for)
{
	static const struct flush_policy_ops ops = {
		.rows = { { "bit", STATE_PCPU_ROOT, STATE_BIT },
			  { "gen", STATE_ROOT, STATE_COUNTER },
			  { "all", STATE_GLOBAL, STATE_INDEX } },
	};
	struct plan p = { 0 };
	char text[PLAN_TEXT_MAX];

	plan_preempt_off(&p);
	plan_set(&p, 0, 1, PLAN_HERE, 3);
	plan_set(&p, 0, 0, PLAN_ALL, 4);
	plan_set(&p, 2, 7, 0, 0);
	plan_inc(&p, 1, 5, 0);
	plan_latch(&p, 1, 5, 0);
	plan_store(&p, 0, 2, 6);
	plan_flush(&p, PLAN_INVVPID_SINGLE, 9);
	plan_flush_all_pcpus(&p, PLAN_INVVPID_ALL, 0);
	plan_hypercall(&p, 8);
	plan_request(&p, 1, REQ_TLB_FLUSH_CURRENT);
	plan_preempt_on(&p);
	ck_assert_str_eq(plan_text(&ops, &p, text),
			 "preempt-off; bit[here,3]=1; bit[all,4]=0; all=7; "
			 "gen[5]++; reg=gen[5]; bit[2,6]=reg; "
			 "INVVPID-single 9; everywhere INVVPID-all; "
			 "hypercall 8; request TLB_FLUSH_CURRENT of 1; "
			 "preempt-on");
	for (u32 k = 1; k < p.nr; k++)
		ck_assert_uint_gt(p.step[k].site, p.step[k - 1].site);
}
END_TEST

START_TEST(a_plan_that_overflows_is_a_bug)
{
	struct plan p = { 0 };

	for (u32 k = 0; k <= PLAN_STEPS_MAX; k++)
		plan_preempt_off(&p);
}
END_TEST

START_TEST(a_full_plan_is_no_bug)
{
	struct plan p = { 0 };

	for (u32 k = 0; k < PLAN_STEPS_MAX; k++)
		plan_preempt_off(&p);
	ck_assert_uint_eq(p.nr, PLAN_STEPS_MAX);
}
END_TEST

START_TEST(landing_what_was_never_added_is_a_bug)
{
	struct plan p = { 0 };

	plan_land(&p, 0);
}
END_TEST

/* The worst event: eight roots.  No policy may overflow its plan. */
START_TEST(eight_roots_fit_the_plan_of_every_policy)
{
	const struct flush_policy_ops *ops = flush_policy_get((u32)_i);
	u8 option[POLICY_OPTIONS_MAX] = { 0 };
	struct policy_event e = {
		.nr_pcpus = 2, .migrated = true, .option = option,
		.nr_roots = POLICY_ROOTS_MAX, .roots = { 1, 2, 3, 4, 5, 6, 7, 8 },
		.root = 1, .request = REQ_TLB_FLUSH,
	};
	char text[PLAN_TEXT_MAX];

	for (u32 hook = 0; hook < HOOK_NR; hook++)
		for (option[0] = 0; option[0] < 2; option[0]++)
			plan_of(ops, hook, &e, text);
}
END_TEST

/* --- what VMX with EPT does for a request --- */

static const struct {
	u8 request;
	u32 root;
	const char *plan;
} service[] = {
	{ REQ_FREE_OBSOLETE_ROOTS, 2, "" },
	{ REQ_MMU_SYNC, 2, "" },
	{ REQ_LOAD_MMU_PGD, 2, "" },
	{ REQ_TLB_FLUSH, 2, "INVEPT-global" },
	{ REQ_TLB_FLUSH, IDX_NONE, "INVEPT-global" },
	{ REQ_TLB_FLUSH_CURRENT, 2, "INVEPT-single 2" },
	{ REQ_TLB_FLUSH_CURRENT, IDX_NONE, "" },
	{ REQ_TLB_FLUSH_GUEST, 2, "INVVPID-single 7" },
	{ REQ_HV_TLB_FLUSH, 2, "INVVPID-single 7" },
	{ REQ_APIC_PAGE_RELOAD, 2, "" },
};

START_TEST(a_request_is_served_as_kvm_does)
{
	struct policy_event e = {
		.request = service[_i].request, .root = service[_i].root,
		.vcpu = 7,
	};
	struct plan p = { 0 };
	char text[PLAN_TEXT_MAX];

	policy_service_as_kvm(&e, &p);
	ck_assert_str_eq(plan_text(&flush_policy_never, &p, text),
			 service[_i].plan);
}
END_TEST

START_TEST(a_root_load_flushes_that_root)
{
	struct policy_event e = { .root = 5 };
	struct plan p = { 0 };
	char text[PLAN_TEXT_MAX];

	policy_root_load_as_kvm(&e, &p);
	ck_assert_str_eq(plan_text(&flush_policy_never, &p, text),
			 "INVEPT-single 5");
}
END_TEST

static TCase *spelling(void)
{
	TCase *t = tcase_create("list and spelling");

	tcase_add_test(t, the_policies_of_the_first_comparison_are_listed);
	tcase_add_loop_test(t, every_listed_policy_is_well_formed, 0,
			    (int)flush_policy_count());
	tcase_add_exit_test(t, a_place_behind_the_list_is_a_bug, 3);
	tcase_add_test(t, hooks_have_the_names_of_their_members);
	tcase_add_test(t, an_option_not_given_has_its_first_value);
	tcase_add_test(t, an_option_given_is_kept_with_its_spelling);
	tcase_add_test(t, the_text_need_not_end_where_the_name_ends);
	tcase_add_loop_test(t, what_is_wrong_with_a_spelling_is_named, 0,
			    (int)ARRAY_SIZE(wrong));
	tcase_add_test(t, policies_are_the_same_by_settings_not_by_spelling);
	tcase_add_loop_test(t, a_malformed_table_is_refused, 0,
			    (int)ARRAY_SIZE(malformed));
	return t;
}

static TCase *plans(void)
{
	TCase *t = tcase_create("plans");

	tcase_add_test(t, a_skip_lands_behind_the_last_step);
	tcase_add_test(t, a_skip_of_nothing_lands_at_once);
	tcase_add_test(t, each_step_says_what_it_was_asked_for);
	tcase_add_exit_test(t, a_plan_that_overflows_is_a_bug, 3);
	tcase_add_test(t, a_full_plan_is_no_bug);
	tcase_add_exit_test(t, landing_what_was_never_added_is_a_bug, 3);
	tcase_add_loop_test(t, eight_roots_fit_the_plan_of_every_policy, 0,
			    (int)flush_policy_count());
	tcase_add_loop_test(t, a_request_is_served_as_kvm_does, 0,
			    (int)ARRAY_SIZE(service));
	tcase_add_test(t, a_root_load_flushes_that_root);
	return t;
}

int main(void)
{
	Suite *s = suite_create("flush_policy");

	suite_add_tcase(s, spelling());
	suite_add_tcase(s, plans());
	return suite_main(s);
}
