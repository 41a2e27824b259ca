/*
 * Text as a mail or a terminal wants it: printable ASCII, 80 columns.  All
 * that comes from a file of somebody else passes through text_clean() before
 * it is printed.
 */
#ifndef SIM_REPORT_TEXT_H
#define SIM_REPORT_TEXT_H

#include <stdio.h>

#include "sim/base/types.h"

#define TEXT_COLUMNS 80u

/* Longest paragraph of text_note(); longer ones end in "...". */
#define TEXT_NOTE_MAX 4096

/**
 * text_clean() - copy text, control characters and bytes above 126 escaped
 * @to: where to write; always terminated
 * @size: size of @to, at least 1; what does not fit is cut, never inside an
 *        escape
 * @from: text to copy; NULL reads "unknown"
 *
 * Return: length of what was written.
 */
size_t text_clean(char *to, size_t size, const char *from);

/**
 * text_utf8() - copy text so that it is valid UTF-8
 * @to: where to write; always terminated
 * @size: size of @to, at least 1
 * @from: text to copy
 *
 * Every byte that is no part of a valid sequence becomes '?'.
 */
void text_utf8(char *to, size_t size, const char *from);

/**
 * text_xml() - print text as XML character data, fit for an attribute as well
 * @out: stream
 * @text: text; what XML cannot hold becomes '?'
 */
void text_xml(FILE *out, const char *text);

/**
 * text_rate() - a rate or a count in at most 5 characters
 * @to: where to write
 * @size: size of @to
 * @value: not negative; NAN becomes "-"
 *
 * "0", "<0.1", "3.4", "250", "1.2k", "12.3k", "4.5M" ...
 */
void text_rate(char *to, size_t size, double value);

/**
 * text_percent() - a percentage in at most 5 characters, without its sign
 * @to: where to write
 * @size: size of @to
 * @value: not negative; NAN becomes "-"
 */
void text_percent(char *to, size_t size, double value);

/**
 * text_paragraph() - print text wrapped to TEXT_COLUMNS
 * @out: stream
 * @first: what the first line begins with, as it is
 * @indent: columns that further lines are indented by
 * @text: printable text; words longer than a line are split
 */
void text_paragraph(FILE *out, const char *first, u32 indent, const char *text);

/**
 * text_note() - print a formatted paragraph under a short label
 * @out: stream
 * @label: word at the left margin, as it is; "" continues
 * @fmt: printf format; the result is cleaned, then wrapped
 */
__attribute__((format(printf, 3, 4)))
void text_note(FILE *out, const char *label, const char *fmt, ...);

/**
 * text_command() - print a shell command so that it can be pasted back
 * @out: stream
 * @indent: columns to indent by
 * @command: printable command line, quoted for a shell
 *
 * Lines are continued with a backslash; a word longer than a line is split
 * where the shell puts it together again.
 */
void text_command(FILE *out, u32 indent, const char *command);

/**
 * text_quote() - quote one word for a shell
 * @to: where to write; always terminated
 * @size: size of @to, at least 4
 * @word: printable word; what does not fit is cut
 *
 * Plain words stay as they are.
 */
void text_quote(char *to, size_t size, const char *word);

#endif /* SIM_REPORT_TEXT_H */
