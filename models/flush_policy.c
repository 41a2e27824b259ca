#include "models/flush_policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"

/* The whole list; its order is that of "eptsim list policies". */
static const struct flush_policy_ops *const policies[] = {
	&flush_policy_never,
	&flush_policy_always,
	&flush_policy_global_flush,
	&flush_policy_hypercall_broadcast,
	&flush_policy_alloc_all_pcpus,
	&flush_policy_vm_mask,
	&flush_policy_active_roots,
	&flush_policy_per_root_mask,
	&flush_policy_per_root_mask_clear,
	&flush_policy_per_root_gen,
};

static const char *const hook_names[HOOK_NR] = {
#define X(name) [HOOK_##name] = #name,
	POLICY_HOOKS(X)
#undef X
};

u32 flush_policy_count(void)
{
	return ARRAY_SIZE(policies);
}

const struct flush_policy_ops *flush_policy_get(u32 i)
{
	BUG_ON(i >= ARRAY_SIZE(policies));
	return policies[i];
}

const char *policy_hook_name(enum policy_hook hook)
{
	BUG_ON(hook >= HOOK_NR);
	return hook_names[hook];
}

static bool word_is(const char *word, const char *text, size_t len)
{
	return strlen(word) == len && !memcmp(word, text, len);
}

static u32 nr_options(const struct flush_policy_ops *ops)
{
	u32 n = 0;

	while (n < POLICY_OPTIONS_MAX && ops->options[n].name)
		n++;
	return n;
}

/* "no value X; expected A, B or C" */
static int no_choice(const struct flush_policy_ops *ops,
		     const struct policy_option *opt, const char *value,
		     size_t len, struct err *err)
{
	char all[256] = "";
	size_t at = 0;

	for (u32 c = 0; opt->choices[c] && at < sizeof(all); c++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s\"%s\"",
				       !c ? "" : opt->choices[c + 1] ? ", " :
				       " or ", opt->choices[c]);
	return err_set(err, -EINVAL, "policy %s: option %s has no value \"%.*s\"; expected %s",
		       ops->name, opt->name, (int)len, value, all);
}

static int parse_value(u32 o, const char *value, size_t len,
		       struct flush_policy *out, struct err *err)
{
	const struct policy_option *opt = &out->ops->options[o];

	for (u8 c = 0; opt->choices[c]; c++) {
		if (!word_is(opt->choices[c], value, len))
			continue;
		out->option[o] = c;
		return 0;
	}
	return no_choice(out->ops, opt, value, len, err);
}

/* @given: a bit per option that stood before this one. */
static int parse_option(const char *text, size_t len, u32 *given,
			struct flush_policy *out, struct err *err)
{
	const struct flush_policy_ops *ops = out->ops;
	const char *eq = memchr(text, '=', len);
	size_t word;

	if (!eq)
		return err_set(err, -EINVAL, "policy %s: option \"%.*s\" has no value; want OPTION=VALUE",
			       ops->name, (int)len, text);
	word = (size_t)(eq - text);
	for (u32 o = 0; o < nr_options(ops); o++) {
		if (!word_is(ops->options[o].name, text, word))
			continue;
		if (*given & 1u << o)
			return err_set(err, -EINVAL, "policy %s: option %s is given twice; expected one value",
				       ops->name, ops->options[o].name);
		*given |= 1u << o;
		return parse_value(o, eq + 1, len - word - 1, out, err);
	}
	return err_set(err, -EINVAL, "policy %s has no option \"%.*s\"; it has %u (see \"eptsim list policies\")",
		       ops->name, (int)word, text, nr_options(ops));
}

static const struct flush_policy_ops *find(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
		if (word_is(policies[i]->name, text, len))
			return policies[i];
	return NULL;
}

int flush_policy_parse(const char *spec, size_t len, struct flush_policy *out,
		       struct err *err)
{
	const char *colon = memchr(spec, ':', len);
	size_t word = colon ? (size_t)(colon - spec) : len;
	u32 given = 0;
	int ret;

	memset(out, 0, sizeof(*out));
	out->ops = find(spec, word);
	if (!out->ops)
		return err_set(err, -EINVAL, "no policy is named \"%.*s\"; \"eptsim list policies\" lists them",
			       (int)word, spec);
	if (len >= sizeof(out->spelling))
		return err_set(err, -EINVAL, "policy \"%.40s...\" is %zu bytes long; at most %zu",
			       spec, len, sizeof(out->spelling) - 1);
	memcpy(out->spelling, spec, len);
	while (word < len) {
		const char *at = spec + word + 1;
		const char *end = memchr(at, ':', len - word - 1);
		size_t n = end ? (size_t)(end - at) : len - word - 1;

		ret = parse_option(at, n, &given, out, err);
		if (ret)
			return ret;
		word += n + 1;
	}
	return 0;
}

bool flush_policy_same(const struct flush_policy *a,
		       const struct flush_policy *b)
{
	return a->ops == b->ops &&
	       !memcmp(a->option, b->option, sizeof(a->option));
}

int flush_policy_check(const struct flush_policy_ops *ops, struct err *err)
{
	if (!ops->name || !ops->brief)
		return err_set(err, -EINVAL, "a flush policy has no name or no brief");
	for (u32 r = 0; r < POLICY_ROWS_MAX && ops->rows[r].name; r++)
		if (ops->rows[r].scope >= STATE_SCOPE_NR ||
		    ops->rows[r].kind > STATE_COUNTER)
			return err_set(err, -EINVAL, "policy %s: row %s has an unknown scope or kind",
				       ops->name, ops->rows[r].name);
	for (u32 o = 0; o < nr_options(ops); o++)
		if (!ops->options[o].choices || !ops->options[o].choices[0])
			return err_set(err, -EINVAL, "policy %s: option %s has no choices",
				       ops->name, ops->options[o].name);
	return 0;
}

u32 plan_add(struct plan *p, struct plan_step step)
{
	BUG_ON(p->nr >= PLAN_STEPS_MAX);
	p->step[p->nr] = step;
	return p->nr++;
}

void plan_land(struct plan *p, u32 mark)
{
	BUG_ON(mark >= p->nr);
	p->step[mark].skip = (u8)(p->nr - mark - 1);
}

void plan_invvpid_current(const struct policy_event *e, struct plan *p)
{
	plan_flush(p, e->guest_mode ? PLAN_INVVPID_VPID02 : PLAN_INVVPID_SINGLE,
		   e->vcpu);
}

void plan_invvpid_both(const struct policy_event *e, struct plan *p)
{
	plan_flush(p, PLAN_INVVPID_SINGLE, e->vcpu);
	if (e->vpid02)
		plan_flush(p, PLAN_INVVPID_VPID02, e->vcpu);
}

void policy_service_as_kvm(const struct policy_event *e, struct plan *p)
{
	switch (e->request) {
	case REQ_TLB_FLUSH:
		plan_flush(p, PLAN_INVEPT_GLOBAL, 0);
		break;
	case REQ_TLB_FLUSH_CURRENT:
		if (e->root != IDX_NONE)
			plan_flush(p, PLAN_INVEPT_SINGLE, e->root);
		break;
	case REQ_TLB_FLUSH_GUEST:
	case REQ_HV_TLB_FLUSH:
		plan_invvpid_current(e, p);
		break;
	default:
		break;
	}
}

void policy_root_load_as_kvm(const struct policy_event *e, struct plan *p)
{
	plan_flush(p, PLAN_INVEPT_SINGLE, e->root);
}
