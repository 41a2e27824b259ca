/* A result is there in full or not at all. */
#include "sim/report/report_file.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "tests/suite.h"

static char dir[] = "/tmp/eptsim-report-XXXXXX";
static char path[64];
static struct err err;

static void setup(void)
{
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out.json", dir);
	err.msg[0] = '\0';
}

static void teardown(void)
{
	char link_path[64];

	snprintf(link_path, sizeof(link_path), "%s/link", dir);
	unlink(path);
	unlink(link_path);
	/* Fails if a temporary file was left. */
	ck_assert_int_eq(rmdir(dir), 0);
}

static void is(const char *want)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	ck_assert_ptr_nonnull(f);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	ck_assert_str_eq(got, want);
}

static void put(const char *name, const char *text)
{
	struct report_file rf;

	ck_assert_int_eq(report_file_open(&rf, name, NULL, &err), 0);
	fputs(text, rf.f);
	ck_assert_int_eq(report_file_commit(&rf, &err), 0);
}

START_TEST(the_old_file_stays_until_the_new_one_is_whole)
{
	struct report_file rf;

	put(path, "old");
	ck_assert_int_eq(report_file_open(&rf, path, NULL, &err), 0);
	fputs("new", rf.f);
	fflush(rf.f);
	is("old");
	ck_assert_int_eq(report_file_commit(&rf, &err), 0);
	is("new");
}
END_TEST

START_TEST(an_abort_leaves_what_was_there)
{
	struct report_file rf;

	put(path, "old");
	ck_assert_int_eq(report_file_open(&rf, path, NULL, &err), 0);
	fputs("new", rf.f);
	report_file_abort(&rf);
	is("old");
}
END_TEST

START_TEST(a_dash_is_the_stream_of_the_caller)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct report_file rf;

	ck_assert_int_eq(report_file_open(&rf, "-", f, &err), 0);
	ck_assert_ptr_eq(rf.f, f);
	fputs("x", rf.f);
	ck_assert_int_eq(report_file_commit(&rf, &err), 0);
	fputs("y", f);				/* still open */
	fclose(f);
	ck_assert_str_eq(text, "xy");
	free(text);
}
END_TEST

START_TEST(a_link_stays_a_link)
{
	char link_path[64];
	struct stat st;

	snprintf(link_path, sizeof(link_path), "%s/link", dir);
	put(path, "old");
	ck_assert_int_eq(symlink("out.json", link_path), 0);
	put(link_path, "new");
	is("new");
	ck_assert_int_eq(lstat(link_path, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
}
END_TEST

START_TEST(a_device_is_written_and_not_replaced)
{
	struct stat st;

	put("/dev/null", "gone");
	ck_assert_int_eq(stat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	struct report_file rf;

	ck_assert_int_eq(report_file_open(&rf, "/dev/full", NULL, &err), 0);
	fputs("x", rf.f);
	ck_assert_int_eq(report_file_commit(&rf, &err), -ENOSPC);
	ck_assert_str_eq(err.msg, "/dev/full: cannot write: No space left on device");
}
END_TEST

START_TEST(a_missing_folder_is_an_error)
{
	struct report_file rf;

	ck_assert_int_eq(report_file_open(&rf, "/tmp/eptsim-none/x", NULL, &err),
			 -ENOENT);
	ck_assert_str_eq(err.msg, "/tmp/eptsim-none/x: cannot create: No such file or directory");
	ck_assert_int_eq(report_file_open(&rf, dir, NULL, &err), -EISDIR);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/report_file");
	TCase *tc = tcase_create("report_file");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_old_file_stays_until_the_new_one_is_whole);
	tcase_add_test(tc, an_abort_leaves_what_was_there);
	tcase_add_test(tc, a_dash_is_the_stream_of_the_caller);
	tcase_add_test(tc, a_link_stays_a_link);
	tcase_add_test(tc, a_device_is_written_and_not_replaced);
	tcase_add_test(tc, a_full_disk_is_an_error);
	tcase_add_test(tc, a_missing_folder_is_an_error);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
