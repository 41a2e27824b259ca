/*
 * The hypervisor below: what it makes an invalidation cost, and whose entries
 * it takes along.  It never decides whether a policy is correct: checkers
 * judge by the architected scope of what was executed.
 */
#ifndef MODELS_L0_L0_H
#define MODELS_L0_L0_H

#include "sim/base/param.h"
#include "sim/base/types.h"

enum l0_kind { L0_BARE, L0_HYPERV, L0_KIND_NR };

/**
 * struct l0_params - hypervisor below KVM
 * @kind: enum l0_kind
 * @serial_teardown: hyperv: teardown of shadow tables runs under one
 *                   partition-wide lock
 * @shared_fill: hyperv: rebuilding an entry passes a partition-wide section
 * @shadow_shared: hyperv: one set of shadow tables for all virtual processors;
 *                 else each has its own
 * @flush_hypercall: the guest-physical flush hypercall is offered
 */
struct l0_params {
	u32 kind;
	bool serial_teardown;
	bool shared_fill;
	bool shadow_shared;
	bool flush_hypercall;
};

struct err;

/* Rows of struct l0_params; end at .name == NULL. */
extern const struct param_desc l0_rows[];

/**
 * l0_check() - cross-field rules
 * @p: parameters whose single values passed their rows
 * @err: set on failure
 *
 * Return: 0 or -EINVAL.
 */
int l0_check(const struct l0_params *p, struct err *err);

/**
 * l0_kind_name() - word for a kind, as configs spell it
 * @kind: enum l0_kind
 *
 * Return: a static string.
 */
const char *l0_kind_name(u32 kind);

#endif /* MODELS_L0_L0_H */
