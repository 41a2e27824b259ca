#include "sim/config/set.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config/complain.h"
#include "sim/config/locate.h"

/* One word of a path: a key, or a position if @key is empty. */
struct step {
	char key[JSON_SET_PATH_MAX];
	size_t index;
};

static const char *next_step(const char *p, bool first, struct step *s)
{
	size_t len;
	char *end;

	s->key[0] = 0;
	s->index = 0;
	if (*p == '[') {
		if (!isdigit((unsigned char)p[1]))
			return NULL;
		errno = 0;
		s->index = strtoull(p + 1, &end, 10);
		return *end == ']' && !errno ? end + 1 : NULL;
	}
	if (!first && *p++ != '.')
		return NULL;
	len = strcspn(p, ".[");
	if (!len)
		return NULL;
	snprintf(s->key, sizeof(s->key), "%.*s", (int)len, p);
	return p + len;
}

static json_t *parse_value(const char *text, struct complaints *c,
			   const char *value)
{
	struct json_excess x = locate_excess(value, strlen(value));
	json_t *v;

	if (x.what || strlen(value) > JSON_STRING_MAX) {
		complain(c, "--set %.80s: %s; the limit is %u", text,
			 x.what ? x.what : "value of too many bytes",
			 x.what ? x.limit : JSON_STRING_MAX);
		return NULL;
	}
	v = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	if (!v)
		v = json_string(value);
	if (!v)
		complain(c, "--set %.80s: the value is not valid UTF-8", text);
	return v;
}

/* What @s leads to; an absent object is made.  @s is not the last step. */
static json_t *descend(json_t *at, const struct step *s)
{
	json_t *v;

	if (!s->key[0])
		return json_array_get(at, s->index);
	v = json_object_get(at, s->key);
	if (v || !json_is_object(at))
		return v;
	v = json_object();
	if (json_object_set_new(at, s->key, v))
		return NULL;
	return v;
}

/* Takes over @v. */
static int put(json_t *at, const struct step *s, json_t *v)
{
	if (s->key[0] && json_is_object(at))
		return json_object_set_new(at, s->key, v);
	if (!s->key[0] && json_is_array(at) && s->index < json_array_size(at))
		return json_array_set_new(at, s->index, v);
	json_decref(v);
	return -1;
}

/* Walks to the holder of the last step; NULL with a complaint if it cannot. */
static json_t *walk(struct json_doc *doc, const char *text,
		    struct step *last, struct complaints *c)
{
	const char *path = doc->set[doc->nr_sets].path;
	const char *p = next_step(path, true, last);
	json_t *at = doc->root;

	for (u32 depth = 0; p && *p; depth++) {
		at = depth < JSON_DEPTH_MAX ? descend(at, last) : NULL;
		if (!at) {
			complain(c, "--set %.80s: nothing at \"%.*s\"", text,
				 (int)(p - path), path);
			return NULL;
		}
		p = next_step(p, false, last);
	}
	if (p)
		return at;
	complain(c, "--set %.80s: \"%s\" is no path; expected keys like a.b[2].c",
		 text, path);
	return NULL;
}

int set_apply(struct json_doc *doc, const char *text, const char *path,
	      struct complaints *c)
{
	const char *eq = strchr(text, '=');
	size_t len = strcspn(path, "=");
	struct step last;
	json_t *v, *at;

	if (!eq || eq == text) {
		complain(c, "--set %.80s: expected PATH=VALUE", text);
		return -EINVAL;
	}
	if (doc->nr_sets == JSON_SETS_MAX || len >= JSON_SET_PATH_MAX) {
		complain(c, "--set %.80s: at most %u settings with paths of at most %u bytes",
			 text, JSON_SETS_MAX, JSON_SET_PATH_MAX - 1);
		return -EINVAL;
	}
	memcpy(doc->set[doc->nr_sets].path, path, len);
	doc->set[doc->nr_sets].path[len] = 0;
	doc->set[doc->nr_sets].text = text;
	v = parse_value(text, c, eq + 1);
	if (!v)
		return -EINVAL;
	at = walk(doc, text, &last, c);
	if (!at) {
		json_decref(v);
		return -EINVAL;
	}
	if (put(at, &last, v)) {
		complain(c, "--set %.80s: nothing at \"%s\" to set", text,
			 doc->set[doc->nr_sets].path);
		return -EINVAL;
	}
	doc->nr_sets++;
	return 0;
}
