/*
 * What a trace format must provide, and what every reader shares.  A format
 * is one file with one const table, listed in traces/trace.c.
 */
#ifndef TRACES_READER_H
#define TRACES_READER_H

#include "sim/base/types.h"
#include "traces/trace.h"

struct err;
struct input;
struct names;

/**
 * struct reader - state that every reader has
 * @in: bytes; owned by the trace
 * @names: thread names; owned by the trace
 * @counts: the reader counts @lines, @skipped, @broken, @torn, @lost_markers
 *          and @lost_events; the trace counts the rest
 * @under: what the recording was made under; the reader fills in what it knows
 * @strict: broken lines are fatal
 * @priv: the reader's own state, or NULL
 */
struct reader {
	struct input *in;
	struct names *names;
	struct trace_counts counts;
	struct trace_recorded_under under;
	bool strict;
	void *priv;
};

/**
 * struct reader_ops - one trace format
 * @name: what --format calls it
 * @what: what it reads, in a few words
 * @text: the format is lines of text; a record's line is a line number
 */
struct reader_ops {
	const char *name;
	const char *what;
	bool text;

	/**
	 * @probe: judge the first bytes of a file
	 * @head: bytes
	 * @len: how many, at most INPUT_PEEK_MAX
	 *
	 * Return: 0 if it is certainly not this format, else the larger the
	 * surer: lines that fit; a magic number beats them all.
	 */
	int (*probe)(const char *head, size_t len);

	/**
	 * @open: Optional.  Prepare @priv and read what precedes the records.
	 *
	 * Return: 0, -ENOMEM, -EPROTO.
	 */
	int (*open)(struct reader *r, struct err *err);

	/**
	 * @next: read the next record, as trace_next()
	 *
	 * Return: 1 with a record, 0 at the end, -EPROTO, -EIO, -ENOMEM.
	 */
	int (*next)(struct reader *r, struct trace_rec *rec, struct err *err);

	/** @close: Optional.  Release @priv. */
	void (*close)(struct reader *r);
};

extern const struct reader_ops ftrace_text_reader;
extern const struct reader_ops perf_text_reader;
extern const struct reader_ops vst_reader;

/* What became of one line of text. */
enum line_result {
	LINE_SKIPPED,			/* not ours */
	LINE_CONSUMED,			/* ours, and no record: a header */
	LINE_RECORD,
	LINE_BROKEN,			/* ours, and unreadable */
	LINE_TORN,			/* broken by a newline in a name */
	LINE_FATAL,			/* the whole file is of no use */
};

/**
 * struct line - one line of text on its way through a parser
 * @p: first byte
 * @end: past the last byte; no newline in between
 * @rec: zeroed but for @line and @comm (none); filled in for LINE_RECORD
 * @expected: a sentence, set for LINE_BROKEN, LINE_TORN and LINE_FATAL
 * @at: where in the line the trouble is, or NULL for all of it
 */
struct line {
	const char *p;
	const char *end;
	struct trace_rec *rec;
	const char *expected;
	const char *at;
};

typedef enum line_result (*line_parser_fn)(struct reader *r, struct line *l);

/**
 * reader_next_line() - the @next of a text format
 * @r: reader
 * @parse: parser of one line
 * @rec: filled in when 1 is returned
 * @err: set on failure
 *
 * Keeps the counts and makes the messages, so that every text format treats
 * broken, torn and overlong lines alike.
 *
 * Return: as reader_ops.next.
 */
int reader_next_line(struct reader *r, line_parser_fn parse,
		     struct trace_rec *rec, struct err *err);

#endif /* TRACES_READER_H */
