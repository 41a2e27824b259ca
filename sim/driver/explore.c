#include "sim/driver/explore.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/driver/expander.h"

#define PROGRESS_EVERY	4096u

struct worker {
	struct search *s;
	struct expander e;
	u64 expanded;
	pthread_t thread;
};

struct search {
	const struct exploration *x;
	struct states *states;
	pthread_mutex_t lock;		/* of @level */
	struct frontier_block *level;	/* states that wait to be expanded */
	pthread_barrier_t barrier;	/* where levels begin and end */
	_Atomic bool cut;		/* memory or patience is at its end */
	bool done;
	u32 nr_workers;
	struct worker worker[];
};

/* --- levels --- */

static u64 transitions(const struct search *s)
{
	u64 n = 0;

	for (u32 i = 0; i < s->nr_workers; i++)
		n += atomic_load_explicit(&s->worker[i].e.transitions,
					  memory_order_relaxed);
	return n;
}

/* One thread is enough to tell how far it is. */
static void look_up(struct worker *w)
{
	const struct exploration *x = w->s->x;

	if (x->stop && *x->stop)
		w->s->cut = true;
	if (w != w->s->worker || w->expanded++ % PROGRESS_EVERY)
		return;
	if (x->progress)
		x->progress(x->progress_arg, states_count(w->s->states),
			    transitions(w->s));
}

static struct frontier_block *take_block(struct search *s)
{
	struct frontier_block *b;

	pthread_mutex_lock(&s->lock);
	b = s->level;
	if (b)
		s->level = b->next;
	pthread_mutex_unlock(&s->lock);
	if (b)
		b->next = NULL;
	return b;
}

static void run_level(struct worker *w)
{
	struct frontier_block *b;
	struct state_ref ref;
	u32 at, id;

	while ((b = take_block(w->s)) != NULL) {
		for (at = 0; !w->s->cut &&
		     (id = frontier_get(b, &at, &ref)) != STATE_NONE;) {
			expander_expand(&w->e, id, &ref);
			if (w->e.full)
				w->s->cut = true;
			look_up(w);
		}
		frontier_free(&b, w->s->states);
	}
}

/* What the threads have found is the next level. */
static bool next_level(struct search *s)
{
	for (u32 i = 0; i < s->nr_workers; i++) {
		struct expander *e = &s->worker[i].e;
		struct frontier_block **end = &e->found;

		while (*end)
			end = &(*end)->next;
		*end = s->level;
		s->level = e->found;
		e->found = NULL;
	}
	states_new_level(s->states);
	return s->level != NULL;
}

/* Who has found the least violating step, or NULL. */
static const struct expander *least_violation(const struct search *s)
{
	const struct expander *least = NULL;

	for (u32 i = 0; i < s->nr_workers; i++) {
		const struct expander *e = &s->worker[i].e;

		if (e->violated &&
		    (!least || states_compare(s->states, e->from, e->by,
					      least->from, least->by) < 0))
			least = e;
	}
	return least;
}

/* A level is always finished: then it does not matter who was first. */
static void search(struct search *s, struct explored *out)
{
	struct worker *first = &s->worker[0];
	bool more = next_level(s);
	u64 bytes = states_bytes(s->states);

	while (more) {
		if (s->nr_workers > 1)
			pthread_barrier_wait(&s->barrier);
		run_level(first);
		if (s->nr_workers > 1)
			pthread_barrier_wait(&s->barrier);
		bytes = max_u64(bytes, states_bytes(s->states));
		out->violated = least_violation(s) != NULL;
		more = next_level(s) && !s->cut && !out->violated;
		out->depth += more;
	}
	out->exhausted = !out->violated && !s->cut;
	out->states = states_count(s->states);
	out->transitions = transitions(s);
	out->state_bytes = (double)bytes / (double)out->states;
}

/* --- threads --- */

static void *work(void *arg)
{
	struct worker *w = arg;

	/* Wait until it is known how many we are. */
	pthread_mutex_lock(&w->s->lock);
	pthread_mutex_unlock(&w->s->lock);
	for (;;) {
		pthread_barrier_wait(&w->s->barrier);
		if (w->s->done)
			return NULL;
		run_level(w);
		pthread_barrier_wait(&w->s->barrier);
	}
}

/* With fewer threads than wished for it takes longer, no more. */
static void start_threads(struct search *s)
{
	u32 n = 1;

	pthread_mutex_lock(&s->lock);
	while (n < s->nr_workers &&
	       !pthread_create(&s->worker[n].thread, NULL, work, &s->worker[n]))
		n++;
	s->nr_workers = n;
	pthread_barrier_init(&s->barrier, NULL, n);
	pthread_mutex_unlock(&s->lock);
}

static void end_threads(struct search *s)
{
	s->done = true;
	if (s->nr_workers > 1)
		pthread_barrier_wait(&s->barrier);
	for (u32 i = 1; i < s->nr_workers; i++)
		pthread_join(s->worker[i].thread, NULL);
	pthread_barrier_destroy(&s->barrier);
}

static int search_open(struct search *s, bool reduce, struct err *err)
{
	const struct exploration *x = s->x;
	int ret = 0;

	s->states = states_create(x->mem_bytes, x->exact, s->nr_workers, err);
	if (!s->states)
		return -ENOMEM;
	for (u32 i = 0; i < s->nr_workers && !ret; i++) {
		struct worker *w = &s->worker[i];

		w->s = s;
		w->e.x = x;
		w->e.states = s->states;
		w->e.reduce = reduce;
		ret = expander_open(&w->e, err);
	}
	if (ret)
		return ret;
	expander_add(&s->worker[0].e, STATE_NONE, (struct action){ 0 });
	if (!s->worker[0].e.full)
		return 0;
	return err_set(err, -ENOMEM, "explorer: not even one state fits %llu bytes",
		       (unsigned long long)x->mem_bytes);
}

static void search_close(struct search *s, u32 nr_opened)
{
	for (u32 i = 0; i < nr_opened; i++)
		if (s->worker[i].s)
			expander_close(&s->worker[i].e);
	if (s->states)
		frontier_free(&s->level, s->states);
	states_destroy(s->states);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* --- paths --- */

static int trace_back(struct search *s, struct explored *out, struct err *err)
{
	const struct expander *e = least_violation(s);
	struct action a;
	u32 n = 1, at;

	for (at = e->from; at != STATE_NONE; n += at != STATE_NONE)
		at = states_parent(s->states, at, &a);
	out->path = calloc(n, sizeof(*out->path));
	if (!out->path)
		return err_set(err, -ENOMEM, "explorer: out of memory");
	out->nr_path = n;
	out->path[--n] = e->by;
	for (at = e->from; n; out->path[--n] = a)
		at = states_parent(s->states, at, &a);
	return 0;
}

static int push(struct explored *out, struct action a, struct err *err)
{
	struct action *longer = realloc(out->path, (out->nr_path + 1) *
						   sizeof(*out->path));

	if (!longer)
		return err_set(err, -ENOMEM, "explorer: out of memory");
	out->path = longer;
	out->path[out->nr_path++] = a;
	return 0;
}

/*
 * Each action of a path was found in the names of the canonical state before
 * it, and brought on steps that were taken at once.  Plays the path from the
 * start, puts everything in the names of the start, and the steps in between.
 */
static int spell_out(struct expander *e, struct explored *out, struct err *err)
{
	struct action *found = out->path, step;
	u32 nr = out->nr_path;
	bool over = false;
	int ret;

	out->path = NULL;
	out->nr_path = 0;
	expander_close(e);
	ret = expander_open(e, err);
	for (u32 i = 0; i < nr && !ret; i++) {
		step = expander_rename(e, found[i]);
		do {
			ret = push(out, step, err);
			environ_act(&e->environ, e->m, &step);
			over = machine_take_finding(e->m, &out->finding);
		} while (!ret && !over && expander_alone(e, &step));
	}
	BUG_ON(!ret && !over);
	out->depth = out->nr_path;
	free(found);
	return ret;
}

static int explore_once(const struct exploration *x, bool reduce,
			struct explored *out, struct err *err)
{
	u32 nr = x->nr_threads ? x->nr_threads : 1;
	struct search *s = calloc(1, sizeof(*s) + nr * sizeof(s->worker[0]));
	int ret;

	memset(out, 0, sizeof(*out));
	if (!s)
		return err_set(err, -ENOMEM, "explorer: out of memory");
	s->x = x;
	s->nr_workers = nr;
	pthread_mutex_init(&s->lock, NULL);
	ret = search_open(s, reduce, err);
	if (!ret) {
		start_threads(s);
		search(s, out);
		end_threads(s);
	}
	if (!ret && out->violated)
		ret = trace_back(s, out, err);
	if (!ret && out->violated)
		ret = spell_out(&s->worker[0].e, out, err);
	out->shortest = out->violated && !reduce;
	search_close(s, nr);
	if (ret)
		explored_release(out);
	return ret;
}

int explore(const struct exploration *x, struct explored *out, struct err *err)
{
	struct explored first;
	int ret = explore_once(x, x->reduce, out, err);

	if (ret || !out->violated || !x->reduce || x->any)
		return ret;
	first = *out;
	ret = explore_once(x, false, out, err);
	if (!ret && !out->violated) {
		/* Memory or patience ended before: a longer path has to do. */
		*out = first;
		return 0;
	}
	explored_release(&first);
	return ret;
}

void explored_release(struct explored *e)
{
	free(e->path);
	e->path = NULL;
}

int explore_replay(const struct exploration *x, const struct explored *e,
		   void (*before)(void *arg, const struct machine *m,
				  const struct action *a),
		   void *arg, struct err *err)
{
	struct machine *m;
	int ret = machine_create(x->config, &m, err);

	if (ret)
		return ret;
	for (u32 i = 0; i < e->nr_path; i++) {
		before(arg, m, &e->path[i]);
		machine_act(m, &e->path[i]);
	}
	machine_destroy(m);
	return 0;
}
