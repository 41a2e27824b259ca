#include "traces/escape.h"

#include <stdio.h>
#include <string.h>

const char *trace_escape(char *to, size_t room, const char *from)
{
	size_t at = 0;

	for (; *from; from++) {
		unsigned char c = (unsigned char)*from;
		char word[5];
		size_t len;

		if (c == '\\')
			snprintf(word, sizeof(word), "\\\\");
		else if (c < 0x20 || c > 0x7e)
			snprintf(word, sizeof(word), "\\x%02x", c);
		else
			snprintf(word, sizeof(word), "%c", c);
		len = strlen(word);
		if (at + len + 1 > room)
			break;
		memcpy(to + at, word, len);
		at += len;
	}
	to[at] = '\0';
	return to;
}
