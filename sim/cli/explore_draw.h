/* What a violation that is played again looks like, step by step. */
#ifndef SIM_CLI_EXPLORE_DRAW_H
#define SIM_CLI_EXPLORE_DRAW_H

#include "sim/cli/explore_run.h"
#include "sim/report/lanes.h"

#define DRAW_TASKS_MAX	(SMALL_VCPUS_MAX + SMALL_VMS_MAX)
#define DRAW_PCPUS_MAX	(LANES_MAX - 1)

struct told;

/**
 * struct draw - a picture being made
 * @picture: where it goes
 * @r: exploration
 * @rows_before: rows when the action that is under way began
 * @where: pCPU of each thread, or IDX_NONE: vCPUs, then host threads
 * @slice: bar of each thread that is somewhere
 * @inside: bar of the guest on each pCPU, or IDX_NONE
 * @sent: row in which a pCPU sent the IPI that another has not taken, or
 *        IDX_NONE: [target][sender]
 */
struct draw {
	struct lanes *picture;
	const struct explore_run *r;
	u32 rows_before;
	u32 where[DRAW_TASKS_MAX];
	u32 slice[DRAW_TASKS_MAX];
	u32 inside[DRAW_PCPUS_MAX];
	u32 sent[DRAW_PCPUS_MAX][DRAW_PCPUS_MAX];
};

/**
 * struct draw_cause - what the violation is held against
 * @step: index of the step
 * @kind: enum probe_kind of the record
 */
struct draw_cause {
	u32 step;
	u32 kind;
};

/**
 * draw_begin() - begin
 * @d: filled in
 * @picture: filled in; lanes_release() frees what it holds, in any case
 * @r: exploration, outlives @d
 */
void draw_begin(struct draw *d, struct lanes *picture,
		const struct explore_run *r);

/**
 * draw_threads() - look where every thread is
 * @d: picture
 * @m: machine, before its next action
 */
void draw_threads(struct draw *d, const struct machine *m);

/**
 * draw_step() - a row
 * @d: picture
 * @row: its index, the next one
 * @pcpu: where, or IDX_NONE
 * @brief: few words
 */
void draw_step(struct draw *d, u32 row, u32 pcpu, const char *brief);

/**
 * draw_record() - what a record adds to the row just drawn
 * @d: picture
 * @r: record
 */
void draw_record(struct draw *d, const struct probe_rec *r);

/**
 * draw_end() - say what is wrong
 * @d: picture
 * @t: story
 * @e: what came of the exploration
 * @cause: where the arrow to the violation begins
 */
void draw_end(struct draw *d, const struct told *t, const struct explored *e,
	      const struct draw_cause *cause);

#endif /* SIM_CLI_EXPLORE_DRAW_H */
