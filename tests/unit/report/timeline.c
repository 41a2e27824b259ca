/* A timeline must be JSON whatever the names, bounded whatever the run. */
#include "sim/report/timeline.h"

#include <check.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/suite.h"

static const u32 vm_of_vcpu[] = { 0, 0, 1 };
static const u16 vpids[] = { 1, 2, 3 };
static const struct run_shape shape = {
	.nr_pcpus = 2, .nr_vms = 2, .nr_vcpus = 3, .nr_frames = 1,
	.nr_pages_max = 1, .nr_views = 1, .vm_of_vcpu = vm_of_vcpu,
	.vpids = vpids, .clock_khz = 2000000,
};

static char *text;
static size_t text_size;
static FILE *f;
static struct timeline t;
static json_t *root;

static void begin(u64 max_events)
{
	f = open_memstream(&text, &text_size);
	timeline_open(&t, f, &shape, max_events);
}

static json_t *end(void)
{
	struct err err;
	json_error_t e;

	ck_assert_int_eq(timeline_close(&t, &err), 0);
	fclose(f);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &e);
	if (!root)
		ck_abort_msg("%s at %d in %s", e.text, e.line, text);
	return json_object_get(root, "traceEvents");
}

static void setup(void)
{
	root = NULL;
}

static void teardown(void)
{
	json_decref(root);
	free(text);
}

static struct probe_rec span(u32 pcpu, u32 vcpu, u64 from, u64 to)
{
	struct probe_rec rec = {
		.kind = PROBE_SPAN, .time = to, .a = from, .pcpu = pcpu,
		.vcpu = vcpu,
	};

	rec.cycles[vcpu == IDX_NONE ? CYC_IDLE : CYC_GUEST] = to - from;
	return rec;
}

START_TEST(events_come_first_and_an_empty_run_is_valid)
{
	begin(10);
	ck_assert_uint_eq(json_array_size(end()), 0);
	ck_assert_int_eq(strncmp(text, "{\"traceEvents\":[", 16), 0);
}
END_TEST

START_TEST(lanes_are_pcpus_and_processes_are_policies)
{
	const char *name;
	json_t *events;

	begin(10);
	timeline_run(&t, 0, "global-\"flush\"\n\xff");
	events = end();
	ck_assert_uint_eq(json_array_size(events), 6);
	json_unpack(json_array_get(events, 0), "{s:{s:s}}", "args", "name", &name);
	ck_assert_str_eq(name, "global-\"flush\"\n?");
	json_unpack(json_array_get(events, 4), "{s:{s:s}}", "args", "name", &name);
	ck_assert_str_eq(name, "pCPU 1");
}
END_TEST

START_TEST(a_span_is_a_slice_in_microseconds)
{
	struct probe_rec rec = span(1, 2, 2000, 5000);
	const char *name;
	double ts, dur;
	json_int_t lane, guest;

	rec.b = 7;
	begin(10);
	timeline_probe(&t, 0, &rec);
	json_unpack(json_array_get(end(), 0), "{s:s, s:F, s:F, s:I, s:{s:I}}",
		    "name", &name, "ts", &ts, "dur", &dur, "tid", &lane,
		    "args", "guest_cycles", &guest);
	ck_assert_str_eq(name, "VM 1 vCPU 2");
	ck_assert(ts == 1.0 && dur == 1.5);
	ck_assert_int_eq(lane, 1);
	ck_assert_int_eq(guest, 3000);
	ck_assert_ptr_nonnull(strstr(text, "\"overrun_cycles\":7"));
}
END_TEST

START_TEST(idle_time_is_left_blank_and_host_time_is_not)
{
	struct probe_rec idle = span(0, IDX_NONE, 0, 10);
	struct probe_rec host = span(0, IDX_NONE, 10, 20);

	host.cycles[CYC_IDLE] = 2;
	host.cycles[CYC_HOST] = 8;
	begin(10);
	timeline_probe(&t, 0, &idle);
	timeline_probe(&t, 0, &host);
	ck_assert_uint_eq(json_array_size(end()), 1);
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"host\""));
}
END_TEST

START_TEST(flushes_and_ipis_are_marks)
{
	struct probe_rec flush = {
		.kind = PROBE_FLUSH, .time = 2, .pcpu = 1, .vcpu = IDX_NONE,
		.op = FLUSH_INVEPT_SINGLE, .cause = CAUSE_STRICT, .a = 1,
	};
	struct probe_rec ipi = {
		.kind = PROBE_IPI, .time = 4, .pcpu = 0, .a = 1, .b = 9,
		.cause = CAUSE_STRICT,
	};
	struct probe_rec ack = {
		.kind = PROBE_IPI_ACK, .time = 9, .pcpu = 1, .a = 0,
	};
	struct probe_rec off = { .kind = PROBE_CPU_STATE, .time = 10, .pcpu = 1 };
	struct probe_rec use = { .kind = PROBE_USE, .time = 11 };

	begin(10);
	timeline_probe(&t, 3, &flush);
	timeline_probe(&t, 3, &ipi);
	timeline_probe(&t, 3, &ack);
	timeline_probe(&t, 3, &off);
	timeline_probe(&t, 3, &use);
	ck_assert_uint_eq(json_array_size(end()), 4);
	ck_assert_ptr_nonnull(strstr(text,
		"{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"flush\","
		"\"name\":\"INVEPT-single\",\"pid\":3,\"tid\":1,\"ts\":0.001,"
		"\"args\":{\"cause\":\"strict\",\"removed_something\":true}}"));
	ck_assert_ptr_nonnull(strstr(text, "\"args\":{\"to_pcpu\":1,\"cause\":\"strict\"}"));
	ck_assert_ptr_nonnull(strstr(text, "\"args\":{\"from_pcpu\":0}"));
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"offline\""));
}
END_TEST

START_TEST(the_cap_holds_and_is_told)
{
	struct probe_rec rec = span(0, 0, 0, 10);
	json_int_t events, max, dropped;

	begin(3);
	for (u32 i = 0; i < 10; i++)
		timeline_probe(&t, 0, &rec);
	ck_assert_uint_eq(json_array_size(end()), 3);
	json_unpack(root, "{s:{s:I, s:I, s:I}}", "otherData", "events", &events,
		    "events_max", &max, "events_dropped", &dropped);
	ck_assert_int_eq(events, 3);
	ck_assert_int_eq(max, 3);
	ck_assert_int_eq(dropped, 7);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	struct err err;

	f = fopen("/dev/full", "w");
	text = NULL;
	timeline_open(&t, f, &shape, 1);
	ck_assert_int_eq(timeline_close(&t, &err), -EIO);
	fclose(f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/timeline");
	TCase *tc = tcase_create("timeline");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, events_come_first_and_an_empty_run_is_valid);
	tcase_add_test(tc, lanes_are_pcpus_and_processes_are_policies);
	tcase_add_test(tc, a_span_is_a_slice_in_microseconds);
	tcase_add_test(tc, idle_time_is_left_blank_and_host_time_is_not);
	tcase_add_test(tc, flushes_and_ipis_are_marks);
	tcase_add_test(tc, the_cap_holds_and_is_told);
	tcase_add_test(tc, a_full_disk_is_an_error);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
