/*
 * Cost sheets: every latency of one platform, with unit, range, tag and
 * source.  Nothing is assumed silently: a cost that is missing, unknown or
 * outside its own range is an error.
 */
#ifndef SIM_CONFIG_COSTS_H
#define SIM_CONFIG_COSTS_H

#include "sim/config/json.h"
#include "sim/core/cost.h"

struct complaints;

#define COST_NS_MAX	1000000000ull	/* one second */
#define COST_CYCLES_MAX	10000000000ull
#define CLOCK_KHZ_MIN	100000ull
#define CLOCK_KHZ_MAX	10000000ull

/* What can be below KVM, as sheets spell it; ends at NULL. */
extern const char *const costs_l0s[];

/**
 * costs_read() - read a cost sheet
 * @top: top of the file
 * @out: filled as far as could be read
 * @c: complaints are added
 *
 * Times are converted to cycles of the sheet's clock here and nowhere else.
 * A row without "range" must name an uncertainty "class" instead: "exact",
 * "walk" (half to one and a half times), "invalidation" (a third to three
 * times) or "hyperv" (a quarter to four times).
 *
 * Return: 0 or -EINVAL.
 */
int costs_read(const struct json_node *top, struct cost_sheet *out,
	       struct complaints *c);

/**
 * costs_load() - read a cost sheet from a file
 * @path: file
 * @out: set on success
 * @c: complaints are added
 *
 * Return: 0, or what json_doc_read() and costs_read() return.
 */
int costs_load(const char *path, struct cost_sheet *out,
	       struct complaints *c);

/**
 * costs_assumed() - how many costs of a sheet are not backed by a source
 * @sheet: sheet
 *
 * Return: number of rows that apply and are tagged "assumed".
 */
u32 costs_assumed(const struct cost_sheet *sheet);

#endif /* SIM_CONFIG_COSTS_H */
