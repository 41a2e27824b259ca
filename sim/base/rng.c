#include "sim/base/rng.h"

#include <math.h>
#include <pthread.h>

#include "sim/base/err.h"

#define EXP_BITS 12
#define EXP_SLOTS (1u << EXP_BITS)
#define EXP_FRAC 24			/* quantiles are held in units of 2^-24 */

/* Quantiles of the unit exponential at k/4096; the last one bounds the table. */
static u32 exp_quantile[EXP_SLOTS];
static u32 exp_tail;			/* -ln(1/4096): where the table ends */
static pthread_once_t exp_once = PTHREAD_ONCE_INIT;

static void exp_fill(void)
{
	for (u32 k = 0; k < EXP_SLOTS; k++)
		exp_quantile[k] = (u32)lround(-log1p(-(double)k / EXP_SLOTS) *
					      (1u << EXP_FRAC));
	exp_tail = (u32)lround(log(EXP_SLOTS) * (1u << EXP_FRAC));
}

static u64 splitmix64(u64 *x)
{
	u64 z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

void rng_init(struct rng *r, u64 seed, u64 purpose, u64 index)
{
	u64 x = seed;

	pthread_once(&exp_once, exp_fill);
	x = splitmix64(&x) ^ purpose;
	x = splitmix64(&x) ^ index;
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&x);
}

u64 rng_exp(struct rng *r, u64 mean)
{
	u64 unit = 0, bits, slot, frac, result;

	BUG_ON(!mean);
	for (;;) {
		bits = rng_next(r);
		slot = bits >> (64 - EXP_BITS);
		if (slot < EXP_SLOTS - 1)
			break;
		unit += exp_tail;	/* memoryless: start again in the tail */
	}
	frac = (bits >> 20) & 0xffffffff;
	unit += exp_quantile[slot] +
		(((u64)(exp_quantile[slot + 1] - exp_quantile[slot]) * frac) >> 32);
	result = (u64)(((unsigned __int128)unit * mean) >> EXP_FRAC);
	return result ? result : 1;
}
