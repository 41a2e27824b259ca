#include "sim/driver/explore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/driver/states.h"
#include "sim/machine/alone.h"

#define RENAMES_MAX	24u	/* of four pCPUs; beyond, names stay */
#define PCPUS_RENAMED	4u
#define PROGRESS_EVERY	4096u

struct search {
	const struct exploration *x;
	struct machine *m;
	struct environ environ;
	struct states *states;
	void *world;			/* the state whose successors are made */
	struct codec_rename rename[RENAMES_MAX];
	u8 to[RENAMES_MAX][PCPUS_RENAMED];
	u8 from[RENAMES_MAX][PCPUS_RENAMED];
	u32 nr_renames;
	bool reduce;
	u64 words[2][STATE_WORDS_MAX];
};

/* --- strings --- */

static u32 write_state(struct search *s, const struct codec_rename *r, u64 *words)
{
	struct codec c = { .words = words, .room = STATE_WORDS_MAX,
			   .rename = r };

	machine_visit(s->m, &c);
	machine_visit_observers(s->m, &c);
	environ_visit(&s->environ, &c);
	return codec_end(&c);
}

static void read_state(struct search *s, const struct state_ref *ref)
{
	struct codec c = { .words = (u64 *)ref->words,
			   .room = ref->nr_words, .reading = true,
			   .rename = &s->rename[0] };

	machine_visit(s->m, &c);
	machine_visit_observers(s->m, &c);
	environ_visit(&s->environ, &c);
}

/* The least string under all renamings; which one it was goes to @which. */
static u32 canonical(struct search *s, u64 **best, u32 *which)
{
	u64 *a = s->words[0], *b = s->words[1], *swap;
	u32 nr = write_state(s, &s->rename[0], a), n;

	*which = 0;
	for (u32 k = 1; k < s->nr_renames; k++) {
		n = write_state(s, &s->rename[k], b);
		if (n > nr || (n == nr && memcmp(b, a, n * sizeof(u64)) >= 0))
			continue;
		swap = a;
		a = b;
		b = swap;
		nr = n;
		*which = k;
	}
	*best = a;
	return nr;
}

static void add_rename(struct search *s, const u8 *perm, u32 n)
{
	u32 k = s->nr_renames++;
	struct codec_rename *r = &s->rename[k];

	for (u32 i = 0; i < n; i++) {
		s->to[k][i] = perm[i];
		s->from[k][perm[i]] = (u8)i;
	}
	r->nr[CODEC_PCPU] = s->x->config->nr_pcpus;
	r->nr[CODEC_VCPU] = s->x->config->nr_vcpus;
	r->nr[CODEC_VM] = s->x->config->nr_vms;
	r->nr[CODEC_ROOT] = s->x->config->nr_roots;
	if (!k)
		return;
	r->to[CODEC_PCPU] = s->to[k];
	r->from[CODEC_PCPU] = s->from[k];
}

/* Heap's algorithm, starting with the identity. */
static void permute(struct search *s, u8 *perm, u32 k, u32 n)
{
	u8 swap;

	if (k <= 1) {
		add_rename(s, perm, n);
		return;
	}
	for (u32 i = 0; i < k; i++) {
		u32 j = k % 2 ? 0 : i;

		permute(s, perm, k - 1, n);
		if (i == k - 1)
			break;
		swap = perm[j];
		perm[j] = perm[k - 1];
		perm[k - 1] = swap;
	}
}

static void make_renames(struct search *s)
{
	u32 n = s->x->config->nr_pcpus;
	u8 perm[PCPUS_RENAMED] = { 0, 1, 2, 3 };

	if (!s->x->symmetry || !s->environ.ops->symmetric ||
	    n > PCPUS_RENAMED)
		add_rename(s, perm, 0);
	else
		permute(s, perm, n, n);
}

/* --- search --- */

static int add_state(struct search *s, u32 parent, struct action action)
{
	struct state_ref ref = { .parent = parent, .action = action };
	u64 *words;
	u32 which;

	ref.nr_words = canonical(s, &words, &which);
	ref.words = words;
	return states_add(s->states, &ref);
}

static void trace_back(struct search *s, u32 id, struct action last,
		       struct explored *out)
{
	struct state_ref ref;
	u32 n = 1;

	for (u32 at = id; at != STATE_NONE; at = ref.parent) {
		states_get(s->states, at, &ref);
		n += ref.parent != STATE_NONE;
	}
	out->path = calloc(n, sizeof(*out->path));
	if (!out->path)
		return;
	out->nr_path = n;
	out->path[--n] = last;
	for (u32 at = id; n; at = ref.parent) {
		states_get(s->states, at, &ref);
		out->path[--n] = ref.action;
	}
}

/* The next step that can be taken alone, if there is one. */
static bool alone(struct search *s, struct action *step)
{
	struct action list[ACTIONS_MAX];
	u32 nr;

	if (!s->reduce)
		return false;
	nr = environ_actions(&s->environ, s->m, list);
	for (u32 i = 0; i < nr; i++) {
		if (list[i].kind != ACTION_STEP ||
		    !machine_step_alone(s->m, list[i].a))
			continue;
		*step = list[i];
		return true;
	}
	return false;
}

/* Let something happen, and all that follows by itself: true on a violation. */
static bool act(struct search *s, const struct action *a, struct explored *out)
{
	struct action step = *a;

	do {
		environ_act(&s->environ, s->m, &step);
		out->transitions++;
		if (machine_take_finding(s->m, &out->finding))
			return true;
	} while (alone(s, &step));
	return false;
}

/* Returns true if the search is over. */
static bool expand(struct search *s, u32 id, struct explored *out)
{
	struct action list[ACTIONS_MAX];
	struct state_ref ref;
	struct environ before;
	u32 nr;

	states_get(s->states, id, &ref);
	read_state(s, &ref);
	machine_save(s->m, s->world);
	before = s->environ;
	nr = environ_actions(&before, s->m, list);
	for (u32 i = 0; i < nr; i++) {
		if (i)
			machine_restore(s->m, s->world);
		s->environ = before;
		if (act(s, &list[i], out)) {
			out->violated = true;
			trace_back(s, id, list[i], out);
			return true;
		}
		if (add_state(s, id, list[i]) < 0)
			return true;
	}
	return false;
}

static bool should_stop(const struct search *s, u64 n)
{
	if (n % PROGRESS_EVERY)
		return false;
	return s->x->stop && *s->x->stop;
}

static void search(struct search *s, struct explored *out)
{
	u32 level_end = 0, id = 0;
	bool over = false;

	if (add_state(s, STATE_NONE, (struct action){ 0 }) < 0)
		return;
	for (u64 n = 0; id != STATE_NONE && !over; n++) {
		over = expand(s, id, out) || should_stop(s, n);
		if (s->x->progress && !(n % PROGRESS_EVERY))
			s->x->progress(s->x->progress_arg,
				       states_count(s->states),
				       out->transitions);
		if (id == level_end && !over) {
			level_end = states_last(s->states);
			out->depth += level_end != id;
		}
		id = states_next(s->states, id);
	}
	out->exhausted = !over;
	out->states = states_count(s->states);
	out->state_bytes = (double)states_bytes(s->states) /
			   (double)out->states;
	if (out->violated)
		out->depth = out->nr_path;
}

static int check_observers(const struct machine_config *c, struct err *err)
{
	for (u32 i = 0; i < c->nr_observers; i++)
		if (!c->observers[i]->visit)
			return err_set(err, -EINVAL, "checker %s cannot look on at an exploration",
				       c->observers[i]->name);
	return 0;
}

static int search_open(struct search *s, const struct exploration *x,
		       struct err *err)
{
	int ret = check_observers(x->config, err);

	s->x = x;
	if (!ret)
		ret = machine_create(x->config, &s->m, err);
	if (ret)
		return ret;
	s->environ = x->environ;
	environ_start(&s->environ, s->m);
	make_renames(s);
	s->states = states_create(x->mem_bytes, err);
	s->world = malloc(machine_bytes(s->m));
	if (s->world && s->states)
		return 0;
	return err_set(err, -ENOMEM, "explorer: out of memory");
}

static void search_close(struct search *s)
{
	states_destroy(s->states);
	machine_destroy(s->m);
	free(s->world);
	free(s);
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

/* An action found in the names of the canonical state, in those of the start. */
static struct action renamed(struct search *s, struct action a)
{
	u64 *words;
	const u8 *from;
	u32 which;

	canonical(s, &words, &which);
	from = s->rename[which].from[CODEC_PCPU];
	if (from && action_operand(a.kind, false) == OPERAND_PCPU)
		a.a = from[a.a];
	if (from && action_operand(a.kind, true) == OPERAND_PCPU)
		a.b = from[a.b];
	return a;
}

/*
 * Each action of a path was found in the names of the canonical state before
 * it, and brought on steps that were taken at once.  Plays the path from the
 * start, puts everything in the names of the start, and the steps in between.
 */
static int spell_out(struct search *s, struct explored *out, struct err *err)
{
	struct action *found = out->path, step;
	u32 nr = out->nr_path;
	bool over = false;
	int ret;

	out->path = NULL;
	out->nr_path = 0;
	machine_destroy(s->m);
	s->m = NULL;
	ret = machine_create(s->x->config, &s->m, err);
	if (!ret)
		environ_start(&s->environ, s->m);
	for (u32 i = 0; i < nr && !ret; i++) {
		step = renamed(s, found[i]);
		do {
			ret = push(out, step, err);
			environ_act(&s->environ, s->m, &step);
			over = machine_take_finding(s->m, &out->finding);
		} while (!ret && !over && alone(s, &step));
	}
	BUG_ON(!ret && !over);
	out->depth = out->nr_path;
	free(found);
	return ret;
}

static int explore_once(const struct exploration *x, bool reduce,
			struct explored *out, struct err *err)
{
	struct search *s = calloc(1, sizeof(*s));
	int ret;

	memset(out, 0, sizeof(*out));
	if (!s)
		return err_set(err, -ENOMEM, "explorer: out of memory");
	ret = search_open(s, x, err);
	s->reduce = reduce;
	if (!ret)
		search(s, out);
	if (!ret && !out->states)
		ret = err_set(err, -ENOMEM, "explorer: not even one state fits %llu bytes",
			      (unsigned long long)x->mem_bytes);
	if (out->violated && !out->path)
		ret = err_set(err, -ENOMEM, "explorer: out of memory");
	else if (out->violated)
		ret = spell_out(s, out, err);
	out->shortest = out->violated && !reduce;
	search_close(s);
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
