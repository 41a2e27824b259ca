/*
 * The bare elision protocol for Spin.  elision.c says what the rules mean.
 *
 *   spin -a -DPCPUS=3 -DVCPUS=3 -DCHANGES=3 -DCLEAR=1 elision.pml
 *   cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m4000000
 *
 * Which vCPU and which pCPU is spelled out by macros: a select() would add steps
 * that choose and then lead nowhere, and a loop needs a counter, which would be
 * part of the state.  One process, since a second one would lengthen the state
 * without adding to it.
 */
#define NONE	7

#if VCPUS == 2
#define HELD(p)		(at[0] == p || at[1] == p)
#define NONE_AWAITED	(!awaited[0] && !awaited[1])
#define EACH_VCPU	VCPU(0) VCPU(1)
#define ASK_ALL		ASK(0); ASK(1)
#elif VCPUS == 3
#define HELD(p)		(at[0] == p || at[1] == p || at[2] == p)
#define NONE_AWAITED	(!awaited[0] && !awaited[1] && !awaited[2])
#define EACH_VCPU	VCPU(0) VCPU(1) VCPU(2)
#define ASK_ALL		ASK(0); ASK(1); ASK(2)
#else
#error VCPUS is neither 2 nor 3
#endif

#if PCPUS == 2
#define EACH_LOAD(v)	LOAD(v, 0) LOAD(v, 1)
#define CLEAR_ALL	mask[0] = 0; mask[1] = 0
#elif PCPUS == 3
#define EACH_LOAD(v)	LOAD(v, 0) LOAD(v, 1) LOAD(v, 2)
#define CLEAR_ALL	mask[0] = 0; mask[1] = 0; mask[2] = 0
#else
#error PCPUS is neither 2 nor 3
#endif

#define LOAD(v, p)							\
	:: d_step {							\
		at[v] == NONE && !HELD(p) -> at[v] = p;			\
		if							\
		:: last[v] != p -> last[v] = p;				\
			if						\
			:: !mask[p] -> mask[p] = 1; cached[p] = NONE	\
			:: else						\
			fi						\
		:: else							\
		fi							\
	}

#define PUT(v)								\
	:: d_step { at[v] != NONE && !guest[v] -> at[v] = NONE }

#define ENTER(v)							\
	:: d_step {							\
		at[v] != NONE && !guest[v] ->				\
		if							\
		:: asked[v] -> asked[v] = 0; cached[at[v]] = NONE	\
		:: else							\
		fi;							\
		guest[v] = 1						\
	}

#define EXIT(v)								\
	:: d_step { guest[v] -> guest[v] = 0; awaited[v] = 0 }

#define USE(v)								\
	:: d_step {							\
		guest[v] ->						\
		if							\
		:: cached[at[v]] == NONE -> cached[at[v]] = current	\
		:: else -> assert(cached[at[v]] >= acked)		\
		fi							\
	}

#define ASK(v)		asked[v] = 1; awaited[v] = guest[v]

#define VCPU(v)		EACH_LOAD(v) PUT(v) ENTER(v) EXIT(v) USE(v)

byte at[VCPUS] = NONE;
byte last[VCPUS] = NONE;
byte cached[PCPUS] = NONE;
byte current = 0;
byte acked = 0;
bit asked[VCPUS];
bit guest[VCPUS];
bit awaited[VCPUS];
bit mask[PCPUS];
bit changing = 0;

active proctype machine()
{
	do
	EACH_VCPU
	:: d_step {
		!changing && current < CHANGES ->
		changing = 1;
		current++;
#if CLEARS
		CLEAR_ALL;
#endif
		ASK_ALL
	}
	:: d_step { changing && NONE_AWAITED -> changing = 0; acked = current }
	od
}
