/* The line loop of all text formats: counts and messages in one place. */
#include "traces/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"
#include "traces/input.h"

#define SHOWN_BYTES	80		/* of a broken line, in a message */

static int reader_complain(struct reader *r, const struct line *l, int code,
			   struct err *err)
{
	const char *at = l->at ? l->at : l->p;
	int shown = (int)min_u64((u64)(l->end - at), SHOWN_BYTES);

	return err_set(err, code, "%s:%llu: found '%.*s%s'; expected %s",
		       input_name(r->in),
		       (unsigned long long)input_line_nr(r->in), shown, at,
		       l->end - at > SHOWN_BYTES ? "..." : "", l->expected);
}

/* Return: 0 to go on, -EPROTO when broken lines are fatal. */
static int reader_broken(struct reader *r, const struct line *l,
			 struct err *err)
{
	struct err first;

	r->counts.broken++;
	if (r->strict)
		return reader_complain(r, l, -EPROTO, err);
	if (!r->counts.first_broken[0]) {
		reader_complain(r, l, -EPROTO, &first);
		snprintf(r->counts.first_broken,
			 sizeof(r->counts.first_broken), "%.*s",
			 (int)sizeof(r->counts.first_broken) - 1, first.msg);
	}
	return 0;
}

static enum line_result reader_parse(struct reader *r, line_parser_fn parse,
				     struct line *l)
{
	if (likely(!input_line_cut(r->in)))
		return parse(r, l);
	l->expected = "a line of at most 65536 bytes";
	return LINE_BROKEN;
}

int reader_next_line(struct reader *r, line_parser_fn parse,
		     struct trace_rec *rec, struct err *err)
{
	struct line l = { .rec = rec };
	size_t len;
	int ret;

	_Static_assert(TRACE_LINE_MAX == 65536, "the message above says so");
	for (;;) {
		ret = input_line(r->in, &l.p, &len, err);
		if (ret <= 0)
			return ret;
		r->counts.lines++;
		memset(rec, 0, sizeof(*rec));
		rec->line = input_line_nr(r->in);
		rec->comm = TRACE_STR_NONE;
		l.end = l.p + len;
		l.at = NULL;
		switch (reader_parse(r, parse, &l)) {
		case LINE_RECORD:
			return 1;
		case LINE_SKIPPED:
			r->counts.skipped++;
			break;
		case LINE_CONSUMED:
			break;
		case LINE_TORN:
			r->counts.torn++;
			/* fall through */
		case LINE_BROKEN:
			ret = reader_broken(r, &l, err);
			if (ret)
				return ret;
			break;
		case LINE_FATAL:
			return reader_complain(r, &l, -EPROTO, err);
		}
	}
}
