/* What the tests of the trace readers share. */
#ifndef TESTS_UNIT_TRACES_HELPER_H
#define TESTS_UNIT_TRACES_HELPER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "tests/suite.h"
#include "traces/schedule.h"
#include "traces/trace.h"
#include "traces/vst.h"

/* Open text that stands in a string; fails the test if that fails. */
static inline struct trace *open_text(const char *text, const char *format)
{
	struct trace *t;
	struct err err = { "" };
	int ret = trace_open_memory(text, strlen(text), format, &t, &err);

	ck_assert_msg(ret == 0, "%s", err.msg);
	return t;
}

/* The next record; fails the test unless there is one. */
static inline struct trace_rec next_rec(struct trace *t)
{
	struct trace_rec rec;
	struct err err = { "" };
	int ret = trace_next(t, &rec, &err);

	ck_assert_msg(ret == 1, "returned %d: %s%s", ret, err.msg,
		      trace_counts(t)->first_broken);
	return rec;
}

/* Fails the test unless the trace ends here. */
static inline void expect_end(struct trace *t)
{
	struct trace_rec rec;
	struct err err = { "" };
	int ret = trace_next(t, &rec, &err);

	ck_assert_msg(ret == 0, "returned %d: %s", ret, err.msg);
}

/* A path for a temporary file, which the caller removes and frees. */
static inline char *temp_path(void)
{
	char *path = strdup("/tmp/eptsim-test-XXXXXX");
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	return path;
}

static inline int run_suite(TCase *tc, const char *name)
{
	Suite *s = suite_create(name);

	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	return suite_main(s);
}

#endif /* TESTS_UNIT_TRACES_HELPER_H */
