/* The options of explore, and what they are set to. */
#include "sim/cli/explore_args.h"

#include <argp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/check/adversary.h"
#include "sim/cli/arg_number.h"
#include "sim/driver/small.h"
#include "models/l0/l0.h"

enum { OPT_PCPUS = 256, OPT_VMS, OPT_VCPUS, OPT_ROOTS, OPT_MEM, OPT_L0,
       OPT_WITH, OPT_WITHOUT, OPT_BUDGET, OPT_NO_SYMMETRY, OPT_NO_REDUCTION, OPT_OUT,
       OPT_MUTATE, OPT_SVG, OPT_DOT, OPT_JSON, OPT_EXACT, OPT_INVARIANT,
       OPT_PCIDS };

#define JOBS_MAX	256u

static const struct argp_option options[] = {
	{ "policy", 'p', "LIST", 0,
	  "Policies separated by commas, or all", 0 },
	{ "pcpus", OPT_PCPUS, "N", 0,
	  "pCPUs, 1 to 4 (default 2); --random: to 256", 0 },
	{ "vms", OPT_VMS, "N", 0,
	  "VMs, 1 to 4 (default 1), at most 8 vCPUs in all; 512 and 512 with --random",
	  0 },
	{ "vcpus", OPT_VCPUS, "N", 0,
	  "vCPUs of each VM, 1 to 4 (default 1); --random: to 512", 0 },
	{ "roots", OPT_ROOTS, "N", 0,
	  "Frames that can hold a root, 2 to 64 (default: what can be live)", 0 },
	{ "pcids", OPT_PCIDS, "N", 0,
	  "PCIDs of the guests, 1 or 2 (default 1); 2: with a global page, too, for guest_op",
	  0 },
	{ "l0", OPT_L0, "NAME", 0, "Hypervisor below: bare or hyperv", 0 },
	{ "with", OPT_WITH, "LIST", 0,
	  "What the environment does besides scheduling: words as for --without, which may follow",
	  0 },
	{ "without", OPT_WITHOUT, "LIST", 0,
	  "What the environment does not do: exit, fault, guest_write, guest_flush, guest_op, guest_asks, pv_flush, reload, apic_mode, nested_ept, nested_other, nested_shadow, eptp_switch (or all four: nested), change, clear_dirty, memslot, hotplug",
	  0 },
	{ "budget", OPT_BUDGET, "KIND=N,...", 0,
	  "How often at most, 0 to 14, on any path: kinds as above, sched_in, sched_out; without bound unless given",
	  0 },
	{ "mutate", OPT_MUTATE, NULL, 0,
	  "Put each possible bug into the policy: does a small world show it?  Sizes and events are chosen for that",
	  0 },
	{ "out", OPT_OUT, "FILE", 0,
	  "Write the schedule of a violation as a litmus file", 0 },
	{ "svg", OPT_SVG, "FILE", 0,
	  "Draw the schedule of a violation, a lane per pCPU, as SVG", 0 },
	{ "dot", OPT_DOT, "FILE", 0, "The same for dot of graphviz", 0 },
	{ "json", OPT_JSON, "FILE", 0,
	  "Write verdicts, sizes and schedules of all policies as JSON", 0 },
	{ "invariant", OPT_INVARIANT, "NAME", 0,
	  "Judge one of I1 to I6 only (default: all at once): fewer states to tell apart",
	  0 },
	{ "jobs", 'j', "N", 0,
	  "Threads, 1 to 256 (default: one for each CPU); the outcome is the same",
	  0 },
	{ "mem", OPT_MEM, "MIB", 0, "Memory for states (default 4096)", 0 },
	{ "exact", OPT_EXACT, NULL, 0,
	  "Compare whole states, not hashes of 128 bits; takes three times the memory",
	  0 },
	{ "no-symmetry", OPT_NO_SYMMETRY, NULL, 0,
	  "Tell states apart that differ in the names of pCPUs, VMs or frames only", 0 },
	{ "no-reduction", OPT_NO_REDUCTION, NULL, 0,
	  "Interleave steps, too, that commute with all others", 0 },
	{ 0 },
};

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
		if (k != ACTION_NESTED_EXIT && !(ACTIONS_ASSERT & 1u << k) &&
		    is_word(action_name(k), text, len))
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
				b->times[k] = (u8)arg_number(state, "budget",
							     times, 0,
							     BUDGET_MAX);
		list += len + (list[len] == ',');
	}
}

/* Options that are a number, a flag, or the name of a file. */
static const struct {
	int key;
	size_t at;			/* in struct explore_args */
	u32 min;
	u32 max;
} numbers[] = {
	{ OPT_ROOTS, offsetof(struct explore_args, roots), 2, 64 },
	{ OPT_PCIDS, offsetof(struct explore_args, pcids), 1, PCIDS_MAX },
	{ OPT_MEM, offsetof(struct explore_args, mem_mib), 1, 1u << 20 },
	{ 'j', offsetof(struct explore_args, jobs), 1, JOBS_MAX },
};

static const struct {
	int key;
	size_t at;
} flags[] = {
	{ OPT_MUTATE, offsetof(struct explore_args, mutate) },
	{ OPT_EXACT, offsetof(struct explore_args, exact) },
	{ OPT_NO_SYMMETRY, offsetof(struct explore_args, no_symmetry) },
	{ OPT_NO_REDUCTION, offsetof(struct explore_args, no_reduction) },
};

/* Of no use to random runs. */
static const int exhaustive[] = {
	OPT_ROOTS, OPT_MEM, 'j', OPT_MUTATE, OPT_EXACT, OPT_NO_SYMMETRY,
	OPT_NO_REDUCTION, OPT_JSON,
};

static const struct {
	int key;
	enum explore_file file;
} files[] = {
	{ OPT_OUT, EXPLORE_OUT },
	{ OPT_SVG, EXPLORE_SVG },
	{ OPT_DOT, EXPLORE_DOT },
	{ OPT_JSON, EXPLORE_JSON },
};

static const char *option_name(int key)
{
	const struct argp_option *o = options;

	while (o->key != key)
		o++;
	return o->name;
}

static bool parse_by_table(int key, const char *arg, struct argp_state *state)
{
	struct explore_args *a = state->input;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (key == numbers[i].key) {
			*(u32 *)((char *)a + numbers[i].at) =
				(u32)arg_number(state, option_name(key), arg,
						numbers[i].min, numbers[i].max);
			return true;
		}
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (key == flags[i].key) {
			*(bool *)((char *)a + flags[i].at) = true;
			return true;
		}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (key == files[i].key) {
			a->output.path[files[i].file] = arg;
			return true;
		}
	return false;
}

/* Which sizes are possible depends on what is asked for. */
static void read_sizes(struct argp_state *state, struct explore_args *a)
{
	const struct {
		u32 *to;
		u32 most;
		u32 most_random;
	} sizes[] = {
		{ &a->pcpus, SMALL_PCPUS_MAX, ACTIONS_PCPUS_MAX },
		{ &a->vms, SMALL_VMS_MAX, ACTIONS_VMS_MAX },
		{ &a->vcpus, SMALL_PER_VM_MAX, ACTIONS_VCPUS_MAX },
	};
	u32 most = a->random.nr ? ACTIONS_VCPUS_MAX : SMALL_VCPUS_MAX;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (a->size[i])
			*sizes[i].to = (u32)arg_number(
				state, option_name(OPT_PCPUS + (int)i),
				a->size[i], 1,
				a->random.nr ? sizes[i].most_random :
					       sizes[i].most);
	if (a->vms * a->vcpus > most)
		argp_error(state, "--vms times --vcpus: %u vCPUs; expected at most %u",
			   a->vms * a->vcpus, most);
}

/* Without PCIDs guest_op adds nothing that other kinds have not. */
static void read_guest_ops(struct argp_state *state, struct explore_args *a)
{
	if (a->pcids > 1)
		return;
	if (a->named & 1u << ACTION_GUEST_OP)
		argp_error(state, "--with: guest_op needs --pcids %u", PCIDS_MAX);
	a->budget.allowed &= ~(1u << ACTION_GUEST_OP);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct explore_args *a = state->input;

	for (size_t i = 0; i < ARRAY_SIZE(exhaustive); i++)
		if (key == exhaustive[i])
			a->exhaustive = option_name(key);
	if (parse_by_table(key, arg, state))
		return 0;
	switch (key) {
	case 'p':
		a->policies = arg;
		return 0;
	case OPT_PCPUS:
	case OPT_VMS:
	case OPT_VCPUS:
		a->size[key - OPT_PCPUS] = arg;
		return 0;
	case OPT_BUDGET:
		budget(state, &a->budget, arg);
		return 0;
	case OPT_INVARIANT:
		a->judge = adversary_find(arg);
		if (!a->judge)
			argp_error(state, "--invariant: \"%.40s\"; expected I1 to I6",
				   arg);
		return 0;
	case OPT_L0:
		for (a->l0 = 0; strcmp(arg, l0_kind_name(a->l0)); )
			if (++a->l0 == L0_KIND_NR)
				argp_error(state, "--l0: \"%.40s\"; expected bare or hyperv",
					   arg);
		return 0;
	case OPT_WITH:
		a->named = kinds_in(state, "with", arg);
		a->budget.allowed = ACTIONS_SCHED | a->named;
		return 0;
	case OPT_WITHOUT:
		a->budget.allowed &= ~kinds_in(state, "without", arg);
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->random;
		return 0;
	case ARGP_KEY_END:
		if (!a->policies)
			argp_error(state, "which --policy?");
		if (a->random.nr && a->exhaustive)
			argp_error(state, "--%s: not with --random", a->exhaustive);
		read_sizes(state, a);
		read_guest_ops(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static u32 cpus_online(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > JOBS_MAX ? JOBS_MAX : (u32)n;
}

int explore_args_parse(struct explore_args *a, int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &explore_random_argp, 0, NULL, 0 }, { 0 },
	};
	static const struct argp argp = {
		options, parse, NULL,
		"Explore every interleaving of a small machine, or some at random of a big one.\v"
		"Breadth first: the first violation is the shortest.  At random: "
		"it is shrunk.  The exit status is 1 if one was found, else 3 if memory was used up "
		"before all was explored, and 0 if there is none.",
		children, NULL, NULL,
	};

	memset(a, 0, sizeof(*a));
	a->pcpus = 2;
	a->vms = a->vcpus = 1;
	a->mem_mib = 4096;
	a->pcids = 1;
	a->jobs = cpus_online();
	budget_init(&a->budget, ((1u << ACTION_NR) - 1) & ~ACTIONS_ASSERT);
	return argp_parse(&argp, argc, argv, 0, NULL, a);
}
