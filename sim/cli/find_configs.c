#include "sim/cli/find_configs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/err.h"

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* The folder the program is in, or "" where /proc does not say. */
static void program_dir(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *slash;

	buf[n > 0 ? n : 0] = 0;
	slash = strrchr(buf, '/');
	if (slash)
		*slash = 0;
}

int find_configs_dir(char *buf, size_t size, struct err *err)
{
	static const char *const beside[] = { "../share/eptsim/configs",
					      "configs" };
	const char *env = getenv("EPTSIM_CONFIGS");
	char self[PATH_MAX];

	if (env && *env) {
		if ((size_t)snprintf(buf, size, "%s", env) >= size)
			return err_set(err, -ENAMETOOLONG, "EPTSIM_CONFIGS is %zu bytes long; at most %zu",
				       strlen(env), size - 1);
		if (!is_dir(buf))
			return err_set(err, -ENOENT, "EPTSIM_CONFIGS names %s, expected a folder",
				       env);
		return 0;
	}
	program_dir(self, sizeof(self));
	for (size_t i = 0; self[0] && i < ARRAY_SIZE(beside); i++)
		if ((size_t)snprintf(buf, size, "%s/%s", self, beside[i]) < size &&
		    is_dir(buf))
			return 0;
	snprintf(buf, size, "configs");
	if (is_dir(buf))
		return 0;
	return err_set(err, -ENOENT, "no configs found: looked in %s/%s, %s/%s and configs; set EPTSIM_CONFIGS",
		       self, beside[0], self, beside[1]);
}

static bool is_json(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !strcmp(name + len - 5, ".json");
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* @dir with a slash, or nothing. */
static int add(struct config_files *out, const char *dir, const char *name,
	       struct err *err)
{
	size_t size = strlen(dir) + strlen(name) + 1;
	char *path;

	if (out->nr == CONFIG_FILES_MAX)
		return err_set(err, -EINVAL, "%s%s: more than %u files", dir,
			       name, CONFIG_FILES_MAX);
	path = malloc(size);
	if (!path)
		return err_set(err, -ENOMEM, "%s%s: memory is short", dir, name);
	snprintf(path, size, "%s%s", dir, name);
	out->path[out->nr++] = path;
	return 0;
}

static int add_folder(struct config_files *out, const char *dir, DIR *d,
		      struct err *err)
{
	char slash[PATH_MAX + 128];
	u32 before = out->nr;
	struct dirent *e;
	int ret = 0;

	snprintf(slash, sizeof(slash), "%s/", dir);
	for (e = readdir(d); e && !ret; e = readdir(d))
		if (is_json(e->d_name))
			ret = add(out, slash, e->d_name, err);
	if (!ret && out->nr == before)
		return err_set(err, -ENOENT, "%s: found no file that ends in .json",
			       dir);
	qsort(out->path + before, out->nr - before, sizeof(out->path[0]),
	      by_name);
	return ret;
}

int find_configs_at(const char *path, struct config_files *out, struct err *err)
{
	DIR *d = opendir(path);
	int ret;

	/* Whoever reads it says what is wrong with a file. */
	if (!d && errno != EACCES)
		return add(out, "", path, err);
	if (!d)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	ret = add_folder(out, path, d, err);
	closedir(d);
	return ret;
}

int find_configs(const char *folder, struct config_files *out, struct err *err)
{
	char top[PATH_MAX], dir[PATH_MAX + 64];
	int ret = find_configs_dir(top, sizeof(top), err);
	DIR *d;

	out->nr = 0;
	if (ret)
		return ret;
	snprintf(dir, sizeof(dir), "%s/%s", top, folder);
	d = opendir(dir);
	if (!d)
		return err_set(err, -errno, "%s: %s", dir, strerror(errno));
	ret = add_folder(out, dir, d, err);
	closedir(d);
	if (ret)
		find_configs_release(out);
	return ret;
}

void find_configs_release(struct config_files *f)
{
	for (u32 i = 0; i < f->nr; i++)
		free(f->path[i]);
	f->nr = 0;
}
