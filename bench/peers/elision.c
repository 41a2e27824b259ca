/*
 * elision - the bare elision protocol, searched breadth first
 *
 * What is left of a machine when only the elision of INVEPT by a mask per root
 * is looked at: one root, one page, and a rule for each thing that can happen.
 * elision.pml and elision.m say the same to Spin and to Rumur, rule by rule, so
 * that all three must find the same number of states.
 *
 *   load     a vCPU arrives on a free pCPU; if it was on another one before and
 *            the pCPU's bit in the mask is clear: set it and flush
 *   put      it leaves, not being in the guest
 *   enter    it enters the guest; a flush it was asked for comes first
 *   exit     it leaves the guest
 *   use      the guest uses the page: the pCPU caches the current translation,
 *            or uses what it has cached, which must not be older than the last
 *            change that was acknowledged
 *   change   the host changes the page and asks every vCPU to flush; those in
 *            the guest are waited for; where CLEARS is 1 the mask is emptied
 *   ack      none is waited for any more: the change is done
 *
 * A state is one word of 64 bits, so nothing is hashed away.  Left out: a path
 * to the violation, and everything else the machine of eptsim has.
 *
 * Sizes are fixed when it is compiled, as in what Spin and Rumur generate:
 *   cc -O2 -DPCPUS=3 -DVCPUS=3 -DCHANGES=3 -DCLEAR=1 elision.c
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PCPUS
#define PCPUS	2
#endif
#ifndef VCPUS
#define VCPUS	2
#endif
#ifndef CHANGES
#define CHANGES	1
#endif
#ifndef CLEARS
#define CLEARS	1
#endif

#define NONE	7u	/* on no pCPU; nothing cached */

/* Where each field of a state begins: numbers have 3 bits, flags one. */
enum {
	AT	 = 0,			/* vCPU: the pCPU it is on */
	LAST	 = AT + 3 * VCPUS,	/* vCPU: the pCPU it was on last */
	CACHED	 = LAST + 3 * VCPUS,	/* pCPU: version of the page it has cached */
	CURRENT	 = CACHED + 3 * PCPUS,	/* version of the page */
	ACKED	 = CURRENT + 3,		/* version that a finished change made */
	ASKED	 = ACKED + 3,		/* vCPU: shall flush before it enters */
	GUEST	 = ASKED + VCPUS,	/* vCPU: in the guest */
	AWAITED	 = GUEST + VCPUS,	/* vCPU: the change waits for its exit */
	MASK	 = AWAITED + VCPUS,	/* pCPU: has flushed the root */
	CHANGING = MASK + PCPUS,	/* a change is under way */
	BITS	 = CHANGING + 1,
};

_Static_assert(PCPUS < NONE && CHANGES < NONE, "numbers have 3 bits");
_Static_assert(BITS < 64, "a state fits a word, and a word of ones is none");

/*
 * struct search - states found
 * @queue: in the order in which they were found
 * @table: the same by hash, UNUSED elsewhere; its size is a power of two
 */
struct search {
	uint64_t *queue;
	uint64_t *table;
	uint64_t size;
	uint64_t nr;
	uint64_t transitions;
	bool broken;
};

#define UNUSED	UINT64_MAX

static unsigned int number(uint64_t s, unsigned int at)
{
	return s >> at & 7;
}

static bool flag(uint64_t s, unsigned int at)
{
	return s >> at & 1;
}

static uint64_t flags(unsigned int at, unsigned int nr)
{
	return ((UINT64_C(1) << nr) - 1) << at;
}

static uint64_t set_number(uint64_t s, unsigned int at, uint64_t to)
{
	return (s & ~(UINT64_C(7) << at)) | to << at;
}

static uint64_t set_flag(uint64_t s, unsigned int at)
{
	return s | UINT64_C(1) << at;
}

static uint64_t clear_flag(uint64_t s, unsigned int at)
{
	return s & ~(UINT64_C(1) << at);
}

static void *allocate(void *old, uint64_t nr)
{
	void *p = realloc(old, nr * sizeof(uint64_t));

	if (!p) {
		fprintf(stderr, "elision: no memory for %" PRIu64 " words\n", nr);
		exit(3);
	}
	return p;
}

/* The place of @s in the table, or the free one where it belongs. */
static uint64_t *place(const struct search *x, uint64_t s)
{
	uint64_t h = s * UINT64_C(0x9e3779b97f4a7c15);

	for (h ^= h >> 32;; h++) {
		uint64_t *p = &x->table[h & (x->size - 1)];

		if (*p == s || *p == UNUSED)
			return p;
	}
}

static void grow(struct search *x)
{
	x->size = x->size ? 2 * x->size : 1024;
	x->queue = allocate(x->queue, x->size / 2);
	x->table = allocate(x->table, x->size);
	memset(x->table, 0xff, x->size * sizeof(*x->table));
	for (uint64_t i = 0; i < x->nr; i++)
		*place(x, x->queue[i]) = x->queue[i];
}

static void found(struct search *x, uint64_t s)
{
	uint64_t *p;

	if (2 * x->nr >= x->size)
		grow(x);
	p = place(x, s);
	if (*p == s)
		return;
	*p = x->queue[x->nr++] = s;
}

static void fire(struct search *x, uint64_t s)
{
	x->transitions++;
	found(x, s);
}

static uint64_t flush(uint64_t s, unsigned int pcpu)
{
	return set_number(s, CACHED + 3 * pcpu, NONE);
}

static void load(struct search *x, uint64_t s, unsigned int v, unsigned int p)
{
	for (unsigned int other = 0; other < VCPUS; other++)
		if (number(s, AT + 3 * other) == p)
			return;
	s = set_number(s, AT + 3 * v, p);
	if (number(s, LAST + 3 * v) != p) {
		s = set_number(s, LAST + 3 * v, p);
		if (!flag(s, MASK + p))
			s = flush(set_flag(s, MASK + p), p);
	}
	fire(x, s);
}

static void put(struct search *x, uint64_t s, unsigned int v)
{
	fire(x, set_number(s, AT + 3 * v, NONE));
}

static void enter(struct search *x, uint64_t s, unsigned int v)
{
	if (flag(s, ASKED + v))
		s = flush(clear_flag(s, ASKED + v), number(s, AT + 3 * v));
	fire(x, set_flag(s, GUEST + v));
}

static void leave(struct search *x, uint64_t s, unsigned int v)
{
	fire(x, clear_flag(clear_flag(s, GUEST + v), AWAITED + v));
}

static void use(struct search *x, uint64_t s, unsigned int v)
{
	unsigned int at = CACHED + 3 * number(s, AT + 3 * v);

	if (number(s, at) == NONE)
		s = set_number(s, at, number(s, CURRENT));
	else if (number(s, at) < number(s, ACKED))
		x->broken = true;
	fire(x, s);
}

static void change(struct search *x, uint64_t s)
{
	uint64_t in_guest = (s & flags(GUEST, VCPUS)) >> GUEST;

	s = set_number(s, CURRENT, number(s, CURRENT) + 1);
	s = set_flag(s, CHANGING) | flags(ASKED, VCPUS) | in_guest << AWAITED;
	if (CLEARS)
		s &= ~flags(MASK, PCPUS);
	fire(x, s);
}

static void acknowledge(struct search *x, uint64_t s)
{
	fire(x, set_number(clear_flag(s, CHANGING), ACKED, number(s, CURRENT)));
}

static void vcpu_rules(struct search *x, uint64_t s, unsigned int v)
{
	if (number(s, AT + 3 * v) == NONE) {
		for (unsigned int p = 0; p < PCPUS; p++)
			load(x, s, v, p);
	} else if (flag(s, GUEST + v)) {
		leave(x, s, v);
		use(x, s, v);
	} else {
		put(x, s, v);
		enter(x, s, v);
	}
}

static void rules(struct search *x, uint64_t s)
{
	for (unsigned int v = 0; v < VCPUS; v++)
		vcpu_rules(x, s, v);
	if (!flag(s, CHANGING) && number(s, CURRENT) < CHANGES)
		change(x, s);
	if (flag(s, CHANGING) && !(s & flags(AWAITED, VCPUS)))
		acknowledge(x, s);
}

static uint64_t start(void)
{
	uint64_t s = 0;

	for (unsigned int v = 0; v < VCPUS; v++) {
		s = set_number(s, AT + 3 * v, NONE);
		s = set_number(s, LAST + 3 * v, NONE);
	}
	for (unsigned int p = 0; p < PCPUS; p++)
		s = flush(s, p);
	return s;
}

int main(void)
{
	struct search x = { 0 };
	uint64_t level_end = 1;
	unsigned int depth = 0;

	found(&x, start());
	for (uint64_t i = 0; i < x.nr && !x.broken; i++) {
		if (i == level_end) {
			level_end = x.nr;
			depth++;
		}
		rules(&x, x.queue[i]);
	}
	printf("elision: %s; %" PRIu64 " states, %" PRIu64 " transitions, depth %u\n",
	       x.broken ? "broken" : "exhausted, no violation", x.nr,
	       x.transitions, depth + x.broken);
	free(x.queue);
	free(x.table);
	return x.broken;
}
