/*
 * The vCPU thread: kvm_arch_vcpu_load, the loop of vcpu_enter_guest and
 * kvm_arch_vcpu_put, one micro-step at a time.
 *
 * A thread may be switched out between any two steps unless it has preemption
 * off.  It is frozen where it is and goes on there, perhaps on another pCPU,
 * after the sched-in notifier (vcpu_load) has run on top of it.
 */
#include "sim/machine/vcpu.h"

#include <string.h>

#include "sim/machine/account.h"
#include "sim/machine/guest.h"
#include "sim/machine/host.h"
#include "sim/machine/invalidate.h"
#include "sim/machine/ipi.h"
#include "sim/machine/lag.h"
#include "sim/machine/nested.h"
#include "sim/machine/observe.h"
#include "sim/machine/plan.h"
#include "sim/machine/remote.h"
#include "sim/machine/roots.h"
#include "sim/machine/task.h"

void vcpu_emit_context(struct machine *m, u32 vcpu, enum probe_kind kind)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	struct probe_rec r;

	if (!probe_on(m, kind))
		return;
	r = probe_make(m, kind, m->task[vcpu].pcpu, m->task_time[vcpu].clock);
	r.vm = v->vm;
	r.vcpu = vcpu;
	r.root = r.frame = root_current(v);
	r.view = (u8)vcpu_view(v);
	r.vpid = vcpu_vpid(m, vcpu);
	r.id = v->pcid[vcpu_view(v)];
	r.a = kind == PROBE_CONTEXT && m->task[vcpu].step == STEP_GUEST;
	r.apic = v->virtual_apic;
	probe_emit(m, &r);
}

/* --- entering --- */

void vcpu_serve(struct machine *m, u32 vcpu, u32 req, enum step then)
{
	struct vcpu *v = &m->vcpu[vcpu];
	struct policy_event e;

	v->requests &= ~(1u << req);
	if (req == REQ_FREE_OBSOLETE_ROOTS)
		root_drop_obsolete(m, vcpu);
	/* kvm_vcpu_flush_tlb_all() is taken to include the current root. */
	if (req == REQ_TLB_FLUSH)
		v->requests &= ~(1u << REQ_TLB_FLUSH_CURRENT);
	if (req == REQ_TLB_FLUSH_GUEST && v->asked)
		then = STEP_ASKED_DONE;
	if (req == REQ_STEAL_UPDATE) {
		if (!v->pv_flush) {
			m->task[vcpu].step = (u8)then;
			return;
		}
		v->pv_flush = false;
		v->request_cause[REQ_TLB_FLUSH_GUEST] = CAUSE_GUEST;
		req = REQ_TLB_FLUSH_GUEST;
		then = STEP_PV_DONE;
	}
	e = plan_event(m, vcpu);
	e.request = (u8)req;
	plan_then(m, vcpu, HOOK_request, &e, then);
}

/* What the guest asked for, by itself or through another vCPU, is complete. */
static void step_flush_done(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	bool pv = m->task[vcpu].step == STEP_PV_DONE;
	struct probe_rec r;

	r = probe_make(m, PROBE_GUEST_FLUSH, m->task[vcpu].pcpu,
		       m->task_time[vcpu].clock);
	r.op = FLUSH_INVVPID_SINGLE;
	r.cause = CAUSE_GUEST;
	r.vm = v->vm;
	r.vcpu = vcpu;
	/* L1 asks for its own TLB, whoever runs when the flag is found. */
	r.view = (u8)(pv ? VIEW_L1 : vcpu_view(v));
	probe_emit(m, &r);
	if (!pv)
		v->asked = false;
	m->task[vcpu].step = STEP_RUN;
}

/* The top of vcpu_enter_guest(): one request per step, in KVM's order. */
static void step_run(struct machine *m, u32 vcpu)
{
	struct task *t = &m->task[vcpu];
	struct vcpu *v = &m->vcpu[vcpu];

	if (host_take(m, vcpu))
		return;
	if (!v->requests) {
		t->step = root_current(v) == IDX_NONE ? STEP_RELOAD : STEP_ENTER;
		return;
	}
	vcpu_serve(m, vcpu, (u32)__builtin_ctz(v->requests), STEP_RUN);
}

static void root_loaded(struct machine *m, u32 vcpu, bool fresh)
{
	struct policy_event e = plan_event(m, vcpu);

	e.fresh = fresh;
	plan_then(m, vcpu, HOOK_root_load, &e, STEP_RUN);
}

static void step_publish(struct machine *m, u32 vcpu)
{
	root_publish(m, vcpu);
	root_loaded(m, vcpu, true);
}

/* kvm_tdp_mmu_alloc_root(): what a policy keeps for a root is made with it. */
static void step_reload(struct machine *m, u32 vcpu)
{
	struct policy_event e;

	if (root_find(m, vcpu)) {
		root_loaded(m, vcpu, false);
		return;
	}
	e = plan_event(m, vcpu);
	e.root = root_make(m, vcpu);
	plan_then(m, vcpu, HOOK_root_alloc, &e, STEP_PUBLISH);
	if (m->task[vcpu].step == STEP_PUBLISH)
		step_publish(m, vcpu);
}

static void step_enter(struct machine *m, u32 vcpu)
{
	struct policy_event e = plan_event(m, vcpu);

	m->pcpu[m->task[vcpu].pcpu].preempt_off++;
	plan_then(m, vcpu, HOOK_vm_enter, &e, STEP_IRQ_OFF);
}

/* kvm_vcpu_exit_request(): anything raised since the requests were served? */
static void step_recheck(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	struct pcpu *p = &m->pcpu[m->task[vcpu].pcpu];

	if (!v->requests && v->mode != EXITING_GUEST_MODE) {
		m->task[vcpu].step = STEP_ENTRY;
		return;
	}
	v->mode = OUTSIDE_GUEST_MODE;
	p->irq_off = false;
	p->preempt_off--;
	m->task[vcpu].step = STEP_RUN;
}

static void step_entry(struct machine *m, u32 vcpu)
{
	const struct vcpu *v = &m->vcpu[vcpu];
	u32 pcpu = m->task[vcpu].pcpu;
	const struct tlb_ctx ctx = {
		.ep4ta = root_current(v), .vpid = vcpu_vpid(m, vcpu),
		.ept = true,
	};

	if (!m->cfg->explore)
		tlb_set_context(tlb_of(m, pcpu), &ctx);
	m->pcpu[pcpu].context = vcpu;
	m->pcpu_time[pcpu].last_guest = vcpu;
	m->pcpu[pcpu].irq_off = false;	/* an interrupt now causes an exit */
	count_add(m, COUNT_VM_ENTRIES, CAUSE_NONE, 1);
	probe_vcpu(m, PROBE_ENTRY, vcpu, m->task_time[vcpu].clock, 0);
	vcpu_emit_context(m, vcpu, PROBE_CONTEXT);
	charge(m, vcpu, COST_VM_ENTRY);
	m->task[vcpu].step = STEP_GUEST;
}

/* --- leaving --- */

void vcpu_exit(struct machine *m, u32 vcpu, enum exit_reason reason)
{
	struct vcpu *v = &m->vcpu[vcpu];
	u32 pcpu = m->task[vcpu].pcpu;

	BUG_ON(m->task[vcpu].step != STEP_GUEST);
	vcpu_emit_context(m, vcpu, PROBE_CONTEXT_END);
	probe_vcpu(m, PROBE_EXIT, vcpu, m->task_time[vcpu].clock, reason);
	m->pcpu[pcpu].context = IDX_NONE;
	v->mode = OUTSIDE_GUEST_MODE;
	v->exit_reason = (u8)reason;
	m->pcpu[pcpu].preempt_off--;
	charge(m, vcpu, COST_VM_EXIT);
	m->task[vcpu].step = STEP_HANDLE;
}

static void handle_fault(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	const struct vm *vm = &m->vm[v->vm];
	u32 at = vm->first_page + v->fault_page;
	u64 now = m->task_time[vcpu].clock;
	struct probe_rec r;

	charge(m, vcpu, COST_EPT_FAULT);
	count_add(m, COUNT_EPT_FAULTS, CAUSE_NONE, 1);
	if (m->s2_present[at])
		return;			/* another vCPU was faster */
	m->s2_present[at] = 1;
	m->s2_version[at]++;
	r = probe_make(m, PROBE_WRITE, IDX_NONE, now);
	r.vm = v->vm;
	r.vcpu = vcpu;
	r.page = v->fault_page;
	r.cls = WRITE_UPGRADE;
	r.a = m->s2_version[at];
	r.b = r.a - 1;
	probe_emit(m, &r);
}

static void raise(struct vcpu *v, u32 req, u8 cause)
{
	v->requests |= 1u << req;
	v->request_cause[req] = cause;
}

/* vmx_set_virtual_apic_mode(): only the way to xAPIC asks for a flush. */
static void change_apic_mode(struct vcpu *v)
{
	v->virtual_apic = !v->virtual_apic;
	if (v->virtual_apic)
		raise(v, REQ_TLB_FLUSH_CURRENT, CAUSE_CR_APIC);
}

static void step_handle(struct machine *m, u32 vcpu)
{
	struct vcpu *v = &m->vcpu[vcpu];
	u8 reason = v->exit_reason;

	m->task[vcpu].step = reason == EXIT_NESTED ? STEP_NESTED :
			     reason == EXIT_VMFUNC ? STEP_SWITCH : STEP_RUN;
	v->exit_reason = EXIT_INTERRUPT;
	if (reason == EXIT_FAULT)
		handle_fault(m, vcpu);
	if (reason == EXIT_RELOAD)
		root_drop_all(m, vcpu);
	if (reason == EXIT_APIC_MODE)
		change_apic_mode(v);
	if (reason == EXIT_ASKS)
		raise(v, REQ_TLB_FLUSH_GUEST, CAUSE_GUEST);
}

/*
 * A vCPU may take these steps while it lags.  What they change is seen by
 * others, who must not find it before they have reached the same moment:
 * siblings for the VM's pages, everybody for the frames that roots come from.
 */
static void let_others_reach(struct machine *m, u32 vcpu)
{
	u8 step = m->task[vcpu].step, reason = m->vcpu[vcpu].exit_reason;
	u64 now = m->task_time[vcpu].clock;

	if (step == STEP_RELOAD || step == STEP_SWAPPED ||
	    (step == STEP_HANDLE && reason == EXIT_RELOAD) ||
	    (step == STEP_RUN && m->vcpu[vcpu].requests &
				 (1u << REQ_FREE_OBSOLETE_ROOTS)))
		catch_up_all(m, vcpu, now);
	else if (step == STEP_PUBLISH ||
		 (step == STEP_HANDLE && reason == EXIT_FAULT))
		catch_up_vm(m, m->vcpu[vcpu].vm, vcpu, now);
}

void vcpu_step(struct machine *m, u32 vcpu)
{
	struct task *t = &m->task[vcpu];

	let_others_reach(m, vcpu);
	switch (t->step) {
	case STEP_RUN:
		step_run(m, vcpu);
		break;
	case STEP_RELOAD:
		step_reload(m, vcpu);
		break;
	case STEP_PUBLISH:
		step_publish(m, vcpu);
		break;
	case STEP_NESTED:
	case STEP_NESTED_CLEAR:
	case STEP_NESTED_LOAD:
	case STEP_NESTED_DONE:
	case STEP_SWITCH:
	case STEP_SWAP:
	case STEP_SWAPPED:
		nested_step(m, vcpu);
		break;
	case STEP_ENTER:
		step_enter(m, vcpu);
		break;
	case STEP_IRQ_OFF:
		m->pcpu[t->pcpu].irq_off = true;
		t->step = STEP_MODE;
		break;
	case STEP_MODE:
		m->vcpu[vcpu].mode = IN_GUEST_MODE;
		t->step = STEP_RECHECK;
		break;
	case STEP_RECHECK:
		step_recheck(m, vcpu);
		break;
	case STEP_ENTRY:
		step_entry(m, vcpu);
		break;
	case STEP_HANDLE:
		step_handle(m, vcpu);
		break;
	case STEP_ASKED_DONE:
	case STEP_PV_DONE:
		step_flush_done(m, vcpu);
		break;
	default:
		BUG_ON(1);
	}
}

/* --- load and put --- */

/* Back on a pCPU whose TLB nobody has used or invalidated since? */
static bool undisturbed(const struct machine *m, u32 vcpu)
{
	u32 pcpu = m->task[vcpu].pcpu;

	return m->vcpu[vcpu].vmcs_cpu[m->vcpu[vcpu].loaded] == pcpu &&
	       m->pcpu_time[pcpu].last_guest == vcpu &&
	       m->pcpu_time[pcpu].invalidations ==
	       m->vcpu_time[vcpu].invalidations;
}

void vcpu_load(struct machine *m, u32 vcpu, u64 now, bool switched)
{
	struct task *t = &m->task[vcpu];
	struct vcpu_time *vt = &m->vcpu_time[vcpu];

	m->task_time[vcpu].clock = now;
	vt->env_at = vt->env_left == TIME_NEVER ? TIME_NEVER : now + vt->env_left;
	if (!undisturbed(m, vcpu))
		guest_forget(m, vcpu);
	if (switched)
		charge(m, vcpu, COST_CONTEXT_SWITCH);
	t->loading = true;
	t->arriving = ARRIVE_CLEAR;
	m->pcpu[t->pcpu].preempt_off++;
	host_vcpu_loaded(m, vcpu);
	task_schedule(m, vcpu);
}

/* The rest of vmx_vcpu_load_vmcs(), then the policy. */
static void load_vmcs(struct machine *m, u32 vcpu)
{
	struct task *t = &m->task[vcpu];
	struct vcpu *v = &m->vcpu[vcpu];
	u64 now = m->task_time[vcpu].clock;
	struct policy_event e;
	u32 old = v->vmcs_cpu[v->loaded];
	bool migrated = old != t->pcpu;

	probe_vcpu(m, PROBE_LOAD, vcpu, now, migrated);
	if (migrated && old != IDX_NONE) {
		count_add(m, COUNT_MIGRATIONS, CAUSE_NONE, 1);
		m->migration_rate[min_u64(now / m->rate_width,
					  RATE_BUCKETS - 1)]++;
	}
	v->vmcs_cpu[v->loaded] = v->cpu = t->pcpu;
	if (m->cfg->pv_flush)
		v->requests |= 1u << REQ_STEAL_UPDATE;
	e = plan_event(m, vcpu);
	e.migrated = migrated;
	plan_call(m, vcpu, HOOK_vcpu_load, &e);
}

void vcpu_arrive(struct machine *m, u32 vcpu)
{
	struct task *t = &m->task[vcpu];

	if (t->arriving == ARRIVE_CLEAR) {
		t->arriving = ARRIVE_LOAD;
		vmcs_clear(m, vcpu, m->vcpu[vcpu].loaded, CAUSE_MIGRATION);
	} else {
		t->arriving = ARRIVED;
		load_vmcs(m, vcpu);
	}
}

/*
 * Bring a thread to a point where it may leave: in guest mode by an exit, in a
 * preempt-off section by finishing it, whatever the recorded time says.
 */
static void make_preemptible(struct machine *m, u32 task, u64 now)
{
	u32 pcpu = m->task[task].pcpu;

	while (m->task[task].waiting || m->pcpu[pcpu].preempt_off) {
		if (m->task[task].waiting)
			remote_complete(m, task, now);
		else if (task_in_guest(&m->task[task]))
			vcpu_exit(m, task, EXIT_INTERRUPT);
		else
			task_step(m, task);
	}
}

void vcpu_put(struct machine *m, u32 vcpu, u64 now)
{
	struct task *t = &m->task[vcpu];
	struct vcpu_time *vt = &m->vcpu_time[vcpu];
	struct pcpu_time *pt = &m->pcpu_time[t->pcpu];
	struct policy_event e;

	catch_up(m, vcpu, now);
	guest_account_repeats(m, vcpu);
	pt->limit = now;
	make_preemptible(m, vcpu, now);
	e = plan_event(m, vcpu);
	t->loading = true;
	m->pcpu[t->pcpu].preempt_off++;
	plan_call(m, vcpu, HOOK_vcpu_put, &e);
	make_preemptible(m, vcpu, now);
	vt->invalidations = m->pcpu_time[t->pcpu].invalidations;
	probe_vcpu(m, PROBE_PUT, vcpu, now, 0);
	pt->limit = TIME_NEVER;
	if (vt->env_at != TIME_NEVER)
		vt->env_left = vt->env_at > now ? vt->env_at - now : 1;
}
