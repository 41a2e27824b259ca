#include "sim/driver/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"

#define RNG_RUN		4u	/* purpose of the streams */
#define WEIGHT_MAX	64u
#define STAY_MAX	16u
#define TRIES		256u	/* draws for one action, before all are listed */
#define STOP_EVERY	1024u	/* actions */

/* The kinds that every run has: what the threads and the scheduler do. */
#define ALWAYS		(ACTIONS_ALWAYS | ACTIONS_SCHED)

/* What kind of run it is. */
struct draw {
	u32 allowed;			/* kinds that take part */
	u8 weight[ACTION_NR];
	u32 stay;
	u32 nr_tasks;
	u16 task[ACTIONS_VCPUS_MAX + ACTIONS_VMS_MAX];
	u32 nr_pcpus;
	u16 pcpu[ACTIONS_PCPUS_MAX];
	bool has_pcpu[ACTIONS_PCPUS_MAX];
};

struct runner {
	const struct random_runs *r;
	struct machine *m;
	struct environ environ;
	void *start;			/* the world before anything happened */
	struct rng rng;
	struct draw draw;
	u32 last;			/* actor that acted last */
	struct action *path;
	u32 nr_path;
};

/* --- what kind of run --- */

/* 1 to @max; all orders of magnitude are equally likely. */
static u32 draw_size(struct rng *rng, u32 max)
{
	u32 orders = 32 - (u32)__builtin_clz(max);
	u32 least = 1u << rng_below(rng, orders);
	u32 most = (u32)min_u64(2 * least - 1, max);

	return least + (u32)rng_below(rng, most - least + 1);
}

/* @nr different numbers below @max, to the front of @list. */
static void draw_some(struct rng *rng, u16 *list, u32 nr, u32 max)
{
	for (u32 i = 0; i < max; i++)
		list[i] = (u16)i;
	for (u32 i = 0; i < nr; i++) {
		u32 k = i + (u32)rng_below(rng, max - i);
		u16 swap = list[i];

		list[i] = list[k];
		list[k] = swap;
	}
}

static void draw_weights(struct runner *w)
{
	struct draw *d = &w->draw;
	u32 events[ACTION_NR], nr = 0;

	d->allowed = ALWAYS;
	for (u32 k = 0; k < ACTION_NR; k++) {
		d->weight[k] = (u8)(1u << 2 * rng_below(&w->rng, 4));
		if ((ALWAYS | ~w->r->kinds) & 1u << k)
			continue;
		events[nr++] = k;
		if (rng_below(&w->rng, 2))
			d->allowed |= 1u << k;
	}
	if (nr)
		d->allowed |= 1u << events[rng_below(&w->rng, nr)];
}

static void draw_vm(struct runner *w, u32 vm)
{
	const struct machine_config *c = w->r->config;
	struct draw *d = &w->draw;
	u32 first = 0, nr = 0;
	u16 some[ACTIONS_VCPUS_MAX];

	while (first < c->nr_vcpus && c->vm_of_vcpu[first] != vm)
		first++;
	while (first + nr < c->nr_vcpus && c->vm_of_vcpu[first + nr] == vm)
		nr++;
	d->task[d->nr_tasks++] = (u16)(c->nr_vcpus + vm);
	if (!nr)
		return;
	draw_some(&w->rng, some, nr, nr);
	nr = draw_size(&w->rng, nr);
	for (u32 i = 0; i < nr; i++)
		d->task[d->nr_tasks++] = (u16)(first + some[i]);
}

/* Hotplug is the business of the first VM's host thread, see hotplug.c. */
static void draw_hotplug(struct runner *w, const u16 *vms, u32 nr)
{
	struct draw *d = &w->draw;

	if (!(d->allowed & 1u << ACTION_HOTPLUG))
		return;
	for (u32 i = 0; i < nr; i++)
		if (!vms[i])
			return;
	d->task[d->nr_tasks++] = (u16)w->r->config->nr_vcpus;
}

static void draw_run(struct runner *w)
{
	static const u8 stay[] = { 0, 8, 12, 15 };
	const struct machine_config *c = w->r->config;
	struct draw *d = &w->draw;
	u16 some[ACTIONS_VMS_MAX];
	u32 nr;

	memset(d, 0, sizeof(*d));
	draw_weights(w);
	d->stay = stay[rng_below(&w->rng, ARRAY_SIZE(stay))];
	d->nr_pcpus = draw_size(&w->rng, c->nr_pcpus);
	draw_some(&w->rng, d->pcpu, d->nr_pcpus, c->nr_pcpus);
	for (u32 i = 0; i < d->nr_pcpus; i++)
		d->has_pcpu[d->pcpu[i]] = true;
	nr = draw_size(&w->rng, c->nr_vms);
	draw_some(&w->rng, some, nr, c->nr_vms);
	for (u32 i = 0; i < nr; i++)
		draw_vm(w, some[i]);
	draw_hotplug(w, some, nr);
}

/* --- what happens next --- */

/* Interrupts are taken everywhere: somebody who takes part waits for that. */
static u32 list_actor(struct runner *w, u32 actor, u32 pcpu,
		      struct action *list)
{
	const struct machine_config *c = w->r->config;
	u32 first = c->nr_vcpus + c->nr_vms, allowed = w->draw.allowed, nr;

	if (actor >= first && !w->draw.has_pcpu[actor - first])
		allowed &= ~(1u << ACTION_HOTPLUG);
	nr = machine_actions_of(w->m, (struct actor){ actor, pcpu }, allowed,
				list);
	return nr ? w->environ.ops->filter(&w->environ, w->m, list, nr) : 0;
}

static u32 draw_actor(struct runner *w)
{
	const struct machine_config *c = w->r->config;
	const struct draw *d = &w->draw;
	u32 quarter, actor = IDX_NONE;

	if (w->last != IDX_NONE && rng_below(&w->rng, STAY_MAX) < d->stay)
		return w->last;
	quarter = (u32)rng_below(&w->rng, 4);
	if (!quarter)
		return c->nr_vcpus + c->nr_vms +
		       (u32)rng_below(&w->rng, c->nr_pcpus);
	if (quarter > 1)
		actor = machine_pcpu_task(w->m, d->pcpu[rng_below(&w->rng,
								  d->nr_pcpus)]);
	return actor != IDX_NONE ? actor :
	       d->task[rng_below(&w->rng, d->nr_tasks)];
}

/* Whatever is possible at one place; false if nothing is. */
static bool draw_any(struct runner *w, struct action *a)
{
	const struct machine_config *c = w->r->config;
	struct action list[ACTIONS_MAX];
	u32 actor, nr, seen = 0;

	for (u32 i = 0; i < w->draw.nr_tasks + c->nr_pcpus; i++) {
		actor = i < w->draw.nr_tasks ? w->draw.task[i] :
			c->nr_vcpus + c->nr_vms + i - w->draw.nr_tasks;
		for (u32 p = 0; p < w->draw.nr_pcpus; p++) {
			nr = list_actor(w, actor, w->draw.pcpu[p], list);
			if (!nr || rng_below(&w->rng, ++seen))
				continue;
			*a = list[rng_below(&w->rng, nr)];
			w->last = actor;
		}
	}
	return seen;
}

static bool draw_action(struct runner *w, struct action *a)
{
	struct action list[ACTIONS_MAX];
	u32 actor, pcpu, nr;

	for (u32 tries = 0; tries < TRIES; tries++) {
		actor = draw_actor(w);
		pcpu = w->draw.pcpu[rng_below(&w->rng, w->draw.nr_pcpus)];
		nr = list_actor(w, actor, pcpu, list);
		if (!nr) {
			w->last = IDX_NONE;
			continue;
		}
		*a = list[rng_below(&w->rng, nr)];
		if (rng_below(&w->rng, WEIGHT_MAX) >= w->draw.weight[a->kind])
			continue;
		w->last = actor;
		return true;
	}
	return draw_any(w, a);
}

/* --- runs --- */

static bool stopped(const struct runner *w)
{
	return w->r->stop && *w->r->stop;
}

static void run(struct runner *w, u64 number, struct random_found *out)
{
	struct action a;

	rng_init(&w->rng, w->r->seed, RNG_RUN, number);
	draw_run(w);
	machine_restore(w->m, w->start);
	w->environ = w->r->environ;
	environ_start(&w->environ, w->m);
	w->last = IDX_NONE;
	w->nr_path = 0;
	out->runs++;
	while (w->nr_path < w->r->steps && draw_action(w, &a)) {
		environ_act(&w->environ, w->m, &a);
		w->path[w->nr_path++] = a;
		out->actions++;
		out->violated = machine_take_finding(w->m, &out->finding);
		if (out->violated ||
		    (!(w->nr_path % STOP_EVERY) && stopped(w)))
			return;
	}
}

static int runner_open(struct runner *w, const struct random_runs *r,
		       struct err *err)
{
	int ret = machine_create(r->config, &w->m, err);

	w->r = r;
	if (ret)
		return ret;
	w->start = malloc(machine_bytes(w->m));
	w->path = malloc(r->steps * sizeof(*w->path));
	if (!w->start || !w->path)
		return err_set(err, -ENOMEM, "random runs: out of memory");
	machine_save(w->m, w->start);
	return 0;
}

static void runner_close(struct runner *w)
{
	machine_destroy(w->m);
	free(w->start);
	free(w->path);
	free(w);
}

int random_runs(const struct random_runs *r, struct random_found *out,
		struct err *err)
{
	struct runner *w = calloc(1, sizeof(*w));
	int ret;

	memset(out, 0, sizeof(*out));
	if (!w)
		return err_set(err, -ENOMEM, "random runs: out of memory");
	ret = runner_open(w, r, err);
	for (u64 i = 0; i < r->nr && !ret && !out->violated && !stopped(w); i++) {
		run(w, r->first + i, out);
		if (r->progress)
			r->progress(r->progress_arg, out->runs);
	}
	if (!ret && out->violated) {
		out->path = w->path;
		out->nr_path = w->nr_path;
		w->path = NULL;
	}
	runner_close(w);
	return ret;
}

void random_found_release(struct random_found *f)
{
	free(f->path);
	f->path = NULL;
}
