/*
 * Seeded random streams.  One stream per user (a vCPU's accesses, a VM's
 * mapping changes ...), so that what one draws never shifts another: two
 * policies compared on one seed see the same environment.
 *
 * xoshiro256** seeded through SplitMix64.  Variates are integer arithmetic on
 * a table of quantiles: no floating point in a run.
 */
#ifndef SIM_BASE_RNG_H
#define SIM_BASE_RNG_H

#include "sim/base/types.h"

/**
 * struct rng - one stream; plain data, may be copied and compared
 * @s: generator state; never all zero
 */
struct rng {
	u64 s[4];
};

/**
 * rng_init() - start a stream
 * @r: stream to fill in
 * @seed: seed of the whole run
 * @purpose: which family of streams, any constant
 * @index: which member of the family
 */
void rng_init(struct rng *r, u64 seed, u64 purpose, u64 index);

static inline u64 rng_rotl(u64 x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/**
 * rng_next() - draw 64 random bits
 * @r: stream
 *
 * Return: a uniform 64-bit number.
 */
static inline u64 rng_next(struct rng *r)
{
	u64 result = rng_rotl(r->s[1] * 5, 7) * 9;
	u64 t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rng_rotl(r->s[3], 45);
	return result;
}

/**
 * rng_below() - draw a uniform integer
 * @r: stream
 * @bound: exclusive upper bound, at least 1
 *
 * Bias is below 2^-32 for bounds below 2^32.
 *
 * Return: a number in 0 .. @bound - 1.
 */
static inline u64 rng_below(struct rng *r, u64 bound)
{
	return (u64)(((unsigned __int128)rng_next(r) * bound) >> 64);
}

/**
 * rng_exp() - draw an exponential waiting time
 * @r: stream
 * @mean: mean, in any unit; at least 1
 *
 * The quantile table is interpolated, so the distribution is exact to 2^-12
 * in probability; the tail beyond the table is drawn afresh (memoryless).
 *
 * Return: a waiting time in the unit of @mean, at least 1.
 */
u64 rng_exp(struct rng *r, u64 mean);

#endif /* SIM_BASE_RNG_H */
