#include "sim/check/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define NS_PER_S	1000000000u

bool finding_say(struct finding *f, const struct finding_at *at,
		 const char *fmt, ...)
{
	va_list ap;

	if (!f)
		return true;
	f->invariant = at->invariant;
	f->real = at->real;
	f->time = at->time;
	f->vcpu = at->vcpu;
	f->pcpu = at->pcpu;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return true;
}

struct words say_seconds(u64 cycles, const struct run_shape *shape)
{
	u64 ns = cycles_to_ns(cycles, shape->clock_khz);
	struct words w;

	snprintf(w.text, sizeof(w.text), "%" PRIu64 ".%09" PRIu64,
		 ns / NS_PER_S, ns % NS_PER_S);
	return w;
}

struct words say_writer(u32 vcpu)
{
	struct words w;

	if (vcpu == IDX_NONE)
		snprintf(w.text, sizeof(w.text), "the host");
	else
		snprintf(w.text, sizeof(w.text), "vCPU %" PRIu32, vcpu);
	return w;
}

struct words say_vm(u32 vm)
{
	struct words w;

	snprintf(w.text, sizeof(w.text), "VM %" PRIu32, vm);
	return w;
}
