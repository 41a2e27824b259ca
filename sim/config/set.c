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
		complain(c, "%s%.80s: %s; the limit is %u",
			 json_set_option(text), text, x.what ? x.what : "value of too many bytes",
			 x.what ? x.limit : JSON_STRING_MAX);
		return NULL;
	}
	v = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	if (!v)
		v = json_string(value);
	if (!v)
		complain(c, "%s%.80s: the value is not valid UTF-8",
			 json_set_option(text), text);
	return v;
}

/* The way to the holder of the last step, and what had to be made for it. */
struct way {
	json_t *holder;
	struct step last;
	json_t *made_in;		/* NULL if nothing was made */
	char made[JSON_SET_PATH_MAX];	/* key of what was made there */
	size_t made_len;		/* of the path, up to what was made */
};

/* What the last step leads to; an absent object is made. */
static json_t *descend(struct way *w, size_t len)
{
	json_t *v;

	if (!w->last.key[0])
		return json_array_get(w->holder, w->last.index);
	v = json_object_get(w->holder, w->last.key);
	if (v || !json_is_object(w->holder))
		return v;
	v = json_object();
	if (json_object_set_new(w->holder, w->last.key, v))
		return NULL;
	if (!w->made_in) {
		w->made_in = w->holder;
		memcpy(w->made, w->last.key, sizeof(w->made));
		w->made_len = len;
	}
	return v;
}

/* Takes over @v. */
static int put(const struct way *w, json_t *v)
{
	const struct step *s = &w->last;

	if (s->key[0] && json_is_object(w->holder))
		return json_object_set_new(w->holder, s->key, v);
	if (!s->key[0] && json_is_array(w->holder) &&
	    s->index < json_array_size(w->holder))
		return json_array_set_new(w->holder, s->index, v);
	json_decref(v);
	return -1;
}

static bool is_path(const char *path)
{
	struct step s;
	const char *p = next_step(path, true, &s);

	while (p && *p)
		p = next_step(p, false, &s);
	return p != NULL;
}

/* False if a step on the way leads nowhere. */
static bool walk(const char *path, struct way *w, const char *text,
		 struct complaints *c)
{
	const char *p = next_step(path, true, &w->last);

	for (u32 depth = 0; *p; depth++) {
		size_t len = (size_t)(p - path);

		w->holder = depth < JSON_DEPTH_MAX ? descend(w, len) : NULL;
		if (!w->holder) {
			complain(c, "%s%.80s: nothing at \"%.*s\"",
				 json_set_option(text), text, (int)len, path);
			return false;
		}
		p = next_step(p, false, &w->last);
	}
	return true;
}

/* Takes over @v. */
static int place(struct json_doc *doc, struct json_set *set, json_t *v,
		 struct complaints *c)
{
	const char *option = json_set_option(set->text);
	struct way w = { .holder = doc->root };

	if (!is_path(set->path)) {
		complain(c, "%s%.80s: \"%s\" is no path; expected keys like a.b[2].c",
			 option, set->text, set->path);
		json_decref(v);
		return -EINVAL;
	}
	if (!walk(set->path, &w, set->text, c)) {
		json_decref(v);
	} else if (put(&w, v)) {
		complain(c, "%s%.80s: nothing at \"%s\" to set", option,
			 set->text, set->path);
	} else {
		if (w.made_in)
			set->path[w.made_len] = 0;
		return 0;
	}
	if (w.made_in)
		json_object_del(w.made_in, w.made);
	return -EINVAL;
}

int set_apply(struct json_doc *doc, const char *text, const char *path,
	      struct complaints *c)
{
	const char *option = json_set_option(text);
	const char *eq = strchr(text, '=');
	size_t len = strcspn(path, "=");
	struct json_set *set;
	json_t *v;
	int ret;

	if (!eq || eq == text) {
		complain(c, "%s%.80s: expected PATH=VALUE", option, text);
		return -EINVAL;
	}
	if (doc->nr_sets == JSON_SETS_MAX || len >= JSON_SET_PATH_MAX) {
		complain(c, "%s%.80s: at most %u settings with paths of at most %u bytes",
			 option, text, JSON_SETS_MAX, JSON_SET_PATH_MAX - 1);
		return -EINVAL;
	}
	set = &doc->set[doc->nr_sets];
	memcpy(set->path, path, len);
	set->path[len] = 0;
	set->text = text;
	v = parse_value(text, c, eq + 1);
	ret = v ? place(doc, set, v, c) : -EINVAL;
	doc->nr_sets += !ret;
	return ret;
}
