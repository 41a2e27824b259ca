/*
 * A vCPU in guest mode lags: its clock stands still until something is about
 * to act on what it uses (its pCPU's TLB, its VM's pages, shared tables of L0),
 * and then it is played up to that moment.  Whoever changes such a thing
 * therefore calls catch_up() first; so does a vCPU whose next step changes it
 * for its siblings.
 */
#include "sim/machine/lag.h"

#include "sim/machine/guest.h"
#include "sim/machine/task.h"

/* One step of a vCPU that lags; false if none is left up to and at @last. */
static bool lagging_step(struct machine *m, u32 vcpu, u64 last)
{
	if (task_waits(m, vcpu) || m->task_time[vcpu].clock > last)
		return false;
	if (task_in_guest(&m->task[vcpu]))
		return guest_step(m, vcpu, last);
	task_step(m, vcpu);
	return true;
}

static bool may_lag(const struct machine *m, u32 vcpu)
{
	return !m->cfg->explore && m->task[vcpu].pcpu != IDX_NONE &&
	       m->vcpu[vcpu].in_run && !m->vcpu_time[vcpu].catching_up;
}

void catch_up(struct machine *m, u32 vcpu, u64 last)
{
	if (!may_lag(m, vcpu))
		return;
	last = min_u64(last, m->reach);
	m->vcpu_time[vcpu].catching_up = true;
	while (lagging_step(m, vcpu, last))
		;
	m->vcpu_time[vcpu].catching_up = false;
	task_schedule(m, vcpu);
}

/* Whoever has the lower number acts first at the same moment. */
static u64 last_before(u32 vcpu, u32 actor, u64 time)
{
	return vcpu < actor || !time ? time : time - 1;
}

void catch_up_vm(struct machine *m, u32 vm, u32 actor, u64 time)
{
	FOR_EACH_VCPU_OF(m, vm, v)
		catch_up(m, v, last_before(v, actor, time));
}

static bool could_step(const struct machine *m, u32 vcpu, u64 last)
{
	const struct vcpu_time *vt = &m->vcpu_time[vcpu];
	u64 now = m->task_time[vcpu].clock;

	if (task_waits(m, vcpu) || now > last)
		return false;
	return !task_in_guest(&m->task[vcpu]) || now < last ||
	       m->vcpu[vcpu].touch_next != IDX_NONE ||
	       min_u64(vt->env_at, vt->wanted_at) <= last;
}

static bool earlier(const struct machine *m, u32 a, u32 b)
{
	u64 x = m->task_time[a].clock, y = m->task_time[b].clock;

	return x < y || (x == y && a < b);
}

/* Step by step in the order of time: for who may not lag, see no_lag(). */
static void catch_up_in_order(struct machine *m, u32 actor, u64 time)
{
	u32 best, v;

	time = min_u64(time, m->reach);
	do {
		best = IDX_NONE;
		for (u32 p = 0; p < m->cfg->nr_pcpus; p++) {
			v = m->pcpu[p].occupant;
			if (!occupant_is_vcpu(v) || !may_lag(m, v) ||
			    !could_step(m, v, last_before(v, actor, time)))
				continue;
			if (best == IDX_NONE || earlier(m, v, best))
				best = v;
		}
		if (best == IDX_NONE)
			return;
		m->vcpu_time[best].catching_up = true;
		lagging_step(m, best, last_before(best, actor, time));
		m->vcpu_time[best].catching_up = false;
		task_schedule(m, best);
	} while (true);
}

void catch_up_all(struct machine *m, u32 actor, u64 time)
{
	u32 v;

	if (m->no_lag) {
		catch_up_in_order(m, actor, time);
		return;
	}
	for (u32 p = 0; p < m->cfg->nr_pcpus; p++) {
		v = m->pcpu[p].occupant;
		if (occupant_is_vcpu(v))
			catch_up(m, v, last_before(v, actor, time));
	}
}
