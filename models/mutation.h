/*
 * Bugs for policies: one step of what a hook asks for is left out, narrowed or
 * put in the wrong place.  A checker, and the environments it is given, are
 * worth what they make of these.
 */
#ifndef MODELS_MUTATION_H
#define MODELS_MUTATION_H

#include "models/flush_policy.h"

#define MUTATIONS_MAX		256u
#define MUTATION_TEXT_MAX	96u

/* Kinds: identifier, what is done to the step at the site. */
#define MUTATIONS(X)							\
	X(DELETE,	"without")		/* a flush, a write */	\
	X(NARROW,	"narrowed:")		/* to the current root, to here */ \
	X(FIRST,	"first root only:")	/* of those in a loop */ \
	X(LATER,	"all but the first root:")			\
	X(SWAP,		"one step too late:")				\
	X(TEST,		"always, untested:")	/* a skip is gone */	\
	X(SKIP,		"never:")		/* a skip always skips */ \
	X(PREEMPT,	"preemptible:")		/* a bracket is gone */

#define X(id, text) MUTATE_##id,
enum mutation_kind { MUTATIONS(X) MUTATION_KIND_NR };
#undef X

/**
 * struct mutation - one bug
 * @kind: enum mutation_kind
 * @hook: enum policy_hook whose plan has it
 * @op: enum plan_op of the step
 * @arg: its row or flush
 * @site: line of the policy file
 */
struct mutation {
	u8 kind;
	u8 hook;
	u8 op;
	u8 arg;
	u16 site;
};

/**
 * mutation_list() - every bug that a policy can have
 * @policy: policy
 * @out: MUTATIONS_MAX entries, filled in
 *
 * Its hooks are called with events of every sort; what makes no difference to
 * any plan is no bug.
 *
 * Return: how many.
 */
u32 mutation_list(const struct flush_policy *policy, struct mutation *out);

/**
 * mutation_apply() - put a bug into a plan
 * @m: bug
 * @hook: enum policy_hook that filled the plan
 * @e: the event it was told of
 * @p: plan, complete
 *
 * Return: true if the plan has changed.
 */
bool mutation_apply(const struct mutation *m, enum policy_hook hook,
		    const struct policy_event *e, struct plan *p);

/**
 * mutation_text() - a bug in words, without line numbers
 * @m: bug
 * @ops: policy
 * @to: MUTATION_TEXT_MAX bytes
 */
void mutation_text(const struct mutation *m, const struct flush_policy_ops *ops,
		   char *to);

#endif /* MODELS_MUTATION_H */
