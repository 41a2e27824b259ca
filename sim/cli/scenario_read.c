#include "sim/cli/scenario_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/flush_policy.h"
#include "sim/base/err.h"
#include "sim/check/list.h"
#include "sim/config/rows.h"
#include "traces/trace.h"

static const char *const access_models[] = { "exact", "touch", NULL };
static const char *const schedule_kinds[] = { "recorded", NULL };

const struct param_desc scenario_rows[] = {
	{ .name = "name", .unit = "", .type = PARAM_STR,
	  .offset = offsetof(struct scenario, name), .min = 1, .max = 63,
	  .required = true, .help = "short name of the scenario" },
	{ .name = "pcpus", .unit = "pCPUs", .type = PARAM_U32,
	  .offset = offsetof(struct scenario, pcpus), .min = 1, .max = PCPU_MAX,
	  .required = false, .def = 0,
	  .help = "pCPUs of the host; as many as the schedule shows if absent" },
	{ .name = "access_model", .unit = "", .type = PARAM_ENUM,
	  .offset = offsetof(struct scenario, access_model), .required = true,
	  .choices = access_models, .help = "how accesses are played" },
	{ .name = "seed", .unit = "", .type = PARAM_U64,
	  .offset = offsetof(struct scenario, seed), .min = 0,
	  .max = SCENARIO_SEED_MAX, .required = true,
	  .help = "seed of all random streams" },
	{ .name = NULL },
};

const char *const scenario_keys[] = {
	"machine", "costs", "l0", "workload", "overrides", "schedule",
	"policies", "expect", NULL,
};

static const struct param_desc schedule_rows[] = {
	{ .name = "kind", .unit = "", .type = PARAM_ENUM,
	  .offset = offsetof(struct scenario, schedule), .required = true,
	  .choices = schedule_kinds, .help = "where placement comes from" },
	{ .name = NULL },
};

static const char *const schedule_keys[] = {
	"trace", "format", "threads", NULL,
};

static const struct param_desc override_rows[] = {
	{ .name = "vm", .unit = "", .type = PARAM_U32,
	  .offset = offsetof(struct scenario_override, vm), .min = 0,
	  .max = VM_MAX - 1, .required = true,
	  .help = "VM, numbered as in the schedule" },
	{ .name = NULL },
};

static const char *const override_keys[] = { "workload", NULL };

const char *schedule_kind_name(u32 kind)
{
	BUG_ON(kind >= SCHEDULE_KIND_NR);
	return schedule_kinds[kind];
}

const char *access_model_name(u32 model)
{
	BUG_ON(model >= ACCESS_MODEL_NR);
	return access_models[model];
}

static int no_memory(const struct json_node *n, struct complaints *c)
{
	json_complain(n, c, "memory is short");
	return -ENOMEM;
}

/* A path in the file is relative to the file's folder. */
/* Take "x/.." out of a path, in place; the caller checks that it may. */
static void collapse(char *path)
{
	char *dots, *name;

	while ((dots = strstr(path, "/../"))) {
		for (name = dots; name > path && name[-1] != '/'; name--)
			;
		if (name == dots || !strncmp(name, "../", 3) ||
		    !strncmp(name, "./", 2))
			return;
		memmove(name, dots + 4, strlen(dots + 4) + 1);
	}
}

/* Shorter names read better; behind a symbolic link they may be others. */
static void shorten(char *path)
{
	char *copy = strdup(path);
	struct stat a, b;

	if (!copy)
		return;
	collapse(copy);
	if (!stat(path, &a) && !stat(copy, &b) && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino)
		memcpy(path, copy, strlen(copy) + 1);
	free(copy);
}

static int read_path(const struct json_node *n, const char *file, char **out,
		     struct complaints *c)
{
	const char *text = json_text(n, JSON_STRING_MAX - 1, c);
	const char *slash = strrchr(file, '/');
	size_t dir = slash ? (size_t)(slash + 1 - file) : 0;

	if (!text)
		return -EINVAL;
	if (text[0] == '/' || json_was_set(n))
		dir = 0;
	*out = malloc(dir + strlen(text) + 1);
	if (!*out)
		return no_memory(n, c);
	memcpy(*out, file, dir);
	memcpy(*out + dir, text, strlen(text) + 1);
	shorten(*out);
	return 0;
}

static int read_format(const struct json_node *n, char **out,
		       struct complaints *c)
{
	const char *word = n->v ? json_string_value(n->v) : "auto";
	char expected[160] = "one of \"auto\"";
	size_t len = strlen(expected);
	bool known = word && !strcmp(word, "auto");

	for (size_t i = 0; trace_format_name(i); i++) {
		known |= word && !strcmp(word, trace_format_name(i));
		if (len < sizeof(expected))
			len += (size_t)snprintf(expected + len,
						sizeof(expected) - len,
						", \"%s\"", trace_format_name(i));
	}
	if (!known) {
		json_complain_type(n, c, expected);
		return -EINVAL;
	}
	*out = strdup(word);
	return *out ? 0 : no_memory(n, c);
}

static int read_schedule(const struct json_node *n, struct scenario *s,
			 struct complaints *c)
{
	const struct rows_spec spec = { .rows = schedule_rows,
					.also = schedule_keys };
	struct json_node trace = json_member(n, "trace");
	struct json_node format = json_member(n, "format");
	struct json_node threads = json_member(n, "threads");
	int ret = rows_read(n, &spec, s, c);

	if (!json_is_object(n->v))
		return ret;
	if (read_path(&trace, s->file, &s->trace, c))
		ret = -EINVAL;
	if (read_format(&format, &s->trace_format, c))
		ret = -EINVAL;
	if (threads.v && read_path(&threads, s->file, &s->threads, c))
		ret = -EINVAL;
	return ret;
}

/* @base: what holds where @n is silent; NULL if @n has to say it all. */
static int read_workload(const struct json_node *n,
			 const struct workload_params *base,
			 struct workload_params *w, struct complaints *c)
{
	const struct rows_spec spec = { .rows = workload_rows,
					.partial = base != NULL };
	struct err err;
	int ret;

	if (base)
		*w = *base;
	ret = rows_read(n, &spec, w, c);
	if (ret)
		return ret;
	ret = workload_check(w, &err);
	if (ret)
		json_complain(n, c, "%s", err.msg);
	return ret;
}

static int by_vm(const void *a, const void *b)
{
	const struct scenario_override *x = a, *y = b;

	return x->vm < y->vm ? -1 : x->vm > y->vm;
}

static int read_override(const struct json_node *n, const struct scenario *s,
			 struct scenario_override *o, struct complaints *c)
{
	const struct rows_spec spec = { .rows = override_rows,
					.also = override_keys };
	struct json_node workload = json_member(n, "workload");
	int ret = rows_read(n, &spec, o, c);

	if (!json_is_object(n->v))
		return ret;
	if (read_workload(&workload, &s->workload, &o->workload, c))
		ret = -EINVAL;
	return ret;
}

static int read_overrides(const struct json_node *n, struct scenario *s,
			  struct complaints *c)
{
	size_t nr = json_array_size(n->v);
	int ret = 0;

	if (!n->v)
		return 0;
	if (!json_is_array(n->v) || nr > SCENARIO_OVERRIDES_MAX) {
		json_complain(n, c, "expected a list of at most %u entries {\"vm\": N, \"workload\": {...}}",
			      SCENARIO_OVERRIDES_MAX);
		return -EINVAL;
	}
	s->override = calloc(nr + 1, sizeof(*s->override));
	if (!s->override)
		return no_memory(n, c);
	for (size_t i = 0; i < nr; i++) {
		struct json_node o = json_element(n, i);

		if (read_override(&o, s, &s->override[i], c))
			ret = -EINVAL;
	}
	s->nr_overrides = (u32)nr;
	if (ret)
		return ret;
	qsort(s->override, nr, sizeof(*s->override), by_vm);
	for (size_t i = 1; i < nr; i++) {
		if (s->override[i].vm != s->override[i - 1].vm)
			continue;
		json_complain(n, c, "VM %u has more than one entry, expected one",
			      s->override[i].vm);
		ret = -EINVAL;
	}
	return ret;
}

static int read_policies(const struct json_node *n, struct scenario *s,
			 struct complaints *c)
{
	const char *text = json_text(n, JSON_STRING_MAX - 1, c);
	struct flush_policy policy;
	struct err err;
	size_t len;
	int ret = 0;

	if (!text)
		return -EINVAL;
	s->policies = strdup(text);
	if (!s->policies)
		return no_memory(n, c);
	if (!strcmp(text, "all"))
		return 0;
	for (;; text += len + 1) {
		len = strcspn(text, ",");
		if (flush_policy_parse(text, len, &policy, &err)) {
			json_complain(n, c, "%s", err.msg);
			ret = -EINVAL;
		}
		if (!text[len])
			return ret;
	}
}

/* Bit of the invariant that @word names, 0 if no checker of a run judges it. */
static u32 judged_bit(const char *word)
{
	if (!word || word[0] != 'I' || !checker_find(word))
		return 0;
	return VERDICT_BIT(word[1] - '0');
}

static void complain_invariant(const struct json_node *word,
			       struct complaints *c)
{
	char expected[160] = "an invariant that is judged in a run:";
	size_t len = strlen(expected);

	for (u32 i = 0; i < CHECKERS_NR && len < sizeof(expected); i++)
		if (checker_list[i]->invariant)
			len += (size_t)snprintf(expected + len,
						sizeof(expected) - len, " %s",
						checker_list[i]->invariant);
	json_complain_type(word, c, expected);
}

static int read_verdict(const struct json_node *n, u32 *verdict,
			struct complaints *c)
{
	int ret = 0;

	*verdict = 0;
	if (!json_is_array(n->v)) {
		json_complain_type(n, c, "a list of invariants, empty for clean");
		return -EINVAL;
	}
	for (size_t i = 0; i < json_array_size(n->v); i++) {
		struct json_node word = json_element(n, i);
		u32 bit = judged_bit(json_string_value(word.v));

		if (!bit) {
			complain_invariant(&word, c);
			ret = -EINVAL;
		}
		*verdict |= bit;
	}
	return ret;
}

static int read_expect(const struct json_node *n, struct scenario *s,
		       struct complaints *c)
{
	struct flush_policy policy;
	struct err err;
	const char *key;
	json_t *v;
	int ret = 0;

	if (!n->v)
		return 0;
	if (!json_is_object(n->v) ||
	    json_object_size(n->v) > SCENARIO_EXPECT_MAX) {
		json_complain(n, c, "expected an object of at most %u policies",
			      SCENARIO_EXPECT_MAX);
		return -EINVAL;
	}
	s->expect = calloc(json_object_size(n->v) + 1, sizeof(*s->expect));
	if (!s->expect)
		return no_memory(n, c);
	json_object_foreach(n->v, key, v) {
		struct json_node m = json_member(n, key);
		struct scenario_expect *e = &s->expect[s->nr_expect];

		int bad = flush_policy_parse(key, strlen(key), &policy, &err);

		if (bad)
			json_complain(&m, c, "%s", err.msg);
		if (read_verdict(&m, &e->verdict, c) || bad) {
			ret = -EINVAL;
			continue;
		}
		snprintf(e->policy, sizeof(e->policy), "%s", policy.spelling);
		s->nr_expect++;
	}
	return ret;
}

static int read_notes(const struct json_node *n, struct scenario *s,
		      struct complaints *c)
{
	size_t nr = json_array_size(n->v), len = 1;
	const char *line;

	if (json_is_string(n->v)) {
		s->notes = strdup(json_string_value(n->v));
		return s->notes ? 0 : no_memory(n, c);
	}
	for (size_t i = 0; i < nr; i++)
		len += json_string_length(json_array_get(n->v, i)) + 1;
	s->notes = calloc(1, len);
	if (!s->notes)
		return no_memory(n, c);
	len = 0;
	for (size_t i = 0; i < nr; i++) {
		line = json_string_value(json_array_get(n->v, i));
		if (!line)
			continue;
		if (len)
			s->notes[len++] = '\n';
		memcpy(s->notes + len, line, strlen(line) + 1);
		len += strlen(line);
	}
	return 0;
}

/* An l0 that is not sound is marked by a kind that there is not. */
static int read_l0(const struct json_node *n, struct scenario *s,
		   struct complaints *c)
{
	const struct rows_spec spec = { .rows = l0_rows };
	struct err err;
	int ret = rows_read(n, &spec, &s->l0, c);

	if (!ret) {
		ret = l0_check(&s->l0, &err);
		if (ret)
			json_complain(n, c, "%s", err.msg);
	}
	if (ret)
		s->l0.kind = L0_KIND_NR;
	return ret;
}

int scenario_read(const struct json_node *top, struct scenario *s,
		  struct complaints *c)
{
	const struct rows_spec spec = { .rows = scenario_rows,
					.also = scenario_keys };
	struct json_node notes = json_member(top, "notes");
	struct json_node machine = json_member(top, "machine");
	struct json_node costs = json_member(top, "costs");
	struct json_node l0 = json_member(top, "l0");
	struct json_node workload = json_member(top, "workload");
	struct json_node overrides = json_member(top, "overrides");
	struct json_node schedule = json_member(top, "schedule");
	struct json_node policies = json_member(top, "policies");
	struct json_node expect = json_member(top, "expect");
	int ret = rows_read(top, &spec, s, c);

	ret |= read_notes(&notes, s, c);
	ret |= read_path(&machine, s->file, &s->machine_file, c);
	ret |= read_path(&costs, s->file, &s->costs_file, c);
	ret |= read_l0(&l0, s, c);
	if (read_workload(&workload, NULL, &s->workload, c))
		ret = -EINVAL;
	else
		ret |= read_overrides(&overrides, s, c);
	ret |= read_schedule(&schedule, s, c);
	ret |= read_policies(&policies, s, c);
	ret |= read_expect(&expect, s, c);
	return ret ? -EINVAL : 0;
}
