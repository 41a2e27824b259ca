/*
 * EPT changes, kvm_flush_remote_tlbs() and the interrupts they send.
 *
 * The protocol is the machine's, whatever the policy: write the entry, let the
 * policy take note, then set the request of every vCPU and read its mode, kick
 * those that are not outside the guest, wait until all have left, return.  The
 * return is what acknowledges the obligation.  On Hyper-V the flush hypercall
 * takes the place of requests and kicks.
 */
#include "sim/machine/remote.h"

#include "sim/machine/account.h"
#include "sim/machine/host.h"
#include "sim/machine/invalidate.h"
#include "sim/machine/ipi.h"
#include "sim/machine/lag.h"
#include "sim/machine/observe.h"
#include "sim/machine/plan.h"
#include "sim/machine/roots.h"

static void emit_change(struct machine *m, u32 task, enum probe_kind kind,
			u32 page, u8 cls)
{
	struct task *t = &m->task[task];
	u32 vm = vm_of_task(m, task);
	u32 version = m->s2_version[m->vm[vm].first_page + page];
	struct probe_rec r;

	if (!probe_on(m, kind))
		return;
	r = probe_make(m, kind, IDX_NONE, m->task_time[task].clock);
	if (t->pcpu != IDX_NONE)
		r.time = min_u64(r.time, m->pcpu_time[t->pcpu].limit);
	r.vm = vm;
	r.vcpu = task_is_vcpu(m, task) ? task : IDX_NONE;
	r.page = page;
	r.cls = cls;
	r.id = t->obligation + (t->change == CHANGE_MEMSLOT ? page : 0);
	r.a = version;
	r.b = version - 1;
	probe_emit(m, &r);
}

static bool write_is_strict(u8 cls)
{
	return cls == WRITE_STRICT || cls == WRITE_DIRTY;
}

/*
 * An absent entry is left alone: there is nothing to zap and, since the
 * hardware never caches it, nothing to flush.
 */
static bool write_page(struct machine *m, u32 task, u32 page, u8 cls)
{
	u32 at = m->vm[vm_of_task(m, task)].first_page + page;

	if (!m->s2_present[at])
		return false;
	m->s2_version[at]++;
	if (cls == WRITE_STRICT)
		m->s2_present[at] = 0;
	if (write_is_strict(cls))
		m->s2_condemned[at] = 1;
	emit_change(m, task, PROBE_WRITE, page, cls);
	return true;
}

/* Open or acknowledge the obligation for every page the change condemned. */
static void emit_obligation(struct machine *m, u32 task, enum probe_kind kind)
{
	const struct vm *vm = &m->vm[vm_of_task(m, task)];

	for (u32 page = 0; page < vm->nr_pages; page++) {
		u8 *condemned = &m->s2_condemned[vm->first_page + page];

		if (!*condemned)
			continue;
		emit_change(m, task, kind, page, WRITE_STRICT);
		*condemned = kind == PROBE_OBLIGE;
	}
}

/* Every page of the VM, or the one that was drawn; false if nothing changed. */
static bool write_pages(struct machine *m, u32 task, u8 cls)
{
	const struct task *t = &m->task[task];
	u32 vm = vm_of_task(m, task);

	if (t->change != CHANGE_MEMSLOT)
		return write_page(m, task, t->page, cls);
	root_obsolete_all(m, vm);
	for (u32 page = 0; page < m->vm[vm].nr_pages; page++)
		write_page(m, task, page, cls);
	return true;
}

static void finish_change(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];
	u32 vm = vm_of_task(m, task);

	t->change = CHANGE_NONE;
	t->step = t->after_flush;
	host_done(m, vm, m->task_time[task].clock);
}

static void step_change(struct machine *m, u32 task)
{
	static const u8 class_of[CHANGE_NR] = {
		[CHANGE_STRICT] = WRITE_STRICT,
		[CHANGE_UPGRADE] = WRITE_UPGRADE,
		[CHANGE_ACCESSED] = WRITE_ACCESSED,
		[CHANGE_DIRTY] = WRITE_DIRTY,
		[CHANGE_MEMSLOT] = WRITE_STRICT,
	};
	struct task *t = &m->task[task];
	u32 vm = vm_of_task(m, task);
	struct policy_event e;
	bool changed;

	catch_up_vm(m, vm, task, m->task_time[task].clock);
	e = plan_event_vm(m, vm, task);
	changed = write_pages(m, task, class_of[t->change]);
	charge(m, task, COST_SPTE_WRITE);
	if (!changed || !write_is_strict(class_of[t->change])) {
		finish_change(m, task);
		return;
	}
	count_add(m, COUNT_STRICT_CHANGES, CAUSE_NONE, 1);
	t->obligation = m->w->next_obligation;
	m->w->next_obligation += t->change == CHANGE_MEMSLOT ?
				 m->vm[vm].nr_pages : 1;
	emit_obligation(m, task, PROBE_OBLIGE);
	plan_then(m, task, HOOK_strict_change, &e, STEP_FLUSH_BEGIN);
}

u8 remote_first_step(const struct machine *m, u8 change)
{
	return fault_is_on(m, FAULT_REQUEST_EARLY) && change == CHANGE_STRICT ?
	       STEP_REQUEST_EARLY : STEP_CHANGE;
}

static u8 request_of(const struct task *t)
{
	return t->change == CHANGE_MEMSLOT ? REQ_FREE_OBSOLETE_ROOTS :
					     REQ_TLB_FLUSH;
}

static void step_begin(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];

	count_add(m, COUNT_REMOTE_FLUSHES, CAUSE_NONE, 1);
	m->pcpu[t->pcpu].preempt_off++;
	if (fault_is_on(m, FAULT_YIELD_UNFLUSHED))
		emit_obligation(m, task, PROBE_ACK);
	t->next_vcpu = m->vm[vm_of_task(m, task)].first_vcpu;
	if (m->ops->no_remote_flush)
		t->step = STEP_FLUSH_DONE;
	else if (m->cfg->l0->flush_hypercall && t->change != CHANGE_MEMSLOT)
		t->step = STEP_FLUSH_HYPERCALL;
	else
		t->step = STEP_FLUSH_REQUEST;
}

/* hv_track_root_tdp(): the roots that vCPUs have loaded, each once. */
static void step_hypercall(struct machine *m, u32 task)
{
	u32 vm = vm_of_task(m, task), root, u;
	bool done = true;
	u64 now = m->task_time[task].clock;

	catch_up_vm(m, vm, task, now);
	/* One step: hv_root_tdp_lock is held, so no root changes meanwhile. */
	FOR_EACH_VCPU_OF(m, vm, v) {
		root = root_current(&m->vcpu[v]);
		for (u = m->vm[vm].first_vcpu; u < v; u++)
			if (root_current(&m->vcpu[u]) == root)
				break;
		if (root != IDX_NONE && u == v)
			done &= flush_hypercall(m, task, root, CAUSE_STRICT, now);
	}
	m->task[task].step = done ? STEP_FLUSH_DONE : STEP_FLUSH_REQUEST;
}

static void raise_request(struct machine *m, u32 task, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	u8 req = request_of(&m->task[task]);

	if (!(v->requests & (1u << req)))
		v->request_cause[req] = CAUSE_STRICT;
	v->requests |= 1u << req;
}

static void step_request(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];

	catch_up_vm(m, vm_of_task(m, task), task, m->task_time[task].clock);
	if (remote_first_step(m, t->change) == STEP_CHANGE)
		raise_request(m, task, t->next_vcpu);
	t->step = STEP_FLUSH_MODE;
}

static void step_request_early(struct machine *m, u32 task)
{
	FOR_EACH_VCPU_OF(m, vm_of_task(m, task), v)
		raise_request(m, task, v);
	m->task[task].step = STEP_CHANGE;
}

static void step_mode(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];
	const struct vm *vm = &m->vm[vm_of_task(m, task)];
	struct vcpu *v = &m->vcpu[t->next_vcpu];

	catch_up_vm(m, vm_of_task(m, task), task, m->task_time[task].clock);
	if (t->next_vcpu != task && !fault_is_on(m, FAULT_KICK_LOST)) {
		if (v->mode == IN_GUEST_MODE)
			v->mode = EXITING_GUEST_MODE;
		if (v->mode != OUTSIDE_GUEST_MODE)
			ipi_mask_set(m, t->pcpu, v->cpu);
	}
	t->next_vcpu++;
	t->step = t->next_vcpu < vm->first_vcpu + vm->nr_vcpus ?
		  STEP_FLUSH_REQUEST : STEP_FLUSH_KICK;
}

static void step_done(struct machine *m, u32 task)
{
	struct task *t = &m->task[task];

	catch_up_vm(m, vm_of_task(m, task), task, m->task_time[task].clock);
	m->pcpu[t->pcpu].preempt_off--;
	if (!fault_is_on(m, FAULT_YIELD_UNFLUSHED))
		emit_obligation(m, task, PROBE_ACK);
	if (t->change == CHANGE_MEMSLOT) {
		catch_up_all(m, task, m->task_time[task].clock);
		root_release_obsolete(m, task);
	}
	finish_change(m, task);
}

void remote_step(struct machine *m, u32 task)
{
	static const struct flush_order kick = {
		.what = PLAN_FLUSH_NR, .cause = CAUSE_STRICT, .operand = IDX_NONE,
	};
	struct task *t = &m->task[task];

	switch (t->step) {
	case STEP_REQUEST_EARLY:
		step_request_early(m, task);
		break;
	case STEP_CHANGE:
		step_change(m, task);
		break;
	case STEP_FLUSH_BEGIN:
		step_begin(m, task);
		break;
	case STEP_FLUSH_HYPERCALL:
		step_hypercall(m, task);
		break;
	case STEP_FLUSH_REQUEST:
		step_request(m, task);
		break;
	case STEP_FLUSH_MODE:
		step_mode(m, task);
		break;
	case STEP_FLUSH_KICK:
		t->step = STEP_FLUSH_DONE;
		ipi_send(m, task, &kick);
		break;
	case STEP_FLUSH_DONE:
		step_done(m, task);
		break;
	default:
		BUG_ON(1);
	}
}

void remote_complete(struct machine *m, u32 task, u64 now)
{
	u32 sender = m->task[task].pcpu;

	for (u32 p = 0; p < m->cfg->nr_pcpus && m->task[task].waiting; p++)
		while (ipi_is_pending(m, p, sender))
			ipi_take(m, p, now);
	BUG_ON(m->task[task].waiting);
}
