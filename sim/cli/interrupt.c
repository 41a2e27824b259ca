#include "sim/cli/interrupt.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t interrupted;

/* Written before the handler is set, read by it only. */
static const char *last_words;
static int last_status;

static void on_signal(int sig)
{
	interrupted = sig;
}

void interrupt_catch(int sig)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(sig, &act, NULL);
}

static void on_signal_end(int sig)
{
	/* stdio must not be used here; words that cannot be said are lost. */
	ssize_t n = write(STDERR_FILENO, last_words, strlen(last_words));

	(void)sig;
	(void)n;
	_exit(last_status);
}

void interrupt_end(int sig, const char *message, int status)
{
	struct sigaction act = { .sa_handler = on_signal_end };

	last_words = message;
	last_status = status;
	sigaction(sig, &act, NULL);
}
