/* What the tests of the config reader share. */
#ifndef TESTS_UNIT_CONFIG_UTIL_H
#define TESTS_UNIT_CONFIG_UTIL_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config/complain.h"
#include "sim/config/json.h"
#include "tests/suite.h"

/* Parse text that must be good. */
static inline struct json_doc *doc_of(const char *text)
{
	struct json_doc *doc = NULL;
	struct complaints c;

	complaints_init(&c);
	ck_assert_int_eq(json_doc_parse("t.json", text, strlen(text), &doc,
					&c), 0);
	ck_assert_uint_eq(c.nr, 0);
	return doc;
}

/* Exactly these complaints, each beginning as its entry does; NULL ends. */
static inline void complaints_are(struct complaints *c,
				  const char *const *wanted)
{
	u32 i = 0;

	for (; wanted[i]; i++) {
		ck_assert_msg(i < c->nr_kept, "missing: %s", wanted[i]);
		ck_assert_msg(!strncmp(c->text[i], wanted[i],
				       strlen(wanted[i])),
			      "got \"%s\", wanted \"%s\"", c->text[i],
			      wanted[i]);
	}
	ck_assert_msg(c->nr == i, "unexpected: %s",
		      i < c->nr_kept ? c->text[i] : "");
	complaints_release(c);
}

/* Run the cases of one program. */
static inline int run_cases(const char *name, const TTest *const *tests,
			    size_t nr)
{
	Suite *s = suite_create(name);
	TCase *tc = tcase_create(name);

	for (size_t i = 0; i < nr; i++)
		tcase_add_test(tc, tests[i]);
	tcase_set_timeout(tc, 30);
	suite_add_tcase(s, tc);
	return suite_main(s);
}

#endif /* TESTS_UNIT_CONFIG_UTIL_H */
