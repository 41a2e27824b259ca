/* Roots: allocation, loading, switching, freeing. */
#ifndef SIM_MACHINE_ROOTS_H
#define SIM_MACHINE_ROOTS_H

#include "sim/machine/world.h"

/**
 * root_current() - root the vCPU would enter with
 * @v: vCPU
 *
 * Return: root, or IDX_NONE.
 */
static inline u32 root_current(const struct vcpu *v)
{
	return v->mmu[mmu_of_role(v->role)].root;
}

/**
 * root_waits() - does a vCPU wait for the lock under which roots are made?
 * @m: machine
 * @vcpu: vCPU
 *
 * kvm->arch.tdp_mmu_pages_lock of kvm_tdp_mmu_alloc_root(); here one of each
 * VM and role.
 *
 * Return: true if it needs a root and another vCPU is making it.
 */
bool root_waits(const struct machine *m, u32 vcpu);

/**
 * root_find() - make the VM's root of the vCPU's role current
 * @m: machine
 * @vcpu: vCPU without a current root that does not wait
 *
 * Return: false if there is none; it must be made.
 */
bool root_find(struct machine *m, u32 vcpu);

/**
 * root_make() - take the lock and allocate the root of the vCPU's role
 * @m: machine
 * @vcpu: vCPU for which root_find() was false
 *
 * Nobody finds the root, and the vCPU does not use it, before root_publish().
 *
 * Return: the root.
 */
u32 root_make(struct machine *m, u32 vcpu);

/**
 * root_publish() - release the lock: who looks for the root now finds it
 * @m: machine
 * @vcpu: vCPU that made it; it is current for this one
 */
void root_publish(struct machine *m, u32 vcpu);

/**
 * root_drop_all() - unload root and prev_roots of both MMUs
 * @m: machine
 * @vcpu: vCPU
 *
 * Return: nothing; roots without users are freed.
 */
void root_drop_all(struct machine *m, u32 vcpu);

/**
 * root_drop_obsolete() - unload roots that were invalidated
 * @m: machine
 * @vcpu: vCPU
 */
void root_drop_obsolete(struct machine *m, u32 vcpu);

/**
 * root_usable() - is_root_usable() of the current root
 * @m: machine
 * @vcpu: vCPU
 *
 * Return: true if it fits the vCPU's role and has not been invalidated.
 */
bool root_usable(const struct machine *m, u32 vcpu);

/**
 * root_find_cached() - cached_root_find_without_current()
 * @m: machine
 * @vcpu: vCPU without a current root
 *
 * Return: true if a root of prev_roots is usable; it is current now.
 */
bool root_find_cached(struct machine *m, u32 vcpu);

/**
 * root_swap_begin() - first half of swapping current and a cached root
 * @m: machine
 * @vcpu: vCPU; its @swap_at says which
 *
 * Until root_swap_end() the root that was current is in a register only.
 */
void root_swap_begin(struct machine *m, u32 vcpu);

/**
 * root_swap_end() - second half
 * @m: machine
 * @vcpu: vCPU
 */
void root_swap_end(struct machine *m, u32 vcpu);

/**
 * root_drop_current() - unload the current root
 * @m: machine
 * @vcpu: vCPU that has one
 */
void root_drop_current(struct machine *m, u32 vcpu);

/**
 * root_obsolete_all() - invalidate every root of a VM
 * @m: machine
 * @vm: VM
 */
void root_obsolete_all(struct machine *m, u32 vm);

/**
 * root_release_obsolete() - let the VM itself let go of its invalid roots
 * @m: machine
 * @task: who invalidated them; all vCPUs have left the guest since
 */
void root_release_obsolete(struct machine *m, u32 task);

#endif /* SIM_MACHINE_ROOTS_H */
