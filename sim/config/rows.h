/*
 * From a JSON object to a struct, as rows of struct param_desc say.  Nothing
 * is adjusted to fit: a value is taken as it stands or complained about.
 */
#ifndef SIM_CONFIG_ROWS_H
#define SIM_CONFIG_ROWS_H

#include "sim/base/param.h"
#include "sim/config/json.h"

struct complaints;

/* Longest list of keys that one object may know. */
#define ROWS_MAX 96u

/**
 * struct rows_spec - what an object may hold
 * @rows: rows that end at .name == NULL
 * @also: further keys that somebody else reads, ended by NULL; may be NULL
 * @partial: no key is required, and what is absent stays as it is in the
 *           struct; else defaults are filled in
 * @any_key: unknown keys are not complained about: another call has done so
 */
struct rows_spec {
	const struct param_desc *rows;
	const char *const *also;
	bool partial;
	bool any_key;
};

/**
 * rows_read() - read an object into a struct
 * @n: node that should be an object
 * @spec: what it may hold; "notes", free text, may always be there
 * @out: struct that the rows describe; values that cannot be read are left
 * @c: complaints are added: unknown, missing, type, range, unknown word
 *
 * Return: 0 or -EINVAL.
 */
int rows_read(const struct json_node *n, const struct rows_spec *spec,
	      void *out, struct complaints *c);

/**
 * rows_expected() - what a row accepts, in words
 * @row: row
 * @buf: where to write; always terminated
 * @size: bytes of @buf
 */
void rows_expected(const struct param_desc *row, char *buf, size_t size);

/**
 * rows_schema() - JSON Schema of an object that rows describe
 * @spec: rows; with @also set the extra keys may hold anything
 *
 * Return: a schema object that the caller releases, or NULL when memory is
 * short.
 */
json_t *rows_schema(const struct rows_spec *spec);

/**
 * notes_check() - check the free text that every object may carry
 * @n: object
 * @c: a complaint is added unless "notes" is absent, text or a list of texts
 *
 * Return: 0 or -EINVAL.
 */
int notes_check(const struct json_node *n, struct complaints *c);

#endif /* SIM_CONFIG_ROWS_H */
