/*
 * alloc-all-pcpus - flush a new root on every pCPU, once
 *
 * The first sketch of August 2025: whoever allocates a root executes
 * INVEPT-single everywhere and waits; loads and migrations then flush nothing.
 * A strict change still reaches only the pCPUs on which vCPUs are, so what a
 * pCPU has cached since is never made good.  Withdrawn since a nested guest
 * could have IPIs sent to every pCPU of the host.
 */
#include "models/flush_policy.h"

static const char *const online_words[] = { "none", "flush", NULL };

enum { OPT_ONLINE };
enum { ONLINE_NONE, ONLINE_FLUSH };

static void alloc_all_pcpus_root_alloc(const struct policy_event *e,
				       struct plan *p)
{
	plan_flush_all_pcpus(p, PLAN_INVEPT_SINGLE, e->root);
}

static void alloc_all_pcpus_pcpu_online(const struct policy_event *e,
					struct plan *p)
{
	if (e->option[OPT_ONLINE] == ONLINE_FLUSH)
		plan_flush(p, PLAN_INVEPT_GLOBAL, 0);
}

const struct flush_policy_ops flush_policy_alloc_all_pcpus = {
	.name		= "alloc-all-pcpus",
	.brief		= "first sketch of August 2025: flush a new root on every pCPU, nothing later",
	.options	= {
		{ "online", online_words, "what a pCPU flushes that comes online" },
	},
	.root_alloc	= alloc_all_pcpus_root_alloc,
	.request	= policy_service_as_kvm,
	.pcpu_online	= alloc_all_pcpus_pcpu_online,
};
