#include "sim/driver/shrink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"

/*
 * @kinds: what small_machine_init() was told may happen
 * @plain: it was; else all but the size is as it was at first
 */
struct size {
	u32 pcpus;
	u32 vms;
	u32 vcpus;			/* of each VM */
	u32 kinds;
	bool plain;
};

/* Who does anything at all. */
struct used {
	bool vcpu[ACTIONS_VCPUS_MAX];
	bool vm[ACTIONS_VMS_MAX];
	bool pcpu[ACTIONS_PCPUS_MAX];
};

#define GONE		UINT16_MAX

/* New names; who is GONE takes with it all that names it. */
struct names {
	u32 nr_vcpus;			/* new number: tasks of VMs come behind */
	u16 vcpu[ACTIONS_VCPUS_MAX];
	u16 vm[ACTIONS_VMS_MAX];
	u16 pcpu[ACTIONS_PCPUS_MAX];
};

/* A machine of some size and how it starts. */
struct stage {
	struct size size;
	struct small_machine machine;
	struct machine *m;
	void *start;
};

#define WINDOW_MAX	64u		/* actions cut out at any place */
#define MEND_MAX	64u		/* steps on the way to an action */

struct shrinker {
	const struct shrinking *s;
	struct stage stage[2];
	struct stage *now;		/* one of them; the other is for trials */
	struct finding finding;
	struct action *path;		/* the shortest so far */
	u32 nr;
	struct action *trial;		/* what is to be played */
	struct action *done;		/* what was possible of it */
	u64 replays;
	bool no_memory;
};

/* --- machines --- */

static void make_machine(struct small_machine *to, const struct size *z,
			 const struct small_machine *like)
{
	small_machine_init(to, z->pcpus, z->vms, z->vcpus, z->kinds);
	to->policy = like->policy;
	to->l0 = like->l0;
	to->config.mutation = like->config.mutation;
	to->config.nr_pcids = like->config.nr_pcids;
	to->config.observers = like->config.observers;
	to->config.nr_observers = like->config.nr_observers;
	if (z->plain)
		return;
	to->workload = like->workload;
	to->config.pv_flush = like->config.pv_flush;
	to->config.nr_roots = like->config.nr_roots;
}

static void stage_close(struct stage *g)
{
	machine_destroy(g->m);
	free(g->start);
	g->m = NULL;
	g->start = NULL;
}

static bool stage_open(struct stage *g, const struct size *z,
		       const struct small_machine *like)
{
	struct err err;

	g->size = *z;
	make_machine(&g->machine, z, like);
	if (machine_create(&g->machine.config, &g->m, &err))
		return false;
	g->start = malloc(machine_bytes(g->m));
	if (g->start)
		machine_save(g->m, g->start);
	return g->start;
}

/* --- playing --- */

static bool over(const struct shrinker *k)
{
	return k->no_memory || (k->s->stop && *k->s->stop);
}

enum outcome { GOES_ON, VIOLATES, FAILS };

/* One way of playing @trial. */
struct play {
	struct shrinker *k;
	struct machine *m;
	u32 nr_pcpus;
	u32 limit;			/* of what may happen */
	u32 nr;				/* what has happened */
	bool mend;
};

static enum outcome act(struct play *p, const struct action *a)
{
	struct shrinker *k = p->k;
	struct finding finding;

	if (p->nr == p->limit)
		return FAILS;
	machine_act(p->m, a);
	k->done[p->nr++] = *a;
	if (!machine_take_finding(p->m, &finding))
		return GOES_ON;
	if (strcmp(finding.invariant, k->s->finding->invariant))
		return FAILS;
	k->finding = finding;
	return VIOLATES;
}

/* An interrupt that a thread waits for. */
static bool find_interrupt(const struct play *p, u32 task, struct action *a)
{
	u32 here = machine_task_pcpu(p->m, task);

	*a = (struct action){ .kind = ACTION_INTERRUPT, .b = here };
	for (u32 i = 0; here != IDX_NONE && i < p->nr_pcpus; i++) {
		a->a = i;
		if (machine_can(p->m, a))
			return true;
	}
	return false;
}

/* What a thread does itself on the way to @a; false if there is no way. */
static bool find_step(const struct play *p, const struct action *a,
		      struct action *step)
{
	u8 what = action_operand(a->kind, false);

	if (what != OPERAND_TASK && what != OPERAND_VCPU)
		return false;
	*step = (struct action){ .kind = ACTION_STEP, .a = a->a };
	if (a->kind != ACTION_STEP && machine_can(p->m, step))
		return true;
	return find_interrupt(p, a->a, step);
}

static enum outcome play_one(struct play *p, const struct action *a)
{
	enum outcome o = GOES_ON;
	struct action step;

	for (u32 i = 0; o == GOES_ON && !machine_can(p->m, a); i++) {
		if (!p->mend || i == MEND_MAX || !find_step(p, a, &step))
			return GOES_ON;
		o = act(p, &step);
	}
	return o == GOES_ON ? act(p, a) : o;
}

static bool play(struct play *p, struct stage *g, u32 nr)
{
	struct shrinker *k = p->k;
	enum outcome o = GOES_ON;

	if (over(k))
		return false;
	k->replays++;
	p->m = g->m;
	p->nr_pcpus = g->size.pcpus;
	machine_restore(g->m, g->start);
	for (u32 i = 0; i < nr && o == GOES_ON; i++)
		o = play_one(p, &k->trial[i]);
	if (o != VIOLATES)
		return false;
	memcpy(k->path, k->done, p->nr * sizeof(*k->path));
	k->nr = p->nr;
	return true;
}

/*
 * Play @nr actions of @trial; if they violate the same and no more than @limit
 * happen, those that did are the path from now on.
 */
static bool replay(struct shrinker *k, struct stage *g, u32 nr, u32 limit)
{
	struct play p = { .k = k, .limit = limit, .mend = true };

	return play(&p, g, nr);
}

/* --- who does what --- */

/* @what: OPERAND_VCPU, OPERAND_VM (also for its host thread) or OPERAND_PCPU */
struct who {
	u8 what;
	u32 i;
};

static struct who who_of(const struct shrinker *k, const struct action *a,
			 bool second)
{
	u32 nr_vcpus = k->now->machine.config.nr_vcpus;
	struct who w = { action_operand(a->kind, second), second ? a->b : a->a };

	if (w.what != OPERAND_TASK)
		return w;
	if (w.i < nr_vcpus)
		return (struct who){ OPERAND_VCPU, w.i };
	return (struct who){ OPERAND_VM, w.i - nr_vcpus };
}

/* Is an operand this one, or does it belong to this VM? */
static bool is(const struct shrinker *k, struct who operand, struct who w)
{
	if (operand.what == OPERAND_VCPU && w.what == OPERAND_VM)
		return operand.i / k->now->size.vcpus == w.i;
	return operand.what == w.what && operand.i == w.i;
}

static bool names(const struct shrinker *k, const struct action *a, struct who w)
{
	return is(k, who_of(k, a, false), w) || is(k, who_of(k, a, true), w);
}

static void note_operand(const struct shrinker *k, struct who w, struct used *u)
{
	switch (w.what) {
	case OPERAND_VCPU:
		u->vcpu[w.i] = u->vm[w.i / k->now->size.vcpus] = true;
		break;
	case OPERAND_VM:
		u->vm[w.i] = true;
		break;
	case OPERAND_PCPU:
		u->pcpu[w.i] = true;
		break;
	default:
		break;
	}
}

/*
 * Who only takes interrupts is of no use: nobody waits for a pCPU that there is
 * not.
 */
static void note_used(const struct shrinker *k, struct used *u)
{
	memset(u, 0, sizeof(*u));
	for (u32 i = 0; i < k->nr; i++) {
		if (k->path[i].kind != ACTION_INTERRUPT)
			note_operand(k, who_of(k, &k->path[i], false), u);
		note_operand(k, who_of(k, &k->path[i], true), u);
	}
}

static u32 kinds_of(const struct action *path, u32 nr)
{
	u32 kinds = 0;

	for (u32 i = 0; i < nr; i++)
		kinds |= 1u << path[i].kind;
	return kinds;
}

static u32 renamed(const struct shrinker *k, const struct names *n,
		   const struct action *a, bool second)
{
	struct who w = who_of(k, a, second);

	switch (w.what) {
	case OPERAND_VCPU:
		return n->vcpu[w.i];
	case OPERAND_PCPU:
		return n->pcpu[w.i];
	case OPERAND_VM:
		return n->vm[w.i] + (n->vm[w.i] != GONE &&
				     action_operand(a->kind, second) ==
				     OPERAND_TASK ? n->nr_vcpus : 0);
	default:
		return w.i;
	}
}

/* The path in other names, to be tried; its length. */
static u32 rename_all(struct shrinker *k, const struct names *n)
{
	u32 nr = 0;

	for (u32 i = 0; i < k->nr; i++) {
		u32 a = renamed(k, n, &k->path[i], false);
		u32 b = renamed(k, n, &k->path[i], true);

		if (a != GONE && b != GONE)
			k->trial[nr++] = (struct action){ k->path[i].kind, a, b };
	}
	return nr;
}

/* --- a smaller machine --- */

/* Those of @nr that are used are numbered anew, or all keep their numbers. */
static void number(u16 *to, const bool *used, u32 nr, bool anew)
{
	u16 next = 0;

	for (u32 i = 0; i < nr; i++)
		to[i] = anew ? used[i] ? next++ : GONE : (u16)i;
}

static u32 count(const bool *used, u32 nr)
{
	u32 n = 0;

	for (u32 i = 0; i < nr; i++)
		n += used[i];
	return n;
}

static void make_names(const struct shrinker *k, const struct used *u,
		       const struct size *z, struct names *n)
{
	const struct size *old = &k->now->size;

	number(n->pcpu, u->pcpu, old->pcpus, z->pcpus < old->pcpus);
	number(n->vm, u->vm, old->vms, z->vms < old->vms);
	n->nr_vcpus = z->vms * z->vcpus;
	for (u32 vm = 0; vm < old->vms; vm++) {
		u16 *vcpu = &n->vcpu[vm * old->vcpus];

		number(vcpu, &u->vcpu[vm * old->vcpus], old->vcpus,
		       z->vcpus < old->vcpus);
		for (u32 i = 0; i < old->vcpus; i++)
			vcpu[i] = n->vm[vm] == GONE || vcpu[i] == GONE ? GONE :
				  (u16)(vcpu[i] + n->vm[vm] * z->vcpus);
	}
}

static struct size least_size(const struct shrinker *k, const struct used *u)
{
	const struct size *old = &k->now->size;
	struct size z = { .kinds = kinds_of(k->path, k->nr), .plain = true };
	u32 nr;

	z.pcpus = count(u->pcpu, old->pcpus);
	z.vms = count(u->vm, old->vms);
	for (u32 vm = 0; vm < old->vms; vm++) {
		nr = count(&u->vcpu[vm * old->vcpus], old->vcpus);
		z.vcpus = nr > z.vcpus ? nr : z.vcpus;
	}
	z.pcpus += !z.pcpus;
	z.vms += !z.vms;
	z.vcpus += !z.vcpus;
	return z;
}

static bool smaller(const struct size *z, const struct size *old)
{
	u32 sum = z->pcpus + z->vms + z->vcpus;
	u32 sum_old = old->pcpus + old->vms + old->vcpus;

	return sum < sum_old ||
	       (sum == sum_old && z->plain &&
		(!old->plain || z->kinds != old->kinds));
}

static bool resize(struct shrinker *k, const struct used *u,
		   const struct size *z)
{
	struct stage *g = k->now == k->stage ? k->stage + 1 : k->stage;
	struct names n;
	u32 nr;

	if (over(k) || !smaller(z, &k->now->size))
		return false;
	make_names(k, u, z, &n);
	nr = rename_all(k, &n);
	if (!stage_open(g, z, k->s->machine))
		k->no_memory = true;
	if (!replay(k, g, nr, k->nr)) {
		stage_close(g);
		return false;
	}
	stage_close(k->now);
	k->now = g;
	return true;
}

/* All that is not used goes, or one sort of it, or at least what is not asked. */
static bool make_smaller(struct shrinker *k)
{
	const struct size *old = &k->now->size;
	struct used used;
	struct size least;

	note_used(k, &used);
	least = least_size(k, &used);
	for (u32 plain = 2; plain--;) {
		const struct size tries[] = {
			least,
			{ least.pcpus, old->vms, old->vcpus, least.kinds, true },
			{ old->pcpus, least.vms, old->vcpus, least.kinds, true },
			{ old->pcpus, old->vms, least.vcpus, least.kinds, true },
			{ old->pcpus, old->vms, old->vcpus, least.kinds, true },
		};

		for (u32 i = 0; i < ARRAY_SIZE(tries); i++) {
			struct size z = tries[i];

			z.plain = plain;
			if (resize(k, &used, &z))
				return true;
		}
	}
	return false;
}

/* --- fewer actors --- */

static bool leave_out(struct shrinker *k, struct who w)
{
	u32 nr = 0;

	for (u32 i = 0; i < k->nr; i++)
		if (!names(k, &k->path[i], w))
			k->trial[nr++] = k->path[i];
	return nr < k->nr && replay(k, k->now, nr, k->nr);
}

static bool fewer_actors(struct shrinker *k)
{
	const struct machine_config *c = &k->now->machine.config;
	bool changed = false;

	for (u32 i = 0; i < c->nr_vms; i++)
		changed |= leave_out(k, (struct who){ OPERAND_VM, i });
	for (u32 i = 0; i < c->nr_vcpus; i++)
		changed |= leave_out(k, (struct who){ OPERAND_VCPU, i });
	for (u32 i = 0; i < c->nr_pcpus; i++)
		changed |= leave_out(k, (struct who){ OPERAND_PCPU, i });
	return changed;
}

/* One of two does what both did. */
static bool merge(struct shrinker *k, struct who from, u32 to)
{
	const struct size *z = &k->now->size;
	struct names n = { .nr_vcpus = z->vms * z->vcpus };
	u32 used = 0;

	for (u32 i = 0; i < k->nr; i++)
		used += names(k, &k->path[i], from);
	if (!used)
		return false;
	number(n.pcpu, NULL, z->pcpus, false);
	number(n.vm, NULL, z->vms, false);
	number(n.vcpu, NULL, n.nr_vcpus, false);
	(from.what == OPERAND_PCPU ? n.pcpu : n.vcpu)[from.i] = (u16)to;
	return replay(k, k->now, rename_all(k, &n), k->nr);
}

static bool merge_actors(struct shrinker *k)
{
	const struct size z = k->now->size;
	bool changed = false;

	for (u32 p = z.pcpus; p--;)
		for (u32 to = 0; to < p; to++)
			changed |= merge(k, (struct who){ OPERAND_PCPU, p }, to);
	for (u32 v = z.vms * z.vcpus; v--;)
		for (u32 to = v - v % z.vcpus; to < v; to++)
			changed |= merge(k, (struct who){ OPERAND_VCPU, v }, to);
	return changed;
}

/* --- fewer actions --- */

/* That a single one is needed must hold without mending as well. */
static bool cut(struct shrinker *k, u32 at, u32 nr)
{
	struct play plain = { .k = k, .limit = k->nr - 1 };

	memcpy(k->trial, k->path, at * sizeof(*k->trial));
	memcpy(k->trial + at, k->path + at + nr,
	       (k->nr - at - nr) * sizeof(*k->trial));
	if (nr == 1 && play(&plain, k->now, k->nr - nr))
		return true;
	return replay(k, k->now, k->nr - nr, k->nr - 1);
}

/* Stretches of some length, at every @step-th place. */
static bool cut_all(struct shrinker *k, u32 chunk, u32 step)
{
	bool changed = false;

	for (u32 at = 0; at < k->nr && !over(k);) {
		if (cut(k, at, (u32)min_u64(chunk, k->nr - at)))
			changed = true;
		else
			at += step;
	}
	return changed;
}

/*
 * Side by side first, which is quick; then short ones anywhere, for a thread
 * that goes round in a circle must lose a whole turn.  Ends with a pass in
 * which no action could be left out.
 */
static bool fewer_actions(struct shrinker *k)
{
	bool changed = false;

	for (u32 chunk = k->nr / 2; chunk > 1; chunk /= 2)
		changed |= cut_all(k, chunk, chunk);
	while (cut_all(k, 1, 1))
		changed = true;
	for (u32 chunk = (u32)min_u64(WINDOW_MAX, k->nr); chunk > 1; chunk--)
		changed |= cut_all(k, chunk, 1);
	while (cut_all(k, 1, 1))
		changed = true;
	return changed;
}

/* --- the whole --- */

static struct size first_size(const struct shrinking *s)
{
	const struct machine_config *c = &s->machine->config;

	return (struct size){ .pcpus = c->nr_pcpus, .vms = c->nr_vms,
			      .vcpus = c->nr_vcpus / c->nr_vms };
}

static bool shrinker_open(struct shrinker *k, const struct shrinking *s)
{
	const struct size z = first_size(s);

	k->s = s;
	k->now = k->stage;
	k->finding = *s->finding;
	k->nr = s->nr_path;
	k->path = malloc(s->nr_path * sizeof(*k->path));
	k->trial = malloc(s->nr_path * sizeof(*k->trial));
	k->done = malloc(s->nr_path * sizeof(*k->done));
	if (!k->path || !k->trial || !k->done)
		return false;
	memcpy(k->path, s->path, s->nr_path * sizeof(*k->path));
	return stage_open(k->now, &z, s->machine);
}

static void shrinker_close(struct shrinker *k)
{
	stage_close(&k->stage[0]);
	stage_close(&k->stage[1]);
	free(k->path);
	free(k->trial);
	free(k->done);
	free(k);
}

static void hand_out(struct shrinker *k, struct small_machine *machine,
		     struct shrunk *out)
{
	const struct size *z = &k->now->size;

	make_machine(machine, z, k->s->machine);
	out->minimal = !over(k);
	out->plain = z->plain && z->kinds == kinds_of(k->path, k->nr);
	out->finding = k->finding;
	out->path = k->path;
	out->nr_path = k->nr;
	out->replays = k->replays;
	k->path = NULL;
}

int shrink(const struct shrinking *s, struct small_machine *machine,
	   struct shrunk *out, struct err *err)
{
	struct shrinker *k = calloc(1, sizeof(*k));
	bool changed;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	if (!k)
		return err_set(err, -ENOMEM, "shrinking: out of memory");
	k->no_memory = !shrinker_open(k, s);
	/* The last round leaves nothing out, so the last pass is in vain. */
	do {
		changed = make_smaller(k);
		changed |= fewer_actors(k);
		changed |= merge_actors(k);
		changed |= fewer_actions(k);
	} while (changed && !over(k));
	if (k->no_memory)
		ret = err_set(err, -ENOMEM, "shrinking: out of memory");
	else
		hand_out(k, machine, out);
	shrinker_close(k);
	return ret;
}

void shrunk_release(struct shrunk *s)
{
	free(s->path);
	s->path = NULL;
}
