#include "sim/machine/actions.h"

#include <stdio.h>

#include "sim/machine/guest.h"
#include "sim/machine/guest_op.h"
#include "sim/machine/host.h"
#include "sim/machine/hotplug.h"
#include "sim/machine/ipi.h"
#include "sim/machine/plan.h"
#include "sim/machine/roots.h"
#include "sim/machine/task.h"
#include "sim/machine/vcpu.h"

struct actions {
	struct action *list;
	u32 nr;
	u32 allowed;
	u32 first_pcpu;			/* where something may begin */
	u32 end_pcpu;
};

static void add(struct actions *as, enum action_kind kind, u32 a, u32 b)
{
	if (!(as->allowed & (1u << kind)))
		return;
	BUG_ON(as->nr == ACTIONS_MAX);
	as->list[as->nr++] = (struct action){ kind, a, b };
}

static bool pcpu_free(const struct machine *m, u32 p)
{
	return m->pcpu[p].online && m->pcpu[p].host_task == IDX_NONE &&
	       !occupant_is_vcpu(m->pcpu[p].occupant);
}

static void add_nested(const struct machine *m, struct actions *as, u32 v)
{
	if (!machine_is_nested(m))
		return;
	if (m->vcpu[v].role != ROLE_NORMAL) {
		add(as, ACTION_NESTED_EXIT, v, ROLE_NORMAL);
		if (m->vcpu[v].role != ROLE_GUEST_MODE)
			add(as, ACTION_EPTP_SWITCH, v, 0);
		return;
	}
	add(as, ACTION_NESTED_EPT, v, ROLE_EPT12);
	add(as, ACTION_NESTED_OTHER, v, ROLE_EPT12_OTHER);
	add(as, ACTION_NESTED_SHADOW, v, ROLE_GUEST_MODE);
}

/* What only L1 does: L2 has no APIC page, and PV flushes are L1's. */
static void add_l1(const struct machine *m, struct actions *as, u32 v)
{
	add(as, ACTION_APIC_MODE, v, 0);
	if (!m->cfg->pv_flush)
		return;
	FOR_EACH_VCPU_OF(m, m->vcpu[v].vm, u)
		if (u != v && guest_is_preempted(m, u) && !m->vcpu[u].pv_flush)
			add(as, ACTION_PV_FLUSH, v, u);
}

static void add_guest_ops(const struct machine *m, struct actions *as, u32 v)
{
	u32 nr;

	for (u32 op = 0; op < GUEST_OP_NR; op++) {
		nr = guest_op_operands(op, m->cfg->nr_pcids);
		for (u32 k = 0; k < nr; k++)
			add(as, ACTION_GUEST_OP, v, GUEST_OP_CODE(op, k));
	}
}

static void add_rely(const struct machine *m, struct actions *as, u32 v)
{
	for (u32 k = 0; k < guest_mappings(m->cfg->nr_pcids); k++)
		add(as, ACTION_GUEST_RELY, v, k);
}

static void add_guest(struct machine *m, struct actions *as, u32 v)
{
	const struct vm *vm = &m->vm[m->vcpu[v].vm];

	add(as, ACTION_EXIT, v, 0);
	add(as, ACTION_GUEST_WRITE, v, 0);
	add(as, ACTION_GUEST_FLUSH, v, 1);
	add(as, ACTION_GUEST_ASKS, v, 0);
	if (as->allowed & 1u << ACTION_GUEST_OP)
		add_guest_ops(m, as, v);
	add_rely(m, as, v);
	if (m->vcpu[v].role == ROLE_NORMAL)
		add_l1(m, as, v);
	add(as, ACTION_RELOAD, v, 0);
	add_nested(m, as, v);
	for (u32 page = 0; page < vm->nr_pages; page++)
		if (!m->s2_present[vm->first_page + page])
			add(as, ACTION_FAULT, v, page);
}

static void add_vcpu(struct machine *m, struct actions *as, u32 v)
{
	const struct task *t = &m->task[v];

	if (t->pcpu == IDX_NONE) {
		for (u32 p = as->first_pcpu; p < as->end_pcpu; p++)
			if (pcpu_free(m, p))
				add(as, ACTION_SCHED_IN, v, p);
		return;
	}
	if (task_in_guest(t)) {
		add_guest(m, as, v);
		return;
	}
	if (!machine_can_step(m, v))
		return;
	add(as, ACTION_STEP, v, 0);
	if (!m->pcpu[t->pcpu].preempt_off && !t->loading)
		add(as, ACTION_SCHED_OUT, v, 0);
}

/*
 * New roots must find room while the old ones are still held.  Low frames are
 * handed out first, so that the high ones tell soonest.
 */
static bool frames_suffice(const struct machine *m)
{
	u32 n = 0;

	for (u32 r = m->nr_roots; r-- && n < m->nr_roles;)
		n += m->root[r].state == ROOT_UNUSED;
	return n >= m->nr_roles;
}

static void add_vm(struct machine *m, struct actions *as, u32 vm)
{
	u32 task = task_of_host(m, vm);
	bool room;

	if (m->task[task].pcpu != IDX_NONE) {
		if (machine_can_step(m, task))
			add(as, ACTION_STEP, task, 0);
		return;
	}
	room = as->allowed & 1u << ACTION_MEMSLOT &&
	       frames_suffice(m);
	for (u32 p = as->first_pcpu; p < as->end_pcpu; p++) {
		if (!pcpu_free(m, p))
			continue;
		if (m->s2_present[m->vm[vm].first_page])
			add(as, ACTION_CHANGE, vm, p);
		if (m->s2_present[m->vm[vm].first_page])
			add(as, ACTION_CLEAR_DIRTY, vm, p);
		if (room)
			add(as, ACTION_MEMSLOT, vm, p);
	}
}

static void add_pcpu(const struct machine *m, struct actions *as, u32 p)
{
	if (as->allowed & 1u << ACTION_HOTPLUG && hotplug_can(m, p))
		add(as, ACTION_HOTPLUG, p, 0);
	if (m->pcpu[p].irq_off)
		return;
	for (u32 w = 0; w < m->ipi_words; w++) {
		u64 bits = m->ipi_pending[(u64)p * m->ipi_words + w];

		for (; bits; bits &= bits - 1)
			add(as, ACTION_INTERRUPT, p,
			    w * 64 + (u32)__builtin_ctzll(bits));
	}
}

u32 machine_actions(struct machine *m, u32 allowed, struct action *list)
{
	struct actions as = {
		.list = list, .allowed = allowed | ACTIONS_ALWAYS,
		.end_pcpu = m->cfg->nr_pcpus,
	};

	for (u32 v = 0; v < m->cfg->nr_vcpus; v++)
		add_vcpu(m, &as, v);
	for (u32 vm = 0; vm < m->cfg->nr_vms; vm++)
		add_vm(m, &as, vm);
	for (u32 p = 0; p < m->cfg->nr_pcpus; p++)
		add_pcpu(m, &as, p);
	return as.nr;
}

u32 machine_actions_of(struct machine *m, struct actor actor, u32 allowed,
		       struct action *list)
{
	u32 nr_vcpus = m->cfg->nr_vcpus, nr_tasks = nr_vcpus + m->cfg->nr_vms;
	bool all = actor.pcpu == IDX_NONE;
	struct actions as = {
		.list = list, .allowed = allowed | ACTIONS_ALWAYS,
		.first_pcpu = all ? 0 : actor.pcpu,
		.end_pcpu = all ? m->cfg->nr_pcpus : actor.pcpu + 1,
	};

	if (actor.index < nr_vcpus)
		add_vcpu(m, &as, actor.index);
	else if (actor.index < nr_tasks)
		add_vm(m, &as, actor.index - nr_vcpus);
	else
		add_pcpu(m, &as, actor.index - nr_tasks);
	return as.nr;
}

/* Whose list an action is in; one that there is not, if there is no such list. */
static struct actor actor_of(const struct machine *m, const struct action *a)
{
	u32 nr_vcpus = m->cfg->nr_vcpus, nr_tasks = nr_vcpus + m->cfg->nr_vms;
	struct actor none = { IDX_NONE, IDX_NONE }, w = { a->a, IDX_NONE };

	if (action_operand(a->kind, true) == OPERAND_PCPU) {
		w.pcpu = a->b;
		if (a->b >= m->cfg->nr_pcpus)
			return none;
	}
	switch (action_operand(a->kind, false)) {
	case OPERAND_TASK:
		return w.index < nr_tasks ? w : none;
	case OPERAND_VCPU:
		return w.index < nr_vcpus ? w : none;
	case OPERAND_VM:
		w.index += nr_vcpus;
		return w.index < nr_tasks ? w : none;
	default:
		w.index += nr_tasks;
		return w.index < machine_nr_actors(m) ? w : none;
	}
}

bool machine_can(struct machine *m, const struct action *a)
{
	bool flag = action_operand(a->kind, true) == OPERAND_FLAG;
	struct actor actor = actor_of(m, a);
	struct action list[ACTIONS_MAX];
	u32 nr;

	if (actor.index == IDX_NONE)
		return false;
	nr = machine_actions_of(m, actor, 1u << a->kind, list);
	for (u32 i = 0; i < nr; i++)
		if (list[i].kind == a->kind && list[i].a == a->a &&
		    (flag || list[i].b == a->b))
			return true;
	return false;
}

u32 machine_task_pcpu(const struct machine *m, u32 task)
{
	return m->task[task].pcpu;
}

u32 machine_pcpu_task(const struct machine *m, u32 pcpu)
{
	const struct pcpu *p = &m->pcpu[pcpu];

	return p->host_task != IDX_NONE ? p->host_task :
	       occupant_is_vcpu(p->occupant) ? p->occupant : IDX_NONE;
}

bool machine_vcpu_in_guest(const struct machine *m, u32 vcpu)
{
	return task_in_guest(&m->task[vcpu]);
}

bool machine_host_idle(const struct machine *m, u32 vm)
{
	return m->task[task_of_host(m, vm)].pcpu == IDX_NONE;
}

bool machine_page_mapped(const struct machine *m, u32 vm, u32 page)
{
	return m->s2_present[m->vm[vm].first_page + page];
}

bool machine_can_step(const struct machine *m, u32 task)
{
	const struct task *t = &m->task[task];

	return t->pcpu != IDX_NONE && !task_waits(m, task) && !task_in_guest(t);
}

void machine_act(struct machine *m, const struct action *a)
{
	switch (a->kind) {
	case ACTION_STEP:
		task_step(m, a->a);
		break;
	case ACTION_INTERRUPT:
		ipi_take_from(m, a->a, a->b, 0);
		break;
	case ACTION_SCHED_IN:
		machine_switch(m, 0, a->b, MACHINE_VCPU, a->a);
		break;
	case ACTION_SCHED_OUT:
		machine_switch(m, 0, m->task[a->a].pcpu, MACHINE_IDLE, IDX_NONE);
		break;
	case ACTION_EXIT:
		vcpu_exit(m, a->a, EXIT_INTERRUPT);
		break;
	case ACTION_FAULT:
		guest_fault(m, a->a, a->b);
		break;
	case ACTION_GUEST_FLUSH:
		guest_flush(m, a->a, 0, a->b);
		break;
	case ACTION_GUEST_OP:
		guest_op(m, a->a, a->b);
		break;
	case ACTION_GUEST_RELY:
		guest_rely(m, a->a, a->b);
		break;
	case ACTION_GUEST_WRITE:
		guest_write(m, a->a);
		break;
	case ACTION_RELOAD:
		vcpu_exit(m, a->a, EXIT_RELOAD);
		break;
	case ACTION_NESTED_EPT:
	case ACTION_NESTED_OTHER:
	case ACTION_NESTED_SHADOW:
	case ACTION_NESTED_EXIT:
		guest_nested(m, a->a, a->b);
		break;
	case ACTION_EPTP_SWITCH:
		guest_eptp_switch(m, a->a);
		break;
	case ACTION_CHANGE:
		host_change(m, a->a, a->b, CHANGE_STRICT);
		break;
	case ACTION_CLEAR_DIRTY:
		host_change(m, a->a, a->b, CHANGE_DIRTY);
		break;
	case ACTION_HOTPLUG:
		hotplug_begin(m, a->a);
		break;
	case ACTION_GUEST_ASKS:
		guest_asks(m, a->a);
		break;
	case ACTION_PV_FLUSH:
		guest_pv_flush(m, a->a, a->b);
		break;
	case ACTION_APIC_MODE:
		guest_apic_mode(m, a->a);
		break;
	case ACTION_MEMSLOT:
		host_change(m, a->a, a->b, CHANGE_MEMSLOT);
		break;
	default:
		BUG_ON(1);
	}
}

/* Which plan the next step of a task comes from, or NULL. */
static const struct plan *plan_of(const struct task *t)
{
	if (t->arriving || t->flushing_all)
		return NULL;
	if (t->loading)
		return plan_pending(&t->load_plan) ? &t->load_plan : NULL;
	return plan_pending(&t->plan) ? &t->plan : NULL;
}

static void describe_place(const struct machine *m, const struct plan_step *s,
			   u32 pcpu, char *to, size_t size)
{
	const struct state_row *row = &m->ops->rows[s->arg];
	u32 i = s->i == PLAN_HERE ? pcpu : s->i;

	switch (row->scope) {
	case STATE_PCPU_ROOT:
		if (i == PLAN_ALL)
			snprintf(to, size, "%s of root %u for every pCPU",
				 row->name, s->j);
		else
			snprintf(to, size, "%s of root %u for pCPU %u",
				 row->name, s->j, i);
		break;
	case STATE_PCPU_VM:
		snprintf(to, size, "%s of VM %u for pCPU %u", row->name, s->j, i);
		break;
	case STATE_ROOT:
		snprintf(to, size, "%s of root %u", row->name, i);
		break;
	default:
		snprintf(to, size, "%s", row->name);
	}
}

/* What a guest does and leaves no record. */
static bool describe_event(const struct machine *m, const struct action *a,
			   char *to, size_t size)
{
	u32 pcpu;

	if (a->kind == ACTION_APIC_MODE) {
		pcpu = m->task[a->a].pcpu;
		snprintf(to, size, "pCPU %u: vCPU %u goes to %s mode", pcpu,
			 a->a, m->vcpu[a->a].virtual_apic ? "x2APIC" : "xAPIC");
		return true;
	}
	if (a->kind == ACTION_EPTP_SWITCH) {
		pcpu = m->task[a->a].pcpu;
		snprintf(to, size, "pCPU %u: L2 of vCPU %u asks for its other EPT by VMFUNC",
			 pcpu, a->a);
		return true;
	}
	return false;
}

static bool describe_swap(const struct machine *m, u32 task, char *to,
			  size_t size)
{
	const struct task *t = &m->task[task];
	const struct vcpu *v = &m->vcpu[task];

	if (t->loading || !task_is_vcpu(m, task))
		return false;
	if (t->step == STEP_SWAP && root_current(v) != IDX_NONE) {
		snprintf(to, size, "pCPU %u: vCPU %u begins to swap root %u with a cached one: no list has it",
			 t->pcpu, task, root_current(v));
		return true;
	}
	if (t->step == STEP_SWAPPED && v->swap_held != IDX_NONE) {
		snprintf(to, size, "pCPU %u: vCPU %u has root %u among the cached ones",
			 t->pcpu, task, v->swap_held);
		return true;
	}
	return false;
}

bool machine_describe(const struct machine *m, const struct action *a, char *to,
		      size_t size)
{
	const struct plan_step *s;
	const struct plan *p;
	char place[96];
	u32 pcpu;

	if (a->kind != ACTION_STEP)
		return describe_event(m, a, to, size);
	p = plan_of(&m->task[a->a]);
	if (!p)
		return describe_swap(m, a->a, to, size);
	s = &p->step[p->next];
	pcpu = m->task[a->a].pcpu;
	if (!plan_is_on_state(s))
		return false;
	describe_place(m, s, pcpu, place, sizeof(place));
	switch (s->op) {
	case PLAN_SKIP_IF:
		snprintf(to, size, "pCPU %u: tests whether %s is %u", pcpu,
			 place, s->value);
		break;
	case PLAN_SKIP_UNLESS_LESS:
		snprintf(to, size, "pCPU %u: tests whether %s is behind", pcpu,
			 place);
		break;
	case PLAN_SET:
		snprintf(to, size, "pCPU %u: sets %s to %u", pcpu, place,
			 s->value);
		break;
	case PLAN_INC:
		snprintf(to, size, "pCPU %u: increments %s", pcpu, place);
		break;
	case PLAN_LATCH:
		snprintf(to, size, "pCPU %u: reads %s", pcpu, place);
		break;
	default:
		snprintf(to, size, "pCPU %u: records what it read in %s", pcpu,
			 place);
	}
	return true;
}

enum action_operand action_operand(enum action_kind kind, bool second)
{
	static const u8 operands[ACTION_NR][2] = {
#define X(id, name, a, b) [ACTION_##id] = { OPERAND_##a, OPERAND_##b },
		ACTIONS(X)
#undef X
	};

	BUG_ON(kind >= ACTION_NR);
	return operands[kind][second];
}

const char *action_name(enum action_kind kind)
{
	static const char *const names[ACTION_NR] = {
#define X(id, name, a, b) [ACTION_##id] = name,
		ACTIONS(X)
#undef X
	};

	BUG_ON(kind >= ACTION_NR);
	return names[kind];
}
