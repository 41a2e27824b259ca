/* eptsim: the table of commands. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/base/types.h"
#include "sim/cli/cmd.h"
#include "sim/cli/version.h"

static const struct {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "compare", cmd_compare, "several policies on one schedule, side by side" },
	{ "run", cmd_run, "one policy on one schedule" },
	{ "explore", cmd_explore, "every interleaving of a bounded configuration" },
	{ "litmus", cmd_litmus, "programs of actors, explored; policy beside policy" },
	{ "import", cmd_import, "recorded trace to compact trace" },
	{ "info", cmd_info, "what is in a trace" },
	{ "config", cmd_config, "check configuration files" },
	{ "list", cmd_list, "policies, costs, machines, workloads, invariants" },
};

static void usage(FILE *to)
{
	fprintf(to, "Usage: eptsim COMMAND [ARGUMENTS]\n\n"
		"Simulates TLBs, EPT roots and the flush policies of KVM: what a policy costs\n"
		"on a recorded schedule, and whether a guest could use a condemned translation.\n\n"
		"Commands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(to, "\n\"eptsim COMMAND --help\" explains a command.\n"
		"Exit status: 0 fine; 1 an invariant or an expected verdict was broken; 2 bad\n"
		"usage, configuration or trace; 3 out of memory or a bug; 130 interrupted.\n");
}

/* Results that did not reach the reader are no results. */
static int finish(int status)
{
	if (status > STATUS_BROKEN || (!fflush(stdout) && !ferror(stdout)))
		return status;
	fprintf(stderr, "error: cannot write to standard output: %s\n",
		strerror(errno));
	return STATUS_USAGE;
}

/* A file must not become a stream that was closed; writing there still fails. */
static void keep_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct err err;

	keep_standard_streams();
	argp_err_exit_status = STATUS_USAGE;
	if (argc < 2) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		usage(stdout);
		return finish(STATUS_OK);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("eptsim %s (%s)\n", eptsim_version, eptsim_commit);
		return finish(STATUS_OK);
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		char name[64];

		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "eptsim %s", commands[i].name);
		argv[1] = name;
		return finish(commands[i].fn(argc - 1, argv + 1));
	}
	err_set(&err, -EINVAL, "no command is named \"%.40s\"; \"eptsim --help\" lists them",
		argv[1]);
	fprintf(stderr, "error: %s\n", err.msg);
	return STATUS_USAGE;
}
