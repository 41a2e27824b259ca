#include "sim/cli/explore_told.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/grow.h"
#include "sim/check/adversary.h"
#include "sim/cli/explore_draw.h"
#include "sim/report/brief.h"
#include "sim/report/essential.h"

/*
 * While it is played again.  @rec are all records that the checker wants, and
 * @step_of says for each which sentence it belongs to.
 */
struct telling {
	struct told *t;
	struct explore_run *r;
	struct draw draw;
	struct story story;
	struct run_shape shape;
	u16 vpids[SMALL_VCPUS_MAX * VIEW_NR];
	u32 actor_pcpu;
	u32 nr;
	struct probe_rec *rec;
	u32 *step_of;
	bool failed;
};

/* The sentence that the story has just told. */
static void keep_step(struct telling *g, u32 pcpu, const char *brief)
{
	struct told *t = g->t;
	struct told_step *more = grow_array(t->step, t->nr, sizeof(*more),
					    &g->failed);

	if (!more)
		return;
	t->step = more;
	more[t->nr] = (struct told_step){ .pcpu = pcpu };
	memcpy(more[t->nr].text, g->story.text, sizeof(more->text));
	draw_step(&g->draw, t->nr, pcpu, brief);
	t->nr++;
}

/* What is told by another record of the same moment belongs to that sentence. */
static void keep_record(struct telling *g, const struct probe_rec *r)
{
	struct probe_rec *rec = grow_array(g->rec, g->nr, sizeof(*rec),
					   &g->failed);
	u32 *step_of;

	if (!rec)
		return;
	g->rec = rec;
	step_of = grow_array(g->step_of, g->nr, sizeof(*step_of), &g->failed);
	if (!step_of)
		return;
	g->step_of = step_of;
	rec[g->nr] = *r;
	step_of[g->nr++] = g->t->nr ? g->t->nr - 1 : 0;
}

static void tap(void *arg, const struct probe_rec *r)
{
	struct telling *g = arg;
	u32 told = g->story.nr;
	char brief[BRIEF_MAX];

	story_probe(&g->story, r);
	if (g->story.nr != told) {
		brief_probe(r, brief);
		keep_step(g, r->pcpu == IDX_NONE ? g->actor_pcpu : r->pcpu,
			  brief);
	}
	draw_record(&g->draw, r);
	keep_record(g, r);
}

/* Where whoever acts is; an operand says so, or names somebody who is there. */
static u32 actor_pcpu(const struct machine *m, const struct action *a)
{
	switch (action_operand(a->kind, false)) {
	case OPERAND_PCPU:
		return a->a;
	case OPERAND_VM:
		return a->b;
	default:
		return machine_task_pcpu(m, a->a);
	}
}

static void before(void *arg, const struct machine *m, const struct action *a)
{
	struct telling *g = arg;
	char clause[STORY_TEXT_MAX];
	const char *what;

	if (!g->shape.nr_pcpus) {
		g->shape = *machine_shape(m);
		memcpy(g->vpids, g->shape.vpids,
		       shape_vtlbs(&g->shape) * sizeof(*g->vpids));
		g->shape.vpids = g->vpids;
	}
	draw_threads(&g->draw, m);
	g->actor_pcpu = actor_pcpu(m, a);
	if (!machine_describe(m, a, clause, sizeof(clause)))
		return;
	story_say(&g->story, "%s", clause);
	what = strstr(clause, ": ");
	keep_step(g, g->actor_pcpu, what ? what + 2 : clause);
}

/*
 * What the use that violates must be held against: the flush that returned, or,
 * where no flush is at fault, what made the entry last.
 */
static u32 cause_of(const struct telling *g, u32 at, const bool *essential)
{
	u32 i = at;

	if (g->rec[at].kind == PROBE_ACK || g->rec[at].kind == PROBE_GUEST_FLUSH)
		return at;
	while (i-- > 0)
		if (essential[i])
			return i;
	return at;
}

static void mark(struct telling *g, const struct explored *e, bool *essential)
{
	struct told *t = g->t;
	int ret = essential_mark(g->r->observers[0], &g->shape, g->rec, g->nr,
				 essential);
	u32 at = (u32)ret, cause;

	if (ret == -ENOMEM) {
		g->failed = true;
		return;
	}
	BUG_ON(ret < 0 || !t->nr);
	for (u32 i = 0; i <= at; i++)
		t->step[g->step_of[i]].essential |= essential[i];
	t->broken = g->step_of[at];
	cause = cause_of(g, at, essential);
	draw_end(&g->draw, t, e, &(struct draw_cause){
		 .step = g->step_of[cause], .kind = g->rec[cause].kind });
}

static int play(struct telling *g, const struct explored *e, struct err *err)
{
	struct machine_config *c = &g->r->machine.config;
	bool *essential;
	int ret;

	c->tap = tap;
	c->tap_arg = g;
	c->tap_wants = STORY_WANTS | checker_adversary.wants;
	ret = explore_replay(&g->r->x, e, before, g, err);
	c->tap = NULL;
	if (ret)
		return ret;
	essential = calloc(g->nr + 1, sizeof(*essential));
	if (essential && !g->failed)
		mark(g, e, essential);
	free(essential);
	if (essential && !g->failed)
		return 0;
	return err_set(err, -ENOMEM, "explorer: no memory to tell the schedule");
}

bool told_fits(const struct machine_config *c)
{
	return c->nr_pcpus <= DRAW_PCPUS_MAX &&
	       c->nr_vcpus <= SMALL_VCPUS_MAX;
}

int told_make(struct told *t, struct explore_run *r, const struct explored *e,
	      struct err *err)
{
	struct telling g = { .t = t, .r = r };
	int ret;

	*t = (struct told){ 0 };
	draw_begin(&g.draw, &t->picture, r);
	ret = play(&g, e, err);
	free(g.rec);
	free(g.step_of);
	if (ret)
		told_release(t);
	return ret;
}

void told_print(const struct told *t, FILE *out)
{
	struct story story = { .out = out };

	for (u32 i = 0; i < t->nr; i++)
		story_say(&story, "%s", t->step[i].text);
}

void told_release(struct told *t)
{
	lanes_release(&t->picture);
	free(t->step);
	t->step = NULL;
	t->nr = 0;
}
