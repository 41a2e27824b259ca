#include "sim/cli/explore_mutate.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "models/l0/l0.h"
#include "models/mutation.h"
#include "sim/base/err.h"
#include "sim/cli/cmd.h"
#include "sim/cli/find_configs.h"
#include "sim/cli/interrupt.h"
#include "sim/config/complain.h"
#include "sim/config/json.h"
#include "sim/driver/budget.h"

#define AND(kind)	(1u << ACTION_##kind)

/* Small worlds, those first that show most at least cost. */
static const struct {
	u32 pcpus;
	u32 vms;
	u32 vcpus;
	u32 allowed;
	u32 l0;
	u8 memslots;			/* deletions, at most */
} worlds[] = {
	{ 2, 1, 1, AND(CHANGE) | AND(FAULT), L0_BARE, 0 },
	{ 2, 1, 1, AND(GUEST_FLUSH), L0_BARE, 0 },
	{ 2, 1, 1, AND(GUEST_ASKS), L0_BARE, 0 },
	{ 1, 1, 1, AND(APIC_MODE), L0_BARE, 0 },
	{ 1, 1, 2, AND(APIC_MODE), L0_BARE, 0 },
	{ 1, 1, 1, AND(GUEST_ASKS) | AND(NESTED_EPT), L0_BARE, 0 },
	{ 2, 1, 1, AND(HOTPLUG) | AND(CHANGE), L0_BARE, 0 },
	{ 2, 1, 1, AND(CHANGE) | AND(MEMSLOT), L0_BARE, 1 },
	{ 1, 2, 1, AND(MEMSLOT), L0_BARE, 1 },
	{ 2, 1, 1, AND(MEMSLOT), L0_BARE, 2 },
	{ 2, 1, 1, AND(CHANGE) | AND(RELOAD), L0_BARE, 0 },
	{ 2, 1, 1, AND(GUEST_FLUSH) | AND(NESTED_EPT), L0_BARE, 0 },
	{ 2, 1, 1, AND(CHANGE) | AND(NESTED_SHADOW), L0_BARE, 0 },
	{ 2, 1, 1, AND(CHANGE) | AND(NESTED_SHADOW), L0_HYPERV, 0 },
	{ 2, 1, 1, AND(CHANGE) | AND(NESTED_EPT), L0_BARE, 0 },
	{ 2, 1, 2, AND(CHANGE), L0_BARE, 0 },
};

#define WORLDS	ARRAY_SIZE(worlds)

/* @usable: worlds in which the policy itself is exhausted clean. */
struct mutation_run {
	struct explore_run *r;
	u64 mem_bytes;
	bool usable[WORLDS];
	struct json_doc *reasons;
	u32 killed;
	u32 explained;
	u32 survived;
};

static bool explore_world(struct explore_run *r, u32 w, u64 mem_bytes,
			  struct explored *e)
{
	const struct mutation *bug = r->machine.config.mutation;
	struct flush_policy policy = r->machine.policy;
	struct budget budget;
	struct err err;

	budget_init(&budget, ACTIONS_SCHED | worlds[w].allowed);
	if (worlds[w].memslots)
		budget.times[ACTION_MEMSLOT] = worlds[w].memslots;
	small_machine_init(&r->machine, worlds[w].pcpus, worlds[w].vms,
			   worlds[w].vcpus, budget.allowed);
	r->machine.policy = policy;
	r->machine.config.mutation = bug;
	small_machine_below(&r->machine, worlds[w].l0);
	explore_run_init(r, (struct environ){ .ops = &environ_budget,
					      .arg = &budget }, mem_bytes);
	r->x.any = true;
	r->x.progress = NULL;
	if (!explore(&r->x, e, &err))
		return true;
	fprintf(stderr, "error: %s\n", err.msg);
	return false;
}

static bool applies(struct explore_run *r, u32 w)
{
	const char *why;

	small_machine_below(&r->machine, worlds[w].l0);
	r->machine.config.l0 = &r->machine.l0;
	r->machine.config.policy = &r->machine.policy;
	return machine_applies(&r->machine.config, &why);
}

static int find_usable(struct mutation_run *s)
{
	struct explore_run *r = s->r;
	struct explored e;

	r->machine.config.mutation = NULL;
	for (u32 w = 0; w < WORLDS && !interrupted; w++) {
		if (!applies(r, w))
			continue;
		if (!explore_world(r, w, s->mem_bytes, &e))
			return STATUS_BUG;
		s->usable[w] = e.exhausted;
		explored_release(&e);
	}
	return interrupted ? STATUS_SIGINT : STATUS_OK;
}

static const char *reason_for(const struct json_doc *reasons,
			      const struct flush_policy *policy,
			      const char *text)
{
	struct json_node top = json_top(reasons);
	struct json_node of = json_member(&top, policy->spelling);
	struct json_node why = json_member(&of, text);

	return json_is_string(why.v) ? json_string_value(why.v) : NULL;
}

static int try_bug(struct mutation_run *s, const struct mutation *bug)
{
	struct explore_run *r = s->r;
	char text[MUTATION_TEXT_MAX];
	struct explored e;
	const char *reason;

	mutation_text(bug, r->machine.policy.ops, text);
	r->machine.config.mutation = bug;
	for (u32 w = 0; w < WORLDS; w++) {
		if (!s->usable[w])
			continue;
		if (!explore_world(r, w, s->mem_bytes, &e))
			return STATUS_BUG;
		if (interrupted)
			return STATUS_SIGINT;
		if (e.violated) {
			printf("  killed    %-52s line %3u  %s in %u steps\n",
			       text, bug->site, e.finding.invariant, e.nr_path);
			fflush(stdout);
			s->killed++;
			explored_release(&e);
			return STATUS_OK;
		}
		explored_release(&e);
	}
	reason = reason_for(s->reasons, &r->machine.policy, text);
	s->explained += !!reason;
	s->survived += !reason;
	printf("  %s %-52s line %3u\n", reason ? "harmless " : "SURVIVED ", text,
	       bug->site);
	if (reason)
		printf("            %s\n", reason);
	fflush(stdout);
	return STATUS_OK;
}

static int read_reasons(struct json_doc **out)
{
	char dir[PATH_MAX - 32], path[PATH_MAX];
	struct complaints c;
	struct err err;
	int ret;

	if (find_configs_dir(dir, sizeof(dir), &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_USAGE;
	}
	snprintf(path, sizeof(path), "%s/mutants/equivalent.json", dir);
	complaints_init(&c);
	ret = json_doc_read(path, out, &c) || c.nr ? STATUS_USAGE : STATUS_OK;
	complaints_print(&c, stderr);
	complaints_release(&c);
	return ret;
}

int explore_mutate(struct explore_run *r, const struct flush_policy *policy,
		   u64 mem_bytes)
{
	static struct mutation bugs[MUTATIONS_MAX];
	struct mutation_run s = { .r = r, .mem_bytes = mem_bytes };
	u32 nr = mutation_list(policy, bugs), worlds_nr = 0;
	int status = read_reasons(&s.reasons);

	memset(&r->machine, 0, sizeof(r->machine));
	r->machine.policy = *policy;
	if (!status)
		status = find_usable(&s);
	for (u32 w = 0; w < WORLDS && !status; w++)
		worlds_nr += s.usable[w];
	if (!status)
		printf("%s: %u bugs, in %u of %zu worlds\n", policy->spelling,
		       nr, worlds_nr, WORLDS);
	for (u32 i = 0; i < nr && !status; i++)
		status = try_bug(&s, &bugs[i]);
	json_doc_free(s.reasons);
	if (status)
		return status;
	printf("%s: %u killed, %u harmless for a stated reason, %u survived\n",
	       policy->spelling, s.killed, s.explained, s.survived);
	return s.survived ? STATUS_BROKEN : STATUS_OK;
}
