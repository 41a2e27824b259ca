/*
 * The result as one JSON object, for programs.  Keys and their order are an
 * interface: configs/schema/results.json describes them; keys may be added,
 * never changed.
 */
#ifndef SIM_REPORT_JSON_H
#define SIM_REPORT_JSON_H

#include <stdio.h>

#include "sim/core/result.h"
#include "sim/report/recost.h"

struct err;

/**
 * json_write() - print a comparison as JSON
 * @out: stream
 * @c: comparison
 * @rc: outcome of recost() on @c
 * @err: set on failure
 *
 * Skipped policies stand in "skipped", not in "runs".  A ratio that does not
 * exist, because no guest ran, is null, and so is a verdict that the scenario
 * does not state.  Bytes that are no UTF-8 become '?'.
 *
 * Return: 0; -EIO if @out could not be written; -ERANGE if a number does not
 * fit a JSON integer of 63 bits; -ENOMEM.
 */
int json_write(FILE *out, const struct comparison *c, const struct recost *rc,
	       struct err *err);

#endif /* SIM_REPORT_JSON_H */
