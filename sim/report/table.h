/*
 * The table: what a comparison looks like on a terminal and in a mail.  Plain
 * ASCII, 80 columns whatever the names are.
 */
#ifndef SIM_REPORT_TABLE_H
#define SIM_REPORT_TABLE_H

#include <stdio.h>

#include "sim/base/types.h"
#include "sim/core/result.h"
#include "sim/report/recost.h"

struct err;

/**
 * table_write() - print a comparison
 * @out: stream
 * @c: comparison; @c->run[] in the order of the rows
 * @rc: outcome of recost() on @c
 * @colour: @out is a terminal that understands colours
 * @err: set on failure
 *
 * Three parts: verdicts and costs, one row per policy; where the time goes;
 * notes that say what the figures rest on.  Findings follow, each with the
 * command that replays it.
 *
 * Return: 0, or -EIO if @out could not be written.
 */
int table_write(FILE *out, const struct comparison *c, const struct recost *rc,
		bool colour, struct err *err);

#endif /* SIM_REPORT_TABLE_H */
