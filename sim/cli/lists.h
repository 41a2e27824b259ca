/*
 * What "eptsim list" can show, as arrays of flat objects: one printer makes
 * tables of them, another JSON, a third Markdown.
 */
#ifndef SIM_CLI_LISTS_H
#define SIM_CLI_LISTS_H

#include <jansson.h>

#include "sim/base/types.h"

struct complaints;

/**
 * struct list - one kind of list
 * @name: word on the command line
 * @takes_file: a file or the name of a shipped one may follow it
 * @columns: keys shown in tables, in order, ended by NULL; the last one is
 *           not padded
 * @make: builds the array; @file is NULL without one; complains on failure
 */
struct list {
	const char *name;
	bool takes_file;
	const char *const *columns;
	json_t *(*make)(const char *file, struct complaints *c);
};

/* All of them; end at .name == NULL. */
extern const struct list lists[];

/**
 * list_policies() - the flush policies
 * @file: not used
 * @c: complaints
 *
 * Return: an array that the caller releases.
 */
json_t *list_policies(const char *file, struct complaints *c);

/**
 * list_costs() - the costs there are, or those of one sheet
 * @file: sheet, or the name of a shipped one; NULL lists shipped sheets
 * @c: complaints are added
 *
 * Return: an array that the caller releases, or NULL.
 */
json_t *list_costs(const char *file, struct complaints *c);

/**
 * list_machines() - the shipped machines
 * @file: not used
 * @c: complaints are added
 *
 * Return: an array that the caller releases, or NULL.
 */
json_t *list_machines(const char *file, struct complaints *c);

/**
 * list_workloads() - the workloads of the shipped scenarios
 * @file: not used
 * @c: complaints are added
 *
 * Return: an array that the caller releases, or NULL.
 */
json_t *list_workloads(const char *file, struct complaints *c);

/**
 * list_invariants() - what the checkers can object to
 * @file: not used
 * @c: complaints
 *
 * Return: an array that the caller releases.
 */
json_t *list_invariants(const char *file, struct complaints *c);

/**
 * list_params() - every tunable of scenarios and machines, from its row
 * @file: not used
 * @c: complaints
 *
 * Return: an array that the caller releases.
 */
json_t *list_params(const char *file, struct complaints *c);

#endif /* SIM_CLI_LISTS_H */
