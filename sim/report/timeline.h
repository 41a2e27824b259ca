/*
 * What happened when, as Chrome trace-event JSON: one process per policy, one
 * lane per pCPU; vCPU slices, flushes and IPIs.  Opens in Perfetto and in
 * chrome://tracing.
 */
#ifndef SIM_REPORT_TIMELINE_H
#define SIM_REPORT_TIMELINE_H

#include <stdio.h>

#include "sim/base/types.h"
#include "sim/core/probe.h"

struct err;

/* Viewers become unusable beyond; one event takes about 150 bytes. */
#define TIMELINE_EVENTS_MAX 500000u

/* The kinds of records that a timeline can show. */
#define TIMELINE_WANTS							\
	(BIT64(PROBE_SPAN) | BIT64(PROBE_FLUSH) | BIT64(PROBE_IPI) |	\
	 BIT64(PROBE_IPI_ACK) | BIT64(PROBE_CPU_STATE))

/**
 * struct timeline - a file being written
 * @out: stream
 * @shape: sizes of the runs, lent
 * @max_events: events to write at most, names of lanes apart
 * @nr_events: events written
 * @nr_dropped: events that the cap left out
 * @nr_written: all array members written, names included
 */
struct timeline {
	FILE *out;
	const struct run_shape *shape;
	u64 max_events;
	u64 nr_events;
	u64 nr_dropped;
	u64 nr_written;
};

/**
 * timeline_open() - begin a file
 * @t: filled in
 * @out: stream, lent until timeline_close()
 * @shape: sizes of the runs, lent until timeline_close()
 * @max_events: cap on events; TIMELINE_EVENTS_MAX is usual
 */
void timeline_open(struct timeline *t, FILE *out, const struct run_shape *shape,
		   u64 max_events);

/**
 * timeline_run() - name a run and its lanes
 * @t: timeline
 * @run: number of the run
 * @policy: its name
 */
void timeline_run(struct timeline *t, u32 run, const char *policy);

/**
 * timeline_probe() - add what one record tells
 * @t: timeline
 * @run: number of the run that it belongs to
 * @rec: record; kinds outside TIMELINE_WANTS are ignored
 *
 * Spans without a vCPU are drawn unless the pCPU idled.  Beyond the cap
 * records are counted and dropped.
 */
void timeline_probe(struct timeline *t, u32 run, const struct probe_rec *rec);

/**
 * timeline_close() - end the file; it says how much the cap left out
 * @t: timeline
 * @err: set on failure
 *
 * Return: 0, or -EIO if the stream could not be written.
 */
int timeline_close(struct timeline *t, struct err *err);

#endif /* SIM_REPORT_TIMELINE_H */
