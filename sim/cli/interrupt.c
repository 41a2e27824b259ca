#include "sim/cli/interrupt.h"

#include <stddef.h>

volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

void interrupt_catch(int sig)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(sig, &act, NULL);
}
