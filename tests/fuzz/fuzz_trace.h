/* What the fuzz targets of the trace readers share. */
#ifndef TESTS_FUZZ_FUZZ_TRACE_H
#define TESTS_FUZZ_FUZZ_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/err.h"
#include "traces/schedule.h"
#include "traces/trace.h"

/**
 * LLVMFuzzerTestOneInput() - what libFuzzer calls
 * @data: bytes
 * @size: how many
 *
 * Return: 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a decoded schedule promises, whatever the trace held. */
static inline void fuzz_check(const struct schedule *s)
{
	for (u64 i = 0; i < s->nr_events; i++) {
		const struct schedule_event *ev = &s->event[i];

		BUG_ON(i && ev->ns < s->event[i - 1].ns);
		BUG_ON(ev->ns > s->duration_ns);
		BUG_ON(ev->pcpu >= s->nr_pcpus);
		BUG_ON(ev->vcpu != IDX_NONE && ev->vcpu >= s->nr_vcpus);
		BUG_ON(ev->what == SCHEDULE_VCPU && ev->vcpu == IDX_NONE);
	}
	for (u32 i = 0; i < s->nr_vcpus; i++)
		BUG_ON(s->vcpu[i].vm >= s->nr_vms ||
		       s->vcpu[i].run_ns > s->duration_ns);
}

/* Read @data as @format and decode it to the end. */
static inline int fuzz_one(const uint8_t *data, size_t size,
			   const char *format)
{
	const struct schedule_options opt = { .allow_empty = true };
	struct schedule *s;
	struct trace *t;
	struct err err;

	if (trace_open_memory(data, size, format, &t, &err))
		return 0;
	if (schedule_from_trace(t, "fuzz", &opt, &s, &err) == 0) {
		fuzz_check(s);
		schedule_free(s);
	}
	trace_close(t);
	return 0;
}

#endif /* TESTS_FUZZ_FUZZ_TRACE_H */
