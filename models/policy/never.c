/*
 * never - flush nothing at all
 *
 * Checks the checkers: guests and hardware still do what they do by
 * themselves, but KVM neither flushes nor kicks.  Must be caught.
 */
#include "models/flush_policy.h"

const struct flush_policy_ops flush_policy_never = {
	.name			= "never",
	.brief			= "no flush and no kick at all (checks the checkers)",
	.no_remote_flush	= true,
};
