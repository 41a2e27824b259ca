/* Laying out and initialising the world. */
#ifndef SIM_MACHINE_LAYOUT_H
#define SIM_MACHINE_LAYOUT_H

#include "sim/machine/world.h"

/**
 * layout_create() - allocate a machine with its world in the initial state
 * @c: checked configuration
 * @out: set on success
 * @err: set on failure
 *
 * Return: 0 or -ENOMEM.
 */
int layout_create(const struct machine_config *c, struct machine **out,
		  struct err *err);

/**
 * layout_destroy() - release a machine
 * @m: machine; NULL is allowed
 */
void layout_destroy(struct machine *m);

#endif /* SIM_MACHINE_LAYOUT_H */
