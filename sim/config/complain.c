#include "sim/config/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"

#define NAME_LEN_MAX 64u

void complaints_init(struct complaints *c)
{
	memset(c, 0, sizeof(*c));
}

void complaints_release(struct complaints *c)
{
	for (u32 i = 0; i < c->nr_kept; i++)
		free(c->text[i]);
	complaints_init(c);
}

bool complaints_full(const struct complaints *c)
{
	return c->nr_kept == COMPLAINTS_MAX;
}

void complain_more(struct complaints *c)
{
	c->nr++;
}

void complain(struct complaints *c, const char *fmt, ...)
{
	char line[ERR_MSG_MAX];
	struct err err;
	va_list ap;

	c->nr++;
	if (complaints_full(c))
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	err_set(&err, -EINVAL, "%s", line);
	c->text[c->nr_kept] = strdup(err.msg);
	if (c->text[c->nr_kept])
		c->nr_kept++;
}

void complaints_print(const struct complaints *c, FILE *out)
{
	for (u32 i = 0; i < c->nr_kept; i++)
		fprintf(out, "%s\n", c->text[i]);
	if (c->nr > c->nr_kept)
		fprintf(out, "and %llu more\n",
			(unsigned long long)(c->nr - c->nr_kept));
}

/* Letters to insert, delete or replace; swapping neighbours counts once. */
static u32 edit_distance(const char *a, const char *b)
{
	u32 row[3][NAME_LEN_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	for (u32 j = 0; j <= lb; j++)
		row[0][j] = j;
	for (u32 i = 1; i <= la; i++) {
		u32 *cur = row[i % 3], *up = row[(i + 2) % 3];
		const u32 *upup = row[(i + 1) % 3];

		cur[0] = i;
		for (u32 j = 1; j <= lb; j++) {
			u32 best = up[j - 1] + (a[i - 1] != b[j - 1]);

			best = up[j] + 1 < best ? up[j] + 1 : best;
			best = cur[j - 1] + 1 < best ? cur[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && upup[j - 2] + 1 < best)
				best = upup[j - 2] + 1;
			cur[j] = best;
		}
	}
	return row[la % 3][lb];
}

const char *nearest_name(const char *word, const char *const *names, size_t nr)
{
	size_t len = strlen(word);
	u32 limit = len / 3 < 3 ? (u32)(len / 3) : 3;
	u32 best = limit + 1;
	const char *name = NULL;

	if (!limit || len > NAME_LEN_MAX)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		u32 d;

		if (strlen(names[i]) > NAME_LEN_MAX)
			continue;
		d = edit_distance(word, names[i]);
		if (d >= best)
			continue;
		best = d;
		name = names[i];
	}
	return name;
}
