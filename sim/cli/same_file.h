/* A result must not take the place of what is read, nor of another result. */
#ifndef SIM_CLI_SAME_FILE_H
#define SIM_CLI_SAME_FILE_H

#include "sim/base/types.h"

struct err;

/**
 * struct file_role - a file and what the command does with it
 * @role: how a message calls it: "--json", "the trace"
 * @path: its name; NULL if there is no such file this time; "-" is standard
 *        input if @read, else standard output
 * @read: it is read, not written
 */
struct file_role {
	const char *role;
	const char *path;
	bool read;
};

/**
 * same_file_refuse() - refuse a result whose name is taken
 * @out: file to be written
 * @others: @nr files that are read, or written as well
 * @nr: their number
 * @err: set on failure
 *
 * Files are told apart by device and inode, so that links and other spellings
 * do not hide one; what is not there yet, by its folder and name.  Pipes and
 * devices may be read and written, but take one result only.
 *
 * Return: 0, or -EINVAL if @out is one of @others.
 */
int same_file_refuse(const struct file_role *out,
		     const struct file_role *others, u32 nr, struct err *err);

#endif /* SIM_CLI_SAME_FILE_H */
