#include "sim/config/rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/config/complain.h"

static void expected_word(const struct param_desc *row, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "one of");

	for (u32 i = 0; row->choices[i] && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s \"%s\"",
					i ? "," : "", row->choices[i]);
}

void rows_expected(const struct param_desc *row, char *buf, size_t size)
{
	const char *blank = row->unit[0] ? " " : "";

	switch (row->type) {
	case PARAM_U64:
	case PARAM_U32:
		snprintf(buf, size, "integer %.0f..%.0f%s%s", row->min,
			 row->max, blank, row->unit);
		break;
	case PARAM_DOUBLE:
		snprintf(buf, size, "number %.15g..%.15g%s%s", row->min,
			 row->max, blank, row->unit);
		break;
	case PARAM_BOOL:
		snprintf(buf, size, "true or false");
		break;
	case PARAM_ENUM:
		expected_word(row, buf, size);
		break;
	case PARAM_STR:
		snprintf(buf, size, "text of %.0f..%.0f bytes", row->min,
			 row->max);
		break;
	}
}

static int read_word(const json_t *v, const struct param_desc *row, u32 *out)
{
	const char *word = json_string_value(v);

	for (u32 i = 0; word && row->choices[i]; i++) {
		if (strcmp(word, row->choices[i]))
			continue;
		*out = i;
		return 0;
	}
	return -EINVAL;
}

static int read_value(const json_t *v, const struct param_desc *row, void *out)
{
	bool is_int = row->type == PARAM_U64 || row->type == PARAM_U32;
	double d = json_number_value(v);
	size_t len = json_string_length(v);

	if (row->type == PARAM_ENUM)
		return read_word(v, row, out);
	if (row->type == PARAM_BOOL) {
		if (!json_is_boolean(v))
			return -EINVAL;
		*(bool *)out = json_is_true(v);
		return 0;
	}
	if (row->type == PARAM_STR) {
		BUG_ON(row->max >= PARAM_STR_MAX);
		if (!json_is_string(v) || (double)len < row->min ||
		    (double)len > row->max)
			return -EINVAL;
		memcpy(out, json_string_value(v), len + 1);
		return 0;
	}
	if (is_int ? !json_is_integer(v) : !json_is_number(v))
		return -EINVAL;
	if (d < row->min || d > row->max)
		return -EINVAL;
	if (row->type == PARAM_DOUBLE)
		*(double *)out = d;
	else if (row->type == PARAM_U32)
		*(u32 *)out = (u32)json_integer_value(v);
	else
		*(u64 *)out = (u64)json_integer_value(v);
	return 0;
}

static void fill_default(const struct param_desc *row, void *out)
{
	switch (row->type) {
	case PARAM_U64:
		*(u64 *)out = (u64)row->def;
		break;
	case PARAM_U32:
	case PARAM_ENUM:
		*(u32 *)out = (u32)row->def;
		break;
	case PARAM_BOOL:
		*(bool *)out = row->def != 0;
		break;
	case PARAM_DOUBLE:
		*(double *)out = row->def;
		break;
	case PARAM_STR:
		*(char *)out = 0;
		break;
	}
}

static int read_row(const struct json_node *n, const struct rows_spec *spec,
		    const struct param_desc *row, void *out,
		    struct complaints *c)
{
	struct json_node m = json_member(n, row->name);
	void *field = (char *)out + row->offset;
	char expected[256];

	if (!m.v && spec->partial)
		return 0;
	if (!m.v && !row->required) {
		fill_default(row, field);
		return 0;
	}
	if (m.v && !read_value(m.v, row, field))
		return 0;
	rows_expected(row, expected, sizeof(expected));
	json_complain_type(&m, c, expected);
	return -EINVAL;
}

int notes_check(const struct json_node *n, struct complaints *c)
{
	struct json_node notes = json_member(n, "notes");

	if (!notes.v || json_is_string(notes.v))
		return 0;
	for (size_t i = 0; i < json_array_size(notes.v); i++) {
		struct json_node line = json_element(&notes, i);

		if (json_is_string(line.v))
			continue;
		json_complain_type(&line, c, "text");
		return -EINVAL;
	}
	if (json_is_array(notes.v))
		return 0;
	json_complain_type(&notes, c, "text or a list of texts");
	return -EINVAL;
}

static int check_keys(const struct json_node *n, const struct rows_spec *spec,
		      struct complaints *c)
{
	const char *known[ROWS_MAX];
	size_t nr = 0;

	known[nr++] = "notes";
	for (const struct param_desc *r = spec->rows; r->name; r++) {
		BUG_ON(nr == ROWS_MAX);
		known[nr++] = r->name;
	}
	for (const char *const *a = spec->also; a && *a; a++) {
		BUG_ON(nr == ROWS_MAX);
		known[nr++] = *a;
	}
	return json_known_keys(n, known, nr, c) | notes_check(n, c);
}

int rows_read(const struct json_node *n, const struct rows_spec *spec,
	      void *out, struct complaints *c)
{
	int ret = 0;

	if (!json_is_object(n->v)) {
		json_complain_type(n, c, "an object");
		return -EINVAL;
	}
	if (!spec->any_key && check_keys(n, spec, c))
		ret = -EINVAL;
	for (const struct param_desc *r = spec->rows; r->name; r++)
		if (read_row(n, spec, r, out, c))
			ret = -EINVAL;
	return ret;
}

static json_t *number(double d, bool is_int)
{
	return is_int ? json_integer((json_int_t)d) : json_real(d);
}

static json_t *row_schema(const struct param_desc *row)
{
	bool is_int = row->type != PARAM_DOUBLE;
	json_t *words, *s = NULL;

	switch (row->type) {
	case PARAM_U64:
	case PARAM_U32:
	case PARAM_DOUBLE:
		s = json_pack("{s:s, s:o, s:o}", "type",
			      is_int ? "integer" : "number", "minimum",
			      number(row->min, is_int), "maximum",
			      number(row->max, is_int));
		break;
	case PARAM_BOOL:
		s = json_pack("{s:s}", "type", "boolean");
		break;
	case PARAM_ENUM:
		words = json_array();
		for (u32 i = 0; row->choices[i]; i++)
			json_array_append_new(words, json_string(row->choices[i]));
		s = json_pack("{s:o}", "enum", words);
		break;
	case PARAM_STR:
		s = json_pack("{s:s, s:I, s:I}", "type", "string",
			      "minLength", (json_int_t)row->min,
			      "maxLength", (json_int_t)row->max);
		break;
	}
	json_object_set_new(s, "description",
			    json_sprintf("%s%s%s%s", row->help,
					 row->unit[0] ? " (" : "", row->unit,
					 row->unit[0] ? ")" : ""));
	return s;
}

json_t *rows_schema(const struct rows_spec *spec)
{
	json_t *props = json_object(), *required = json_array();

	for (const struct param_desc *r = spec->rows; r->name; r++) {
		json_object_set_new(props, r->name, row_schema(r));
		if (r->required && !spec->partial)
			json_array_append_new(required, json_string(r->name));
	}
	for (const char *const *a = spec->also; a && *a; a++)
		json_object_set_new(props, *a, json_true());
	json_object_set_new(props, "notes",
			    json_pack("{s:s}", "$ref", "#/$defs/notes"));
	return json_pack("{s:s, s:b, s:o, s:o}", "type", "object",
			 "additionalProperties", 0, "required", required,
			 "properties", props);
}
