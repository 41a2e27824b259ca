#include "sim/driver/clock.h"

#include <errno.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/core/eventq.h"

#define PROGRESS_EVERY	4096u

/* Slots of the queue: the machine's actors, then the recorded schedule. */
struct clock {
	const struct clock_run *run;
	struct machine *m;
	struct eventq *q;
	u32 schedule_slot;
	u64 next_event;
	u64 khz;
};

static u64 time_of(const struct clock *c, u64 event)
{
	if (event >= c->run->schedule->nr_events)
		return TIME_NEVER;
	return ns_to_cycles(c->run->schedule->event[event].ns, c->khz);
}

static void play_event(struct clock *c, u64 now)
{
	static const enum machine_occupant occupant[] = {
		[SCHEDULE_VCPU] = MACHINE_VCPU,
		[SCHEDULE_HOST] = MACHINE_HOST,
		[SCHEDULE_IDLE] = MACHINE_IDLE,
		[SCHEDULE_UNKNOWN] = MACHINE_UNKNOWN,
	};
	const struct schedule_event *e =
		&c->run->schedule->event[c->next_event++];

	switch (e->what) {
	case SCHEDULE_RUN_BEGIN:
	case SCHEDULE_RUN_END:
		machine_set_run(c->m, now, e->vcpu,
				e->what == SCHEDULE_RUN_BEGIN);
		break;
	default:
		machine_switch(c->m, now, e->pcpu, occupant[e->what], e->vcpu);
	}
	eventq_set(c->q, c->schedule_slot, time_of(c, c->next_event));
	if (c->run->progress && !(c->next_event % PROGRESS_EVERY))
		c->run->progress(c->run->progress_arg, c->next_event,
				 c->run->schedule->nr_events);
}

static void take_changes(struct clock *c)
{
	u32 actor;

	while ((actor = machine_changed(c->m)) != IDX_NONE)
		eventq_set(c->q, actor, machine_next_time(c->m, actor));
}

static bool should_stop(const struct clock *c)
{
	return (c->run->stop && *c->run->stop) ||
	       (c->run->stop_at_finding && machine_objected(c->m));
}

/* Returns true if the schedule was played to its end. */
static bool loop(struct clock *c, u64 end)
{
	u64 now;
	u32 slot;

	for (;;) {
		slot = eventq_first(c->q, &now);
		if (now >= end && c->next_event >= c->run->schedule->nr_events)
			return true;
		if (should_stop(c))
			return false;
		if (slot == c->schedule_slot)
			play_event(c, now);
		else
			machine_step(c->m, slot,
				     min_u64(end, eventq_second(c->q)));
		take_changes(c);
	}
}

int clock_play(const struct clock_run *r, struct run_result *out,
	       struct err *err)
{
	struct clock c = { .run = r, .khz = r->config->costs->clock_khz };
	u64 end = ns_to_cycles(r->schedule->duration_ns, c.khz);
	struct arena_layout l = { 0 };
	int ret;

	memset(out, 0, sizeof(*out));
	ret = machine_create(r->config, &c.m, err);
	if (ret)
		return ret;
	c.schedule_slot = machine_nr_actors(c.m);
	arena_reserve(&l, 1, eventq_bytes(c.schedule_slot + 1));
	c.q = arena_create(&l, "event queue", err);
	if (!c.q) {
		machine_destroy(c.m);
		return -ENOMEM;
	}
	eventq_init(c.q, c.schedule_slot + 1);
	for (u32 a = 0; a < c.schedule_slot; a++)
		eventq_set(c.q, a, machine_next_time(c.m, a));
	eventq_set(c.q, c.schedule_slot, time_of(&c, 0));

	out->completed = loop(&c, end);
	machine_finish(c.m, out->completed ? end : machine_now(c.m));
	machine_collect(c.m, out);
	arena_destroy(c.q);
	machine_destroy(c.m);
	return 0;
}
