/*
 * A schedule told in sentences: what a kernel developer would write on a
 * whiteboard, one numbered line per event.
 */
#ifndef SIM_REPORT_STORY_H
#define SIM_REPORT_STORY_H

#include <stdio.h>

#include "sim/core/probe.h"

/* Longest sentence; longer ones are cut. */
#define STORY_TEXT_MAX	256

/**
 * struct story - a story being told
 * @out: stream, or NULL: only @text is wanted
 * @nr: sentences so far
 * @text: the last one, without number and full stop
 */
struct story {
	FILE *out;
	u32 nr;
	char text[STORY_TEXT_MAX];
};

/* The kinds of records that make a sentence. */
#define STORY_WANTS							\
	(BIT64(PROBE_LOAD) | BIT64(PROBE_PUT) | BIT64(PROBE_NESTED) |	\
	 BIT64(PROBE_CONTEXT) | BIT64(PROBE_GUEST_RELY) |		\
	 BIT64(PROBE_EXIT) | BIT64(PROBE_FLUSH) |			\
	 BIT64(PROBE_FLUSH_LOST) | BIT64(PROBE_WRITE) |			\
	 BIT64(PROBE_ACK) | BIT64(PROBE_GUEST_WRITE) |			\
	 BIT64(PROBE_GUEST_FLUSH) | BIT64(PROBE_CPU_STATE) |		\
	 BIT64(PROBE_ROOT_ALLOC) | BIT64(PROBE_ROOT_LOAD) |		\
	 BIT64(PROBE_ROOT_FREE) | BIT64(PROBE_REQUEST) |		\
	 BIT64(PROBE_IPI) | BIT64(PROBE_IPI_ACK))

/**
 * story_say() - one sentence
 * @s: story
 * @fmt: printf format, without number and full stop
 */
__attribute__((format(printf, 2, 3)))
void story_say(struct story *s, const char *fmt, ...);

/**
 * story_probe() - tell one record
 * @s: story
 * @r: record; kinds outside STORY_WANTS say nothing
 */
void story_probe(struct story *s, const struct probe_rec *r);

#endif /* SIM_REPORT_STORY_H */
