#include "sim/report/story.h"

#include <stdarg.h>

#include "sim/report/guest_text.h"

void story_say(struct story *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->text, sizeof(s->text), fmt, ap);
	va_end(ap);
	s->nr++;
	if (s->out)
		fprintf(s->out, "%4u. %s.\n", s->nr, s->text);
}

static void tell_flush(struct story *s, const struct probe_rec *r)
{
	const char *op = flush_op_name(r->op);

	switch (r->op) {
	case FLUSH_EPT_VIOLATION:
		story_say(s, "pCPU %u: vCPU %u touches the absent page: EPT violation",
			  r->pcpu, r->vcpu);
		break;
	case FLUSH_MOV_CR3:
	case FLUSH_INVLPG:
	case FLUSH_INVPCID_ADDR:
	case FLUSH_INVPCID_SINGLE:
	case FLUSH_INVPCID_ALL:
	case FLUSH_INVPCID_NONGLOBAL:
		story_say(s, "pCPU %u: the guest executes %s%s there, for vCPU %u's VPID on this pCPU only",
			  r->pcpu, op, guest_flush_operand(r).text, r->vcpu);
		break;
	case FLUSH_INVEPT_SINGLE:
		story_say(s, "pCPU %u: %s of root %u", r->pcpu, op, r->root);
		break;
	case FLUSH_HYPERCALL:
		story_say(s, "pCPU %u: %s for root %u, effective on every pCPU",
			  r->pcpu, op, r->root);
		break;
	case FLUSH_INVVPID_SINGLE:
		story_say(s, "pCPU %u: %s of VPID %u", r->pcpu, op, r->vpid);
		break;
	default:
		story_say(s, "pCPU %u: %s", r->pcpu, op);
	}
}

/* What the guest executes itself is told where it happens. */
static void tell_guest_flush(struct story *s, const struct probe_rec *r)
{
	if (!flush_op_is_guest(r->op))
		story_say(s, "pCPU %u: what %s had asked to be flushed for vCPU %u counts as flushed",
			  r->pcpu, r->view == VIEW_L2 ? "L2" : "the guest",
			  r->vcpu);
}

static void tell_change(struct story *s, const struct probe_rec *r)
{
	if (r->kind == PROBE_ACK)
		story_say(s, "the flush for VM %u returns: from now on nobody may use the old translation",
			  r->vm);
	else if (r->cls == WRITE_STRICT)
		story_say(s, "the host zaps the page of VM %u", r->vm);
	else if (r->cls == WRITE_DIRTY)
		story_say(s, "the host clears the dirty bit of the page of VM %u",
			  r->vm);
	else
		story_say(s, "vCPU %u's fault maps the page of VM %u anew",
			  r->vcpu, r->vm);
}

static void tell_root(struct story *s, const struct probe_rec *r)
{
	if (r->kind == PROBE_ROOT_ALLOC)
		story_say(s, "pCPU %u: root %u is allocated for VM %u%s",
			  r->pcpu, r->root, r->vm,
			  r->a ? "; its frame has been a root before" : "");
	else if (r->kind == PROBE_ROOT_LOAD)
		story_say(s, "pCPU %u: vCPU %u loads root %u", r->pcpu, r->vcpu,
			  r->root);
	else
		story_say(s, "root %u is freed", r->root);
}

static void tell_context(struct story *s, const struct probe_rec *r)
{
	if (r->a)
		story_say(s, "pCPU %u: vCPU %u goes on under PCID %u", r->pcpu,
			  r->vcpu, r->id);
	else
		story_say(s, "pCPU %u: vCPU %u enters %s under root %u",
			  r->pcpu, r->vcpu,
			  r->view == VIEW_L2 ? "L2" : "the guest", r->root);
}

static void tell_mapping(struct story *s, const struct probe_rec *r)
{
	bool rely = r->kind == PROBE_GUEST_RELY;

	story_say(s, "pCPU %u: the guest %s a mapping of vCPU %u%s%s", r->pcpu,
		  rely ? "takes" : "changes", r->vcpu,
		  guest_mapping_text(r->id), rely ? " for flushed" : "");
}

void story_probe(struct story *s, const struct probe_rec *r)
{
	switch (r->kind) {
	case PROBE_LOAD:
		story_say(s, "pCPU %u: vCPU %u is loaded; its VMCS was last loaded %s",
			  r->pcpu, r->vcpu, r->a ? "elsewhere" : "here");
		break;
	case PROBE_NESTED:
		story_say(s, "pCPU %u: vCPU %u: %s; %s was last loaded %s",
			  r->pcpu, r->vcpu, r->view == VIEW_L2 ?
			  "L1 enters L2" : "L2 leaves to L1",
			  r->view == VIEW_L2 ? "vmcs02" : "vmcs01",
			  r->a ? "elsewhere" : "here");
		break;
	case PROBE_PUT:
		story_say(s, "pCPU %u: vCPU %u is scheduled out", r->pcpu,
			  r->vcpu);
		break;
	case PROBE_CONTEXT:
		tell_context(s, r);
		break;
	case PROBE_EXIT:
		story_say(s, "pCPU %u: vCPU %u leaves guest mode", r->pcpu,
			  r->vcpu);
		break;
	case PROBE_FLUSH:
		tell_flush(s, r);
		break;
	case PROBE_FLUSH_LOST:
		story_say(s, "pCPU %u: %s, which does nothing", r->pcpu,
			  flush_op_name(r->op));
		break;
	case PROBE_WRITE:
	case PROBE_ACK:
		tell_change(s, r);
		break;
	case PROBE_GUEST_WRITE:
	case PROBE_GUEST_RELY:
		tell_mapping(s, r);
		break;
	case PROBE_GUEST_FLUSH:
		tell_guest_flush(s, r);
		break;
	case PROBE_CPU_STATE:
		story_say(s, "pCPU %u %s", r->pcpu,
			  r->a ? "comes online" : "goes offline");
		break;
	case PROBE_ROOT_ALLOC:
	case PROBE_ROOT_LOAD:
	case PROBE_ROOT_FREE:
		tell_root(s, r);
		break;
	case PROBE_REQUEST:
		story_say(s, "a flush request is raised on vCPU %u", r->vcpu);
		break;
	case PROBE_IPI:
		story_say(s, "pCPU %u sends an IPI to pCPU %u and waits",
			  r->pcpu, (u32)r->a);
		break;
	case PROBE_IPI_ACK:
		story_say(s, "pCPU %u acknowledges the IPI of pCPU %u",
			  r->pcpu, (u32)r->a);
		break;
	default:
		break;
	}
}
