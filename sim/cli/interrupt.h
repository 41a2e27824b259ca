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

#endif /* SIM_CLI_INTERRUPT_H */
