/*
 * Pictures of a comparison, drawn by gnuplot: where guest time is lost, and
 * the flush rate over time.  Data files stay beside the pictures, so that
 * anybody can draw them again.
 */
#ifndef SIM_REPORT_PLOT_H
#define SIM_REPORT_PLOT_H

#include "sim/core/result.h"

struct err;

/**
 * plot_path() - name of a file that plot_write() makes
 * @dir: folder
 * @i: number of the file, from 0
 * @to: PATH_MAX bytes; gets the name, cut if it is too long
 *
 * Return: false if there are no more files.
 */
bool plot_path(const char *dir, u32 i, char *to);

/**
 * plot_prepare() - see to it that pictures can be drawn
 * @dir: folder to write to; made if it is missing, its parent must exist
 * @scripts: folder that holds cycles.gp and rates.gp
 * @err: set on failure
 *
 * For the beginning of a long run, so that a bad name costs no time.
 *
 * Return: 0; -ENOTDIR or another -errno of what failed.
 */
int plot_prepare(const char *dir, const char *scripts, struct err *err);

/**
 * plot_write() - draw all pictures of a comparison
 * @c: comparison
 * @dir: folder to write to; made if it is missing, its parent must exist
 * @scripts: folder that holds cycles.gp and rates.gp
 * @err: set on failure
 *
 * Writes cycles.tsv, cycles.png, cycles.svg, rates.tsv, rates.png and
 * rates.svg.  A picture is there in full or not at all.  Names from configs
 * and traces reach gnuplot as data, never as commands.
 *
 * Return: 0; -EINVAL if all policies were skipped; -ENOENT if gnuplot or a
 * script is missing; -EIO if gnuplot failed; another -errno of what failed.
 */
int plot_write(const struct comparison *c, const char *dir, const char *scripts,
	       struct err *err);

#endif /* SIM_REPORT_PLOT_H */
