#include "sim/config/locate.h"

#include <jansson.h>
#include <string.h>

#include "sim/config/json.h"

u32 locate_line(const char *text, const char *at)
{
	u32 line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* From an opening quote to behind the closing one. */
static const char *skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p + 1 : end;
}

struct json_excess locate_excess(const char *text, size_t len)
{
	struct json_excess string = { "string of too many bytes",
				      JSON_STRING_MAX, NULL };
	struct json_excess nested = { "nested too deeply", JSON_DEPTH_MAX,
					NULL };
	const char *end = text + len;
	u32 depth = 0;

	for (const char *p = text; p < end; p++) {
		if (*p == '"') {
			string.at = p;
			p = skip_string(p, end) - 1;
			if (p - string.at > (long)JSON_STRING_MAX + 1)
				return string;
		} else if (*p == '{' || *p == '[') {
			nested.at = p;
			if (++depth > JSON_DEPTH_MAX)
				return nested;
		} else if ((*p == '}' || *p == ']') && depth) {
			depth--;
		}
	}
	return (struct json_excess){ NULL, 0, NULL };
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\n", *p) && *p)
		p++;
	return p;
}

static const char *skip_value(const char *p, const char *end)
{
	u32 depth = 0;

	while (p < end) {
		if (*p == '"') {
			p = skip_string(p, end);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			depth--;
			p++;
		} else if (depth) {
			p++;
		} else {
			p += strcspn(p, ",]} \t\r\n");
			return p < end ? p : end;
		}
		if (!depth)
			return p;
	}
	return end;
}

const char *locate_value(const char *text, const char *end)
{
	const char *p = skip_blanks(skip_string(text, end), end);

	return skip_blanks(p < end ? p + 1 : end, end);
}

/*
 * Could a string written as the @len bytes at @p be @key?  Looks at what is
 * plain text for certain: an escape is six bytes at most and stands for one
 * byte at least, and what follows the last one is plain.
 */
static bool may_be(const char *p, size_t len, const char *key, size_t want)
{
	size_t plain = 0;

	while (plain < len && p[len - 1 - plain] != '\\')
		plain++;
	plain = plain > 5 ? plain - 5 : 0;
	return len >= want && len <= 6 * want && plain <= want &&
	       !memcmp(p + len - plain, key + want - plain, plain);
}

/* Is the string that starts at @p, as written, the text @key? */
static bool key_is(const char *p, const char *end, const char *key)
{
	size_t len = (size_t)(skip_string(p, end) - p);
	size_t want = strlen(key);
	bool same;
	json_t *v;

	if (!memchr(p, '\\', len))
		return len == want + 2 && !memcmp(p + 1, key, want);
	if (!may_be(p + 1, len - 2, key, want))
		return false;
	v = json_loadb(p, len, JSON_DECODE_ANY, NULL);
	same = v && !strcmp(json_string_value(v), key);
	json_decref(v);
	return same;
}

const char *locate_member(const char *text, const char *end, const char *key)
{
	const char *p = skip_blanks(text + 1, end), *found = NULL;

	while (p < end && *p == '"') {
		if (key_is(p, end, key))
			found = p;
		p = skip_value(locate_value(p, end), end);
		p = skip_blanks(p, end);
		if (p < end && *p == ',')
			p = skip_blanks(p + 1, end);
	}
	return found;
}

const char *locate_element(const char *text, const char *end, size_t index)
{
	const char *p = skip_blanks(text + 1, end);

	for (; p < end && *p != ']' && index; index--) {
		p = skip_blanks(skip_value(p, end), end);
		if (p < end && *p == ',')
			p = skip_blanks(p + 1, end);
	}
	return p < end && *p != ']' ? p : NULL;
}
