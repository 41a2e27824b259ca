/*
 * What stands in a scenario file itself.  The files it names are followed by
 * scenario.c; nothing here touches the file system.
 */
#ifndef SIM_CLI_SCENARIO_READ_H
#define SIM_CLI_SCENARIO_READ_H

#include "sim/cli/scenario.h"
#include "sim/config/json.h"

/**
 * scenario_read() - read and check a scenario file
 * @top: top of the file
 * @s: zeroed scenario with @file set; filled as far as could be read, but for
 *     what stands in other files: machine, geometry and costs
 * @c: complaints are added
 *
 * Paths in the file are relative to the folder of @s->file; those from the
 * command line to the working directory.
 *
 * Overrides are read only if what they start from is sound; if l0 is not, its
 * kind is set to L0_KIND_NR.
 *
 * Return: 0 or -EINVAL.
 */
int scenario_read(const struct json_node *top, struct scenario *s,
		  struct complaints *c);

/* Rows of the plain members of a scenario; end at .name == NULL. */
extern const struct param_desc scenario_rows[];

/* Keys of a scenario that hold more than a plain value; end at NULL. */
extern const char *const scenario_keys[];

#endif /* SIM_CLI_SCENARIO_READ_H */
