/* Programs read this: the keys, their order and their types are an interface. */
#include "sim/report/json.h"

#include <check.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "tests/suite.h"
#include "tests/unit/report/fixture.h"

#define SCHEMA "configs/schema/results.json"

static char *text;
static size_t text_size;
static json_t *root;

static void setup(void)
{
	fx_begin();
	text = NULL;
	root = NULL;
}

static void teardown(void)
{
	recost_release(&fx.rc);
	json_decref(root);
	free(text);
}

static void print(void)
{
	FILE *f = open_memstream(&text, &text_size);
	json_error_t e;
	struct err err;

	fx_recost();
	ck_assert_int_eq(json_write(f, &fx.c, &fx.rc, &err), 0);
	fclose(f);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &e);
	ck_assert_ptr_nonnull(root);
}

/* The keys of an object, in the order of the text, each followed by a blank. */
static void keys_begin(const json_t *object, const char *want)
{
	char got[2000] = "";
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ", key);
	if (strncmp(got, want, strlen(want)))
		ck_abort_msg("keys are %s, not %s", got, want);
}

static json_t *run(size_t i)
{
	return json_array_get(json_object_get(root, "runs"), i);
}

static void full(void)
{
	static const char *const used[] = { "sched:sched_switch" };
	struct run_result *r = fx_run("never");

	fx.c.trace.file = "x.vst";
	fx.c.trace.events = 1000;
	fx.c.trace.lost = 3;
	fx.c.trace.events_used = used;
	fx.c.trace.nr_events_used = 1;
	fx_cost(COST_INVEPT_SINGLE, 5, 10, 20);
	fx_find(r, 1, true, "vCPU 2 used \"page\" 5");
	fx_find(r, 3, false, "vCPU 2 could");
	fx_find(r, 0, true, "order");
	r->finding[2].vcpu = IDX_NONE;
	r->expect_known = true;
	r->expected = VERDICT_BIT(1);
	r = fx_run("active-roots");
	r->stats.count[COUNT_INVEPT_SINGLE][CAUSE_MIGRATION] = 6;
	r->stats.count[COUNT_INVEPT_SINGLE][CAUSE_STRICT] = 4;
	fx_pay(r, COST_INVEPT_SINGLE, 10000000);
	fx_run("per-root-gen")->world_bytes = 65536;
	fx_skip("hypercall-broadcast", "needs Hyper-V");
}

START_TEST(keys_come_as_documented_and_in_order)
{
	full();
	print();
	keys_begin(root, "eptsim scenario seed partial machine l0 access_model trace runs ");
	keys_begin(json_object_get(root, "eptsim"), "version commit ");
	keys_begin(json_object_get(root, "trace"),
		   "file events lost torn chain_breaks recorded_events_used ");
	keys_begin(run(0), "policy completed simulated_ns overrun_ns slowdown verdict boot_ns counts cycles violations_total violations costs_assumed ");
	keys_begin(json_object_get(run(0), "verdict"), "found expected ");
	keys_begin(json_object_get(run(0), "counts"),
		   "migrations invept_global invept_single invvpid flush_hypercalls asid_flushes invlpgb ipis tlb_lookups tlb_misses walk_refs l0_faults shadow_pages_dropped flushes_elided flushes_needless ");
	keys_begin(json_object_get(run(0), "cycles"),
		   "guest walk flush ipi hypercall l0_shadow lock_wait exit sched host idle offline unknown ");
	keys_begin(json_array_get(json_object_get(run(0), "violations"), 0),
		   "invariant kind time_ns vcpu pcpu text ");
}
END_TEST

START_TEST(values_are_those_of_the_runs)
{
	const char *policy, *cost_when;
	json_int_t simulated, total, migration, strict, flush, assumed;
	double slowdown;

	full();
	print();
	ck_assert_int_eq(json_unpack(run(1), "{s:s, s:I, s:F, s:{s:I, s:{s:{s:I}, s:{s:I}}}, s:{s:I}, s:I}",
		"policy", &policy, "simulated_ns", &simulated, "slowdown", &slowdown,
		"counts", "invept_single", &total, "by_cause",
		"migration", "invept_single", &migration,
		"strict", "invept_single", &strict,
		"cycles", "flush", &flush, "costs_assumed", &assumed), 0);
	ck_assert_str_eq(policy, "active-roots");
	ck_assert_int_eq(simulated, 1000000000);
	ck_assert(slowdown > 1.0999 && slowdown < 1.1001);
	ck_assert_int_eq(total, 10);
	ck_assert_int_eq(migration, 6);
	ck_assert_int_eq(strict, 4);
	ck_assert_int_eq(flush, 100000000);
	ck_assert_int_eq(assumed, 1);
	ck_assert_int_eq(json_unpack(root, "{s:{s:s}}", "ranking", "best", &cost_when), 0);
	ck_assert_str_eq(cost_when, "per-root-gen");
	ck_assert_uint_eq(json_array_size(json_object_get(root, "runs")), 3);
	ck_assert_uint_eq(json_array_size(json_object_get(root, "skipped")), 1);
	ck_assert_ptr_nonnull(strstr(text, "\"slowdown\": 1.1,"));
}
END_TEST

START_TEST(verdicts_are_lists_of_invariants)
{
	const char *found[3], *expected, *kind, *said;

	full();
	print();
	ck_assert_int_eq(json_unpack(run(0), "{s:{s:[s,s,s!], s:[s!]}, s:[{s:s, s:s}, {}, {s:n}]}",
		"verdict", "found", &found[0], &found[1], &found[2], "expected",
		&expected, "violations", "kind", &kind, "text", &said, "vcpu"), 0);
	ck_assert_str_eq(found[0], "internal");
	ck_assert_str_eq(found[1], "I1");
	ck_assert_str_eq(found[2], "I3");
	ck_assert_str_eq(expected, "I1");
	ck_assert_str_eq(kind, "real");
	ck_assert_str_eq(said, "vCPU 2 used \"page\" 5");
	ck_assert(json_is_null(json_object_get(json_object_get(run(1), "verdict"),
					       "expected")));
}
END_TEST

START_TEST(the_schema_accepts_it)
{
	static const char script[] =
		"import json, sys\n"
		"try:\n"
		"    import jsonschema\n"
		"except ImportError:\n"
		"    sys.exit(0)\n"
		"jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))\n";
	char path[] = "/tmp/eptsim-json-XXXXXX";
	int status = 0;
	FILE *f;

	full();
	print();
	if (access("/usr/bin/python3", X_OK) || access(SCHEMA, R_OK))
		return;
	f = fdopen(mkstemp(path), "w");
	fputs(text, f);
	fclose(f);
	if (!fork()) {
		execl("/usr/bin/python3", "python3", "-c", script, SCHEMA, path,
		      (char *)NULL);
		_exit(127);
	}
	wait(&status);
	unlink(path);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(no_trace_is_null)
{
	fx_run("a");
	print();
	ck_assert(json_is_null(json_object_get(root, "trace")));
}
END_TEST

START_TEST(a_ratio_that_does_not_exist_is_null)
{
	fx_run("a")->stats.cycles[CYC_GUEST] = 0;
	print();
	ck_assert(json_is_null(json_object_get(run(0), "slowdown")));
}
END_TEST

START_TEST(the_same_comparison_gives_the_same_bytes)
{
	char *first;

	full();
	print();
	first = text;
	json_decref(root);
	print();
	ck_assert_str_eq(first, text);
	free(first);
}
END_TEST

START_TEST(bytes_that_are_no_text_do_not_break_it)
{
	fx_run("\xff\033[31m\"");
	fx.c.scenario = "\xc3";
	print();
	ck_assert_str_eq(json_string_value(json_object_get(root, "scenario")), "?");
	ck_assert_str_eq(json_string_value(json_object_get(run(0), "policy")),
			 "?\033[31m\"");
	ck_assert_ptr_null(strchr(text, '\033'));
}
END_TEST

START_TEST(a_number_that_does_not_fit_is_an_error_and_not_a_lie)
{
	FILE *f = open_memstream(&text, &text_size);
	struct err err = { "" };

	fx_run("a");
	fx_recost();
	fx.c.seed = UINT64_MAX;
	ck_assert_int_eq(json_write(f, &fx.c, &fx.rc, &err), -ERANGE);
	ck_assert_str_eq(err.msg, "JSON result: seed does not fit 63 bits");
	fclose(f);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	FILE *f = fopen("/dev/full", "w");
	struct err err;

	fx_run("a");
	fx_recost();
	ck_assert_int_eq(json_write(f, &fx.c, &fx.rc, &err), -EIO);
	fclose(f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/json");
	TCase *tc = tcase_create("json");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, keys_come_as_documented_and_in_order);
	tcase_add_test(tc, values_are_those_of_the_runs);
	tcase_add_test(tc, verdicts_are_lists_of_invariants);
	tcase_add_test(tc, the_schema_accepts_it);
	tcase_add_test(tc, no_trace_is_null);
	tcase_add_test(tc, a_ratio_that_does_not_exist_is_null);
	tcase_add_test(tc, the_same_comparison_gives_the_same_bytes);
	tcase_add_test(tc, bytes_that_are_no_text_do_not_break_it);
	tcase_add_test(tc, a_number_that_does_not_fit_is_an_error_and_not_a_lie);
	tcase_add_test(tc, a_full_disk_is_an_error);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
