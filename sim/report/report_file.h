/*
 * A file that is there in full or not at all: written under a temporary name
 * in the same folder, then renamed.
 */
#ifndef SIM_REPORT_REPORT_FILE_H
#define SIM_REPORT_REPORT_FILE_H

#include <limits.h>
#include <stdio.h>

#include "sim/base/types.h"

struct err;

/**
 * struct report_file - one file being written
 * @f: stream to write to; stays the property of this struct
 * @path: final name, links followed
 * @temp: temporary name; empty where there is none
 * @lent: @f is the caller's stream and is not closed
 */
struct report_file {
	FILE *f;
	char path[PATH_MAX];
	char temp[PATH_MAX];
	bool lent;
};

/**
 * report_file_temp() - make up a temporary name beside a file
 * @to: where to write
 * @size: size of @to
 * @path: final name
 * @err: set on failure
 *
 * The name is hidden, tells this process from others and keeps the ending of
 * @path.
 *
 * Return: 0, or -ENAMETOOLONG.
 */
int report_file_temp(char *to, size_t size, const char *path, struct err *err);

/**
 * report_file_open() - begin a file
 * @rf: filled in on success; hand it to report_file_commit() or
 *      report_file_abort()
 * @path: name; "-" writes to @standard
 * @standard: stream that "-" means; lent until the file is finished
 * @err: set on failure
 *
 * What exists and is no regular file (a pipe, /dev/null) is written directly.
 *
 * Return: 0 or -errno of what failed.
 */
int report_file_open(struct report_file *rf, const char *path, FILE *standard,
		     struct err *err);

/**
 * report_file_commit() - finish a file and give it its name
 * @rf: file; closed in any case
 * @err: set on failure; then nothing of the file is left
 *
 * Return: 0 or -errno of what failed.
 */
int report_file_commit(struct report_file *rf, struct err *err);

/**
 * report_file_abort() - close a file and leave nothing of it
 * @rf: file; one that is zeroed, could not be opened or is finished stays as it
 *      is
 *
 * What was under the final name before stays as it was.
 */
void report_file_abort(struct report_file *rf);

/**
 * report_file_end() - commit a file, or abort it if writing it has failed
 * @rf: file
 * @ret: what came of writing it: 0, or -errno with @err set
 * @err: set on failure
 *
 * Return: @ret if that is not 0; else as report_file_commit().
 */
int report_file_end(struct report_file *rf, int ret, struct err *err);

#endif /* SIM_REPORT_REPORT_FILE_H */
