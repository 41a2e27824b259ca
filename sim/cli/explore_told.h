/* A violation told: the steps that lead to it, and which of them it rests on. */
#ifndef SIM_CLI_EXPLORE_TOLD_H
#define SIM_CLI_EXPLORE_TOLD_H

#include <stdio.h>

#include "sim/cli/explore_run.h"
#include "sim/report/lanes.h"
#include "sim/report/story.h"

/**
 * struct told_step - one sentence
 * @text: the sentence, without number and full stop
 * @pcpu: where it happens, or IDX_NONE
 * @essential: the violation rests on it
 */
struct told_step {
	char text[STORY_TEXT_MAX];
	u32 pcpu;
	bool essential;
};

/**
 * struct told - a schedule in sentences, and as a picture
 * @nr: sentences
 * @step: sentences
 * @broken: index of the one that violates
 * @picture: the same, a lane per pCPU
 */
struct told {
	u32 nr;
	struct told_step *step;
	u32 broken;
	struct lanes picture;
};

/**
 * told_fits() - is a machine small enough to be told about?
 * @c: machine
 *
 * Return: false where told_make() must not be called.
 */
bool told_fits(const struct machine_config *c);

/**
 * told_make() - play a violation again and put it into words
 * @t: filled in on success; told_release() frees it
 * @r: exploration of a machine that told_fits()
 * @e: what came of it, violated
 * @err: set on failure
 *
 * Return: 0 or -ENOMEM.
 */
int told_make(struct told *t, struct explore_run *r, const struct explored *e,
	      struct err *err);

/**
 * told_print() - print numbered sentences
 * @t: story
 * @out: stream
 */
void told_print(const struct told *t, FILE *out);

/**
 * told_release() - free what a story holds
 * @t: story; the struct itself stays the caller's
 */
void told_release(struct told *t);

#endif /* SIM_CLI_EXPLORE_TOLD_H */
