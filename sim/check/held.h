/*
 * What an unbounded, speculating TLB may hold, without holding it.
 *
 * Such a TLB keeps every translation that was current at any moment at which
 * its context was active, until a flush that covers the tag.  So for every
 * pCPU and tag one moment says all: the first activity since the last covering
 * flush.  A translation that a change at W superseded may be there iff that
 * moment lies before W.
 *
 * Flushes only leave a mark with their scope; the moment is brought up to date
 * when it is looked at.  So each record costs a few cache lines, whatever the
 * number of pCPUs, roots and vCPUs a flush covers.
 *
 * Two resolutions: per (pCPU, frame) for guest-physical mappings, which only
 * INVEPT and the flush hypercall remove; and per (pCPU, frame, vCPU) for
 * combined ones, which VPID-wide flushes remove as well.
 *
 * EPT violations are left out on purpose.  They remove the combined mapping
 * of one linear address in one VPID; those made through other linear
 * addresses or by other vCPUs survive.  And a violation that found a page
 * gone is a fact of the finite TLB: an unbounded one that still held the old
 * translation would have hit it, and there would have been no violation.
 */
#ifndef SIM_CHECK_HELD_H
#define SIM_CHECK_HELD_H

#include "sim/check/say.h"
#include "sim/core/probe.h"

/* What a tracker needs to be handed. */
#define HELD_WANTS	(BIT64(PROBE_CONTEXT) | BIT64(PROBE_CONTEXT_END) | \
			 BIT64(PROBE_FLUSH) | BIT64(PROBE_ROOT_ALLOC))

/**
 * struct held_config - what a tracker distinguishes
 * @per_vcpu: combined mappings, per vCPU; else guest-physical ones
 * @alloc_cleans: forget what was there before a frame became a root again
 */
struct held_config {
	bool per_vcpu;
	bool alloc_cleans;
};

/**
 * struct held_pcpu - the context of one pCPU and its widest flushes
 * @active: a guest context is active
 * @view: enum view
 * @vpid: its VPID
 * @vm: its VM
 * @vcpu: its vCPU
 * @frame: its root
 * @ept_all: last INVEPT-global
 * @vpid_all: last INVVPID-all
 */
struct held_pcpu {
	bool active;
	u8 view;
	u16 vpid;
	u32 vm;
	u32 vcpu;
	u32 frame;
	struct stamp ept_all;
	struct stamp vpid_all;
};

/**
 * struct held - a tracker; its tables follow it in the same block
 * @config: what it distinguishes
 * @nr_pcpus: pCPUs
 * @nr_frames: frames
 * @nr_vpids: VPIDs, 0 included; 0 unless per vCPU
 * @lanes: entries per (pCPU, frame): 1, or the vCPUs of the largest VM
 * @pcpus: offset of the pCPUs from the tracker
 * @frames: offset of the last flush on all pCPUs, per frame
 * @vpids: offset of the last VPID-wide flush, per (pCPU, VPID)
 * @rows: offset of the rows, per (pCPU, frame): last INVEPT-single, then the
 *        first activity since, per lane
 * @vcpus: offset of struct held_vcpu
 * @vms: offset of the first vCPU of each VM, plus one
 */
struct held {
	struct held_config config;
	u32 nr_pcpus;
	u32 nr_frames;
	u32 nr_vpids;
	u32 lanes;
	u64 pcpus;
	u64 frames;
	u64 vpids;
	u64 rows;
	u64 vcpus;
	u64 vms;
};

/**
 * held_bytes() - size of a tracker
 * @shape: run
 * @config: what it distinguishes
 *
 * The rows dominate: 16 bytes x pCPUs x frames x (1 + lanes), where lanes is 1
 * or, per vCPU, the vCPUs of the largest VM; then also 16 bytes x pCPUs x
 * VPIDs.
 *
 * Return: bytes, a multiple of 64.
 */
u64 held_bytes(const struct run_shape *shape, struct held_config config);

/**
 * held_init() - start with empty TLBs and no context
 * @h: zeroed block of held_bytes() bytes
 * @shape: run
 * @config: as for held_bytes()
 */
void held_init(struct held *h, const struct run_shape *shape,
	       struct held_config config);

/**
 * held_note() - take a record into account
 * @h: tracker
 * @rec: any record; kinds outside HELD_WANTS change nothing
 */
void held_note(struct held *h, const struct probe_rec *rec);

/**
 * held_current() - what runs on a pCPU
 * @h: tracker
 * @pcpu: pCPU
 *
 * Return: its context, valid while the tracker is; owned by the tracker.
 */
const struct held_pcpu *held_current(const struct held *h, u32 pcpu);

/**
 * held_since() - first activity of what runs on a pCPU since a covering flush
 * @h: tracker
 * @pcpu: pCPU with an active context
 *
 * Return: that moment; if the context was active at the flush, the flush.
 */
struct stamp held_since(struct held *h, u32 pcpu);

/**
 * held_peek() - first activity of some vCPU, which need not be running
 * @h: tracker that distinguishes vCPUs
 * @pcpu: pCPU
 * @frame: root
 * @vcpu: vCPU of the VM that the root belongs to
 * @vpid: VPID of the vCPU
 *
 * Return: that moment, or one with seq 0 if nothing can be left of it.
 */
struct stamp held_peek(const struct held *h, u32 pcpu, u32 frame, u32 vcpu,
		       u16 vpid);

/**
 * held_where() - the pCPU on which a context of a vCPU is active
 * @h: tracker
 * @vcpu: vCPU
 *
 * Return: pCPU or IDX_NONE.
 */
u32 held_where(const struct held *h, u32 vcpu);

/**
 * held_next_vcpu() - go through the vCPUs of a VM in ascending order
 * @h: tracker
 * @vm: VM
 * @vcpu: previous vCPU, or IDX_NONE to begin
 *
 * Return: the next vCPU, or IDX_NONE.
 */
u32 held_next_vcpu(const struct held *h, u32 vm, u32 vcpu);

#endif /* SIM_CHECK_HELD_H */
