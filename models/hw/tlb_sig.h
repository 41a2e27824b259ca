/*
 * Signatures of the ways of a set: 16 bits each, eight to a group, compared
 * eight at a time, so that a miss is found out without reading an entry.
 *
 * x86-64 always has SSE2; elsewhere the portable form does the same.
 */
#ifndef MODELS_HW_TLB_SIG_H
#define MODELS_HW_TLB_SIG_H

#include "sim/base/types.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SIG_GROUP	8u		/* signatures in a group */
#define SIG_EMPTY	0u
#define SIG_PAD		1u		/* no way here: neither free nor a match */
#define SIG_USED	0x8000u		/* set in every other signature */

/**
 * tlb_sig_match_portable() - which of eight signatures are this one?
 * @sig: a group
 * @want: signature
 *
 * Return: two bits for each that is, the first in the lowest.
 */
static inline u32 tlb_sig_match_portable(const u16 *sig, u32 want)
{
	u32 found = 0;

	for (u32 i = 0; i < SIG_GROUP; i++)
		found |= (sig[i] == want ? 3u : 0u) << 2 * i;
	return found;
}

/**
 * tlb_sig_match() - tlb_sig_match_portable(), as fast as the machine can
 * @sig: a group
 * @want: signature
 *
 * Return: two bits for each match, the first in the lowest.
 */
static inline __attribute__((always_inline)) u32 tlb_sig_match(const u16 *sig,
							       u32 want)
{
#ifdef __SSE2__
	__m128i group = _mm_loadu_si128((const __m128i *)sig);

	group = _mm_cmpeq_epi16(group, _mm_set1_epi16((short)want));
	return (u32)_mm_movemask_epi8(group);
#else
	return tlb_sig_match_portable(sig, want);
#endif
}

#endif /* MODELS_HW_TLB_SIG_H */
