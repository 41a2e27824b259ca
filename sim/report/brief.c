#include "sim/report/brief.h"

#include <stdarg.h>
#include <stdio.h>

#include "sim/report/guest_text.h"

__attribute__((format(printf, 2, 3)))
static void say(char *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to, BRIEF_MAX, fmt, ap);
	va_end(ap);
}

static void brief_flush(const struct probe_rec *r, char *to)
{
	const char *op = flush_op_name(r->op);

	switch (r->op) {
	case FLUSH_EPT_VIOLATION:
		say(to, "vCPU %u: EPT violation, the page is absent", r->vcpu);
		break;
	case FLUSH_MOV_CR3:
	case FLUSH_INVLPG:
	case FLUSH_INVPCID_ADDR:
	case FLUSH_INVPCID_SINGLE:
	case FLUSH_INVPCID_ALL:
	case FLUSH_INVPCID_NONGLOBAL:
		say(to, "guest: %s%s, VPID of vCPU %u here", op,
		    guest_flush_operand(r).text, r->vcpu);
		break;
	case FLUSH_INVEPT_SINGLE:
		say(to, "%s: root %u", op, r->root);
		break;
	case FLUSH_HYPERCALL:
		say(to, "%s: root %u, every pCPU", op, r->root);
		break;
	case FLUSH_INVVPID_SINGLE:
		say(to, "%s: VPID %u", op, r->vpid);
		break;
	default:
		say(to, "%s", op);
	}
}

static void brief_change(const struct probe_rec *r, char *to)
{
	if (r->kind == PROBE_ACK)
		say(to, "flush for VM %u returns", r->vm);
	else if (r->cls == WRITE_STRICT)
		say(to, "zap the page of VM %u", r->vm);
	else if (r->cls == WRITE_DIRTY)
		say(to, "clear the dirty bit, page of VM %u", r->vm);
	else
		say(to, "fault of vCPU %u maps the page anew", r->vcpu);
}

static void brief_root(const struct probe_rec *r, char *to)
{
	if (r->kind == PROBE_ROOT_ALLOC)
		say(to, "root %u allocated for VM %u%s", r->root, r->vm,
		    r->a ? ", frame reused" : "");
	else if (r->kind == PROBE_ROOT_LOAD)
		say(to, "vCPU %u loads root %u", r->vcpu, r->root);
	else
		say(to, "root %u freed", r->root);
}

/* What happens to a vCPU. */
static void brief_vcpu(const struct probe_rec *r, char *to)
{
	const char *from = r->a ? "elsewhere" : "here";

	switch (r->kind) {
	case PROBE_LOAD:
		say(to, "vCPU %u loaded, VMCS last %s", r->vcpu, from);
		break;
	case PROBE_NESTED:
		say(to, "vCPU %u: %s, %s last %s", r->vcpu,
		    r->view == VIEW_L2 ? "L1 enters L2" : "L2 leaves to L1",
		    r->view == VIEW_L2 ? "vmcs02" : "vmcs01", from);
		break;
	case PROBE_PUT:
		say(to, "vCPU %u scheduled out", r->vcpu);
		break;
	case PROBE_CONTEXT:
		if (r->a)
			say(to, "vCPU %u goes on: PCID %u", r->vcpu, r->id);
		else
			say(to, "vCPU %u enters %s: root %u", r->vcpu,
			    r->view == VIEW_L2 ? "L2" : "guest", r->root);
		break;
	case PROBE_EXIT:
		say(to, "vCPU %u leaves guest mode", r->vcpu);
		break;
	case PROBE_GUEST_WRITE:
		say(to, "guest changes a mapping of vCPU %u%s", r->vcpu,
		    guest_mapping_text(r->id));
		break;
	case PROBE_GUEST_RELY:
		say(to, "vCPU %u takes its mapping%s for flushed", r->vcpu,
		    guest_mapping_text(r->id));
		break;
	case PROBE_GUEST_FLUSH:
		say(to, "flush asked by %s of vCPU %u is done",
		    r->view == VIEW_L2 ? "L2" : "the guest", r->vcpu);
		break;
	default:
		say(to, "flush request raised on vCPU %u", r->vcpu);
	}
}

void brief_probe(const struct probe_rec *r, char *to)
{
	switch (r->kind) {
	case PROBE_FLUSH:
		brief_flush(r, to);
		break;
	case PROBE_FLUSH_LOST:
		say(to, "%s does nothing", flush_op_name(r->op));
		break;
	case PROBE_WRITE:
	case PROBE_ACK:
		brief_change(r, to);
		break;
	case PROBE_ROOT_ALLOC:
	case PROBE_ROOT_LOAD:
	case PROBE_ROOT_FREE:
		brief_root(r, to);
		break;
	case PROBE_CPU_STATE:
		say(to, "pCPU %u %s", r->pcpu,
		    r->a ? "comes online" : "goes offline");
		break;
	case PROBE_IPI:
		say(to, "IPI to pCPU %u, wait", (u32)r->a);
		break;
	case PROBE_IPI_ACK:
		say(to, "IPI of pCPU %u acknowledged", (u32)r->a);
		break;
	default:
		brief_vcpu(r, to);
	}
}
