/*
 * Names under which a state is written, so that states which differ in names
 * only become one: a machine that plays on under other names of its pCPUs, of
 * its VMs with their vCPUs, or of the frames that hold roots does the same.
 *
 * What is known of an entity without naming any other decides most of the
 * order; only where that leaves a tie are several orders to be tried, and the
 * least string of all is the canonical one.  Frames need no trying: who uses
 * them gives them their order.
 *
 * vCPUs of one VM keep their order, since a remote flush goes through them by
 * number.
 */
#ifndef SIM_MACHINE_NAMES_H
#define SIM_MACHINE_NAMES_H

#include "sim/core/codec.h"
#include "sim/machine/machine.h"

#define NAMES_MAX	64u	/* of one kind */
#define NAMES_PERMUTED	4u	/* pCPUs and VMs; of more, names stay */
#define NAMES_ORDERS	24u	/* of that many */

/* Orders that may be tried of a kind: @from[k] is who comes k-th. */
struct name_orders {
	u32 nr;
	u8 from[NAMES_ORDERS][NAMES_PERMUTED];
};

/**
 * struct names - names for one state after the other
 * @rename: to write a state by, as names_first() and names_next() leave it
 * @to: tables of @rename
 * @from: tables of @rename
 * @orders: of pCPUs and of VMs
 * @at: orders that are being tried
 * @key: what ranks pCPUs and VMs in this state
 */
struct names {
	struct codec_rename rename;
	u8 to[CODEC_KIND_NR][NAMES_MAX];
	u8 from[CODEC_KIND_NR][NAMES_MAX];
	struct name_orders orders[CODEC_KIND_NR];
	u32 at[CODEC_KIND_NR];
	u64 key[CODEC_KIND_NR][NAMES_PERMUTED];
};

/**
 * names_init() - get ready for the states of a machine
 * @n: names; nothing to release, and must not be copied
 * @m: machine with an exploring configuration
 * @symmetric: false: every name stands for itself, and there is one order
 */
void names_init(struct names *n, const struct machine *m, bool symmetric);

/**
 * names_first() - the first names to write a state by
 * @n: names
 * @m: machine, in the state
 */
void names_first(struct names *n, const struct machine *m);

/**
 * names_next() - the next names for the same state
 * @n: names
 * @m: machine, in the same state
 *
 * Return: false if there are no others.
 */
bool names_next(struct names *n, const struct machine *m);

#endif /* SIM_MACHINE_NAMES_H */
