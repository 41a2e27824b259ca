/* The result as comma-separated values (RFC 4180), one row per policy. */
#ifndef SIM_REPORT_CSV_H
#define SIM_REPORT_CSV_H

#include <stdio.h>

#include "sim/core/result.h"
#include "sim/report/recost.h"

struct err;

/**
 * csv_write() - print a comparison as CSV
 * @out: stream
 * @c: comparison
 * @rc: outcome of recost() on @c
 * @err: set on failure
 *
 * The first record names the columns; a name ends in its unit.  Skipped
 * policies have a row with the reason and empty figures.
 *
 * Return: 0, or -EIO if @out could not be written.
 */
int csv_write(FILE *out, const struct comparison *c, const struct recost *rc,
	      struct err *err);

#endif /* SIM_REPORT_CSV_H */
