/* Making a world, telling it what the scheduler did, letting actors step. */
#include "sim/machine/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/machine/layout.h"
#include "sim/machine/account.h"
#include "sim/machine/guest.h"
#include "sim/machine/host.h"
#include "sim/machine/ipi.h"
#include "sim/machine/lag.h"
#include "sim/machine/observe.h"
#include "sim/machine/task.h"
#include "sim/machine/vcpu.h"

bool machine_applies(const struct machine_config *c, const char **why)
{
	if (c->policy->ops->needs_hypercall && !c->l0->flush_hypercall) {
		*why = "needs a hypervisor below that offers the flush hypercall";
		return false;
	}
	return true;
}

/*
 * Where nobody may lag: in lockstep; and where a guest that leaves and enters
 * again may take away entries of other pCPUs, which it must not do in what is
 * already their past.
 */
static bool lag_forbidden(const struct machine_config *c)
{
	return c->lockstep || (c->l0->kind == L0_HYPERV &&
			       c->l0->shadow_shared && c->policy->ops->vm_enter);
}

int machine_create(const struct machine_config *c, struct machine **out,
		   struct err *err)
{
	struct machine *m;
	int ret = layout_create(c, &m, err);

	if (ret)
		return ret;
	m->no_lag = lag_forbidden(c);
	m->wanted = c->tap ? c->tap_wants : 0;
	for (u32 i = 0; i < c->nr_observers; i++) {
		m->wanted |= c->observers[i]->wants;
		if (c->observers[i]->init)
			c->observers[i]->init(m->observer[i], &m->shape);
	}
	*out = m;
	return 0;
}

void machine_destroy(struct machine *m)
{
	layout_destroy(m);
}

u32 machine_nr_actors(const struct machine *m)
{
	return m->cfg->nr_vcpus + m->cfg->nr_vms + m->cfg->nr_pcpus;
}

u64 machine_next_time(const struct machine *m, u32 actor)
{
	u32 nr_tasks = m->cfg->nr_vcpus + m->cfg->nr_vms;

	return actor < nr_tasks ? m->task_time[actor].next :
				  m->ipi_next[actor - nr_tasks];
}

u32 machine_changed(struct machine *m)
{
	u32 actor;

	if (!m->nr_changed)
		return IDX_NONE;
	actor = m->changed[--m->nr_changed];
	m->is_changed[actor] = 0;
	return actor;
}

static void step_vcpu(struct machine *m, u32 v, u64 horizon)
{
	struct task *t = &m->task[v];
	const struct task_time *tt = &m->task_time[v];
	u64 now = max_u64(tt->next, tt->clock);
	bool more = true;

	m->vcpu_time[v].catching_up = true;
	for (bool first = true; more && !task_waits(m, v) && !m->nr_changed;
	     first = false) {
		if (task_in_guest(t))
			more = guest_step(m, v, now);
		else if (first || tt->clock < horizon)
			task_step(m, v);
		else
			more = false;
	}
	m->vcpu_time[v].catching_up = false;
	task_schedule(m, v);
}

static void step_host(struct machine *m, u32 task, u64 horizon)
{
	struct task *t = &m->task[task];
	u32 vm = task - m->cfg->nr_vcpus;

	if (t->pcpu == IDX_NONE) {
		host_begin(m, vm, m->task_time[task].next);
		return;
	}
	do
		task_step(m, task);
	while (t->pcpu != IDX_NONE && !t->waiting && !m->nr_changed &&
	       m->task_time[task].clock < horizon);
	if (t->pcpu != IDX_NONE)
		task_schedule(m, task);
}

static void no_lag(struct machine *m, u32 actor, u64 now)
{
	if (m->no_lag)
		catch_up_all(m, actor, now);
}

void machine_step(struct machine *m, u32 actor, u64 horizon)
{
	u64 now = machine_next_time(m, actor);

	BUG_ON(now == TIME_NEVER);
	m->w->now = max_u64(m->w->now, now);
	m->reach = now;
	no_lag(m, actor, now);
	if (m->no_lag)
		horizon = 0;
	if (machine_next_time(m, actor) > now)
		return;			/* it turned out to be busy until later */
	if (horizon > now)
		m->reach = horizon - 1;
	if (actor < m->cfg->nr_vcpus)
		step_vcpu(m, actor, horizon);
	else if (actor < m->cfg->nr_vcpus + m->cfg->nr_vms)
		step_host(m, actor, horizon);
	else
		ipi_take(m, actor - m->cfg->nr_vcpus - m->cfg->nr_vms, now);
}

static void leave(struct machine *m, u32 pcpu, u64 now)
{
	u32 old = m->pcpu[pcpu].occupant;

	if (!occupant_is_vcpu(old)) {
		host_detach(m, pcpu, now);
		return;
	}
	if (m->vcpu[old].in_run)
		vcpu_put(m, old, now);
	m->task[old].pcpu = IDX_NONE;
	task_schedule(m, old);
	host_vcpu_left(m, old, now);
}

void machine_switch(struct machine *m, u64 now, u32 pcpu,
		    enum machine_occupant what, u32 vcpu)
{
	static const struct {
		u32 occupant;
		enum cycle_category base;
	} others[] = {
		[MACHINE_VCPU] = { 0, CYC_GUEST },
		[MACHINE_HOST] = { OCCUPANT_HOST, CYC_HOST },
		[MACHINE_IDLE] = { OCCUPANT_IDLE, CYC_IDLE },
		[MACHINE_UNKNOWN] = { OCCUPANT_UNKNOWN, CYC_UNKNOWN },
	};
	enum cycle_category base = others[what].base;

	m->w->now = max_u64(m->w->now, now);
	m->reach = now;
	no_lag(m, IDX_NONE, now);
	leave(m, pcpu, now);
	BUG_ON(what == MACHINE_VCPU && m->task[vcpu].pcpu != IDX_NONE);
	if (what == MACHINE_VCPU && !m->vcpu[vcpu].in_run)
		base = CYC_HOST;
	span_close(m, pcpu, now, base);
	m->pcpu[pcpu].occupant = what == MACHINE_VCPU ? vcpu :
				 others[what].occupant;
	if (what != MACHINE_VCPU)
		return;
	m->task[vcpu].pcpu = pcpu;
	count_add(m, COUNT_SCHED_INS, CAUSE_NONE, 1);
	if (m->vcpu[vcpu].in_run)
		vcpu_load(m, vcpu, now, true);
}

void machine_set_run(struct machine *m, u64 now, u32 vcpu, bool inside)
{
	u32 pcpu = m->task[vcpu].pcpu;

	if (m->vcpu[vcpu].in_run == inside)
		return;
	m->w->now = max_u64(m->w->now, now);
	m->reach = now;
	no_lag(m, IDX_NONE, now);
	if (pcpu == IDX_NONE) {
		m->vcpu[vcpu].in_run = inside;
		return;
	}
	if (!inside)
		vcpu_put(m, vcpu, now);
	m->vcpu[vcpu].in_run = inside;
	if (!inside)
		host_vcpu_left(m, vcpu, now);
	span_close(m, pcpu, now, inside ? CYC_GUEST : CYC_HOST);
	if (inside)
		vcpu_load(m, vcpu, now, false);
	task_schedule(m, vcpu);
}

void machine_finish(struct machine *m, u64 now)
{
	for (u32 p = 0; p < m->cfg->nr_pcpus; p++)
		machine_switch(m, now, p, MACHINE_UNKNOWN, IDX_NONE);
	observers_finish(m, now);
}

u64 machine_now(const struct machine *m)
{
	return m->w->now;
}

const struct stats *machine_stats(const struct machine *m)
{
	return &m->w->stats;
}

bool machine_objected(const struct machine *m)
{
	return m->nr_findings;
}

void machine_collect(const struct machine *m, struct run_result *r)
{
	memcpy(r->policy, m->cfg->policy->spelling, sizeof(r->policy));
	r->stats = m->w->stats;
	r->simulated_cycles = m->w->now;
	r->found_real = m->found_real;
	r->found_possible = m->found_possible;
	r->nr_findings = m->nr_findings;
	r->nr_stored = m->nr_stored;
	memcpy(r->finding, m->finding, sizeof(r->finding));
	memcpy(r->flush_rate, m->flush_rate, sizeof(r->flush_rate));
	memcpy(r->migration_rate, m->migration_rate, sizeof(r->migration_rate));
	r->world_bytes = m->bytes;
}

const struct run_shape *machine_shape(const struct machine *m)
{
	return &m->shape;
}

u64 machine_bytes(const struct machine *m)
{
	return m->bytes;
}

void machine_save(const struct machine *m, void *to)
{
	memcpy(to, m->block, m->bytes);
}

void machine_restore(struct machine *m, const void *from)
{
	memcpy(m->block, from, m->bytes);
	for (u32 a = 0; a < machine_nr_actors(m); a++) {
		if (m->is_changed[a])
			continue;
		m->is_changed[a] = 1;
		m->changed[m->nr_changed++] = a;
	}
}
