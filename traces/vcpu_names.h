/* How the threads that run vCPUs are called, by virtual machine monitor. */
#ifndef TRACES_VCPU_NAMES_H
#define TRACES_VCPU_NAMES_H

#include "sim/base/types.h"

/**
 * vcpu_name_match() - does a thread name say "vCPU"
 * @comm: NUL-terminated thread name
 * @index: set to the vCPU's number inside its VM when there is a match
 *
 * Return: a static string that names the monitors which use this form, or
 * NULL if it is not the name of a vCPU thread.  Equal forms give equal
 * pointers.
 */
const char *vcpu_name_match(const char *comm, u32 *index);

#endif /* TRACES_VCPU_NAMES_H */
