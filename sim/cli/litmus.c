#include "sim/cli/litmus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/l0/l0.h"
#include "sim/base/err.h"
#include "sim/cli/litmus_step.h"
#include "sim/config/complain.h"
#include "sim/config/rows.h"
#include "sim/core/result.h"

static const char *const l0_words[] = { "bare", "hyperv", NULL };

const struct param_desc litmus_rows[] = {
	{ .name = "name", .unit = "", .type = PARAM_STR,
	  .offset = offsetof(struct litmus, name), .min = 1, .max = 63,
	  .required = true, .help = "short name of the test" },
	{ .name = "l0", .unit = "", .type = PARAM_ENUM,
	  .offset = offsetof(struct litmus, l0), .required = true,
	  .choices = l0_words, .help = "hypervisor below" },
	{ .name = "pcpus", .unit = "pCPUs", .type = PARAM_U32,
	  .offset = offsetof(struct litmus, pcpus), .min = 1, .max = 4,
	  .required = true, .help = "pCPUs" },
	{ .name = "vms", .unit = "VMs", .type = PARAM_U32,
	  .offset = offsetof(struct litmus, vms), .min = 1,
	  .max = SMALL_VMS_MAX, .required = true, .help = "VMs" },
	{ .name = "vcpus", .unit = "vCPUs", .type = PARAM_U32,
	  .offset = offsetof(struct litmus, vcpus), .min = 1, .max = 4,
	  .required = true, .help = "vCPUs of each VM" },
	{ .name = "pcids", .unit = "PCIDs", .type = PARAM_U32,
	  .offset = offsetof(struct litmus, pcids), .min = 1,
	  .max = PCIDS_MAX, .def = 1,
	  .help = "PCIDs of the guests; from 2 on there is a global page, too" },
	{ .name = NULL },
};

const char *const litmus_keys[] = { "programs", "schedule", "faults", "expect",
				      NULL };

/* --- programs --- */

static int read_steps(const struct json_node *list, const struct litmus *l,
		      const struct litmus_actor *actor,
		      struct script_program *p, struct complaints *c)
{
	size_t nr = json_array_size(list->v);
	int ret = 0;

	if (!json_is_array(list->v) || !nr || nr > SCRIPT_STEPS_MAX) {
		json_complain_type(list, c, "a list of 1..1000 steps");
		return -EINVAL;
	}
	p->step = calloc(nr, sizeof(*p->step));
	if (!p->step) {
		json_complain(list, c, "memory is short");
		return -EINVAL;
	}
	p->nr = (u32)nr;
	for (size_t i = 0; i < nr; i++) {
		struct json_node n = json_element(list, i);
		struct err err;

		if (!json_is_string(n.v)) {
			json_complain_type(&n, c, "a step, as text");
			ret = -EINVAL;
		} else if (litmus_step_parse(json_string_value(n.v), l, actor,
					     &p->step[i], &err)) {
			json_complain(&n, c, "%s", err.msg);
			ret = -EINVAL;
		}
	}
	return ret;
}

static int read_program(const struct json_node *n, struct litmus *l,
			struct complaints *c)
{
	static const char *const keys[] = { "actor", "do" };
	struct json_node who = json_member(n, "actor");
	struct json_node what = json_member(n, "do");
	struct litmus_actor actor;
	struct err err;

	if (!json_is_object(n->v)) {
		json_complain_type(n, c, "an object with \"actor\" and \"do\"");
		return -EINVAL;
	}
	if (json_known_keys(n, keys, ARRAY_SIZE(keys), c))
		return -EINVAL;
	if (!json_is_string(who.v)) {
		json_complain_type(&who, c, "an actor, as text");
		return -EINVAL;
	}
	if (litmus_actor_parse(json_string_value(who.v), l, &actor, &err)) {
		json_complain(&who, c, "%s", err.msg);
		return -EINVAL;
	}
	return read_steps(&what, l, &actor,
			  &l->script.program[l->script.nr++], c);
}

static int read_programs(const struct json_node *top, struct litmus *l,
			 struct complaints *c)
{
	struct json_node programs = json_member(top, "programs");
	struct json_node schedule = json_member(top, "schedule");
	size_t nr = json_array_size(programs.v);
	int ret = 0;

	if (!programs.v == !schedule.v) {
		json_complain(top, c, "found %s, expected either \"programs\", interleaved in every way, or \"schedule\", one fixed order",
			      programs.v ? "both" : "neither");
		return -EINVAL;
	}
	if (schedule.v) {
		l->script.fixed = true;
		l->script.nr = 1;
		return read_steps(&schedule, l, NULL, &l->script.program[0], c);
	}
	if (!json_is_array(programs.v) || !nr || nr > SCRIPT_PROGRAMS_MAX) {
		json_complain_type(&programs, c, "a list of 1..16 programs");
		return -EINVAL;
	}
	for (size_t i = 0; i < nr; i++) {
		struct json_node n = json_element(&programs, i);

		if (read_program(&n, l, c))
			ret = -EINVAL;
	}
	return ret;
}

/* --- faults --- */

static int read_fault(const struct json_node *n, struct litmus *l,
		      struct complaints *c)
{
	const char *word = json_string_value(n->v);
	char known[512] = "";
	size_t len = 0;

	for (u32 f = 0; f < FAULT_NR; f++) {
		if (word && !strcmp(word, fault_name(f))) {
			l->faults |= 1u << f;
			return 0;
		}
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
					f ? ", " : "", fault_name(f));
	}
	json_complain_type(n, c, known);
	return -EINVAL;
}

static int read_faults(const struct json_node *top, struct litmus *l,
		       struct complaints *c)
{
	struct json_node faults = json_member(top, "faults");
	int ret = 0;

	if (!faults.v)
		return 0;
	if (!json_array_size(faults.v)) {
		json_complain_type(&faults, c, "a list of faults");
		return -EINVAL;
	}
	for (size_t i = 0; i < json_array_size(faults.v); i++) {
		struct json_node n = json_element(&faults, i);

		ret |= read_fault(&n, l, c);
	}
	return ret;
}

/* --- expected verdicts --- */

static bool verdict_of(const char *word, u32 *verdict)
{
	if (!strcmp(word, "clean"))
		*verdict = 0;
	else if (!strcmp(word, "n/a"))
		*verdict = LITMUS_NA;
	else if (word[0] == 'I' && word[1] >= '1' && word[1] <= '8' && !word[2])
		*verdict = VERDICT_BIT((u32)(word[1] - '0'));
	else
		return false;
	return true;
}

static int read_verdict(const struct json_node *n, struct litmus_expect *e,
			struct complaints *c)
{
	static const char expected[] =
		"\"clean\", \"n/a\", or invariants \"I1\" .. \"I8\", one or a list of them";
	u32 one;

	if (json_is_string(n->v) &&
	    verdict_of(json_string_value(n->v), &e->verdict))
		return 0;
	for (size_t i = 0; i < json_array_size(n->v); i++) {
		struct json_node k = json_element(n, i);

		if (!json_is_string(k.v) ||
		    !verdict_of(json_string_value(k.v), &one) || !one ||
		    one == LITMUS_NA)
			goto bad;
		e->verdict |= one;
	}
	if (e->verdict)
		return 0;
bad:
	json_complain_type(n, c, expected);
	return -EINVAL;
}

static int read_expect(const struct json_node *top, struct litmus *l,
		       struct complaints *c)
{
	struct json_node expect = json_member(top, "expect");
	const char *key;
	json_t *value;
	int ret = 0;

	if (!json_is_object(expect.v)) {
		json_complain_type(&expect, c, "an object: policy to verdict");
		return -EINVAL;
	}
	json_object_foreach(expect.v, key, value) {
		struct json_node n = json_member(&expect, key);
		struct litmus_expect *e = &l->expect[l->nr_expect];
		struct err err;

		if (l->nr_expect == LITMUS_EXPECT_MAX) {
			json_complain(&n, c, "more than %u policies",
				      LITMUS_EXPECT_MAX);
			return -EINVAL;
		}
		if (flush_policy_parse(key, strlen(key), &e->policy, &err)) {
			json_complain(&n, c, "%s", err.msg);
			ret = -EINVAL;
		} else if (read_verdict(&n, e, c)) {
			ret = -EINVAL;
		}
		l->nr_expect++;
	}
	return ret;
}

/* --- a whole file --- */

static void note_kinds(struct litmus *l)
{
	for (u32 p = 0; p < l->script.nr; p++)
		for (u32 i = 0; i < l->script.program[p].nr; i++)
			l->allowed |= 1u << l->script.program[p].step[i].action.kind;
}

int litmus_read(const struct json_node *top, struct litmus *out,
		struct complaints *c)
{
	const struct rows_spec spec = { .rows = litmus_rows,
					.also = litmus_keys };
	int ret;

	memset(out, 0, sizeof(*out));
	snprintf(out->file, sizeof(out->file), "%s", top->doc->file);
	ret = rows_read(top, &spec, out, c);
	if (!ret && out->vms * out->vcpus > SMALL_VCPUS_MAX) {
		json_complain(top, c, "vms x vcpus: found %u vCPUs, expected at most %u",
			      out->vms * out->vcpus, SMALL_VCPUS_MAX);
		ret = -EINVAL;
	}
	/* Steps are checked against the sizes. */
	if (!ret)
		ret = read_programs(top, out, c);
	ret |= read_faults(top, out, c);
	ret |= read_expect(top, out, c);
	note_kinds(out);
	return ret ? -EINVAL : 0;
}

int litmus_load(const char *path, struct litmus *out, struct complaints *c)
{
	u64 before = c->nr;
	struct json_doc *doc;
	struct json_node top;
	int ret = json_doc_read(path, &doc, c);

	if (ret) {
		memset(out, 0, sizeof(*out));
		return ret;
	}
	top = json_top(doc);
	ret = litmus_read(&top, out, c);
	json_doc_free(doc);
	return c->nr > before ? -EINVAL : ret;
}

void litmus_release(struct litmus *l)
{
	for (u32 p = 0; p < l->script.nr; p++)
		free(l->script.program[p].step);
	l->script.nr = 0;
}

bool litmus_expected(const struct litmus *l, const struct flush_policy *policy,
		     u32 *verdict)
{
	for (u32 i = 0; i < l->nr_expect; i++) {
		if (!flush_policy_same(&l->expect[i].policy, policy))
			continue;
		*verdict = l->expect[i].verdict;
		return true;
	}
	return false;
}

void litmus_machine(const struct litmus *l, struct small_machine *m)
{
	small_machine_init(m, l->pcpus, l->vms, l->vcpus, l->allowed);
	m->config.faults = l->faults;
	m->config.nr_pcids = l->pcids;
	small_machine_below(m, l->l0);
}
