/*
 * Texts of kernel events, as ftrace, trace-cmd and perf print them: the part
 * of a line after "event: ".  The printers share it, so the parsers do too.
 */
#ifndef TRACES_EVENT_TEXT_H
#define TRACES_EVENT_TEXT_H

#include "traces/reader.h"

/**
 * struct event_text_head - what the columns before the text said
 * @tid: thread that was current, or IDX_NONE when there is no such column
 * @tgid: its process, or TRACE_TGID_NONE
 * @comm: bytes of its name, not NUL-terminated
 * @comm_len: bytes in @comm; 0 when unknown
 */
struct event_text_head {
	u32 tid;
	u32 tgid;
	const char *comm;
	size_t comm_len;
};

struct event_text;			/* one row of the table of events */

/**
 * event_text_find() - look up an event
 * @name: bytes of the event's name, without subsystem
 * @len: bytes in @name
 *
 * Return: its row, or NULL if the event is of no interest here.
 */
const struct event_text *event_text_find(const char *name, size_t len);

/**
 * event_text_parse() - read the text of an event
 * @ev: row out of event_text_find()
 * @r: reader, for the names
 * @head: columns before the text
 * @l: line; @l->p is the first byte of the text.  @l->rec holds time and CPU
 *     already and gets the rest
 *
 * Names may hold any byte but newline and NUL, the separators themselves
 * included, so the fields are found from the right, where numbers stand.
 *
 * Return: LINE_RECORD, LINE_BROKEN, LINE_TORN or LINE_FATAL, the latter three
 * with @l->expected set.
 */
enum line_result event_text_parse(const struct event_text *ev,
				  struct reader *r,
				  const struct event_text_head *head,
				  struct line *l);

/**
 * event_text_name() - give a name its number
 * @r: reader
 * @l: line, for the message
 * @text: bytes of the name
 * @len: bytes in @text
 * @id: set on success
 *
 * Return: LINE_RECORD, LINE_BROKEN for a name that no kernel makes,
 * LINE_FATAL when there is no room for more names.
 */
enum line_result event_text_name(struct reader *r, struct line *l,
				 const char *text, size_t len, u32 *id);

#endif /* TRACES_EVENT_TEXT_H */
