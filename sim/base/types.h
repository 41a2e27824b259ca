/* Integer names, address types and the handful of macros every file uses. */
#ifndef SIM_BASE_TYPES_H
#define SIM_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

/*
 * Page numbers of the three address spaces.  One-member structs: handing a
 * guest-virtual number to something that wants a guest-physical one does not
 * compile.  The unit is always a 4-KiB page.
 */
typedef struct { u64 n; } gvpn_t;	/* guest virtual */
typedef struct { u64 n; } gfn_t;	/* guest physical */
typedef struct { u64 n; } hfn_t;	/* host (system) physical */

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT64(n)	(1ULL << (n))

#define IDX_NONE	UINT32_MAX	/* "no such vCPU, pCPU, root, page ..." */
#define TIME_NEVER	UINT64_MAX	/* an actor with nothing to do */

/* Bounds on input.  Stated in the documentation, checked where input enters. */
#define PCPU_MAX	8192u
#define VCPU_MAX	65536u
#define VM_MAX		16384u
#define PAGES_PER_VM_MAX	(1u << 20)

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

#endif /* SIM_BASE_TYPES_H */
