/*
 * Machine files: the sizes of everything that caches translations.
 */
#ifndef SIM_CLI_MACHINE_FILE_H
#define SIM_CLI_MACHINE_FILE_H

#include "sim/config/json.h"
#include "sim/machine/machine.h"

struct complaints;

/**
 * struct machine_file - a machine file
 * @name: name of the machine
 * @geometry: its sizes
 */
struct machine_file {
	char name[PARAM_STR_MAX];
	struct hw_geometry geometry;
};

/**
 * machine_file_read() - read and check a machine
 * @top: top of the file
 * @out: filled as far as could be read
 * @c: complaints are added
 *
 * Return: 0 or -EINVAL.
 */
int machine_file_read(const struct json_node *top, struct machine_file *out,
		      struct complaints *c);

/**
 * machine_file_load() - the same from a file
 * @path: file
 * @out: set on success
 * @c: complaints are added
 *
 * Return: 0, or what json_doc_read() and machine_file_read() return.
 */
int machine_file_load(const char *path, struct machine_file *out,
		      struct complaints *c);

/* Rows of what stands in a machine file beside its geometry. */
extern const struct param_desc machine_file_rows[];

#endif /* SIM_CLI_MACHINE_FILE_H */
