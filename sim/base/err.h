/*
 * The one way an operating error travels: -errno plus a sentence.
 * BUG_ON() is for errors in this program, never for its input.
 */
#ifndef SIM_BASE_ERR_H
#define SIM_BASE_ERR_H

#include <stddef.h>

#define ERR_MSG_MAX 1024

/**
 * struct err - what went wrong, in words fit for the user
 * @msg: NUL-terminated; names the file and line, offset or JSON path at fault,
 *       what was found and what was expected; no trailing newline
 *
 * Owned by the caller, usually on its stack.  Written only on failure, so one
 * &struct err may be passed through a chain of calls.
 */
struct err {
	char msg[ERR_MSG_MAX];
};

/**
 * err_set() - record a message and hand back the code
 * @err: where to write; must not be NULL
 * @code: a negative errno
 * @fmt: printf format
 *
 * The finished message passes through err_escape(), so that text taken from a
 * hostile file or command line cannot drive the terminal it is shown on.
 *
 * Return: @code, so that "return err_set(err, -EINVAL, ...)" reads naturally.
 */
__attribute__((format(printf, 3, 4)))
int err_set(struct err *err, int code, const char *fmt, ...);

/**
 * err_escape() - copy text, spelling out every byte that is not printable ASCII
 * @to: gets "\xNN" for such bytes; always terminated
 * @size: size of @to, at least 1; what does not fit is cut, never inside "\xNN"
 * @from: text to copy
 *
 * A backslash stays one, so that what has been through here may go again.
 *
 * Return: length of what was written.
 */
size_t err_escape(char *to, size_t size, const char *from);

/* A bug in this program.  Prints where and aborts; the exit status is 3. */
#define BUG_ON(cond)							\
	do {								\
		if (__builtin_expect(!!(cond), 0))			\
			bug_at(__FILE__, __LINE__, #cond);		\
	} while (0)

/**
 * bug_at() - report an internal error and end the program
 * @file: source file
 * @line: source line
 * @cond: the condition that should never hold
 */
_Noreturn void bug_at(const char *file, int line, const char *cond);

#endif /* SIM_BASE_ERR_H */
