#include "sim/base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

size_t err_escape(char *to, size_t size, const char *from)
{
	size_t n = 0;

	for (; *from; from++) {
		unsigned char c = (unsigned char)*from;
		bool plain = c >= 0x20 && c < 0x7f;
		size_t need = plain ? 1 : 4;

		if (n + need >= size)
			break;
		if (plain)
			to[n] = (char)c;
		else
			snprintf(to + n, size - n, "\\x%02x", c);
		n += need;
	}
	to[n] = '\0';
	return n;
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	char raw[ERR_MSG_MAX];
	va_list ap;

	BUG_ON(code >= 0);
	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	err_escape(err->msg, sizeof(err->msg), raw);
	return code;
}

void bug_at(const char *file, int line, const char *cond)
{
	fflush(NULL);
	fprintf(stderr, "BUG: %s:%d: %s\n", file, line, cond);
	_exit(3);
}
