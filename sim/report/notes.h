/*
 * No over-claiming: the sentences under a table, which say what its figures
 * rest on and what they cannot show, and the findings with their replay.
 */
#ifndef SIM_REPORT_NOTES_H
#define SIM_REPORT_NOTES_H

#include <stdio.h>

#include "sim/core/result.h"
#include "sim/report/recost.h"

/**
 * notes_write() - print what the figures rest on
 * @out: stream
 * @c: comparison
 * @rc: outcome of recost() on @c
 */
void notes_write(FILE *out, const struct comparison *c,
		 const struct recost *rc);

/**
 * findings_write() - print what the checkers objected to
 * @out: stream
 * @c: comparison
 *
 * One block per policy with findings, or with a verdict that differs from the
 * expected one: the first sentence of each invariant and kind, and the command
 * that shows it again.  Prints nothing if there is nothing to say.
 */
void findings_write(FILE *out, const struct comparison *c);

#endif /* SIM_REPORT_NOTES_H */
