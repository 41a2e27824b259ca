/* eptsim explore: every interleaving of a bounded configuration. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/cli/cmd.h"
#include "sim/cli/explore_mutate.h"
#include "sim/cli/explore_random.h"
#include "sim/cli/explore_run.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/litmus_write.h"
#include "sim/cli/policies.h"
#include "sim/driver/budget.h"

enum { OPT_PCPUS = 256, OPT_VMS, OPT_VCPUS, OPT_ROOTS, OPT_MEM, OPT_L0,
       OPT_WITH, OPT_WITHOUT, OPT_BUDGET, OPT_NO_SYMMETRY, OPT_NO_REDUCTION, OPT_OUT,
       OPT_MUTATE };

struct explore_args {
	const char *policies;
	const char *out;
	const char *size[3];		/* --pcpus, --vms, --vcpus as they stand */
	const char *exhaustive;		/* an option of no use to random runs */
	struct random_args random;
	u32 pcpus;
	u32 vms;
	u32 vcpus;
	u32 roots;
	u64 mem_mib;
	u32 l0;
	struct budget budget;
	bool no_symmetry;
	bool no_reduction;
	bool mutate;
};

static const struct argp_option options[] = {
	{ "policy", 'p', "LIST", 0,
	  "Policies separated by commas, or all", 0 },
	{ "pcpus", OPT_PCPUS, "N", 0,
	  "pCPUs, 1 to 4 (default 2); --random: to 256", 0 },
	{ "vms", OPT_VMS, "N", 0,
	  "VMs, 1 to 4 (default 1), at most 8 vCPUs in all; --random: to 512, 512 vCPUs",
	  0 },
	{ "vcpus", OPT_VCPUS, "N", 0,
	  "vCPUs of each VM, 1 to 4 (default 1); --random: to 512", 0 },
	{ "roots", OPT_ROOTS, "N", 0,
	  "Frames that can hold a root, 2 to 64 (default: what can be live)", 0 },
	{ "l0", OPT_L0, "NAME", 0, "Hypervisor below: bare or hyperv", 0 },
	{ "with", OPT_WITH, "LIST", 0,
	  "What the environment does besides scheduling: words as for --without, which may follow",
	  0 },
	{ "without", OPT_WITHOUT, "LIST", 0,
	  "What the environment does not do: exit, fault, guest_flush, guest_asks, pv_flush, reload, apic_mode, nested_ept, nested_other, nested_shadow (or all three: nested), change, clear_dirty, memslot, hotplug",
	  0 },
	{ "budget", OPT_BUDGET, "KIND=N,...", 0,
	  "How often at most, 0 to 14, on any path: kinds as above, sched_in, sched_out; without bound unless given",
	  0 },
	{ "mutate", OPT_MUTATE, NULL, 0,
	  "Put each possible bug into the policy: does a small world show it?  Sizes and events are chosen for that",
	  0 },
	{ "out", OPT_OUT, "FILE", 0,
	  "Write the schedule of a violation as a litmus file", 0 },
	{ "mem", OPT_MEM, "MIB", 0, "Memory for states (default 4096)", 0 },
	{ "no-symmetry", OPT_NO_SYMMETRY, NULL, 0,
	  "Tell states apart that differ in the names of pCPUs only", 0 },
	{ "no-reduction", OPT_NO_REDUCTION, NULL, 0,
	  "Interleave steps, too, that commute with all others", 0 },
	{ 0 },
};

static u32 number(struct argp_state *state, const char *what, const char *arg,
		  u32 min, u32 max)
{
	char *end;
	unsigned long v = strtoul(arg, &end, 10);

	if (!*arg || *end || v < min || v > max)
		argp_error(state, "--%s: \"%.40s\"; expected %u to %u", what,
			   arg, min, max);
	return (u32)v;
}

static bool is_word(const char *word, const char *text, size_t len)
{
	return !strncmp(word, text, len) && !word[len];
}

/* What the environment may be told not to do: a kind, or a group of them. */
static u32 kinds_of(const char *text, size_t len)
{
	if (is_word("nested", text, len))
		return ACTIONS_NESTED;
	for (u32 k = ACTION_SCHED_IN; k < ACTION_NR; k++)
		if (k != ACTION_NESTED_EXIT && is_word(action_name(k), text, len))
			return 1u << k;
	return 0;
}

/* Kinds of a list, @option naming the option for a complaint. */
static u32 kinds_in(struct argp_state *state, const char *option,
		    const char *list)
{
	u32 all = 0;

	while (*list) {
		size_t len = strcspn(list, ",");
		u32 kinds = kinds_of(list, len);

		if (!kinds)
			argp_error(state, "--%s: nothing is named \"%.*s\"",
				   option, (int)len, list);
		all |= kinds;
		list += len + (list[len] == ',');
	}
	return all;
}

static void budget(struct argp_state *state, struct budget *b, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ","), word = strcspn(list, "=,");
		u32 kinds = kinds_of(list, word);
		char times[8] = "";

		if (word < len && len - word - 1 < sizeof(times))
			memcpy(times, list + word + 1, len - word - 1);
		if (!kinds)
			argp_error(state, "--budget: nothing is named \"%.*s\"",
				   (int)word, list);
		for (u32 k = 0; k < ACTION_NR; k++)
			if (kinds & 1u << k)
				b->times[k] = (u8)number(state, "budget", times,
							 0, BUDGET_MAX);
		list += len + (list[len] == ',');
	}
}

/* What is possible depends on what is asked for. */
static void sizes(struct argp_state *state, struct explore_args *a)
{
	static const u32 large[] = { ACTIONS_PCPUS_MAX, ACTIONS_VMS_MAX,
				     ACTIONS_VCPUS_MAX };
	static const u32 small[] = { SMALL_PCPUS_MAX, SMALL_VMS_MAX,
				     SMALL_PER_VM_MAX };
	static const char *const name[] = { "pcpus", "vms", "vcpus" };
	u32 *const to[] = { &a->pcpus, &a->vms, &a->vcpus };
	u32 most = a->random.nr ? ACTIONS_VCPUS_MAX : SMALL_VCPUS_MAX;

	for (u32 i = 0; i < ARRAY_SIZE(to); i++)
		if (a->size[i])
			*to[i] = number(state, name[i], a->size[i], 1,
					(a->random.nr ? large : small)[i]);
	if (a->vms * a->vcpus > most)
		argp_error(state, "--vms times --vcpus: %u vCPUs; expected at most %u",
			   a->vms * a->vcpus, most);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct explore_args *a = state->input;

	switch (key) {
	case 'p':
		a->policies = arg;
		return 0;
	case OPT_PCPUS:
	case OPT_VMS:
	case OPT_VCPUS:
		a->size[key - OPT_PCPUS] = arg;
		return 0;
	case OPT_ROOTS:
		a->exhaustive = "roots";
		a->roots = number(state, "roots", arg, 2, 64);
		return 0;
	case OPT_BUDGET:
		budget(state, &a->budget, arg);
		return 0;
	case OPT_MEM:
		a->exhaustive = "mem";
		a->mem_mib = number(state, "mem", arg, 1, 1u << 20);
		return 0;
	case OPT_L0:
		for (a->l0 = 0; strcmp(arg, l0_kind_name(a->l0)); )
			if (++a->l0 == L0_KIND_NR)
				argp_error(state, "--l0: \"%.40s\"; expected bare or hyperv",
					   arg);
		return 0;
	case OPT_WITH:
		a->budget.allowed = ACTIONS_SCHED | kinds_in(state, "with", arg);
		return 0;
	case OPT_WITHOUT:
		a->budget.allowed &= ~kinds_in(state, "without", arg);
		return 0;
	case OPT_MUTATE:
		a->exhaustive = "mutate";
		a->mutate = true;
		return 0;
	case OPT_OUT:
		if (!*arg)
			argp_error(state, "--out: the file name is empty");
		a->out = arg;
		return 0;
	case OPT_NO_SYMMETRY:
		a->exhaustive = "no-symmetry";
		a->no_symmetry = true;
		return 0;
	case OPT_NO_REDUCTION:
		a->exhaustive = "no-reduction";
		a->no_reduction = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->random;
		return 0;
	case ARGP_KEY_END:
		if (!a->policies)
			argp_error(state, "which --policy?");
		if (a->random.nr && a->exhaustive)
			argp_error(state, "--%s: not with --random", a->exhaustive);
		sizes(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void set_up(struct explore_run *r, const struct explore_args *a)
{
	struct small_machine *m = &r->machine;

	small_machine_init(m, a->pcpus, a->vms, a->vcpus, a->budget.allowed);
	m->l0.kind = a->l0;
	m->l0.shadow_shared = m->l0.flush_hypercall = a->l0 == L0_HYPERV;
	if (a->roots)
		m->config.nr_roots = a->roots;
	explore_run_init(r, (struct environ){ .ops = &environ_budget,
					      .arg = &a->budget },
			 a->mem_mib << 20);
	r->x.symmetry = !a->no_symmetry;
	r->x.reduce = !a->no_reduction;
}

static bool bounded(const struct budget *b)
{
	for (u32 k = 0; k < ACTION_NR; k++)
		if (b->times[k] != BUDGET_NONE)
			return true;
	return false;
}

static void report(const struct explore_run *r, const struct explore_args *a,
		   const struct explored *e, double seconds)
{
	printf("%s: %s; %llu states, %llu transitions, depth %u, %.2f s, %.0f states/s, %.0f bytes/state\n",
	       r->machine.policy.spelling,
	       e->violated ? "broken" : e->exhausted ?
	       bounded(&a->budget) ? "exhausted within the budgets, no violation" :
	       "exhausted, no violation" : "not exhausted, no violation so far",
	       (unsigned long long)e->states,
	       (unsigned long long)e->transitions, e->depth, seconds,
	       (double)e->states / (seconds > 0 ? seconds : 1e-9),
	       e->state_bytes);
	if (!e->violated)
		return;
	printf("  %s: %s\n", e->finding.invariant, e->finding.text);
	if (!e->shortest)
		printf("  (there may be a schedule that is a few steps shorter)\n");
}

/* The schedule as sentences, and as a file that eptsim litmus replays. */
static int tell(struct explore_run *r, const struct explore_args *a,
		const struct explored *e, struct err *err)
{
	int ret = explore_run_tell(r, e, stdout, err);

	if (ret || !a->out)
		return ret ? STATUS_BUG : STATUS_BROKEN;
	if (litmus_write(a->out, r, e, err))
		return STATUS_USAGE;
	return STATUS_BROKEN;
}

static int run_one(struct explore_run *r, const struct explore_args *a)
{
	int status = STATUS_OK;
	struct explored e;
	struct err err;
	double seconds;

	if (explore_run_timed(r, &e, &seconds, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_BUG;
	}
	report(r, a, &e, seconds);
	if (e.violated)
		status = tell(r, a, &e, &err);
	if (status > STATUS_BROKEN)
		fprintf(stderr, "error: %s\n", err.msg);
	fflush(stdout);
	explored_release(&e);
	return interrupted ? STATUS_SIGINT : status;
}

static int run_all(struct explore_run *r, const struct explore_args *a,
		   const struct flush_policy *list, u32 nr)
{
	int status = STATUS_OK, one;
	const char *why;

	for (u32 i = 0; i < nr && a->mutate; i++) {
		one = explore_mutate(r, &list[i], a->mem_mib << 20);
		if (one > status)
			status = one;
		if (one > STATUS_BROKEN)
			return status;
	}
	for (u32 i = 0; i < nr && !a->mutate; i++) {
		r->machine.policy = list[i];
		if (!machine_applies(&r->machine.config, &why)) {
			printf("%s: n/a: %s\n", r->machine.policy.spelling, why);
			continue;
		}
		one = a->random.nr ? explore_random(r, &a->random, a->out) :
				     run_one(r, a);
		if (one > status)
			status = one;
		if (one > STATUS_BROKEN)
			break;
	}
	return status;
}

int cmd_explore(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &explore_random_argp, 0, NULL, 0 }, { 0 },
	};
	static const struct argp argp = {
		options, parse, NULL,
		"Explore every interleaving of a small machine, or some at random of a big one.\v"
		"Breadth first: the first violation is the shortest.  At random: "
		"it is shrunk.  The exit "
		"status is 1 if one was found, and 0 if none was: that proves "
		"something only where the answer is \"exhausted\".",
		children, NULL, NULL,
	};
	struct explore_args a = {
		.pcpus = 2, .vms = 1, .vcpus = 1, .mem_mib = 4096,
	};
	static struct flush_policy policies[POLICIES_MAX];
	static struct explore_run run;
	struct err err;
	u32 nr;

	budget_init(&a.budget, (1u << ACTION_NR) - 1);
	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return STATUS_USAGE;
	if (policies_parse(a.policies, policies, &nr, &err)) {
		fprintf(stderr, "error: %s\n", err.msg);
		return STATUS_USAGE;
	}
	if (a.out && nr > 1) {
		fprintf(stderr, "error: --out: one file for one policy, but %u are named\n",
			nr);
		return STATUS_USAGE;
	}
	interrupt_catch(SIGINT);
	progress_begin(&run.progress, isatty(STDERR_FILENO) ? stderr : NULL);
	set_up(&run, &a);
	return run_all(&run, &a, policies, nr);
}
