#include "sim/cli/machine_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/config/complain.h"
#include "sim/config/rows.h"

const struct param_desc machine_file_rows[] = {
	{ .name = "name", .unit = "", .type = PARAM_STR,
	  .offset = offsetof(struct machine_file, name), .min = 1, .max = 63,
	  .required = true, .help = "name of the machine" },
	{ .name = NULL },
};

/* The names of rows, so that two readers of one object know each other's. */
static size_t add_names(const struct param_desc *rows, const char **out)
{
	size_t nr = 0;

	for (; rows->name; rows++)
		out[nr++] = rows->name;
	return nr;
}

static int read_tlbs(const struct json_node *top, struct hw_geometry *g,
		     struct complaints *c)
{
	const struct rows_spec spec = { .rows = tlb_struct_rows };
	struct json_node tlb = json_member(top, "tlb");
	size_t nr = json_array_size(tlb.v);
	int ret = 0;

	if (!nr || nr > TLB_STRUCTS_MAX) {
		char expected[64];

		snprintf(expected, sizeof(expected),
			 "a list of 1..%d translation caches", TLB_STRUCTS_MAX);
		json_complain_type(&tlb, c, expected);
		return -EINVAL;
	}
	for (size_t i = 0; i < nr; i++) {
		struct json_node n = json_element(&tlb, i);

		if (rows_read(&n, &spec, &g->tlb[i], c))
			ret = -EINVAL;
	}
	g->nr_structs = (u32)nr;
	return ret;
}

int machine_file_read(const struct json_node *top, struct machine_file *out,
		      struct complaints *c)
{
	const char *also[ROWS_MAX] = { "tlb" };
	struct rows_spec spec = { .rows = machine_file_rows, .also = also };
	struct err err;
	size_t nr;
	int ret;

	memset(out, 0, sizeof(*out));
	nr = 1 + add_names(hw_geometry_rows, also + 1);
	also[nr] = NULL;
	ret = rows_read(top, &spec, out, c);
	/* Unknown keys have been named; only the values are new here. */
	spec.rows = hw_geometry_rows;
	spec.any_key = true;
	ret |= rows_read(top, &spec, &out->geometry, c);
	ret |= read_tlbs(top, &out->geometry, c);
	if (ret)
		return -EINVAL;
	ret = hw_geometry_check(&out->geometry, &err);
	if (ret) {
		struct json_node tlb = json_member(top, "tlb");

		json_complain(&tlb, c, "%s", err.msg);
	}
	return ret;
}

int machine_file_load(const char *path, struct machine_file *out,
		      struct complaints *c)
{
	u64 before = c->nr;
	struct json_doc *doc;
	struct json_node top;
	int ret = json_doc_read(path, &doc, c);

	if (ret)
		return ret;
	top = json_top(doc);
	ret = machine_file_read(&top, out, c);
	json_doc_free(doc);
	return c->nr > before ? -EINVAL : ret;
}
