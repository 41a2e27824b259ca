#include "models/workload/access_fixed.h"

#include <pthread.h>

#include "sim/base/err.h"

#define STEPS		256u
#define STEP_COARSE	0xff4ecb59511ec8a5ULL	/* 2^(-1/256), units of 2^-64 */
#define STEP_FINE	0xffff4e8e25879bfaULL	/* 2^(-1/65536) */
#define LN2_32		0xb17217f8ULL		/* ln 2, units of 2^-32 */
#define RESULT_BITS	40

static u64 coarse[STEPS];
static u64 fine[STEPS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static u64 mul_high(u64 a, u64 b)
{
	return (u64)((unsigned __int128)a * b >> 64);
}

static void tables_fill(void)
{
	coarse[0] = UINT64_MAX;
	fine[0] = UINT64_MAX;
	for (u32 i = 1; i < STEPS; i++) {
		coarse[i] = mul_high(coarse[i - 1], STEP_COARSE);
		fine[i] = mul_high(fine[i - 1], STEP_FINE);
	}
}

/* Fraction of the logarithm of m / 2^63, 1 <= that < 2, by squaring. */
static u64 log2_fraction(u64 m)
{
	u64 fraction = 0;

	for (u32 i = 0; i < FIXED_BITS; i++) {
		unsigned __int128 square = (unsigned __int128)m * m;
		bool two = square >> 127;

		m = (u64)(square >> (two ? 64 : 63));
		fraction = fraction << 1 | two;
	}
	return fraction;
}

u64 fixed_log2(u64 x)
{
	u32 zeros;

	BUG_ON(!x);
	zeros = (u32)__builtin_clzll(x);
	return (u64)(63 - zeros) * FIXED_ONE + log2_fraction(x << zeros);
}

u64 fixed_decay(u64 p)
{
	u64 left = -p;			/* 1 - p in units of 2^-64 */
	u32 zeros;

	if (!p)
		return 0;
	zeros = (u32)__builtin_clzll(left);
	return (u64)(zeros + 1) * FIXED_ONE - log2_fraction(left << zeros);
}

u64 fixed_not_yet(u64 decay, u64 n)
{
	unsigned __int128 x = (unsigned __int128)decay * n;
	u64 whole = (u64)(x >> FIXED_BITS), rest, value;

	if (!x)
		return BIT64(RESULT_BITS);
	if (x >> (FIXED_BITS + 32) || whole >= RESULT_BITS)
		return 0;
	pthread_once(&once, tables_fill);
	rest = (u64)x & (FIXED_ONE - 1);
	value = mul_high(coarse[rest >> 40], fine[rest >> 32 & 0xff]);
	value -= mul_high(value, (rest & 0xffffffff) * LN2_32 >> 16);
	return value >> (64 - RESULT_BITS) >> whole;
}
