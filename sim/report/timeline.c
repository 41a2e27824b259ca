#include "sim/report/timeline.h"

#include <errno.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/report/text.h"

static void json_text(FILE *out, const char *text)
{
	char clean[1024];

	text_utf8(clean, sizeof(clean), text);
	fputc('"', out);
	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if ((unsigned char)*c < 0x20)
			fprintf(out, "\\u%04x", (unsigned int)*c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void next_member(struct timeline *t)
{
	fputs(t->nr_written++ ? ",\n" : "\n", t->out);
}

/* The unit of the format is the microsecond; ns stand behind the point. */
static void micros(struct timeline *t, const char *key, u64 cycles)
{
	u64 ns = cycles_to_ns(cycles, t->shape->clock_khz);

	fprintf(t->out, ",\"%s\":%llu.%03llu", key,
		(unsigned long long)(ns / 1000), (unsigned long long)(ns % 1000));
}

static void metadata(struct timeline *t, const char *what, u32 run, u32 lane)
{
	next_member(t);
	fprintf(t->out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":",
		what, run, lane);
}

void timeline_open(struct timeline *t, FILE *out, const struct run_shape *shape,
		   u64 max_events)
{
	BUG_ON(!shape->clock_khz);
	*t = (struct timeline){
		.out = out, .shape = shape, .max_events = max_events,
	};
	fputs("{\"traceEvents\":[", out);
}

void timeline_run(struct timeline *t, u32 run, const char *policy)
{
	metadata(t, "process_name", run, 0);
	fputs("{\"name\":", t->out);
	json_text(t->out, policy);
	fputs("}}", t->out);
	metadata(t, "process_sort_index", run, 0);
	fprintf(t->out, "{\"sort_index\":%u}}", run);
	for (u32 p = 0; p < t->shape->nr_pcpus; p++) {
		metadata(t, "thread_name", run, p);
		fprintf(t->out, "{\"name\":\"pCPU %u\"}}", p);
		metadata(t, "thread_sort_index", run, p);
		fprintf(t->out, "{\"sort_index\":%u}}", p);
	}
}

/* False, and counted, once the cap is reached. */
static bool begin_event(struct timeline *t)
{
	if (t->nr_events >= t->max_events) {
		t->nr_dropped++;
		return false;
	}
	t->nr_events++;
	next_member(t);
	return true;
}

/* What a span without a vCPU was spent on; NULL for idle time. */
static const char *span_use(const struct probe_rec *rec)
{
	u32 top = CYC_IDLE;

	for (u32 i = 0; i < CYC_NR; i++)
		if (rec->cycles[i] > rec->cycles[top])
			top = i;
	return top == CYC_IDLE ? NULL : cycle_category_name(top);
}

static void span(struct timeline *t, u32 run, const struct probe_rec *rec)
{
	const char *use = span_use(rec), *sep = "";
	u64 length = rec->time - rec->a;

	if (rec->time <= rec->a || (rec->vcpu == IDX_NONE && !use) ||
	    !begin_event(t))
		return;
	if (rec->vcpu == IDX_NONE)
		fprintf(t->out, "{\"ph\":\"X\",\"cat\":\"host\",\"name\":\"%s\"", use);
	else
		fprintf(t->out, "{\"ph\":\"X\",\"cat\":\"vcpu\",\"name\":\"VM %u vCPU %u\"",
			rec->vcpu < t->shape->nr_vcpus ?
			t->shape->vm_of_vcpu[rec->vcpu] : 0, rec->vcpu);
	fprintf(t->out, ",\"pid\":%u,\"tid\":%u", run, rec->pcpu);
	micros(t, "ts", rec->a);
	micros(t, "dur", length);
	fputs(",\"args\":{", t->out);
	for (u32 i = 0; i < CYC_NR; i++) {
		if (!rec->cycles[i])
			continue;
		fprintf(t->out, "%s\"%s_cycles\":%llu", sep, cycle_category_name(i),
			(unsigned long long)rec->cycles[i]);
		sep = ",";
	}
	if (rec->b)
		fprintf(t->out, "%s\"overrun_cycles\":%llu", sep,
			(unsigned long long)rec->b);
	fputs("}}", t->out);
}

static bool instant(struct timeline *t, u32 run, const struct probe_rec *rec,
		    const char *category, const char *name)
{
	if (!begin_event(t))
		return false;
	fprintf(t->out, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u",
		category, name, run, rec->pcpu);
	micros(t, "ts", rec->time);
	return true;
}

static void flush(struct timeline *t, u32 run, const struct probe_rec *rec)
{
	if (!instant(t, run, rec, "flush", flush_op_name(rec->op)))
		return;
	fprintf(t->out, ",\"args\":{\"cause\":\"%s\",\"removed_something\":%s",
		cause_name(rec->cause), rec->a ? "true" : "false");
	if (rec->vcpu != IDX_NONE)
		fprintf(t->out, ",\"vcpu\":%u", rec->vcpu);
	fputs("}}", t->out);
}

void timeline_probe(struct timeline *t, u32 run, const struct probe_rec *rec)
{
	switch (rec->kind) {
	case PROBE_SPAN:
		span(t, run, rec);
		break;
	case PROBE_FLUSH:
		flush(t, run, rec);
		break;
	case PROBE_IPI:
		if (instant(t, run, rec, "ipi", "IPI sent"))
			fprintf(t->out, ",\"args\":{\"to_pcpu\":%llu,\"cause\":\"%s\"}}",
				(unsigned long long)rec->a, cause_name(rec->cause));
		break;
	case PROBE_IPI_ACK:
		if (instant(t, run, rec, "ipi", "IPI acknowledged"))
			fprintf(t->out, ",\"args\":{\"from_pcpu\":%llu}}",
				(unsigned long long)rec->a);
		break;
	case PROBE_CPU_STATE:
		if (instant(t, run, rec, "hotplug", rec->a ? "online" : "offline"))
			fputc('}', t->out);
		break;
	default:
		break;
	}
}

int timeline_close(struct timeline *t, struct err *err)
{
	fprintf(t->out, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{"
		"\"events\":%llu,\"events_max\":%llu,\"events_dropped\":%llu,"
		"\"clock_khz\":%llu}}\n",
		(unsigned long long)t->nr_events,
		(unsigned long long)t->max_events,
		(unsigned long long)t->nr_dropped,
		(unsigned long long)t->shape->clock_khz);
	if (fflush(t->out) || ferror(t->out))
		return err_set(err, -EIO, "cannot write the timeline: %s",
			       strerror(errno));
	return 0;
}
