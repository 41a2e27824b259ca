/*
 * What a finding rests on: of all that happened, the facts without which a
 * checker would not have objected.  They are found by leaving facts out, so no
 * checker has to say them.
 */
#ifndef SIM_REPORT_ESSENTIAL_H
#define SIM_REPORT_ESSENTIAL_H

#include "sim/core/probe.h"

/**
 * essential_mark() - tell facts that a finding rests on from the others
 * @ops: checker
 * @shape: sizes of the run that @rec came from
 * @rec: @nr records in the order in which they were emitted
 * @nr: their number
 * @mark: @nr flags; set: the checker objects to a row of records without all
 *        that are not marked, and not if one more is left out
 *
 * Only facts that put something into a TLB, change a mapping or condemn one
 * are marked, and the one that is objected to: an event that flushes too little
 * is not to blame for anything by itself.
 *
 * Return: index of the record that is objected to; -ENOENT if none is; -ENOMEM.
 */
int essential_mark(const struct observer_ops *ops, const struct run_shape *shape,
		   const struct probe_rec *rec, u32 nr, bool *mark);

#endif /* SIM_REPORT_ESSENTIAL_H */
