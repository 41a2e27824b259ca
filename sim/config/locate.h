/*
 * Finding things in the text of a JSON file without building anything from it.
 */
#ifndef SIM_CONFIG_LOCATE_H
#define SIM_CONFIG_LOCATE_H

#include "sim/base/types.h"

/**
 * struct json_excess - a place where a text is larger than we take
 * @what: the excess in words, or NULL for none
 * @limit: the limit that was passed
 * @at: where
 */
struct json_excess {
	const char *what;
	u32 limit;
	const char *at;
};

/**
 * locate_excess() - look for nesting and strings beyond the limits
 * @text: text that need not be JSON at all
 * @len: its length
 *
 * Return: the first excess.
 */
struct json_excess locate_excess(const char *text, size_t len);

/**
 * locate_member() - find a member of an object
 * @text: points at the '{' of text that a parser has accepted
 * @end: end of that text
 * @key: key, decoded
 *
 * Of duplicates the last one is found, which is the one that counts.
 *
 * Return: where its key begins, or NULL.
 */
const char *locate_member(const char *text, const char *end, const char *key);

/**
 * locate_element() - find an element of an array
 * @text: points at the '[' of text that a parser has accepted
 * @end: end of that text
 * @index: position
 *
 * Return: where the value begins, or NULL.
 */
const char *locate_element(const char *text, const char *end, size_t index);

/**
 * locate_value() - from the key of a member to its value
 * @text: as locate_member() returned it
 * @end: end of the text
 *
 * Return: where the value begins.
 */
const char *locate_value(const char *text, const char *end);

/**
 * locate_line() - number of a line
 * @text: start of the text
 * @at: position in it
 *
 * Return: line of @at, from 1.
 */
u32 locate_line(const char *text, const char *at);

#endif /* SIM_CONFIG_LOCATE_H */
