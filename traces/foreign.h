/*
 * Files that are traces, or something made of traces, but that cannot be
 * replayed as they are: known by name, so that the user is told what to do.
 */
#ifndef TRACES_FOREIGN_H
#define TRACES_FOREIGN_H

#include <stddef.h>

/**
 * foreign_recognise() - name a file that no reader can read
 * @head: first bytes, unpacked
 * @len: how many, at least 1
 *
 * Return: a static text that completes "this is ...": what it is, why it
 * cannot be used and what to do instead; NULL if the bytes are not known.
 */
const char *foreign_recognise(const char *head, size_t len);

#endif /* TRACES_FOREIGN_H */
