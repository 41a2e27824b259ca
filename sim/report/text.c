#include "sim/report/text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "sim/base/err.h"

#define NOTE_INDENT 12u

size_t text_clean(char *to, size_t size, const char *from)
{
	return err_escape(to, size, from ? from : "unknown");
}

/* Length of the valid UTF-8 sequence at @c, or 0. */
static size_t utf8_length(const unsigned char *c)
{
	size_t n = *c < 0x80 ? 1 : *c >= 0xc2 && *c < 0xe0 ? 2 :
		   (*c & 0xf0) == 0xe0 ? 3 : *c >= 0xf0 && *c < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, beyond the last code point. */
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	return n;
}

void text_utf8(char *to, size_t size, const char *from)
{
	const unsigned char *c = (const unsigned char *)from;
	size_t n = 0;

	while (*c) {
		size_t len = utf8_length(c);
		size_t step = len ? len : 1;

		if (n + step >= size)
			break;
		if (len)
			memcpy(to + n, c, len);
		else
			to[n] = '?';
		n += step;
		c += step;
	}
	to[n] = '\0';
}

/* Length of the sequence at @c if XML has a character for it, or 0. */
static size_t xml_length(const unsigned char *c)
{
	bool control = *c < ' ' && *c != '\t' && *c != '\n';
	bool none = c[0] == 0xef && c[1] == 0xbf && (c[2] == 0xbe || c[2] == 0xbf);

	return control || none ? 0 : utf8_length(c);
}

void text_xml(FILE *out, const char *text)
{
	static const char *const spelled[128] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;",
	};
	const unsigned char *c = (const unsigned char *)text;
	size_t len;

	for (; *c; c += len ? len : 1) {
		len = xml_length(c);
		if (!len)
			fputc('?', out);
		else if (len == 1 && spelled[*c])
			fputs(spelled[*c], out);
		else
			fwrite(c, 1, len, out);
	}
}

void text_rate(char *to, size_t size, double value)
{
	static const char unit[] = "\0kMGTPE";
	u32 u = 0;

	if (!isfinite(value)) {
		snprintf(to, size, "-");
		return;
	}
	if (value > 0.0 && value < 0.05) {
		snprintf(to, size, "<0.1");
		return;
	}
	if (value < 999.5) {
		snprintf(to, size, "%.*f", value > 0.0 && value < 9.95 ? 1 : 0,
			 value);
		return;
	}
	for (; value >= 999.5 && u < sizeof(unit) - 2; u++)
		value /= 1000.0;
	snprintf(to, size, "%.*f%c", value < 99.95 ? 1 : 0, value, unit[u]);
}

void text_percent(char *to, size_t size, double value)
{
	if (isfinite(value) && value > 0.0 && value < 0.005)
		snprintf(to, size, "<0.01");
	else if (isfinite(value) && value < 99.95)
		snprintf(to, size, "%.*f", value > 0.0 ? value < 9.995 ? 2 : 1 : 0,
			 value);
	else
		text_rate(to, size, value);
}

void text_paragraph(FILE *out, const char *first, u32 indent, const char *text)
{
	size_t col = strlen(first);
	bool fresh = true;

	fputs(first, out);
	while (*text) {
		size_t len = strcspn(text, " ");

		if (!fresh && col + 1 + len > TEXT_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			col = indent;
			fresh = true;
		}
		if (!fresh) {
			fputc(' ', out);
			col++;
		}
		for (; col + len > TEXT_COLUMNS; col = indent) {
			size_t part = TEXT_COLUMNS - col;

			fprintf(out, "%.*s\n%*s", (int)part, text, (int)indent, "");
			text += part;
			len -= part;
		}
		fprintf(out, "%.*s", (int)len, text);
		col += len;
		text += len;
		text += strspn(text, " ");
		fresh = false;
	}
	fputc('\n', out);
}

void text_note(FILE *out, const char *label, const char *fmt, ...)
{
	char raw[TEXT_NOTE_MAX], text[TEXT_NOTE_MAX], first[NOTE_INDENT + 1];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(raw))
		memcpy(raw + sizeof(raw) - 4, "...", 4);
	text_clean(text, sizeof(text), raw);
	snprintf(first, sizeof(first), "%-*s", (int)NOTE_INDENT, label);
	text_paragraph(out, first, NOTE_INDENT, text);
}

/* Which quote is open after @c, given which was open before it. */
static char quote_after(char quote, char c)
{
	if (quote)
		return c == quote ? 0 : quote;
	return c == '\'' || c == '"' ? c : 0;
}

/* Length of the word at @s, up to a blank outside quotes. */
static size_t word_length(const char *s)
{
	char quote = 0;
	size_t n = 0;

	while (s[n] && (quote || s[n] != ' ')) {
		if (s[n] == '\\' && quote != '\'' && s[n + 1])
			n++;
		else
			quote = quote_after(quote, s[n]);
		n++;
	}
	return n;
}

/* A word too long for any line; returns the column after it. */
static size_t split_word(FILE *out, size_t col, const char *word, size_t len)
{
	char quote = 0;

	for (size_t i = 0; i < len; i++) {
		bool pair = word[i] == '\\' && quote != '\'' && i + 1 < len;

		if (col + 5 > TEXT_COLUMNS) {
			fputs(quote == '\'' ? "'\\\n'" : "\\\n", out);
			col = quote == '\'';
		}
		fprintf(out, "%.*s", pair ? 2 : 1, word + i);
		col += pair ? 2 : 1;
		if (pair)
			i++;
		else
			quote = quote_after(quote, word[i]);
	}
	return col;
}

void text_command(FILE *out, u32 indent, const char *command)
{
	size_t room = TEXT_COLUMNS - sizeof("\\");
	size_t col = indent;
	bool fresh = true;

	fprintf(out, "%*s", (int)indent, "");
	for (;;) {
		size_t len = word_length(command);
		size_t next = len + strspn(command + len, " ");
		bool last = !command[next];

		if (!fresh && col + 1 + len > (last ? TEXT_COLUMNS : room)) {
			fprintf(out, " \\\n%*s", (int)indent + 4, "");
			col = indent + 4;
		} else if (!fresh) {
			fputc(' ', out);
			col++;
		}
		if (col + len > room)
			col = split_word(out, col, command, len);
		else
			col += (size_t)fprintf(out, "%.*s", (int)len, command);
		if (last)
			break;
		command += next;
		fresh = false;
	}
	fputc('\n', out);
}

void text_quote(char *to, size_t size, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"-_=:,./+@%";
	size_t n = 0;

	if (*word && word[strspn(word, plain)] == '\0') {
		snprintf(to, size, "%s", word);
		return;
	}
	to[n++] = '\'';
	for (; *word; word++) {
		size_t need = *word == '\'' ? 4 : 1;

		if (n + need + 2 > size)
			break;
		memcpy(to + n, *word == '\'' ? "'\\''" : word, need);
		n += need;
	}
	to[n++] = '\'';
	to[n] = '\0';
}
