#include "sim/driver/expander.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/machine/alone.h"

/* --- strings --- */

static u32 write_state(struct expander *e, bool again, u64 *words)
{
	struct codec c = { .words = words, .room = STATE_WORDS_MAX,
			   .again = again, .rename = &e->names.rename };

	machine_visit(e->m, &c);
	machine_visit_observers(e->m, &c);
	environ_visit(&e->environ, &c);
	return codec_end(&c);
}

static void read_state(struct expander *e, const struct state_ref *ref)
{
	struct codec c = { .words = (u64 *)ref->words,
			   .room = ref->nr_words, .reading = true,
			   .rename = &e->names.rename };

	machine_visit(e->m, &c);
	machine_visit_observers(e->m, &c);
	environ_visit(&e->environ, &c);
}

/*
 * The least string under all names that come into question.  They become the
 * names of @e->names, unless @best is all that counts.
 */
static u32 canonical(struct expander *e, u64 **best, struct names *of_best)
{
	u64 *a = e->words[0], *b = e->words[1], *swap;
	u32 nr, n;

	names_first(&e->names, e->m);
	nr = write_state(e, false, a);
	if (of_best)
		*of_best = e->names;
	while (names_next(&e->names, e->m)) {
		n = write_state(e, true, b);
		if (n > nr || (n == nr && memcmp(b, a, n * sizeof(u64)) >= 0))
			continue;
		swap = a;
		a = b;
		b = swap;
		nr = n;
		if (of_best)
			*of_best = e->names;
	}
	*best = a;
	return nr;
}

void expander_add(struct expander *e, u32 parent, struct action action)
{
	struct state_ref ref = { .parent = parent, .action = action };
	u64 *words;
	u32 id;

	ref.nr_words = canonical(e, &words, NULL);
	ref.words = words;
	switch (states_add(e->states, &ref, &id)) {
	case STATE_NEW:
		e->full |= !frontier_push(&e->found, e->states, id, &ref);
		break;
	case STATE_NO_ROOM:
		e->full = true;
		break;
	case STATE_KNOWN:
		break;
	}
}

static u8 from_name(const struct names *n, enum action_operand operand, u8 name)
{
	u32 nr_vcpus = n->rename.nr[CODEC_VCPU];

	switch (operand) {
	case OPERAND_PCPU:
		return n->from[CODEC_PCPU][name];
	case OPERAND_VCPU:
		return n->from[CODEC_VCPU][name];
	case OPERAND_VM:
		return n->from[CODEC_VM][name];
	case OPERAND_TASK:
		return name < nr_vcpus ? n->from[CODEC_VCPU][name] :
		       (u8)(nr_vcpus + n->from[CODEC_VM][name - nr_vcpus]);
	default:
		return name;
	}
}

struct action expander_rename(struct expander *e, struct action a)
{
	struct names n;
	u64 *words;

	canonical(e, &words, &n);
	if (!n.rename.from[CODEC_PCPU])
		return a;
	a.a = from_name(&n, action_operand(a.kind, false), a.a);
	a.b = from_name(&n, action_operand(a.kind, true), a.b);
	return a;
}

/* --- successors --- */

bool expander_alone(struct expander *e, struct action *step)
{
	u32 nr = e->x->config->nr_vcpus + e->x->config->nr_vms;

	for (u32 t = 0; t < nr && e->reduce; t++) {
		if (!machine_can_step(e->m, t) || !machine_step_alone(e->m, t))
			continue;
		*step = (struct action){ .kind = ACTION_STEP, .a = (u16)t };
		if (environ_allows(&e->environ, e->m, *step))
			return true;
	}
	return false;
}

/* Let something happen, and all that follows by itself: true on a violation. */
static bool act(struct expander *e, const struct action *a)
{
	struct action step = *a;
	struct finding finding;
	bool violated;
	u64 n = 0;

	do {
		environ_act(&e->environ, e->m, &step);
		n++;
		violated = machine_take_finding(e->m, &finding);
	} while (!violated && expander_alone(e, &step));
	atomic_fetch_add_explicit(&e->transitions, n, memory_order_relaxed);
	return violated;
}

static void note_violation(struct expander *e, u32 id, struct action a)
{
	if (e->violated &&
	    states_compare(e->states, id, a, e->from, e->by) >= 0)
		return;
	e->violated = true;
	e->from = id;
	e->by = a;
}

void expander_expand(struct expander *e, u32 id, const struct state_ref *ref)
{
	struct action list[ACTIONS_MAX];
	struct environ before;
	u32 nr;

	read_state(e, ref);
	machine_save(e->m, e->world);
	before = e->environ;
	nr = environ_actions(&before, e->m, list);
	for (u32 i = 0; i < nr; i++) {
		if (i)
			machine_restore(e->m, e->world);
		e->environ = before;
		if (act(e, &list[i]))
			note_violation(e, id, list[i]);
		else
			expander_add(e, id, list[i]);
	}
}

/* --- life --- */

static int check_observers(const struct machine_config *c, struct err *err)
{
	for (u32 i = 0; i < c->nr_observers; i++)
		if (!c->observers[i]->visit)
			return err_set(err, -EINVAL, "checker %s cannot look on at an exploration",
				       c->observers[i]->name);
	return 0;
}

int expander_open(struct expander *e, struct err *err)
{
	const struct exploration *x = e->x;
	int ret = check_observers(x->config, err);

	if (!ret)
		ret = machine_create(x->config, &e->m, err);
	if (ret)
		return ret;
	e->environ = x->environ;
	environ_start(&e->environ, e->m);
	names_init(&e->names, e->m,
		   x->symmetry && e->environ.ops->symmetric);
	e->world = malloc(machine_bytes(e->m));
	return e->world ? 0 : err_set(err, -ENOMEM, "explorer: out of memory");
}

void expander_close(struct expander *e)
{
	frontier_free(&e->found, e->states);
	machine_destroy(e->m);
	free(e->world);
	e->m = NULL;
	e->world = NULL;
}
