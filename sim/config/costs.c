#include "sim/config/costs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/config/complain.h"
#include "sim/config/rows.h"

/* The head of a sheet, as rows. */
struct head {
	char name[PARAM_STR_MAX];
	u32 vendor;
	u32 l0;
	u64 clock_khz;
};

static const char *const vendors[] = { "intel", "amd", NULL };
const char *const costs_l0s[] = { "bare", "hyperv", "kvm", NULL };
static const char *const head_also[] = { "costs", NULL };

static const struct param_desc head_rows[] = {
	{ .name = "name", .unit = "", .type = PARAM_STR,
	  .offset = offsetof(struct head, name), .min = 1, .max = 63,
	  .required = true, .help = "name of the sheet" },
	{ .name = "vendor", .unit = "", .type = PARAM_ENUM,
	  .offset = offsetof(struct head, vendor), .required = true,
	  .choices = vendors, .help = "maker of the processor" },
	{ .name = "l0", .unit = "", .type = PARAM_ENUM,
	  .offset = offsetof(struct head, l0), .required = true,
	  .choices = costs_l0s, .help = "hypervisor below KVM" },
	{ .name = "clock_khz", .unit = "kHz", .type = PARAM_U64,
	  .offset = offsetof(struct head, clock_khz), .min = CLOCK_KHZ_MIN,
	  .max = CLOCK_KHZ_MAX, .required = true, .help = "core clock" },
	{ .name = NULL },
};

/* Ranges of rows that name a class: lo = v * a / b, hi = v * c / d. */
static const struct {
	const char *name;
	u32 lo_mul, lo_div, hi_mul, hi_div;
} classes[] = {
	{ "exact", 1, 1, 1, 1 },
	{ "walk", 1, 2, 3, 2 },
	{ "invalidation", 1, 3, 3, 1 },
	{ "hyperv", 1, 4, 4, 1 },
};

static const char *const row_keys[] = {
	"value", "unit", "range", "class", "tag", "source", "notes",
};
static const char *const na_keys[] = { "applies", "why", "notes" };

/* A figure in the unit of its row. */
struct figure {
	bool ns;
	u64 value;
	u64 lo;
	u64 hi;
};

static int read_figure(const struct json_node *n, bool ns, u64 *out,
		       struct complaints *c)
{
	u64 max = ns ? COST_NS_MAX : COST_CYCLES_MAX;
	char expected[64];

	if (json_is_integer(n->v) && json_integer_value(n->v) >= 0 &&
	    (u64)json_integer_value(n->v) <= max) {
		*out = (u64)json_integer_value(n->v);
		return 0;
	}
	snprintf(expected, sizeof(expected), "integer 0..%llu %s",
		 (unsigned long long)max, ns ? "ns" : "cycles");
	json_complain_type(n, c, expected);
	return -EINVAL;
}

static int read_range(const struct json_node *range, struct figure *f,
		      struct complaints *c)
{
	struct json_node lo = json_element(range, 0);
	struct json_node hi = json_element(range, 1);

	if (json_array_size(range->v) != 2) {
		json_complain_type(range, c, "a list of two: [low, high]");
		return -EINVAL;
	}
	if (read_figure(&lo, f->ns, &f->lo, c) ||
	    read_figure(&hi, f->ns, &f->hi, c))
		return -EINVAL;
	if (f->lo <= f->value && f->value <= f->hi)
		return 0;
	json_complain(range, c, "found [%llu, %llu], expected a range around the value %llu",
		      (unsigned long long)f->lo, (unsigned long long)f->hi,
		      (unsigned long long)f->value);
	return -EINVAL;
}

static int read_class(const struct json_node *class, struct figure *f,
		      struct complaints *c)
{
	const char *word = json_string_value(class->v);

	for (size_t i = 0; word && i < ARRAY_SIZE(classes); i++) {
		if (strcmp(word, classes[i].name))
			continue;
		f->lo = f->value * classes[i].lo_mul / classes[i].lo_div;
		f->hi = f->value * classes[i].hi_mul / classes[i].hi_div;
		return 0;
	}
	json_complain_type(class, c, "one of \"exact\", \"walk\", \"invalidation\", \"hyperv\"");
	return -EINVAL;
}

static int read_uncertainty(const struct json_node *n, struct figure *f,
			    struct complaints *c)
{
	struct json_node range = json_member(n, "range");
	struct json_node class = json_member(n, "class");

	if (range.v && class.v) {
		json_complain(&class, c, "found \"range\" and \"class\", expected one of them");
		return -EINVAL;
	}
	if (class.v)
		return read_class(&class, f, c);
	if (range.v)
		return read_range(&range, f, c);
	json_complain(n, c, "missing \"range\" (or the \"class\" it follows from)");
	return -EINVAL;
}

static int read_unit(const struct json_node *n, bool *ns, struct complaints *c)
{
	struct json_node unit = json_member(n, "unit");
	const char *word = json_string_value(unit.v);

	*ns = word && !strcmp(word, "ns");
	if (*ns || (word && !strcmp(word, "cycles")))
		return 0;
	json_complain_type(&unit, c, "one of \"ns\", \"cycles\"");
	return -EINVAL;
}

static int read_tag(const struct json_node *n, enum cost_tag *out,
		    struct complaints *c)
{
	struct json_node tag = json_member(n, "tag");
	const char *word = json_string_value(tag.v);
	char expected[128];
	size_t len = 0;

	for (u32 t = 0; t < COST_TAG_NR; t++) {
		const char *name = cost_tag_name((enum cost_tag)t);

		if (word && !strcmp(word, name)) {
			*out = (enum cost_tag)t;
			return 0;
		}
		len += (size_t)snprintf(expected + len, sizeof(expected) - len,
					"%s\"%s\"", t ? ", " : "one of ", name);
	}
	json_complain_type(&tag, c, expected);
	return -EINVAL;
}

static int read_source(const struct json_node *n, struct cost_row *row,
		       struct complaints *c)
{
	struct json_node source = json_member(n, "source");
	const char *text = json_text(&source, sizeof(row->source) - 1, c);

	if (!text)
		return -EINVAL;
	memcpy(row->source, text, strlen(text) + 1);
	return 0;
}

static int read_absent(const struct json_node *n, struct cost_row *row,
		       struct complaints *c)
{
	struct json_node applies = json_member(n, "applies");
	struct json_node why = json_member(n, "why");
	const char *text;
	int ret = json_known_keys(n, na_keys, ARRAY_SIZE(na_keys), c);

	if (!json_is_false(applies.v)) {
		json_complain_type(&applies, c, "false, or no such key");
		ret = -EINVAL;
	}
	text = json_text(&why, sizeof(row->source) - 1, c);
	if (!text)
		return -EINVAL;
	memcpy(row->source, text, strlen(text) + 1);
	return ret;
}

/* @khz is 0 when the sheet's clock could not be read. */
static int read_cost(const struct json_node *n, u64 khz, struct cost_row *row,
		     struct complaints *c)
{
	struct json_node value = json_member(n, "value");
	struct figure f = { 0 };
	int ret;

	if (!json_is_object(n->v)) {
		json_complain_type(n, c, "an object with \"value\", \"unit\", \"range\" or \"class\", \"tag\", \"source\"");
		return -EINVAL;
	}
	if (notes_check(n, c))
		return -EINVAL;
	if (json_object_get(n->v, "applies"))
		return read_absent(n, row, c);
	row->applies = true;
	ret = json_known_keys(n, row_keys, ARRAY_SIZE(row_keys), c);
	ret |= read_tag(n, &row->tag, c);
	ret |= read_source(n, row, c);
	if (read_unit(n, &f.ns, c) || read_figure(&value, f.ns, &f.value, c) ||
	    read_uncertainty(n, &f, c) || ret)
		return -EINVAL;
	row->cycles = f.ns ? ns_to_cycles(f.value, khz) : f.value;
	row->lo_cycles = f.ns ? ns_to_cycles(f.lo, khz) : f.lo;
	row->hi_cycles = f.ns ? ns_to_cycles(f.hi, khz) : f.hi;
	return 0;
}

int costs_read(const struct json_node *top, struct cost_sheet *out,
	       struct complaints *c)
{
	const struct rows_spec spec = { .rows = head_rows, .also = head_also };
	struct json_node costs = json_member(top, "costs");
	const char *names[COST_NR];
	struct head head = { 0 };
	int ret = rows_read(top, &spec, &head, c);

	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%.63s", head.name);
	snprintf(out->vendor, sizeof(out->vendor), "%s", vendors[head.vendor]);
	snprintf(out->l0, sizeof(out->l0), "%s", costs_l0s[head.l0]);
	out->clock_khz = head.clock_khz;
	if (!json_is_object(costs.v)) {
		json_complain_type(&costs, c, "an object with one member per cost");
		return -EINVAL;
	}
	for (u32 i = 0; i < COST_NR; i++)
		names[i] = cost_name((enum cost_id)i);
	if (json_known_keys(&costs, names, COST_NR, c))
		ret = -EINVAL;
	for (u32 i = 0; i < COST_NR; i++) {
		struct json_node n = json_member(&costs, names[i]);

		if (read_cost(&n, head.clock_khz, &out->row[i], c))
			ret = -EINVAL;
	}
	return ret;
}

int costs_load(const char *path, struct cost_sheet *out, struct complaints *c)
{
	u64 before = c->nr;
	struct json_doc *doc;
	struct json_node top;
	int ret = json_doc_read(path, &doc, c);

	if (ret)
		return ret;
	top = json_top(doc);
	ret = costs_read(&top, out, c);
	json_doc_free(doc);
	return c->nr > before ? -EINVAL : ret;
}

u32 costs_assumed(const struct cost_sheet *sheet)
{
	u32 nr = 0;

	for (u32 i = 0; i < COST_NR; i++)
		nr += sheet->row[i].applies &&
		      sheet->row[i].tag == COST_TAG_ASSUMED;
	return nr;
}
