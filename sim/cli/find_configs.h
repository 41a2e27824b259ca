/*
 * Where the files that come with the program are.
 */
#ifndef SIM_CLI_FIND_CONFIGS_H
#define SIM_CLI_FIND_CONFIGS_H

#include "sim/base/types.h"

/* Files listed of one folder. */
#define CONFIG_FILES_MAX 1024u

/**
 * struct config_files - the JSON files of one folder
 * @nr: used entries of @path
 * @path: paths, in the order of strcmp()
 */
struct config_files {
	u32 nr;
	char *path[CONFIG_FILES_MAX];
};

struct err;

/**
 * find_configs_dir() - the folder "configs"
 * @buf: set to its path, no slash at the end
 * @size: bytes of @buf
 * @err: set on failure; names the places looked at
 *
 * $EPTSIM_CONFIGS if set; else share/eptsim/configs of the prefix that the
 * program was installed under; else configs beside the program, then in the
 * working directory.
 *
 * Return: 0, -ENOENT, or -ENAMETOOLONG.
 */
int find_configs_dir(char *buf, size_t size, struct err *err);

/**
 * find_configs() - the files of a folder below configs
 * @folder: "costs", "machines", "scenarios" ...
 * @out: set on success; the caller hands it to find_configs_release()
 * @err: set on failure
 *
 * Return: 0, what find_configs_dir() returns, -ENOENT, or -ENOMEM.
 */
int find_configs(const char *folder, struct config_files *out,
		 struct err *err);

/**
 * find_configs_at() - a file, or the files of a folder
 * @path: either; a file need not exist
 * @out: list, zeroed before the first; what is found is added, a file as it is
 *       and of a folder all that end in .json, in the order of strcmp()
 * @err: set on failure; find_configs_release() frees what was added before
 *
 * Return: 0, -ENOENT if the folder has none, -errno, -EINVAL, or -ENOMEM.
 */
int find_configs_at(const char *path, struct config_files *out,
		    struct err *err);

/**
 * find_configs_release() - free the paths
 * @f: list
 */
void find_configs_release(struct config_files *f);

#endif /* SIM_CLI_FIND_CONFIGS_H */
