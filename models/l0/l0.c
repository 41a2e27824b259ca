#include "models/l0/l0.h"

#include <errno.h>

#include "sim/base/err.h"

static const char *const kinds[] = { "bare", "hyperv", NULL };

#define ROW_BOOL(field, text)						\
	{ .name = #field, .unit = "", .type = PARAM_BOOL,		\
	  .offset = offsetof(struct l0_params, field),			\
	  .min = 0, .max = 1, .required = true, .help = text }

const struct param_desc l0_rows[] = {
	{ .name = "kind", .unit = "", .type = PARAM_ENUM,
	  .offset = offsetof(struct l0_params, kind), .required = true,
	  .choices = kinds, .help = "hypervisor below KVM" },
	ROW_BOOL(serial_teardown,
		 "teardown of shadow tables runs under one partition-wide lock"),
	ROW_BOOL(shared_fill,
		 "rebuilding an entry passes a partition-wide section"),
	ROW_BOOL(shadow_shared,
		 "one set of shadow tables for all virtual processors"),
	ROW_BOOL(flush_hypercall,
		 "the guest-physical flush hypercall is offered"),
	{ .name = NULL },
};

int l0_check(const struct l0_params *p, struct err *err)
{
	if (p->kind == L0_BARE && (p->serial_teardown || p->shared_fill ||
				   p->shadow_shared || p->flush_hypercall))
		return err_set(err, -EINVAL,
			       "l0 kind \"bare\" has no shadow tables and no hypercall: serial_teardown, shared_fill, shadow_shared and flush_hypercall must be false");
	return 0;
}

const char *l0_kind_name(u32 kind)
{
	BUG_ON(kind >= L0_KIND_NR);
	return kinds[kind];
}
