#include "sim/cli/lists.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/flush_policy.h"
#include "sim/base/err.h"
#include "sim/check/list.h"
#include "sim/cli/find_configs.h"
#include "sim/cli/machine_file.h"
#include "sim/cli/scenario_read.h"
#include "sim/config/costs.h"
#include "sim/config/rows.h"

static const char *const policy_columns[] = { "name", "options", "brief", NULL };
static const char *const cost_columns[] = {
	"sheet", "name", "cycles", "low", "high", "tag", "source", NULL,
};
static const char *const machine_columns[] = {
	"name", "structures", "l2_entries_4k", "file", NULL,
};
static const char *const workload_columns[] = {
	"scenario", "working_set_pages", "strict_per_s", "guest_flush_per_s",
	"file", NULL,
};
static const char *const invariant_columns[] = {
	"name", "judged_in_runs", "brief", NULL,
};
static const char *const param_columns[] = {
	"object", "name", "accepts", "required", "help", NULL,
};

const struct list lists[] = {
	{ "policies", false, policy_columns, list_policies },
	{ "costs", true, cost_columns, list_costs },
	{ "machines", false, machine_columns, list_machines },
	{ "workloads", false, workload_columns, list_workloads },
	{ "invariants", false, invariant_columns, list_invariants },
	{ "params", false, param_columns, list_params },
	{ .name = NULL },
};

/* "load=flush|elide cache=on|off" */
static void options_text(const struct flush_policy_ops *ops, char *buf,
			 size_t size)
{
	size_t len = 0;

	buf[0] = 0;
	for (u32 o = 0; o < POLICY_OPTIONS_MAX && ops->options[o].name; o++) {
		const struct policy_option *opt = &ops->options[o];

		for (u32 i = 0; opt->choices[i] && len < size; i++)
			len += (size_t)snprintf(buf + len, size - len,
						"%s%s%s%s", o && !i ? " " : "",
						i ? "|" : opt->name,
						i ? "" : "=", opt->choices[i]);
	}
}

json_t *list_policies(const char *file, struct complaints *c)
{
	json_t *out = json_array();
	char options[256];

	(void)file;
	(void)c;
	for (u32 i = 0; i < flush_policy_count(); i++) {
		const struct flush_policy_ops *ops = flush_policy_get(i);

		options_text(ops, options, sizeof(options));
		json_array_append_new(out,
			json_pack("{s:s, s:s, s:b, s:s}", "name", ops->name,
				  "options", options, "needs_hypercall",
				  ops->needs_hypercall, "brief", ops->brief));
	}
	return out;
}

static json_t *cost_entry(const struct cost_sheet *sheet, enum cost_id id)
{
	const struct cost_row *r = &sheet->row[id];
	json_t *e = json_pack("{s:s, s:s, s:s, s:b}", "sheet", sheet->name,
			      "name", cost_name(id), "category",
			      cycle_category_name(cost_category(id)),
			      "applies", r->applies);

	if (r->applies) {
		json_object_set_new(e, "cycles", json_integer((json_int_t)r->cycles));
		json_object_set_new(e, "low", json_integer((json_int_t)r->lo_cycles));
		json_object_set_new(e, "high", json_integer((json_int_t)r->hi_cycles));
		json_object_set_new(e, "tag", json_string(cost_tag_name(r->tag)));
	}
	json_object_set_new(e, "source", json_string(r->source));
	json_object_set_new(e, "help", json_string(cost_help(id)));
	return e;
}

/* A path as given, or the name of a sheet that comes with the program. */
static int sheet_path(const char *file, char *buf, size_t size,
		      struct complaints *c)
{
	char dir[PATH_MAX];
	struct err err;
	int n = snprintf(buf, size, "%s", file);

	if (strchr(file, '/') || strchr(file, '.') || !access(file, F_OK))
		return n < 0 || (size_t)n >= size ? -1 : 0;
	if (find_configs_dir(dir, sizeof(dir), &err)) {
		complain(c, "%s", err.msg);
		return -1;
	}
	n = snprintf(buf, size, "%s/costs/%s.json", dir, file);
	return n < 0 || (size_t)n >= size ? -1 : 0;
}

static json_t *list_sheet(const char *path, json_t *out, struct complaints *c)
{
	struct cost_sheet sheet;

	if (costs_load(path, &sheet, c)) {
		json_decref(out);
		return NULL;
	}
	for (u32 i = 0; i < COST_NR; i++)
		json_array_append_new(out, cost_entry(&sheet, (enum cost_id)i));
	return out;
}

json_t *list_costs(const char *file, struct complaints *c)
{
	struct config_files files;
	char path[PATH_MAX + 64];
	json_t *out = NULL;
	struct err err;

	if (file) {
		if (!sheet_path(file, path, sizeof(path), c))
			return list_sheet(path, json_array(), c);
		complain(c, "%s: no such cost sheet", file);
		return NULL;
	}
	if (find_configs("costs", &files, &err)) {
		complain(c, "%s", err.msg);
		return NULL;
	}
	out = json_array();
	for (u32 i = 0; out && i < files.nr; i++)
		out = list_sheet(files.path[i], out, c);
	find_configs_release(&files);
	return out;
}

static u32 l2_entries_4k(const struct hw_geometry *g)
{
	u32 sum = 0;

	for (u32 i = 0; i < g->nr_structs; i++)
		if (g->tlb[i].level == 2 && g->tlb[i].holds_4k)
			sum += g->tlb[i].entries;
	return sum;
}

static json_t *machine_entry(const char *path, struct complaints *c)
{
	struct machine_file m;

	if (machine_file_load(path, &m, c))
		return NULL;
	return json_pack("{s:s, s:i, s:i, s:s}", "name", m.name, "structures",
			 m.geometry.nr_structs, "l2_entries_4k",
			 l2_entries_4k(&m.geometry), "file", path);
}

/* The trace that the scenario names need not be there. */
static json_t *workload_entry(const char *path, struct complaints *c)
{
	struct scenario *s = calloc(1, sizeof(*s));
	u64 before = c->nr;
	struct json_doc *doc;
	struct json_node top;
	json_t *e = NULL;

	if (s)
		s->file = strdup(path);
	if (s && s->file && !json_doc_read(path, &doc, c)) {
		top = json_top(doc);
		if (!scenario_read(&top, s, c) && c->nr == before) {
			e = json_copy(json_object_get(doc->root, "workload"));
			json_object_set_new(e, "scenario", json_string(s->name));
			json_object_set_new(e, "file", json_string(path));
		}
		json_doc_free(doc);
	}
	scenario_free(s);
	return e;
}

/* One entry for each file of a folder; NULL if any of them is bad. */
static json_t *list_folder(const char *folder, struct complaints *c,
			   json_t *(*entry)(const char *path,
					    struct complaints *c))
{
	struct config_files files;
	json_t *out, *e;
	struct err err;

	if (find_configs(folder, &files, &err)) {
		complain(c, "%s", err.msg);
		return NULL;
	}
	out = json_array();
	for (u32 i = 0; i < files.nr; i++) {
		e = entry(files.path[i], c);
		if (e)
			json_array_append_new(out, e);
	}
	find_configs_release(&files);
	return out;
}

json_t *list_machines(const char *file, struct complaints *c)
{
	(void)file;
	return list_folder("machines", c, machine_entry);
}

json_t *list_workloads(const char *file, struct complaints *c)
{
	(void)file;
	return list_folder("scenarios", c, workload_entry);
}

json_t *list_invariants(const char *file, struct complaints *c)
{
	static const struct {
		const char *name;
		const char *brief;
	} rows[] = {
		{ "I1", "stage-2 safety: no use of an EPT translation whose flush was acknowledged" },
		{ "I2", "lifetime: no use of a translation made under a freed and reused root" },
		{ "I3", "stage-1 safety: no use of a guest translation that the vCPU has flushed" },
		{ "I4", "isolation: no use of a translation that belongs to another VM" },
		{ "I5", "APIC attribute: no access to the APIC page through a translation of the other mode" },
		{ "I6", "dirty tracking: no write that escapes the log" },
		{ "I7", "policy bookkeeping: no claim of a flush that did not happen" },
		{ "I8", "virtual TLB: what L1 flushed of its own nested tables is not used" },
	};
	json_t *out = json_array();

	(void)file;
	(void)c;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		json_array_append_new(out,
			json_pack("{s:s, s:b, s:s}", "name", rows[i].name,
				  "judged_in_runs",
				  checker_find(rows[i].name) != NULL, "brief",
				  rows[i].brief));
	return out;
}

static void add_rows(json_t *out, const char *object,
		     const struct param_desc *rows)
{
	char accepts[256];

	for (; rows->name; rows++) {
		rows_expected(rows, accepts, sizeof(accepts));
		json_array_append_new(out,
			json_pack("{s:s, s:s, s:s, s:s, s:b, s:s}", "object",
				  object, "name", rows->name, "unit",
				  rows->unit, "accepts", accepts, "required",
				  rows->required, "help", rows->help));
	}
}

json_t *list_params(const char *file, struct complaints *c)
{
	json_t *out = json_array();

	(void)file;
	(void)c;
	add_rows(out, "scenario", scenario_rows);
	add_rows(out, "scenario.l0", l0_rows);
	add_rows(out, "scenario.workload", workload_rows);
	add_rows(out, "machine", machine_file_rows);
	add_rows(out, "machine", hw_geometry_rows);
	add_rows(out, "machine.tlb[]", tlb_struct_rows);
	return out;
}
