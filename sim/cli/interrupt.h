/* Ctrl-C asks a command to stop and to leave things in order. */
#ifndef SIM_CLI_INTERRUPT_H
#define SIM_CLI_INTERRUPT_H

#include <signal.h>

/* Nonzero once the user has asked; drivers are handed its address. */
extern volatile sig_atomic_t interrupted;

/**
 * interrupt_catch() - set @interrupted when a signal comes, instead of dying
 * @sig: SIGINT, SIGTERM ...; a system call that blocks ends with EINTR
 */
void interrupt_catch(int sig);

/**
 * interrupt_end() - end the program when a signal comes
 * @sig: as interrupt_catch(), which a later call may go over to
 * @message: static text for standard error, newline included
 * @status: exit status
 *
 * For a stretch in which there is nothing to keep and nothing to put in order.
 */
void interrupt_end(int sig, const char *message, int status);

#endif /* SIM_CLI_INTERRUPT_H */
