/*
 * EPT changes from outside the guest: at seeded moments that do not depend on
 * the policy, a VM's mapping is changed, either by one of its vCPU threads
 * (which leaves the guest for it) or by a host thread on a pCPU that runs no
 * vCPU.  Whoever makes the change pays for it.
 *
 * A change waits while the VM's previous one is not finished, and while nobody
 * is there to make it; it is then made by the first vCPU that is loaded.
 */
#include "sim/machine/host.h"

#include "sim/machine/account.h"
#include "sim/machine/lag.h"
#include "sim/machine/remote.h"
#include "sim/machine/task.h"

static void draw_next(struct machine *m, u32 vm)
{
	struct vm_time *vt = &m->vm_time[vm];

	if (vt->change_at == TIME_NEVER)
		return;
	vt->change_at += rng_exp(&vt->host, vt->change_mean);
}

static u8 draw_change(struct machine *m, u32 vm)
{
	const struct workload_params *w = m->cfg->workload[vm];
	const double rate[CHANGE_NR] = {
		[CHANGE_STRICT] = w->strict_per_s,
		[CHANGE_UPGRADE] = w->upgrade_per_s,
		[CHANGE_ACCESSED] = w->accessed_clear_per_s,
		[CHANGE_MEMSLOT] = w->memslot_delete_per_s,
	};
	u64 draw = rng_below(&m->vm_time[vm].host, 1u << 30), sum = 0;
	double total = 0;
	u8 k;

	for (k = CHANGE_STRICT; k < CHANGE_NR; k++)
		total += rate[k];
	for (k = CHANGE_STRICT; k < CHANGE_NR - 1; k++) {
		sum += (u64)(rate[k] / total * (1u << 30));
		if (draw < sum)
			break;
	}
	return k;
}

/* A pCPU with no vCPU on it and no other host thread at work, or IDX_NONE. */
static u32 free_pcpu(const struct machine *m, u32 vm)
{
	for (u32 k = 0; k < m->cfg->nr_pcpus; k++) {
		u32 p = (vm + k) % m->cfg->nr_pcpus;

		if (m->pcpu[p].online && m->pcpu[p].host_task == IDX_NONE &&
		    !occupant_is_vcpu(m->pcpu[p].occupant))
			return p;
	}
	return IDX_NONE;
}

/* The next of the VM's vCPUs, in turn, that is loaded; or IDX_NONE. */
static u32 loaded_vcpu(struct machine *m, u32 vm)
{
	struct vm *v = &m->vm[vm];

	for (u32 k = 0; k < v->nr_vcpus; k++) {
		u32 u = v->first_vcpu + (v->change_turn + k) % v->nr_vcpus;

		if (m->task[u].pcpu == IDX_NONE || !m->vcpu[u].in_run)
			continue;
		v->change_turn = (v->change_turn + k + 1) % v->nr_vcpus;
		return u;
	}
	return IDX_NONE;
}

static void start(struct machine *m, u32 task, u32 vm, enum step after)
{
	struct task *t = &m->task[task];

	t->change = m->vm[vm].change;
	t->page = m->vm[vm].change_page;
	t->after_flush = (u8)after;
	t->step = remote_first_step(m, t->change);
	m->vm[vm].change_owner = IDX_NONE;
	m->vm[vm].change_taken = true;
}

/* Let one of the loaded vCPUs make the change, or the next to be loaded. */
static void hand_over(struct machine *m, u32 vm, u64 now)
{
	u32 u = loaded_vcpu(m, vm);

	/* Only from now on may it find the change; it may lag. */
	if (u != IDX_NONE)
		catch_up(m, u, now);
	m->vm[vm].change_owner = u;
	if (u == IDX_NONE)
		return;
	m->vcpu_time[u].wanted_at = now;
	task_schedule(m, u);
}

static bool waits_for_vcpu(const struct machine *m, u32 vm)
{
	return m->vm[vm].change != CHANGE_NONE && !m->vm[vm].change_taken;
}

void host_vcpu_left(struct machine *m, u32 vcpu, u64 now)
{
	u32 vm = m->vcpu[vcpu].vm;

	if (waits_for_vcpu(m, vm) && m->vm[vm].change_owner == vcpu) {
		m->vcpu_time[vcpu].wanted_at = TIME_NEVER;
		m->vm[vm].change_owner = IDX_NONE;
		hand_over(m, vm, now);
	}
}

void host_vcpu_loaded(struct machine *m, u32 vcpu)
{
	u32 vm = m->vcpu[vcpu].vm;

	if (waits_for_vcpu(m, vm) && m->vm[vm].change_owner == IDX_NONE)
		m->vm[vm].change_owner = vcpu;
}

static void run_on(struct machine *m, u32 vm, u32 pcpu, u64 now)
{
	u32 task = task_of_host(m, vm);

	m->task[task].pcpu = pcpu;
	m->task_time[task].clock = now;
	m->pcpu[pcpu].host_task = task;
	start(m, task, vm, STEP_NONE);
	task_schedule(m, task);
}

void host_change(struct machine *m, u32 vm, u32 pcpu, u8 change)
{
	m->vm[vm].change = change;
	m->vm[vm].change_page = 0;
	run_on(m, vm, pcpu, 0);
}

void host_begin(struct machine *m, u32 vm, u64 now)
{
	const struct workload_params *w = m->cfg->workload[vm];
	struct vm *v = &m->vm[vm];
	u32 task = task_of_host(m, vm), pcpu = IDX_NONE;

	v->change = draw_change(m, vm);
	v->change_page = (u32)rng_below(&m->vm_time[vm].host, v->nr_pages);
	set_next(m, task, TIME_NEVER);
	if (w->strict_by == STRICT_BY_HOST)
		pcpu = free_pcpu(m, vm);
	if (pcpu != IDX_NONE) {
		run_on(m, vm, pcpu, now);
		return;
	}
	hand_over(m, vm, now);
}

bool host_take(struct machine *m, u32 vcpu)
{
	u32 vm = m->vcpu[vcpu].vm;

	if (!waits_for_vcpu(m, vm) || m->vm[vm].change_owner != vcpu)
		return false;
	m->vcpu_time[vcpu].wanted_at = TIME_NEVER;
	start(m, vcpu, vm, STEP_RUN);
	return true;
}

void host_done(struct machine *m, u32 vm, u64 now)
{
	u32 task = task_of_host(m, vm);
	struct task *t = &m->task[task];

	m->vm[vm].change = CHANGE_NONE;
	m->vm[vm].change_taken = false;
	draw_next(m, vm);
	if (t->pcpu != IDX_NONE) {
		m->pcpu[t->pcpu].host_task = IDX_NONE;
		t->pcpu = IDX_NONE;
	}
	set_next(m, task, max_u64(m->vm_time[vm].change_at, now));
}

void host_detach(struct machine *m, u32 pcpu, u64 now)
{
	u32 task = m->pcpu[pcpu].host_task;

	if (task == IDX_NONE)
		return;
	m->pcpu_time[pcpu].limit = now;
	while (m->task[task].pcpu == pcpu) {
		if (m->task[task].waiting)
			remote_complete(m, task, now);
		else
			task_step(m, task);
	}
	m->pcpu_time[pcpu].limit = TIME_NEVER;
}
