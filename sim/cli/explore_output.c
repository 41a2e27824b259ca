#include "sim/cli/explore_output.h"

#include <errno.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/cli/litmus_write.h"
#include "sim/cli/same_file.h"

/*
 * @format: pictures, else NULL; @one: holds one schedule.  A litmus file is
 * opened by who writes it.
 */
static const struct {
	const char *option;
	const struct lanes_format *format;
	bool one;
	bool opened;
} kinds[EXPLORE_FILE_NR] = {
	[EXPLORE_OUT] = { "--out", NULL, true, false },
	[EXPLORE_SVG] = { "--svg", &lanes_svg, true, true },
	[EXPLORE_DOT] = { "--dot", &lanes_dot, true, true },
	[EXPLORE_JSON] = { "--json", NULL, false, true },
};

static int check(const struct explore_output *o, u32 nr_policies, bool mutate,
		 struct err *err)
{
	struct file_role role[EXPLORE_FILE_NR];
	int ret = 0;

	for (u32 i = 0; i < EXPLORE_FILE_NR && !ret; i++) {
		const char *option = kinds[i].option;

		role[i] = (struct file_role){ option, o->path[i], false };
		if (!o->path[i])
			continue;
		if (!*o->path[i])
			return err_set(err, -EINVAL, "%s: the file name is empty",
				       option);
		if (mutate)
			return err_set(err, -EINVAL, "%s: --mutate writes no file; expected one of them",
				       option);
		if (kinds[i].one && nr_policies > 1)
			return err_set(err, -EINVAL, "%s: one file for one policy, but %u are named",
				       option, nr_policies);
		ret = same_file_refuse(&role[i], role, i, err);
	}
	return ret;
}

static void abort_all(struct explore_output *o)
{
	for (u32 i = 0; i < EXPLORE_FILE_NR; i++)
		report_file_abort(&o->file[i]);
}

int explore_output_open(struct explore_output *o, u32 nr_policies, bool mutate,
			struct err *err)
{
	int ret = check(o, nr_policies, mutate, err);

	o->text = stdout;
	for (u32 i = 0; i < EXPLORE_FILE_NR && !ret; i++) {
		if (!o->path[i])
			continue;
		if (!strcmp(o->path[i], "-"))
			o->text = stderr;
		if (kinds[i].opened)
			ret = report_file_open(&o->file[i], o->path[i], stdout,
					       err);
	}
	if (ret)
		abort_all(o);
	return ret;
}

static int write_schedule(struct explore_output *o, const struct explore_run *r,
			  const struct explored *e, const struct told *t,
			  struct err *err)
{
	int ret = 0;

	if (o->path[EXPLORE_OUT])
		ret = litmus_write(o->path[EXPLORE_OUT], r, e, err);
	for (u32 i = 0; i < EXPLORE_FILE_NR && !ret; i++)
		if (o->file[i].f && kinds[i].format)
			ret = report_file_end(&o->file[i],
					      lanes_write(&t->picture,
							  kinds[i].format,
							  o->file[i].f, err),
					      err);
	return ret;
}

/* @seconds: what JSON says of the exploration; NULL: it says nothing. */
static int tell(struct explore_output *o, struct explore_run *r,
		const struct explored *e, const double *seconds,
		struct err *err)
{
	struct told t;
	int ret = told_make(&t, r, e, err);

	if (ret)
		return ret;
	told_print(&t, o->text);
	if (seconds)
		explore_json_run(&o->json, r, e, *seconds, &t);
	ret = write_schedule(o, r, e, &t, err);
	told_release(&t);
	return ret;
}

int explore_output_run(struct explore_output *o, struct explore_run *r,
		       const struct explored *e, double seconds,
		       struct err *err)
{
	if (e->violated)
		return tell(o, r, e, &seconds, err);
	explore_json_run(&o->json, r, e, seconds, NULL);
	return 0;
}

int explore_output_schedule(struct explore_output *o, struct explore_run *r,
			    const struct explored *e, struct err *err)
{
	return tell(o, r, e, NULL, err);
}

int explore_output_close(struct explore_output *o, bool keep, bool partial,
			 struct err *err)
{
	struct report_file *json = &o->file[EXPLORE_JSON];
	int ret = 0;

	if (keep && json->f)
		ret = report_file_end(json, explore_json_write(&o->json, partial,
							       json->f, err),
				      err);
	abort_all(o);
	explore_json_release(&o->json);
	return ret;
}
