#include "sim/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	BUG_ON(code >= 0);
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	for (char *c = err->msg; *c; c++)
		if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f)
			*c = '?';
	return code;
}

void bug_at(const char *file, int line, const char *cond)
{
	fflush(NULL);
	fprintf(stderr, "BUG: %s:%d: %s\n", file, line, cond);
	_exit(3);
}
