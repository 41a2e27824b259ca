/*
 * Writes perf script text of a busy host to standard output: every pCPU
 * switches between idle and vCPU threads, in time order, from a fixed seed.
 *
 *   gen_perf_text LINES PCPUS VCPUS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/rng.h"

#define PCPUS_LIMIT 8192
#define FIRST_TID 10000
#define VCPUS_PER_VM 4
#define STEP_NS 12000			/* mean time between two lines */

static unsigned int running[PCPUS_LIMIT];	/* vCPU + 1; 0 is idle */
static unsigned int *where;		/* pCPU + 1 of a vCPU; 0 is asleep */

static void put_name(unsigned int who, unsigned int pcpu, char name[32])
{
	if (who)
		snprintf(name, 32, "CPU %u/KVM", (who - 1) % VCPUS_PER_VM);
	else
		snprintf(name, 32, "swapper/%u", pcpu);
}

static unsigned int tid_of(unsigned int who)
{
	return who ? FIRST_TID + who - 1 : 0;
}

static void put_switch(uint64_t ns, unsigned int pcpu, unsigned int next)
{
	unsigned int prev = running[pcpu];
	char from[32], to[32];

	put_name(prev, pcpu, from);
	put_name(next, pcpu, to);
	printf("%16s %5u [%03u] %5llu.%09llu:       sched:sched_switch: prev_comm=%s prev_pid=%u prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%u next_prio=120\n",
	       from, tid_of(prev), pcpu,
	       (unsigned long long)(ns / 1000000000),
	       (unsigned long long)(ns % 1000000000), from, tid_of(prev),
	       prev ? "S" : "R", to, tid_of(next));
	if (prev)
		where[prev - 1] = 0;
	if (next)
		where[next - 1] = pcpu + 1;
	running[pcpu] = next;
}

int main(int argc, char **argv)
{
	unsigned long lines = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	unsigned int pcpus = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 64;
	unsigned int vcpus = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 300;
	uint64_t ns = 100000000000;
	struct rng r;

	if (pcpus == 0 || pcpus > PCPUS_LIMIT || vcpus == 0 || argc > 4) {
		fprintf(stderr, "usage: gen_perf_text [LINES [PCPUS [VCPUS]]]\n");
		return 2;
	}
	where = calloc(vcpus, sizeof(*where));
	if (!where)
		return 3;
	rng_init(&r, 1, 1, 0);
	for (unsigned long i = 0; i < lines; i++) {
		unsigned int pcpu = (unsigned int)rng_below(&r, pcpus);
		unsigned int next = (unsigned int)rng_below(&r, vcpus) + 1;

		ns += 1 + rng_below(&r, 2 * STEP_NS);
		/* One that runs already cannot be switched in: go idle. */
		if (where[next - 1])
			next = 0;
		if (next == running[pcpu])
			next = running[pcpu] ? 0 : next;
		if (next == running[pcpu])
			continue;
		put_switch(ns, pcpu, next);
	}
	free(where);
	return fflush(stdout) ? 3 : 0;
}
