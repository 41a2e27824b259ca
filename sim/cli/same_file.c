#include "sim/cli/same_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/err.h"

/* "-" is looked at as well: a trace may come from a redirected file. */
static bool look(const char *path, struct stat *st)
{
	return !(strcmp(path, "-") ? stat(path, st) : fstat(STDIN_FILENO, st));
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Stat the folder of @path and return the name in it. */
static const char *name_in_folder(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";

	if (slash && slash - path + 1 >= PATH_MAX)
		return NULL;
	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path + 1), path);
	return stat(dir, folder) ? NULL : slash ? slash + 1 : path;
}

static bool same_new_name(const char *a, const char *b)
{
	struct stat in_a, in_b;
	const char *x = name_in_folder(a, &in_a), *y = name_in_folder(b, &in_b);

	return x && y && !strcmp(x, y) && same_inode(&in_a, &in_b);
}

/* Neither is "-", unless @b is read. */
static bool same(const char *a, const char *b)
{
	struct stat x, y;
	bool have_x = look(a, &x), have_y = look(b, &y);

	if (have_x && have_y)
		return S_ISREG(x.st_mode) && same_inode(&x, &y);
	return !have_x && !have_y && same_new_name(a, b);
}

static bool taken(const char *out, const struct file_role *other)
{
	if (!other->path)
		return false;
	if (!other->read && !strcmp(out, other->path))
		return true;
	if (!strcmp(out, "-") || (!other->read && !strcmp(other->path, "-")))
		return false;
	return same(out, other->path);
}

int same_file_refuse(const struct file_role *out,
		     const struct file_role *others, u32 nr, struct err *err)
{
	for (u32 i = 0; i < nr && out->path; i++) {
		const struct file_role *o = &others[i];

		if (!taken(out->path, o))
			continue;
		return err_set(err, -EINVAL, o->read ?
			       "%s: \"%.200s\" is %s (\"%.200s\"), which would be overwritten; expected another name" :
			       "%s: \"%.200s\" is also the file of %s (\"%.200s\"); expected another name",
			       out->role, out->path, o->role, o->path);
	}
	return 0;
}
