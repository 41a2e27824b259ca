/*
 * CPU hotplug, as KVM sees it: VMXOFF and VMXON need not remove anything from
 * the TLB, and KVM flushes nothing at either (since v6.11).  What it does is to
 * clear every VMCS that was loaded on the pCPU, so that the next load counts
 * as one on another pCPU.
 *
 * The host thread of the first VM stands in for the hotplug thread of the pCPU.
 */
#include "sim/machine/hotplug.h"

#include "sim/machine/ipi.h"
#include "sim/machine/observe.h"
#include "sim/machine/plan.h"
#include "sim/machine/task.h"

static u32 nr_online(const struct machine *m)
{
	u32 n = 0;

	for (u32 p = 0; p < m->cfg->nr_pcpus; p++)
		n += m->pcpu[p].online;
	return n;
}

static bool owes_an_answer(const struct machine *m, u32 pcpu)
{
	for (u32 s = 0; s < m->cfg->nr_pcpus; s++)
		if (ipi_is_pending(m, pcpu, s))
			return true;
	return false;
}

bool hotplug_can(const struct machine *m, u32 pcpu)
{
	const struct pcpu *p = &m->pcpu[pcpu];

	if (m->task[task_of_host(m, 0)].pcpu != IDX_NONE ||
	    p->host_task != IDX_NONE)
		return false;
	return !p->online || (!occupant_is_vcpu(p->occupant) &&
			      !owes_an_answer(m, pcpu) && nr_online(m) > 1);
}

void hotplug_begin(struct machine *m, u32 pcpu)
{
	u32 task = task_of_host(m, 0);

	m->task[task].step = m->pcpu[pcpu].online ? STEP_OFFLINE : STEP_ONLINE;
	m->task[task].pcpu = pcpu;
	m->pcpu[pcpu].host_task = task;
	m->pcpu[pcpu].online = true;
	task_schedule(m, task);
}

/* vmclear_local_loaded_vmcss() */
static void clear_vmcss(struct machine *m, u32 pcpu)
{
	for (u32 v = 0; v < m->cfg->nr_vcpus; v++)
		for (u32 k = 0; k < VMCS_NR; k++)
			if (m->vcpu[v].vmcs_cpu[k] == pcpu)
				m->vcpu[v].vmcs_cpu[k] = IDX_NONE;
}

static void finish(struct machine *m, u32 task, bool online)
{
	struct task *t = &m->task[task];
	struct probe_rec r = probe_make(m, PROBE_CPU_STATE, t->pcpu,
					m->task_time[task].clock);

	r.a = online;
	probe_emit(m, &r);
	m->pcpu[t->pcpu].online = online;
	m->pcpu[t->pcpu].host_task = IDX_NONE;
	t->pcpu = IDX_NONE;
	t->step = STEP_NONE;
}

void hotplug_step(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];
	struct policy_event e = {
		.vm = IDX_NONE, .vcpu = IDX_NONE, .root = IDX_NONE,
		.pcpu = t->pcpu,
	};

	switch (t->step) {
	case STEP_ONLINE:
		plan_then(m, task, HOOK_pcpu_online, &e, STEP_ONLINE_DONE);
		break;
	case STEP_OFFLINE:
		clear_vmcss(m, t->pcpu);
		plan_then(m, task, HOOK_pcpu_offline, &e, STEP_OFFLINE_DONE);
		break;
	default:
		finish(m, task, t->step == STEP_ONLINE_DONE);
	}
}
