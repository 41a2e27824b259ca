/* RFC 4180, so that a spreadsheet and a script read the same. */
#include "sim/report/csv.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "sim/base/err.h"
#include "tests/suite.h"
#include "tests/unit/report/fixture.h"

static char *text;
static size_t text_size;

static void setup(void)
{
	fx_begin();
}

static void teardown(void)
{
	recost_release(&fx.rc);
	free(text);
}

static void print(void)
{
	FILE *f = open_memstream(&text, &text_size);
	struct err err;

	fx_recost();
	ck_assert_int_eq(csv_write(f, &fx.c, &fx.rc, &err), 0);
	fclose(f);
}

/* Commas outside quotes, up to the end of a record. */
static u32 fields(const char **at)
{
	bool quoted = false;
	u32 n = 1;

	for (; quoted || strncmp(*at, "\r\n", 2); (*at)++) {
		ck_assert(**at);
		if (**at == '"')
			quoted = !quoted;
		n += **at == ',' && !quoted;
	}
	*at += 2;
	return n;
}

START_TEST(every_record_has_as_many_fields_as_the_header)
{
	const char *at;
	u32 n;

	fx_run("a, \"b\"\r\nc");
	fx_skip("d", "why, indeed");
	fx_find(fx_run("e"), 1, true, "x");
	print();
	at = text;
	n = fields(&at);
	ck_assert_uint_eq(n, 19 + COUNT_NR + CYC_NR);
	for (u32 i = 0; i < 3; i++)
		ck_assert_uint_eq(fields(&at), n);
	ck_assert_str_eq(at, "");
}
END_TEST

START_TEST(commas_quotes_and_line_ends_are_quoted)
{
	fx.c.scenario = "say \"hi\", you";
	fx_run("a");
	print();
	ck_assert_ptr_nonnull(strstr(text, "\r\na,\"say \"\"hi\"\", you\",7,"));
}
END_TEST

START_TEST(columns_carry_their_unit_and_rows_their_figures)
{
	struct run_result *r = fx_run("a");

	fx_cost(COST_INVEPT_SINGLE, 10, 10, 10);
	fx_pay(r, COST_INVEPT_SINGLE, 10000000);
	fx_find(r, 1, true, "x");
	fx_find(r, 3, false, "y");
	r->expect_known = true;
	r->world_bytes = 4096;
	print();
	ck_assert_ptr_nonnull(strstr(text, ",simulated_ns,overrun_ns,slowdown_ratio,"));
	ck_assert_ptr_nonnull(strstr(text, ",migrations_count,"));
	ck_assert_ptr_nonnull(strstr(text, ",guest_cycles,"));
	ck_assert_ptr_nonnull(strstr(text, "a,toy,7,two-pcpus,bare,exact,,yes,I1 I3,none,2,1000000000,0,1.1,,no,no,6,0,"));
	ck_assert_ptr_nonnull(strstr(text, ",1,4096\r\n"));
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	FILE *f = fopen("/dev/full", "w");
	struct err err;

	fx_run("a");
	fx_recost();
	ck_assert_int_eq(csv_write(f, &fx.c, &fx.rc, &err), -EIO);
	fclose(f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/csv");
	TCase *tc = tcase_create("csv");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, every_record_has_as_many_fields_as_the_header);
	tcase_add_test(tc, commas_quotes_and_line_ends_are_quoted);
	tcase_add_test(tc, columns_carry_their_unit_and_rows_their_figures);
	tcase_add_test(tc, a_full_disk_is_an_error);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
