#include <zlib.h>
#include <zstd.h>

#include "tests/unit/traces/helper.h"
#include "traces/input.h"

#define LINES 30000

static char *plain;			/* LINES numbered lines */
static size_t plain_len;
static char *packed;
static size_t packed_len;

static void setup(void)
{
	plain = malloc(LINES * 16);
	plain_len = 0;
	for (int i = 1; i <= LINES; i++)
		plain_len += (size_t)snprintf(plain + plain_len, 16,
					      "line %d\n", i);
	packed = malloc(plain_len + 4096);
}

static void teardown(void)
{
	free(plain);
	free(packed);
}

static void pack_zstd(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	packed_len = ZSTD_compress2(c, packed, plain_len + 4096, plain,
				    plain_len);
	ck_assert(!ZSTD_isError(packed_len));
	ZSTD_freeCCtx(c);
}

static void pack_gzip(void)
{
	z_stream z = { 0 };

	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)plain;
	z.avail_in = (uInt)plain_len;
	z.next_out = (Bytef *)packed;
	z.avail_out = (uInt)plain_len + 4096;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed_len = z.total_out;
	deflateEnd(&z);
}

static void pack(int how)
{
	if (how == 0)
		packed_len = plain_len, memcpy(packed, plain, plain_len);
	else if (how == 1)
		pack_zstd();
	else
		pack_gzip();
}

/* Lines read until the end; @last gets what the reader returned then. */
static u64 read_all(const void *data, size_t len, int *last, struct err *err)
{
	struct input *in = NULL;
	const char *line;
	size_t nr;
	u64 lines = 0;

	*last = input_open_memory(data, len, &in, err);
	if (*last)
		return 0;
	while ((*last = input_line(in, &line, &nr, err)) > 0) {
		char want[32];

		lines++;
		snprintf(want, sizeof(want), "line %llu",
			 (unsigned long long)lines);
		ck_assert_uint_eq(input_line_nr(in), lines);
		/* A cut-off file may end inside a line. */
		ck_assert(nr <= strlen(want) && memcmp(line, want, nr) == 0);
	}
	input_close(in);
	return lines;
}

START_TEST(lines_come_out_whatever_the_packing)
{
	struct err err = { "" };
	int last;

	pack(_i);
	ck_assert_uint_eq(read_all(packed, packed_len, &last, &err), LINES);
	ck_assert_int_eq(last, 0);
}
END_TEST

START_TEST(two_packed_parts_in_a_row_are_one_stream)
{
	struct err err = { "" };
	char *twice;
	const char *line;
	struct input *in;
	size_t len;
	u64 lines = 0;

	pack(1 + _i);
	twice = malloc(2 * packed_len);
	memcpy(twice, packed, packed_len);
	memcpy(twice + packed_len, packed, packed_len);
	ck_assert_int_eq(input_open_memory(twice, 2 * packed_len, &in, &err),
			 0);
	while (input_line(in, &line, &len, &err) == 1)
		lines++;
	ck_assert_uint_eq(lines, 2 * LINES);
	ck_assert_str_eq(input_compression(in), _i ? "gzip" : "zstd");
	input_close(in);
	free(twice);
}
END_TEST

START_TEST(a_truncated_packed_file_is_an_error_with_its_offset)
{
	pack(1 + _i);
	for (size_t cut = 4; cut < packed_len; cut += 1 + packed_len / 97) {
		struct err err = { "" };
		int last;

		read_all(packed, cut, &last, &err);
		ck_assert_int_lt(last, 0);
		ck_assert_msg(strstr(err.msg, "offset ") &&
			      strstr(err.msg, "ends in the middle"), "%s",
			      err.msg);
	}
}
END_TEST

START_TEST(a_damaged_packed_file_is_an_error)
{
	pack(1 + _i);
	/* Leave the magic number and the flags of the header alone. */
	for (size_t at = 12; at + 1 < packed_len; at += 1 + packed_len / 97) {
		struct err err = { "" };
		struct input *in;
		const char *line;
		size_t len;
		int last;

		packed[at] ^= 0x40;
		last = input_open_memory(packed, packed_len, &in, &err);
		ck_assert_int_eq(last, 0);
		while ((last = input_line(in, &line, &len, &err)) > 0)
			;
		input_close(in);
		ck_assert_msg(last < 0, "flip at %zu went unnoticed", at);
		packed[at] ^= 0x40;
	}
}
END_TEST

START_TEST(a_long_line_is_cut_and_the_next_one_is_whole)
{
	size_t big = TRACE_LINE_MAX + 1 + (size_t)_i * 200000;
	char *text = malloc(big + 16);
	struct err err = { "" };
	const char *line;
	struct input *in;
	size_t len;

	memset(text, 'x', big);
	memcpy(text + big, "\nnext\n", 7);
	ck_assert_int_eq(input_open_memory(text, strlen(text), &in, &err), 0);
	ck_assert_int_eq(input_line(in, &line, &len, &err), 1);
	ck_assert_uint_eq(len, TRACE_LINE_MAX);
	ck_assert(input_line_cut(in));
	ck_assert_int_eq(input_line(in, &line, &len, &err), 1);
	ck_assert(!input_line_cut(in));
	ck_assert(len == 4 && memcmp(line, "next", 4) == 0);
	ck_assert_int_eq(input_line(in, &line, &len, &err), 0);
	input_close(in);
	free(text);
}
END_TEST

START_TEST(a_line_of_the_limit_is_whole)
{
	char *text = malloc(TRACE_LINE_MAX + 2);
	struct err err = { "" };
	const char *line;
	struct input *in;
	size_t len;

	memset(text, 'x', TRACE_LINE_MAX);
	text[TRACE_LINE_MAX] = '\n';
	ck_assert_int_eq(input_open_memory(text, TRACE_LINE_MAX + 1, &in,
					   &err), 0);
	ck_assert_int_eq(input_line(in, &line, &len, &err), 1);
	ck_assert_uint_eq(len, TRACE_LINE_MAX);
	ck_assert(!input_line_cut(in));
	ck_assert_int_eq(input_line(in, &line, &len, &err), 0);
	input_close(in);
	free(text);
}
END_TEST

START_TEST(peeking_consumes_nothing)
{
	struct err err = { "" };
	const char *data, *line;
	struct input *in;
	size_t len;

	ck_assert_int_eq(input_open_memory("ab\ncd", 5, &in, &err), 0);
	ck_assert_int_eq(input_peek(in, &data, &len, &err), 0);
	ck_assert(len == 5 && memcmp(data, "ab\ncd", 5) == 0);
	ck_assert_int_eq(input_line(in, &line, &len, &err), 1);
	ck_assert_uint_eq(len, 2);
	ck_assert_int_eq(input_line(in, &line, &len, &err), 1);
	ck_assert_uint_eq(len, 2);
	ck_assert_int_eq(input_line(in, &line, &len, &err), 0);
	input_close(in);
}
END_TEST

START_TEST(a_missing_file_and_a_folder_are_named)
{
	struct err err = { "" };
	struct input *in;

	ck_assert_int_lt(input_open("/nonexistent/trace", &in, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "/nonexistent/trace: "));
	ck_assert_int_lt(input_open("/tmp", &in, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "a directory"));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("input");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, lines_come_out_whatever_the_packing, 0, 3);
	tcase_add_loop_test(tc, two_packed_parts_in_a_row_are_one_stream, 0,
			    2);
	tcase_add_loop_test(tc,
			    a_truncated_packed_file_is_an_error_with_its_offset,
			    0, 2);
	tcase_add_loop_test(tc, a_damaged_packed_file_is_an_error, 0, 2);
	tcase_add_loop_test(tc, a_long_line_is_cut_and_the_next_one_is_whole,
			    0, 3);
	tcase_add_test(tc, a_line_of_the_limit_is_whole);
	tcase_add_test(tc, peeking_consumes_nothing);
	tcase_add_test(tc, a_missing_file_and_a_folder_are_named);
	return run_suite(tc, "traces/input");
}
