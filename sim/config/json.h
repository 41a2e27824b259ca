/*
 * JSON files that remember where everything stood.  jansson forgets positions
 * once it has parsed; when there is something to complain about, the text is
 * scanned again for the value at fault, so that every message can name
 * file, line and path.
 */
#ifndef SIM_CONFIG_JSON_H
#define SIM_CONFIG_JSON_H

#include <jansson.h>

#include "sim/base/types.h"

struct complaints;

/* Limits on input; each is checked before anything is built from the text. */
#define JSON_BYTES_MAX	(4u << 20)
#define JSON_DEPTH_MAX	32u
#define JSON_STRING_MAX	4096u		/* bytes as written, quotes apart */
#define JSON_SETS_MAX	64u
#define JSON_SET_PATH_MAX 256u

/**
 * struct json_set - a change made from the command line
 * @text: "a.b=value" or "--option=value" as the user wrote it; not owned
 * @path: the path it changed in this file: the first object it had to make, or
 *        else the value
 */
struct json_set {
	const char *text;
	char path[JSON_SET_PATH_MAX];
};

/**
 * struct json_doc - one parsed file
 * @file: name used in messages
 * @text: what was parsed
 * @len: its length
 * @root: the object at its top
 * @nr_sets: used entries of @set
 * @set: what the command line changed, newest last
 */
struct json_doc {
	char *file;
	char *text;
	size_t len;
	json_t *root;
	u32 nr_sets;
	struct json_set set[JSON_SETS_MAX];
};

/**
 * struct json_node - a value and the way to it
 * @doc: file it is in
 * @up: object or array it stands in; NULL at the top
 * @key: its key, when @up is an object; else NULL
 * @index: its position, when @up is an array
 * @v: the value; NULL if there is none (a key that is missing)
 *
 * Nodes live on the stack of those who descend; a child must not outlive its
 * parent.
 */
struct json_node {
	const struct json_doc *doc;
	const struct json_node *up;
	const char *key;
	size_t index;
	json_t *v;
};

/**
 * json_doc_read() - read and parse a file
 * @path: file; its content must be one JSON object
 * @out: set on success; the caller hands it to json_doc_free()
 * @c: complaints are added: unreadable, too large, too deep, not JSON
 *
 * A duplicate key is a complaint but does not keep the rest from being
 * looked at, so @out may be set although there is a complaint.
 *
 * Return: 0, -EINVAL, -ENOMEM, or the error of open() or read().
 */
int json_doc_read(const char *path, struct json_doc **out,
		  struct complaints *c);

/**
 * json_doc_parse() - the same for text in memory
 * @file: name for messages
 * @text: text; copied, need not be terminated
 * @len: its length
 * @out: as json_doc_read()
 * @c: as json_doc_read()
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int json_doc_parse(const char *file, const void *text, size_t len,
		   struct json_doc **out, struct complaints *c);

/**
 * json_doc_free() - release a parsed file
 * @doc: file; NULL is allowed
 */
void json_doc_free(struct json_doc *doc);

/**
 * json_top() - node of the object at the top of a file
 * @doc: file
 *
 * Return: the node.
 */
struct json_node json_top(const struct json_doc *doc);

/**
 * json_member() - node of a member of an object
 * @up: an object
 * @key: key; must live as long as the node
 *
 * Return: the node; its @v is NULL if there is no such member or @up is no
 * object.
 */
struct json_node json_member(const struct json_node *up, const char *key);

/**
 * json_element() - node of an element of an array
 * @up: an array
 * @index: position
 *
 * Return: the node; its @v is NULL if there is no such element.
 */
struct json_node json_element(const struct json_node *up, size_t index);

/**
 * json_line() - where in the file a value stands
 * @n: node; a missing one is looked for where it would be: in its parent
 *
 * Return: line, from 1, of its key or of the value itself.
 */
u32 json_line(const struct json_node *n);

/**
 * json_path() - write the way to a value as users write it: a.b[2].c
 * @n: node
 * @buf: where to write; always terminated, cut off if too short
 * @size: bytes of @buf
 */
void json_path(const struct json_node *n, char *buf, size_t size);

/**
 * json_show() - write a value as a message shows what was found
 * @v: value; NULL is "nothing"
 * @buf: where to write; always terminated
 * @size: bytes of @buf
 *
 * Objects and arrays are named, not shown; long strings are cut.
 */
void json_show(const json_t *v, char *buf, size_t size);

/**
 * json_was_set() - does a value come from the command line
 * @n: node
 *
 * Return: true if it, or something around it, was set there.
 */
bool json_was_set(const struct json_node *n);

/**
 * json_set_option() - how a message introduces a change
 * @text: as struct json_set
 *
 * Return: "--set ", or "" where @text begins with its option.
 */
const char *json_set_option(const char *text);

/**
 * json_complain() - complain about a value
 * @n: node at fault
 * @c: "FILE:LINE: PATH: " and the sentence are added; values that came from
 *     the command line are located as "--set TEXT" instead
 * @fmt: printf format of the sentence
 */
__attribute__((format(printf, 3, 4)))
void json_complain(const struct json_node *n, struct complaints *c,
		   const char *fmt, ...);

/**
 * json_complain_type() - complain that a value is of the wrong kind
 * @n: node at fault; one without a value is reported as missing
 * @c: "found X, expected Y" is added
 * @expected: what would have been right
 */
void json_complain_type(const struct json_node *n, struct complaints *c,
			const char *expected);

/**
 * json_known_keys() - complain about every key that is not known
 * @n: object
 * @names: @nr known keys
 * @nr: their number
 * @c: one complaint per unknown key, with the nearest known one
 *
 * Return: 0 or -EINVAL.
 */
int json_known_keys(const struct json_node *n, const char *const *names,
		    size_t nr, struct complaints *c);

/**
 * json_text() - the string of a node
 * @n: node
 * @max_bytes: longest legal string; the empty one is not legal
 * @c: a complaint is added if it is no such string
 *
 * Return: the string, owned by the document, or NULL.
 */
const char *json_text(const struct json_node *n, size_t max_bytes,
		      struct complaints *c);

#endif /* SIM_CONFIG_JSON_H */
