/* Whole scenarios: the files they name, cross checks, overrides, --set. */
#include "sim/cli/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/core/result.h"
#include "tests/unit/config/util.h"
#include "traces/schedule.h"

static const char *top(void)
{
	return getenv("TOP") ? getenv("TOP") : ".";
}

/* A shipped scenario with settings, and with this file for a trace. */
static struct scenario *load(const char *name, const char *const *sets,
			     size_t nr, struct complaints *c)
{
	const char *all[16] = { "schedule.trace=/dev/null" };
	struct scenario *s = NULL;
	char path[512];

	snprintf(path, sizeof(path), "%s/configs/scenarios/%s.json", top(), name);
	for (size_t i = 0; i < nr; i++)
		all[i + 1] = sets[i];
	complaints_init(c);
	ck_assert_int_eq(scenario_load(path, all, nr + 1, &s, c),
			 c->nr ? -EINVAL : 0);
	ck_assert(!s == !!c->nr);
	return s;
}

static struct scenario *load_good(const char *name, const char *const *sets,
				  size_t nr)
{
	struct complaints c;
	struct scenario *s = load(name, sets, nr, &c);

	ck_assert_msg(!c.nr, "%s", c.nr ? c.text[0] : "");
	return s;
}

START_TEST(the_shipped_scenarios_are_good)
{
	static const char *const names[] = { "recorded", "recorded-hyperv",
					     "quiet" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct scenario *s = load_good(names[i], NULL, 0);

		ck_assert_str_eq(s->name, names[i]);
		ck_assert_str_eq(s->machine, "icelake-sp");
		ck_assert_str_eq(s->costs.l0, l0_kind_name(s->l0.kind));
		ck_assert_str_eq(s->trace, "/dev/null");
		ck_assert_str_eq(s->trace_format, "auto");
		ck_assert_uint_gt(strlen(s->notes), 0);
		scenario_free(s);
	}
}
END_TEST

START_TEST(paths_are_relative_to_the_scenario)
{
	struct scenario *s = load_good("recorded", NULL, 0);
	const char *tail = "configs/costs/icx-bare.json";
	size_t len = strlen(s->costs_file);

	ck_assert_str_eq(s->costs_file + len - strlen(tail), tail);
	ck_assert_int_eq(access(s->costs_file, R_OK), 0);
	scenario_free(s);
}
END_TEST

START_TEST(expected_verdicts_are_looked_up_by_spelling)
{
	static const char *const sets[] = {
		"expect={\"never\":[\"I1\",\"I3\",\"I4\"],\"hypercall-broadcast:migrate=none\":[]}",
	};
	struct scenario *s = load_good("recorded", sets, 1);
	u32 verdict = 99;

	ck_assert(scenario_expected(s, "never", &verdict));
	ck_assert_uint_eq(verdict, VERDICT_BIT(1) | VERDICT_BIT(3) | VERDICT_BIT(4));
	ck_assert(scenario_expected(s, "hypercall-broadcast:migrate=none",
				    &verdict));
	ck_assert_uint_eq(verdict, 0);
	ck_assert(!scenario_expected(s, "hypercall-broadcast", &verdict));
	scenario_free(s);
}
END_TEST

START_TEST(an_override_changes_one_vm_only)
{
	static const char *const sets[] = {
		"overrides=[{\"vm\":7,\"workload\":{\"strict_per_s\":0}},"
			   "{\"vm\":3,\"workload\":{\"exit_per_s\":5}}]",
		"workload.strict_per_s=9",
	};
	struct scenario *s = load_good("recorded", sets, 2);
	struct schedule schedule = { .nr_vms = 8, .nr_pcpus = 2 };
	struct complaints c;

	ck_assert(scenario_workload(s, 0)->strict_per_s == 9);
	ck_assert(scenario_workload(s, 3)->strict_per_s == 9);
	ck_assert(scenario_workload(s, 3)->exit_per_s == 5);
	ck_assert(scenario_workload(s, 7)->strict_per_s == 0);
	ck_assert(scenario_workload(s, 7)->exit_per_s == 1000);
	ck_assert(scenario_workload(s, 8) == &s->workload);

	complaints_init(&c);
	ck_assert_int_eq(scenario_check_schedule(s, &schedule, &c), 0);
	schedule.nr_vms = 7;
	ck_assert_int_eq(scenario_check_schedule(s, &schedule, &c), -EINVAL);
	ck_assert_ptr_nonnull(strstr(c.text[0], "overrides: there is no VM 7"));
	complaints_release(&c);
	scenario_free(s);
}
END_TEST

START_TEST(settings_reach_the_machine_and_the_cost_sheet)
{
	static const char *const sets[] = {
		"machine.guest_levels=5", "costs.invlpg.value=200",
		"costs.clock_khz=1000000", "seed=77", "pcpus=4",
	};
	struct scenario *s = load_good("recorded", sets, 5);
	struct schedule schedule = { .nr_vms = 6, .nr_pcpus = 5 };
	struct complaints c;

	ck_assert_uint_eq(s->geometry.guest_levels, 5);
	ck_assert_uint_eq(s->costs.row[COST_INVLPG].cycles, 200);
	ck_assert_uint_eq(s->seed, 77);
	complaints_init(&c);
	ck_assert_int_eq(scenario_check_schedule(s, &schedule, &c), -EINVAL);
	ck_assert_ptr_nonnull(strstr(c.text[0], "pcpus: found 4, expected at least the 5"));
	complaints_release(&c);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *set;
	const char *complaint;	/* a part of it */
} bad[] = {
	{ "l0.kind=hyperv", "is a sheet for l0 \"bare\", but l0.kind is \"hyperv\"" },
	{ "l0.flush_hypercall=true", "l0 kind \"bare\" has no shadow tables" },
	{ "costs=../costs/none.json", "costs/none.json: cannot be read" },
	{ "machine=/", "/: cannot be read: Is a directory" },
	{ "schedule.trace=/nowhere", "schedule.trace: /nowhere: No such file" },
	{ "schedule.trace=/", "schedule.trace: /: found a folder" },
	{ "schedule.threads=/nowhere", "schedule.threads: /nowhere: No such file" },
	{ "schedule.format=morse", "schedule.format: found \"morse\", expected one of \"auto\"" },
	{ "schedule.kind=model", "schedule.kind: found \"model\", expected one of \"recorded\"" },
	{ "schedule=3", "schedule: found 3, expected an object" },
	{ "pcpus=0", "pcpus: found 0, expected integer 1..8192 pCPUs" },
	{ "seed=9007199254740992", "seed: found 9007199254740992" },
	{ "polices=all", "polices: unknown key, did you mean \"policies\"?" },
	{ "policies=never,alwys", "policies: no policy is named \"alwys\"" },
	{ "policies=never,", "policies: no policy is named \"\"" },
	{ "policies=never:x=1", "policies: policy never has no option" },
	{ "expect.never=I1", "expect.never: found \"I1\", expected a list" },
	{ "expect.never=[\"I9\"]", "expect.never[0]: found \"I9\", expected an invariant that is judged in a run: I1 I2 I3 I4" },
	{ "expect.never=[\"I5\"]", "expect.never[0]: found \"I5\", expected an invariant" },
	{ "expect.never=[\"order\"]", "expect.never[0]: found \"order\", expected an invariant" },
	{ "expect.never=[1]", "expect.never[0]: found 1, expected an invariant" },
	{ "expect.nevr=[]", "expect.nevr: no policy is named" },
	{ "expect=[]", "expect: expected an object of at most 64" },
	{ "workload.hot_pages=0", "workload: hot_pages is 0" },
	{ "workload.hot_pages=70000", "workload.hot_pages: found 70000, expected integer 0..65535 pages" },
	{ "overrides=[{\"vm\":1,\"workload\":{}},{\"vm\":1,\"workload\":{}}]", "overrides: VM 1 has more than one entry" },
	{ "overrides=[{\"vm\":1}]", "overrides[0].workload: missing, expected an object" },
	{ "overrides=[5]", "overrides[0]: found 5, expected an object" },
	{ "overrides={}", "overrides: expected a list of at most 16384" },
	{ "overrides=[{\"vm\":1,\"workload\":{\"shared_pages\":60000}}]", "overrides[0].workload: shared_pages is 60000" },
	{ "machine.tlb[0].ways=3", "tlb: L1 dTLB 4K: 64 entries are not a multiple of 3 ways" },
	{ "machine.tlb[0].wayz=3", "tlb[0].wayz: unknown key, did you mean \"ways\"?" },
	{ "machine.tlb=[]", "tlb: found a list, expected a list of 1..12" },
	{ "machine.psc_pde=-1", "psc_pde: found -1" },
	{ "costs.vendor=amd", "is a sheet for vendor \"amd\"" },
	{ "costs.invlpg={\"applies\":false,\"why\":\"x\"}", "marks invlpg as not applicable" },
	{ "notes=5", "notes: found 5, expected text or a list of texts" },
	{ "name=", "name: found \"\", expected text of 1..63 bytes" },
};

START_TEST(every_mistake_of_a_scenario_has_its_sentence)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct complaints c;

		load("recorded", &bad[i].set, 1, &c);
		ck_assert_msg(c.nr == 1, "%s: %llu complaints, the last: %s",
			      bad[i].set, (unsigned long long)c.nr,
			      c.nr ? c.text[c.nr_kept - 1] : "");
		ck_assert_msg(strstr(c.text[0], bad[i].complaint), "%s: got %s",
			      bad[i].set, c.text[0]);
		complaints_release(&c);
	}
}
END_TEST

START_TEST(every_bad_expectation_is_complained_of)
{
	static const char *const sets[] = {
		"expect={\"never\":[\"I6\",\"I1\",\"I7\"],\"nevr\":[\"I8\"],\"always\":3}",
	};
	static const char *const wanted[] = {
		"expect.never[0]: found \"I6\"", "expect.never[2]: found \"I7\"",
		"expect.nevr: no policy", "expect.nevr[0]: found \"I8\"",
		"expect.always: found 3",
	};
	struct complaints c;

	load("recorded", sets, 1, &c);
	ck_assert_uint_eq(c.nr, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		ck_assert_msg(strstr(c.text[i], wanted[i]), "%s", c.text[i]);
	complaints_release(&c);
}
END_TEST

START_TEST(a_cost_set_outside_its_range_is_refused)
{
	static const char *const sets[] = { "costs.invept_single.value=9999" };
	struct complaints c;

	load("recorded", sets, 1, &c);
	ck_assert_uint_eq(c.nr, 1);
	ck_assert_ptr_nonnull(strstr(c.text[0], "costs.invept_single.range: found [50, 500], expected a range around the value 9999"));
	complaints_release(&c);
}
END_TEST

START_TEST(an_empty_scenario_lacks_everything)
{
	char name[] = "/tmp/eptsim-scenario-XXXXXX";
	struct scenario *s = NULL;
	struct complaints c;
	int fd = mkstemp(name);

	ck_assert_int_eq(write(fd, "{}", 2), 2);
	close(fd);
	complaints_init(&c);
	ck_assert_int_eq(scenario_load(name, NULL, 0, &s, &c), -EINVAL);
	ck_assert_uint_eq(c.nr, 9);
	complaints_release(&c);
	unlink(name);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_shipped_scenarios_are_good,
		paths_are_relative_to_the_scenario,
		expected_verdicts_are_looked_up_by_spelling,
		an_override_changes_one_vm_only,
		settings_reach_the_machine_and_the_cost_sheet,
		every_mistake_of_a_scenario_has_its_sentence,
		every_bad_expectation_is_complained_of,
		a_cost_set_outside_its_range_is_refused,
		an_empty_scenario_lacks_everything,
	};

	return run_cases("scenario", tests, ARRAY_SIZE(tests));
}
