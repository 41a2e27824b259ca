#include "sim/core/probe.h"

#include "sim/base/err.h"

static const char *const kinds[PROBE_KIND_NR] = {
#define X(id, name) [PROBE_##id] = name,
	PROBE_KINDS(X)
#undef X
};

static const char *const flush_ops[FLUSH_OP_NR] = {
#define X(id, name) [FLUSH_##id] = name,
	FLUSH_OPS(X)
#undef X
};

const char *probe_kind_name(enum probe_kind kind)
{
	BUG_ON(kind >= PROBE_KIND_NR);
	return kinds[kind];
}

const char *flush_op_name(enum flush_op op)
{
	BUG_ON(op >= FLUSH_OP_NR);
	return flush_ops[op];
}
