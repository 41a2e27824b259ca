/* Names out of a trace, made fit for a terminal, a table and JSON. */
#ifndef TRACES_ESCAPE_H
#define TRACES_ESCAPE_H

#include <stddef.h>

/* Room that any string of @len bytes needs, NUL included. */
#define ESCAPE_ROOM(len)	(4 * (len) + 1)

/**
 * trace_escape() - spell out every byte that is not printable ASCII
 * @to: gets "\xNN" for such bytes and "\\" for a backslash; cut to fit
 * @room: bytes at @to, at least 1; ESCAPE_ROOM() is always enough
 * @from: NUL-terminated text from a trace or a path
 *
 * Return: @to, so that the call can stand in an argument list.
 */
const char *trace_escape(char *to, size_t room, const char *from);

#endif /* TRACES_ESCAPE_H */
