#include "models/mutation.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"

static bool is_skip(u8 op)
{
	return op == PLAN_SKIP_IF || op == PLAN_SKIP_UNLESS_LESS;
}

static bool at_site(const struct mutation *m, const struct plan_step *s)
{
	return s->op == m->op && s->arg == m->arg && s->site == m->site;
}

/* --- changing a plan --- */

/* Skips that jump over the step have one less to jump over. */
static void cut(struct plan *p, u32 at)
{
	for (u32 i = 0; i < at; i++)
		if (is_skip(p->step[i].op) && i + p->step[i].skip >= at)
			p->step[i].skip--;
	memmove(&p->step[at], &p->step[at + 1],
		(p->nr - at - 1u) * sizeof(p->step[0]));
	p->nr--;
}

static bool delete_step(struct plan *p, u32 at)
{
	cut(p, at);
	return true;
}

static bool narrow(struct plan *p, u32 at, const struct policy_event *e)
{
	struct plan_step *s = &p->step[at];

	if (s->op == PLAN_FLUSH_ALL_PCPUS || s->op == PLAN_FLUSH_MASK) {
		s->op = PLAN_FLUSH;
		return true;
	}
	if (s->op == PLAN_HYPERCALL) {
		s->op = PLAN_FLUSH;
		s->arg = PLAN_INVEPT_SINGLE;
		return true;
	}
	if (s->op == PLAN_SET && s->i == PLAN_ALL) {
		s->i = PLAN_HERE;
		return true;
	}
	if (s->op != PLAN_FLUSH || s->arg != PLAN_INVEPT_GLOBAL ||
	    e->root == IDX_NONE)
		return false;
	s->arg = PLAN_INVEPT_SINGLE;
	s->i = e->root;
	return true;
}

/* Does a skip begin at, or land between, two neighbours? */
static bool joined(const struct plan *p, u32 at)
{
	if (is_skip(p->step[at].op) || is_skip(p->step[at + 1].op))
		return true;
	for (u32 i = 0; i < at; i++)
		if (is_skip(p->step[i].op) && i + p->step[i].skip == at)
			return true;
	return false;
}

static bool swap(struct plan *p, u32 at)
{
	struct plan_step s = p->step[at];

	/* Two flushes of one pCPU may come in either order. */
	if (at + 1u >= p->nr || joined(p, at) ||
	    (s.op == PLAN_FLUSH && p->step[at + 1].op == PLAN_FLUSH))
		return false;
	p->step[at] = p->step[at + 1];
	p->step[at + 1] = s;
	return true;
}

static bool always_skip(struct plan *p, u32 at)
{
	for (u32 n = p->step[at].skip; n; n--)
		cut(p, at + 1);
	cut(p, at);
	return true;
}

static bool unbracket(struct plan *p, u32 at)
{
	cut(p, at);
	while (at < p->nr && p->step[at].op != PLAN_PREEMPT_ON)
		at++;
	if (at < p->nr)
		cut(p, at);
	return true;
}

static bool change(const struct mutation *m, const struct policy_event *e,
		   struct plan *p, u32 at)
{
	switch (m->kind) {
	case MUTATE_NARROW:
		return narrow(p, at, e);
	case MUTATE_SWAP:
		return swap(p, at);
	case MUTATE_SKIP:
		return always_skip(p, at);
	case MUTATE_PREEMPT:
		return unbracket(p, at);
	default:
		return delete_step(p, at);
	}
}

bool mutation_apply(const struct mutation *m, enum policy_hook hook,
		    const struct policy_event *e, struct plan *p)
{
	bool changed = false;
	u32 seen = 0, was;

	if (m->hook != hook)
		return false;
	for (u32 i = 0; i < p->nr; i++) {
		if (!at_site(m, &p->step[i]))
			continue;
		seen++;
		if ((m->kind == MUTATE_FIRST && seen == 1) ||
		    (m->kind == MUTATE_LATER && seen > 1))
			continue;
		was = p->nr;
		if (!change(m, e, p, i))
			continue;
		changed = true;
		/* What is gone cannot be met again; what was swapped would be. */
		if (m->kind == MUTATE_SWAP)
			i++;
		else if (p->nr < was)
			i--;
	}
	return changed;
}

/* --- finding sites --- */

static bool suits(u8 kind, u8 op)
{
	switch (kind) {
	case MUTATE_TEST:
	case MUTATE_SKIP:
		return is_skip(op);
	case MUTATE_PREEMPT:
		return op == PLAN_PREEMPT_OFF;
	default:
		return !is_skip(op) && op != PLAN_PREEMPT_OFF &&
		       op != PLAN_PREEMPT_ON;
	}
}

static bool known(const struct mutation *list, u32 nr, const struct mutation *m)
{
	for (u32 i = 0; i < nr; i++)
		if (!memcmp(&list[i], m, sizeof(*m)))
			return true;
	return false;
}

static policy_hook_fn hook_of(const struct flush_policy_ops *ops, u32 hook)
{
	static const size_t offset[HOOK_NR] = {
#define X(name) [HOOK_##name] = offsetof(struct flush_policy_ops, name),
		POLICY_HOOKS(X)
#undef X
	};
	policy_hook_fn fn;

	memcpy(&fn, (const char *)ops + offset[hook], sizeof(fn));
	return fn;
}

static u32 occurs(const struct plan *p, const struct mutation *m)
{
	u32 n = 0;

	for (u32 i = 0; i < p->nr; i++)
		n += at_site(m, &p->step[i]);
	return n;
}

static u32 add_sites(const struct policy_event *e, u32 hook, policy_hook_fn fn,
		     struct mutation *out, u32 nr)
{
	struct plan plan = { 0 }, with;

	fn(e, &plan);
	for (u32 i = 0; i < plan.nr; i++) {
		for (u8 kind = 0; kind < MUTATION_KIND_NR; kind++) {
			const struct plan_step *s = &plan.step[i];
			struct mutation m = { kind, (u8)hook, s->op, s->arg,
					      s->site };

			with = plan;
			if (!suits(kind, s->op) || known(out, nr, &m) ||
			    nr == MUTATIONS_MAX ||
			    !mutation_apply(&m, hook, e, &with))
				continue;
			if (kind == MUTATE_LATER && occurs(&plan, &m) < 2)
				continue;
			out[nr++] = m;
		}
	}
	return nr;
}

u32 mutation_list(const struct flush_policy *policy, struct mutation *out)
{
	u32 nr = 0;

	for (u32 hook = 0; hook < HOOK_NR; hook++) {
		policy_hook_fn fn = hook_of(policy->ops, hook);

		/* Bits: migrated, xAPIC, L2 active; then the request. */
		for (u32 k = 0; fn && k < 8u * REQ_NR; k++) {
			const struct policy_event e = {
				.nr_pcpus = 2, .nr_vms = 1, .root = 0,
				.nr_roots = 2, .roots = { 0, 1 },
				.migrated = k & 1, .virtual_apic = k & 2,
				.guest_mode = k & 4, .vpid02 = true,
				.request = (u8)(k / 8),
				.option = policy->option,
			};

			nr = add_sites(&e, hook, fn, out, nr);
		}
	}
	return nr;
}

/* --- words --- */

static void step_text(const struct mutation *m,
		      const struct flush_policy_ops *ops, char *to, size_t size)
{
	static const char *const flushes[PLAN_FLUSH_NR] = {
		[PLAN_INVEPT_SINGLE] = "INVEPT-single",
		[PLAN_INVEPT_GLOBAL] = "INVEPT-global",
		[PLAN_INVVPID_SINGLE] = "INVVPID-single of vpid01",
		[PLAN_INVVPID_VPID02] = "INVVPID-single of vpid02",
		[PLAN_INVVPID_ALL] = "INVVPID-all",
	};

	switch (m->op) {
	case PLAN_FLUSH:
		snprintf(to, size, "%s", flushes[m->arg]);
		break;
	case PLAN_FLUSH_ALL_PCPUS:
		snprintf(to, size, "%s everywhere", flushes[m->arg]);
		break;
	case PLAN_FLUSH_MASK:
		snprintf(to, size, "%s on the mask", flushes[m->arg]);
		break;
	case PLAN_HYPERCALL:
		snprintf(to, size, "flush hypercall");
		break;
	case PLAN_REQUEST:
		snprintf(to, size, "request");
		break;
	case PLAN_PREEMPT_OFF:
		snprintf(to, size, "section");
		break;
	default:
		snprintf(to, size, "%s of %s", is_skip(m->op) ? "test" :
			 m->op == PLAN_LATCH ? "read" : "write",
			 ops->rows[m->arg].name);
	}
}

void mutation_text(const struct mutation *m, const struct flush_policy_ops *ops,
		   char *to)
{
	static const char *const kinds[MUTATION_KIND_NR] = {
#define X(id, text) [MUTATE_##id] = text,
		MUTATIONS(X)
#undef X
	};
	char step[48];

	BUG_ON(m->kind >= MUTATION_KIND_NR);
	step_text(m, ops, step, sizeof(step));
	snprintf(to, MUTATION_TEXT_MAX, "%s: %s %s", policy_hook_name(m->hook),
		 kinds[m->kind], step);
}
