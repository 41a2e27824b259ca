/* The side table that says which process every thread belongs to. */
#ifndef TRACES_THREADS_FILE_H
#define TRACES_THREADS_FILE_H

#include "sim/base/types.h"

struct err;
struct trace;
struct trace_rec;

/**
 * threads_file_load() - read a table of threads
 * @path: lines "tgid N tid N comm NAME", or what 'ps -eLo pid,tid,comm'
 *        prints, with or without its heading; plain, zstd or gzip
 * @t: trace that gets the names
 * @rec: set to an array of TRACE_TASK records in order of the file, which the
 *       caller frees; NULL when there are none
 * @nr: set to the number of records
 * @err: set on failure
 *
 * Blank lines and lines that begin with '#' are passed over; any other line
 * must read as one of the two forms, since a wrong table gives wrong VMs.
 *
 * Return: 0; a negative errno of open(2); -EPROTO; -ENOMEM.
 */
int threads_file_load(const char *path, struct trace *t,
		      struct trace_rec **rec, size_t *nr, struct err *err);

#endif /* TRACES_THREADS_FILE_H */
