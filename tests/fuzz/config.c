/*
 * Hostile config files: each is read as everything a config file can be, from
 * memory, and no file that it names is followed.  What stands behind the first
 * NUL byte is tried as a "--set" on top.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/litmus.h"
#include "sim/cli/machine_file.h"
#include "sim/cli/scenario_read.h"
#include "sim/config/costs.h"
#include "sim/config/set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const struct json_doc *doc, struct complaints *c)
{
	struct json_node top = json_top(doc);
	struct scenario *s = calloc(1, sizeof(*s));
	struct machine_file machine;
	struct cost_sheet sheet;
	struct litmus litmus;

	costs_read(&top, &sheet, c);
	machine_file_read(&top, &machine, c);
	litmus_read(&top, &litmus, c);
	litmus_release(&litmus);
	if (s && (s->file = strdup("fuzz/input.json")))
		scenario_read(&top, s, c);
	scenario_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t text = nul ? (size_t)(nul - data) : size;
	struct json_doc *doc = NULL;
	struct complaints c;
	char *set = NULL;

	complaints_init(&c);
	if (!json_doc_parse("fuzz/input.json", data, text, &doc, &c)) {
		if (nul)
			set = strndup((const char *)nul + 1, size - text - 1);
		if (set)
			set_apply(doc, set, set, &c);
		read_all(doc, &c);
	}
	json_doc_free(doc);
	free(set);
	complaints_release(&c);
	return 0;
}
