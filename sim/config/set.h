/*
 * Changing a parsed file from the command line, before it is checked: what
 * comes from "--set" goes through the same checks as what is in the file.
 */
#ifndef SIM_CONFIG_SET_H
#define SIM_CONFIG_SET_H

#include "sim/config/json.h"

struct complaints;

/**
 * set_apply() - change one value
 * @doc: file; on success it remembers @text for its messages
 * @text: "PATH=VALUE" as the user wrote it after --set, or "--OPTION=VALUE" of
 *        an option that stands for a setting; must live as long as @doc
 * @path: the path to be changed in @doc, at most up to a '='; usually @text,
 *        but a prefix that chose the file may be cut off or put in front
 * @c: a complaint is added if the path cannot be followed; @doc is then as
 *     before
 *
 * A path is keys with '.' between them and positions in brackets: a.b[2].c.
 * Objects on the way are made if absent; elements of arrays are not.  VALUE
 * is JSON; what is not JSON is taken as text, so that names need no quotes.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int set_apply(struct json_doc *doc, const char *text, const char *path,
	      struct complaints *c);

#endif /* SIM_CONFIG_SET_H */
