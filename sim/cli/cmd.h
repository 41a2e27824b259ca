/*
 * The commands.  Each file cmd_NAME.c holds the option rows, the texts and the
 * function of one command and no logic: parse, check, call, print.
 */
#ifndef SIM_CLI_CMD_H
#define SIM_CLI_CMD_H

/* Exit status; an interface. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_BROKEN = 1,	/* an invariant, or an expected verdict */
	STATUS_USAGE = 2,	/* usage, configuration or trace */
	STATUS_BUG = 3,		/* out of memory, or our bug */
	STATUS_SIGINT = 130,
};

/**
 * cmd_compare() - several policies on one schedule, side by side
 * @argc: number of words, the command's own name first
 * @argv: words
 *
 * Return: enum exit_status.
 */
int cmd_compare(int argc, char **argv);

/**
 * cmd_run() - one policy on one schedule
 * @argc: as cmd_compare()
 * @argv: as cmd_compare()
 *
 * Return: enum exit_status.
 */
int cmd_run(int argc, char **argv);

/**
 * cmd_explore() - every interleaving of a bounded configuration
 * @argc: as cmd_compare()
 * @argv: as cmd_compare()
 *
 * Return: enum exit_status.
 */
int cmd_explore(int argc, char **argv);

/**
 * cmd_litmus() - programs of actors, explored and judged
 * @argc: as cmd_compare()
 * @argv: as cmd_compare()
 *
 * Return: enum exit_status.
 */
int cmd_litmus(int argc, char **argv);

/**
 * cmd_import() - recorded trace to compact trace
 * @argc: as cmd_compare()
 * @argv: as cmd_compare()
 *
 * Return: enum exit_status.
 */
int cmd_import(int argc, char **argv);

/**
 * cmd_info() - what is in a file
 * @argc: as cmd_compare()
 * @argv: as cmd_compare()
 *
 * Return: enum exit_status.
 */
int cmd_info(int argc, char **argv);

/**
 * cmd_config() - check configuration files
 * @argc: as cmd_compare()
 * @argv: as cmd_compare()
 *
 * Return: enum exit_status.
 */
int cmd_config(int argc, char **argv);

/**
 * cmd_list() - list policies, costs, machines, workloads, invariants
 * @argc: as cmd_compare()
 * @argv: as cmd_compare()
 *
 * Return: enum exit_status.
 */
int cmd_list(int argc, char **argv);

#endif /* SIM_CLI_CMD_H */
