/*
 * Logarithm and exponential in integers, so that a closed form gives the same
 * number on every machine.  Fixed point with 48 fractional bits.
 */
#ifndef MODELS_WORKLOAD_ACCESS_FIXED_H
#define MODELS_WORKLOAD_ACCESS_FIXED_H

#include "sim/base/types.h"

#define FIXED_BITS	48
#define FIXED_ONE	BIT64(FIXED_BITS)
#define FIXED_NEVER	(64 * FIXED_ONE)	/* decay of a certain event */

/**
 * fixed_log2() - binary logarithm of an integer
 * @x: at least 1
 *
 * Return: log2(@x) in units of 2^-48.
 */
u64 fixed_log2(u64 x);

/**
 * fixed_decay() - how fast the chance of "not yet" falls
 * @p: chance of the event per access, in units of 2^-64, below 1
 *
 * Return: -log2(1 - @p) in units of 2^-48.
 */
u64 fixed_decay(u64 p);

/**
 * fixed_not_yet() - chance that an event has not happened
 * @decay: what fixed_decay() returned
 * @n: accesses
 *
 * Return: 2^-(@decay * @n) in units of 2^-40.
 */
u64 fixed_not_yet(u64 decay, u64 n);

#endif /* MODELS_WORKLOAD_ACCESS_FIXED_H */
