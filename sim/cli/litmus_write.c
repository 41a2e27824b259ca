#include "sim/cli/litmus_write.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "models/l0/l0.h"
#include "sim/base/err.h"
#include "sim/cli/litmus_step.h"
#include "sim/report/report_file.h"

static json_t *schedule_of(const struct machine_config *c,
			   const struct explored *e)
{
	json_t *list = json_array();
	char step[LITMUS_STEP_MAX];

	for (u32 i = 0; i < e->nr_path; i++) {
		litmus_step_format(&e->path[i], c->nr_vcpus, step);
		json_array_append_new(list, json_string(step));
	}
	return list;
}

static json_t *test_of(const struct explore_run *r, const struct explored *e)
{
	const struct machine_config *c = &r->machine.config;
	char text[FINDING_TEXT_MAX + 128];
	json_t *test;

	snprintf(text, sizeof(text), "Found by eptsim explore: %s: %s",
		 c->policy->spelling, e->finding.text);
	test = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:o, s:{s:s}}",
			 "name", "counterexample", "notes", text,
			 "l0", l0_kind_name(c->l0->kind),
			 "pcpus", (int)c->nr_pcpus, "vms", (int)c->nr_vms,
			 "vcpus", (int)(c->nr_vcpus / c->nr_vms),
			 "schedule", schedule_of(c, e),
			 "expect", c->policy->spelling, e->finding.invariant);
	if (test && c->nr_pcids > 1)
		json_object_set_new(test, "pcids", json_integer(c->nr_pcids));
	return test;
}

int litmus_write(const char *path, const struct explore_run *r,
		 const struct explored *e, struct err *err)
{
	json_t *test = test_of(r, e);
	struct report_file rf;
	bool bad;
	int ret;

	if (!test)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	ret = report_file_open(&rf, path, stdout, err);
	if (!ret) {
		bad = json_dumpf(test, rf.f, JSON_INDENT(2)) ||
		      fputc('\n', rf.f) == EOF;
		ret = report_file_end(&rf, bad ? err_set(err, -EIO, "%s: cannot write",
							 path) : 0, err);
	}
	json_decref(test);
	return ret;
}
