#include "sim/config/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/config/complain.h"
#include "sim/config/locate.h"

static bool starts_with_bom(const char *text, size_t len)
{
	return len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
}

/*
 * What jansson would accept and we do not, and what it would explain badly.
 * The text may be anything.
 */
static int check_text(const struct json_doc *d, struct complaints *c)
{
	struct json_excess x;
	const char *nul = memchr(d->text, 0, d->len);

	if (starts_with_bom(d->text, d->len)) {
		complain(c, "%s:1: begins with a byte order mark; expected plain UTF-8",
			 d->file);
		return -EINVAL;
	}
	if (nul) {
		complain(c, "%s:%u: NUL byte at offset %zu; expected text",
			 d->file, locate_line(d->text, nul), (size_t)(nul - d->text));
		return -EINVAL;
	}
	if (strspn(d->text, " \t\r\n") == d->len) {
		complain(c, "%s:1: found nothing, expected a JSON object",
			 d->file);
		return -EINVAL;
	}
	x = locate_excess(d->text, d->len);
	if (!x.what)
		return 0;
	complain(c, "%s:%u: %s; the limit is %u", d->file,
		 locate_line(d->text, x.at), x.what, x.limit);
	return -EINVAL;
}

static int parse(struct json_doc *d, struct complaints *c)
{
	json_error_t e;

	d->root = json_loadb(d->text, d->len, JSON_REJECT_DUPLICATES, &e);
	if (d->root && json_is_object(d->root))
		return 0;
	if (d->root) {
		complain(c, "%s:1: found a list, expected a JSON object",
			 d->file);
		return -EINVAL;
	}
	if (json_error_code(&e) == json_error_out_of_memory) {
		complain(c, "%s: memory is short", d->file);
		return -ENOMEM;
	}
	complain(c, "%s:%d: column %d: %s", d->file, e.line, e.column, e.text);
	if (json_error_code(&e) != json_error_duplicate_key)
		return -EINVAL;
	/* Said; now let the rest be looked at as well. */
	d->root = json_loadb(d->text, d->len, 0, &e);
	if (d->root && json_is_object(d->root))
		return 0;
	if (!d->root)
		complain(c, "%s:%d: column %d: %s", d->file, e.line, e.column,
			 e.text);
	return -EINVAL;
}

/* Takes over @text. */
static int doc_create(const char *file, char *text, size_t len,
		      struct json_doc **out, struct complaints *c)
{
	struct json_doc *d = calloc(1, sizeof(*d));
	int ret = -ENOMEM;

	if (d)
		d->file = strdup(file);
	if (!d || !d->file) {
		complain(c, "%s: memory is short", file);
		free(text);
		free(d);
		return ret;
	}
	d->text = text;
	d->len = len;
	ret = check_text(d, c);
	if (!ret)
		ret = parse(d, c);
	if (ret) {
		json_doc_free(d);
		return ret;
	}
	*out = d;
	return 0;
}

int json_doc_parse(const char *file, const void *text, size_t len,
		   struct json_doc **out, struct complaints *c)
{
	char *copy;

	if (len > JSON_BYTES_MAX) {
		complain(c, "%s: larger than the limit of %u bytes", file,
			 JSON_BYTES_MAX);
		return -EINVAL;
	}
	copy = malloc(len + 1);
	if (!copy) {
		complain(c, "%s: memory is short", file);
		return -ENOMEM;
	}
	if (len)
		memcpy(copy, text, len);
	copy[len] = 0;
	return doc_create(file, copy, len, out, c);
}

/* Reads to the end of the file or one byte past the limit. */
static int read_all(int fd, char *buf, size_t *len)
{
	ssize_t n;

	*len = 0;
	while (*len <= JSON_BYTES_MAX) {
		n = read(fd, buf + *len, JSON_BYTES_MAX + 1 - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		*len += (size_t)n;
	}
	return 0;
}

int json_doc_read(const char *path, struct json_doc **out,
		  struct complaints *c)
{
	char *buf = malloc(JSON_BYTES_MAX + 1);
	size_t len = 0;
	int fd, ret;

	if (!buf) {
		complain(c, "%s: memory is short", path);
		return -ENOMEM;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : read_all(fd, buf, &len);
	if (fd >= 0)
		close(fd);
	if (ret)
		complain(c, "%s: cannot be read: %s", path, strerror(-ret));
	else
		ret = json_doc_parse(path, buf, len, out, c);
	free(buf);
	return ret;
}

void json_doc_free(struct json_doc *doc)
{
	if (!doc)
		return;
	json_decref(doc->root);
	free(doc->text);
	free(doc->file);
	free(doc);
}

struct json_node json_top(const struct json_doc *doc)
{
	return (struct json_node){ .doc = doc, .v = doc->root };
}

struct json_node json_member(const struct json_node *up, const char *key)
{
	return (struct json_node){ .doc = up->doc, .up = up, .key = key,
				   .v = json_object_get(up->v, key) };
}

struct json_node json_element(const struct json_node *up, size_t index)
{
	return (struct json_node){ .doc = up->doc, .up = up, .index = index,
				   .v = json_array_get(up->v, index) };
}

void json_path(const struct json_node *n, char *buf, size_t size)
{
	const struct json_node *way[JSON_DEPTH_MAX + JSON_SETS_MAX];
	size_t nr = 0, len = 0;

	buf[0] = 0;
	for (; n->up && nr < ARRAY_SIZE(way); n = n->up)
		way[nr++] = n;
	while (nr-- && len < size) {
		const char *dot = len ? "." : "";
		int more = way[nr]->key ?
			snprintf(buf + len, size - len, "%s%s", dot,
				 way[nr]->key[0] ? way[nr]->key : "\"\"") :
			snprintf(buf + len, size - len, "[%zu]", way[nr]->index);

		len += more > 0 ? (size_t)more : 0;
	}
}

void json_show(const json_t *v, char *buf, size_t size)
{
	char *text;

	if (!v || json_is_object(v) || json_is_array(v)) {
		snprintf(buf, size, "%s", !v ? "nothing" :
			 json_is_object(v) ? "an object" : "a list");
		return;
	}
	text = json_dumps(v, JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
			     JSON_REAL_PRECISION(15));
	if (text && strlen(text) > 40)
		snprintf(buf, size, "%.37s...", text);
	else
		snprintf(buf, size, "%s", text ? text : "a value");
	free(text);
}

/*
 * The place of @n in the text: of its key, or of the value itself.  What is
 * not there (a missing key, a part of something from the command line) is
 * said to be where its parent is.
 */
static const char *place(const struct json_node *n)
{
	const char *end = n->doc->text + n->doc->len;
	const struct json_node *way[JSON_DEPTH_MAX + JSON_SETS_MAX];
	const char *at = n->doc->text, *value, *next;
	size_t nr = 0;

	for (; n->up && nr < ARRAY_SIZE(way); n = n->up)
		way[nr++] = n;
	at += strcspn(at, "{");
	value = at;
	while (nr--) {
		next = NULL;
		if (way[nr]->key && *value == '{')
			next = locate_member(value, end, way[nr]->key);
		else if (!way[nr]->key && *value == '[')
			next = locate_element(value, end, way[nr]->index);
		if (!next)
			break;
		at = next;
		value = way[nr]->key ? locate_value(at, end) : at;
	}
	return at;
}

u32 json_line(const struct json_node *n)
{
	return locate_line(n->doc->text, place(n));
}

/* The text of the command line that made @n or something around it. */
static const char *set_of(const struct json_node *n)
{
	char path[ERR_MSG_MAX];

	if (!n->doc->nr_sets)
		return NULL;
	json_path(n, path, sizeof(path));
	for (u32 i = n->doc->nr_sets; i--; ) {
		const struct json_set *set = &n->doc->set[i];
		size_t len = strlen(set->path);

		if (!strncmp(path, set->path, len) &&
		    (!path[len] || path[len] == '.' || path[len] == '['))
			return set->text;
	}
	return NULL;
}

bool json_was_set(const struct json_node *n)
{
	return set_of(n) != NULL;
}

const char *json_set_option(const char *text)
{
	return strncmp(text, "--", 2) ? "--set " : "";
}

void json_complain(const struct json_node *n, struct complaints *c,
		   const char *fmt, ...)
{
	char path[256], text[ERR_MSG_MAX / 2];
	const char *set;
	va_list ap;

	if (complaints_full(c)) {
		complain_more(c);
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_path(n, path, sizeof(path));
	set = set_of(n);
	if (set)
		complain(c, "%s%.80s: %s: %s", json_set_option(set), set, path,
			 text);
	else
		complain(c, "%s:%u: %s%s%s", n->doc->file, json_line(n), path,
			 path[0] ? ": " : "", text);
}

void json_complain_type(const struct json_node *n, struct complaints *c,
			const char *expected)
{
	char found[64];

	json_show(n->v, found, sizeof(found));
	if (n->v)
		json_complain(n, c, "found %s, expected %s", found, expected);
	else
		json_complain(n, c, "missing, expected %s", expected);
}

int json_known_keys(const struct json_node *n, const char *const *names,
		    size_t nr, struct complaints *c)
{
	const char *key, *near;
	json_t *v;
	int ret = 0;

	json_object_foreach(n->v, key, v) {
		struct json_node m = json_member(n, key);
		size_t i = 0;

		while (i < nr && strcmp(names[i], key))
			i++;
		if (i < nr)
			continue;
		ret = -EINVAL;
		near = complaints_full(c) ? NULL : nearest_name(key, names, nr);
		if (near)
			json_complain(&m, c, "unknown key, did you mean \"%s\"?",
				      near);
		else
			json_complain(&m, c, "unknown key");
	}
	return ret;
}

const char *json_text(const struct json_node *n, size_t max_bytes,
		      struct complaints *c)
{
	char expected[64];
	size_t len = json_string_length(n->v);

	if (json_is_string(n->v) && len && len <= max_bytes)
		return json_string_value(n->v);
	snprintf(expected, sizeof(expected), "text of 1..%zu bytes", max_bytes);
	json_complain_type(n, c, expected);
	return NULL;
}
