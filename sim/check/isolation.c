/*
 * I4, isolation: nobody uses what somebody else's tables say.
 *
 * Between VMs: a guest-physical or combined translation belongs to the VM
 * under which it was made.  Real: a use record shows a foreign one.  Possible:
 * another VM has been active on the pCPU under the same frame, with no flush of
 * the frame since.  Within a VM: a combined translation belongs to the vCPU
 * that made it.  Possible: another vCPU with the same VPID has been active
 * there under the same frame, with no flush since that removes combined
 * mappings.  KVM gives every vCPU a VPID of its own, so the tables for the
 * second rule exist only in runs where two share one.  VPID 0 is flushed by
 * every VM entry and shares nothing.
 *
 * State: that of struct held per (pCPU, frame) plus 16 bytes each; where
 * VPIDs are shared also that of struct held per vCPU.
 */
#include <string.h>

#include "sim/base/arena.h"
#include "sim/check/held.h"
#include "sim/check/list.h"

#define VM_SEVERAL	IDX_NONE

/*
 * Whose translations a pCPU may hold under a frame: those of @vm, or of more
 * than one VM, since the first activity @since.
 */
struct isolation_who {
	u64 since;
	u32 vm;
};

/* Offsets from the start of the state; @shared is 0 if no VPID is shared. */
struct isolation {
	u64 held;
	u64 shared;
	u64 who;
};

static const struct held_config isolation_held = { .per_vcpu = false };
static const struct held_config isolation_shared = { .per_vcpu = true };

static bool shares_vpids(const struct run_shape *shape)
{
	u8 seen[(UINT16_MAX + 1) / 8];

	memset(seen, 0, sizeof(seen));
	for (u32 t = 0; t < shape_vtlbs(shape); t++) {
		u16 vpid = shape->vpids[t];

		if (vpid && (seen[vpid / 8] & (1u << (vpid % 8))))
			return true;
		seen[vpid / 8] |= (u8)(1u << (vpid % 8));
	}
	return false;
}

static u64 isolation_layout(struct isolation *s, const struct run_shape *shape)
{
	struct arena_layout l = { 0 };

	arena_reserve(&l, 1, sizeof(*s));
	s->held = arena_reserve(&l, 1, held_bytes(shape, isolation_held));
	s->who = arena_reserve(&l, (u64)shape->nr_pcpus * shape->nr_frames,
			       sizeof(struct isolation_who));
	s->shared = 0;
	if (shares_vpids(shape))
		s->shared = arena_reserve(&l, 1,
					  held_bytes(shape, isolation_shared));
	return l.size;
}

static struct held *isolation_tlbs(struct isolation *s)
{
	return (struct held *)((char *)s + s->held);
}

static struct held *isolation_vpids(struct isolation *s)
{
	return s->shared ? (struct held *)((char *)s + s->shared) : NULL;
}

/*
 * Whose the translations under the active frame are, before the running VM is
 * added.  After a flush under a running context only that one's are left.
 */
static struct isolation_who *isolation_who(struct isolation *s,
					   const struct run_shape *shape,
					   u32 pcpu)
{
	struct stamp since = held_since(isolation_tlbs(s), pcpu);
	const struct held_pcpu *p = held_current(isolation_tlbs(s), pcpu);
	struct isolation_who *who = (struct isolation_who *)((char *)s + s->who) +
				    (u64)pcpu * shape->nr_frames + p->frame;

	if (who->since != since.seq)
		*who = (struct isolation_who){ since.seq, p->vm };
	return who;
}

static void isolation_note(struct isolation *s, const struct run_shape *shape,
			   const struct probe_rec *rec)
{
	struct held *vpids = isolation_vpids(s);

	if ((rec->kind == PROBE_CONTEXT || rec->kind == PROBE_CONTEXT_END) &&
	    held_current(isolation_tlbs(s), rec->pcpu)->active)
		isolation_who(s, shape, rec->pcpu);
	held_note(isolation_tlbs(s), rec);
	if (vpids)
		held_note(vpids, rec);
}

static bool isolation_vm(struct isolation *s, const struct run_shape *shape,
			 const struct probe_rec *rec, struct finding *f)
{
	struct isolation_who *who = isolation_who(s, shape, rec->pcpu);
	const struct finding_at at = { .invariant = "I4", .time = rec->time,
				       .vcpu = rec->vcpu, .pcpu = rec->pcpu };
	struct words whose = { "other VMs" };
	struct stamp since;

	if (who->vm == rec->vm)
		return false;
	if (who->vm != VM_SEVERAL)
		whose = say_vm(who->vm);
	who->vm = VM_SEVERAL;
	if (!f)
		return true;
	since = held_since(isolation_tlbs(s), rec->pcpu);
	return finding_say(f, &at, "VM %u vCPU %u enters on pCPU %u under root %u and may use translations of %s: pCPU %u may hold translations of the frame from %s s on and has not flushed them since",
			   rec->vm, rec->vcpu, rec->pcpu, rec->frame,
			   whose.text, rec->pcpu,
			   say_seconds(since.time, shape).text);
}

static bool isolation_vcpu(struct isolation *s, const struct run_shape *shape,
			   const struct probe_rec *rec, struct finding *f)
{
	const struct held *vpids = isolation_vpids(s);
	const struct finding_at at = { .invariant = "I4", .time = rec->time,
				       .vcpu = rec->vcpu, .pcpu = rec->pcpu };
	u32 u = IDX_NONE;

	if (!vpids || !rec->vpid)
		return false;
	while ((u = held_next_vcpu(vpids, rec->vm, u)) != IDX_NONE) {
		struct stamp since;

		if (u == rec->vcpu ||
		    shape_vpid(shape, u, rec->view) != rec->vpid)
			continue;
		since = held_peek(vpids, rec->pcpu, rec->frame, u, rec->vpid);
		if (!since.seq)
			continue;
		return finding_say(f, &at, "VM %u vCPU %u enters on pCPU %u with VPID %u and may use translations of vCPU %u, which has the same VPID: pCPU %u may hold them under root %u from %s s on and has not flushed them since",
				   rec->vm, rec->vcpu, rec->pcpu, rec->vpid, u,
				   rec->pcpu, rec->frame,
				   say_seconds(since.time, shape).text);
	}
	return false;
}

static bool isolation_use(const struct probe_rec *rec, struct finding *f)
{
	const struct finding_at at = { .invariant = "I4", .real = true,
				       .time = rec->time, .vcpu = rec->vcpu,
				       .pcpu = rec->pcpu };

	if (rec->used.owner == rec->now.owner)
		return false;
	return finding_say(f, &at, "VM %u vCPU %u used page %u on pCPU %u through a translation of VM %u under root %u",
			   rec->vm, rec->vcpu, rec->page, rec->pcpu,
			   rec->used.owner, rec->frame);
}

static u64 isolation_state_bytes(const struct run_shape *shape)
{
	struct isolation s;

	return isolation_layout(&s, shape);
}

static void isolation_init(void *state, const struct run_shape *shape)
{
	struct isolation *s = state;

	isolation_layout(s, shape);
	held_init(isolation_tlbs(s), shape, isolation_held);
	if (s->shared)
		held_init(isolation_vpids(s), shape, isolation_shared);
}

static bool isolation_on_probe(void *state, const struct run_shape *shape,
			       const struct probe_rec *rec, struct finding *f)
{
	struct isolation *s = state;

	if (rec->kind == PROBE_USE)
		return isolation_use(rec, f);
	isolation_note(s, shape, rec);
	if (rec->kind != PROBE_CONTEXT)
		return false;
	return isolation_vm(s, shape, rec, f) ||
	       isolation_vcpu(s, shape, rec, f);
}

const struct observer_ops checker_isolation = {
	.name = "isolation",
	.brief = "no access uses a translation that another VM or vCPU made",
	.invariant = "I4",
	.wants = HELD_WANTS | BIT64(PROBE_USE),
	.state_bytes = isolation_state_bytes,
	.init = isolation_init,
	.on_probe = isolation_on_probe,
};
