#include "sim/cli/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/machine_file.h"
#include "sim/cli/scenario_read.h"
#include "sim/config/costs.h"
#include "sim/config/set.h"
#include "traces/schedule.h"

/* What the loader works with: three files and the settings for each. */
struct load {
	struct json_doc *scenario;
	const char *const *sets;
	size_t nr_sets;
	struct scenario *s;
	struct complaints *c;
};

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* "costs.X": X at the top of the sheet if it stands there, else a cost. */
static const char *sheet_path(const struct json_doc *doc, const char *set)
{
	const char *rest = set + strlen("costs.");
	size_t len = strcspn(rest, ".[=");
	const char *key;
	json_t *v;

	json_object_foreach(doc->root, key, v)
		if (strlen(key) == len && !memcmp(key, rest, len))
			return rest;
	return set;
}

/* The path of a text: the one it begins with, or what its option stands for. */
static const char *scenario_path(const char *set)
{
	static const struct {
		const char *option, *path;
	} rows[] = {
		{ "--trace=", "schedule.trace" },
		{ "--threads=", "schedule.threads" },
		{ "--seed=", "seed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (has_prefix(set, rows[i].option))
			return rows[i].path;
	return set;
}

static void apply_scenario_sets(struct load *l)
{
	for (size_t i = 0; i < l->nr_sets; i++)
		if (!has_prefix(l->sets[i], "costs.") &&
		    !has_prefix(l->sets[i], "machine."))
			set_apply(l->scenario, l->sets[i],
				  scenario_path(l->sets[i]), l->c);
}

static void follow_machine(struct load *l)
{
	struct machine_file m;
	struct json_doc *doc;
	struct json_node top;

	if (json_doc_read(l->s->machine_file, &doc, l->c))
		return;
	for (size_t i = 0; i < l->nr_sets; i++)
		if (has_prefix(l->sets[i], "machine."))
			set_apply(doc, l->sets[i],
				  l->sets[i] + strlen("machine."), l->c);
	top = json_top(doc);
	machine_file_read(&top, &m, l->c);
	memcpy(l->s->machine, m.name, sizeof(l->s->machine));
	l->s->geometry = m.geometry;
	json_doc_free(doc);
}

static bool any_nested(const struct scenario *s)
{
	bool nested = s->workload.nested_per_s > 0;

	for (u32 i = 0; i < s->nr_overrides; i++)
		nested |= s->override[i].workload.nested_per_s > 0;
	return nested;
}

/*
 * Costs that a run of this scenario may charge; INVEPT under another
 * hypervisor is an exit and a teardown.
 */
static bool cost_needed(enum cost_id id, const struct scenario *s)
{
	const struct l0_params *l0 = &s->l0;

	switch (id) {
	case COST_NESTED_TRANSITION:
		return any_nested(s);
	case COST_FLUSH_HYPERCALL:
		return l0->flush_hypercall;
	case COST_INVEPT_SINGLE:
	case COST_INVEPT_GLOBAL:
		return l0->kind == L0_BARE;
	case COST_L0_TRAP:
	case COST_L0_ROOT_TEARDOWN:
	case COST_L0_FAULT:
		return l0->kind == L0_HYPERV;
	case COST_L0_FILL_SECTION:
		return l0->shared_fill;
	default:
		return true;
	}
}

static void check_costs(const struct load *l)
{
	struct json_node top = json_top(l->scenario);
	struct json_node n = json_member(&top, "costs");
	const struct cost_sheet *sheet = &l->s->costs;
	const char *kind = l0_kind_name(l->s->l0.kind);

	if (strcmp(sheet->l0, kind)) {
		json_complain(&n, l->c, "%s is a sheet for l0 \"%s\", but l0.kind is \"%s\"",
			      l->s->costs_file, sheet->l0, kind);
		return;
	}
	if (strcmp(sheet->vendor, "intel"))
		json_complain(&n, l->c, "%s is a sheet for vendor \"%s\", expected \"intel\": every machine here has Intel's tags",
			      l->s->costs_file, sheet->vendor);
	for (u32 i = 0; i < COST_NR; i++)
		if (!sheet->row[i].applies &&
		    cost_needed((enum cost_id)i, l->s))
			json_complain(&n, l->c, "%s marks %s as not applicable, but this scenario on l0 \"%s\" charges it",
				      l->s->costs_file,
				      cost_name((enum cost_id)i), kind);
}

static void follow_costs(struct load *l)
{
	struct json_doc *doc;
	struct json_node top;

	if (json_doc_read(l->s->costs_file, &doc, l->c))
		return;
	for (size_t i = 0; i < l->nr_sets; i++)
		if (has_prefix(l->sets[i], "costs."))
			set_apply(doc, l->sets[i],
				  sheet_path(doc, l->sets[i]), l->c);
	top = json_top(doc);
	if (!costs_read(&top, &l->s->costs, l->c) &&
	    l->s->l0.kind < L0_KIND_NR)
		check_costs(l);
	json_doc_free(doc);
}

static void look_for(const struct json_node *n, const char *path,
		     struct complaints *c)
{
	struct stat st;

	if (!path || !strcmp(path, "-"))
		return;
	if (stat(path, &st))
		json_complain(n, c, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		json_complain(n, c, "%s: found a folder, expected a file", path);
	else if (access(path, R_OK))
		json_complain(n, c, "%s: %s", path, strerror(errno));
}

static void follow_schedule(const struct load *l)
{
	struct json_node top = json_top(l->scenario);
	struct json_node schedule = json_member(&top, "schedule");
	struct json_node trace = json_member(&schedule, "trace");
	struct json_node threads = json_member(&schedule, "threads");

	look_for(&trace, l->s->trace, l->c);
	look_for(&threads, l->s->threads, l->c);
}

int scenario_load(const char *path, const char *const *sets, size_t nr_sets,
		  struct scenario **out, struct complaints *c)
{
	struct load l = { .sets = sets, .nr_sets = nr_sets, .c = c };
	u64 before = c->nr;
	struct json_node top;
	int ret = json_doc_read(path, &l.scenario, c);

	if (ret)
		return ret == -ENOMEM ? ret : -EINVAL;
	l.s = calloc(1, sizeof(*l.s));
	if (l.s)
		l.s->file = strdup(path);
	if (!l.s || !l.s->file) {
		complain(c, "%s: memory is short", path);
		json_doc_free(l.scenario);
		free(l.s);
		return -ENOMEM;
	}
	apply_scenario_sets(&l);
	top = json_top(l.scenario);
	scenario_read(&top, l.s, c);
	if (l.s->machine_file)
		follow_machine(&l);
	if (l.s->costs_file)
		follow_costs(&l);
	follow_schedule(&l);
	json_doc_free(l.scenario);
	if (c->nr > before) {
		scenario_free(l.s);
		return -EINVAL;
	}
	*out = l.s;
	return 0;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	free(s->file);
	free(s->notes);
	free(s->machine_file);
	free(s->costs_file);
	free(s->override);
	free(s->trace);
	free(s->trace_format);
	free(s->threads);
	free(s->policies);
	free(s->expect);
	free(s);
}

const struct workload_params *scenario_workload(const struct scenario *s,
						u32 vm)
{
	u32 lo = 0, hi = s->nr_overrides;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (s->override[mid].vm < vm)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < s->nr_overrides && s->override[lo].vm == vm)
		return &s->override[lo].workload;
	return &s->workload;
}

bool scenario_expected(const struct scenario *s, const char *policy,
		       u32 *verdict)
{
	for (u32 i = 0; i < s->nr_expect; i++) {
		if (strcmp(s->expect[i].policy, policy))
			continue;
		*verdict = s->expect[i].verdict;
		return true;
	}
	return false;
}

int scenario_check_schedule(const struct scenario *s,
			    const struct schedule *schedule,
			    struct complaints *c)
{
	u64 before = c->nr;

	for (u32 i = 0; i < s->nr_overrides; i++)
		if (s->override[i].vm >= schedule->nr_vms)
			complain(c, "%s: overrides: there is no VM %u: %s holds %u VMs, numbered from 0",
				 s->file, s->override[i].vm, s->trace,
				 schedule->nr_vms);
	if (s->pcpus && s->pcpus < schedule->nr_pcpus)
		complain(c, "%s: pcpus: found %u, expected at least the %u that %s shows",
			 s->file, s->pcpus, schedule->nr_pcpus, s->trace);
	return c->nr > before ? -EINVAL : 0;
}
