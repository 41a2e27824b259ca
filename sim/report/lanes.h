/*
 * A schedule as a picture: one lane per place where things happen, time runs
 * down, one step per row.  Knows neither machine nor policy; what is drawn is
 * handed over as plain records.
 */
#ifndef SIM_REPORT_LANES_H
#define SIM_REPORT_LANES_H

#include <stdio.h>

#include "sim/base/types.h"

struct err;

#define LANES_MAX		16u
#define LANES_NAME_MAX		32
#define LANES_TEXT_MAX		480

/* Colours of bars; those of vCPUs repeat, the last one is for all others. */
#define LANES_COLOURS		8u
#define LANES_GREY		LANES_COLOURS

/* How a step stands out. */
enum lanes_mark {
	LANES_PLAIN,
	LANES_MATTERS,		/* the outcome rests on it */
	LANES_BREAKS,		/* the step that went wrong */
	LANES_VERDICT,		/* what is wrong; no step, has no number */
	LANES_MARK_NR,
};

enum lanes_bar_kind {
	LANES_SLICE,		/* who is there */
	LANES_INSIDE,		/* ... and in guest mode */
};

enum lanes_arrow_kind {
	LANES_SIGNAL,
	LANES_LOST_SIGNAL,	/* still under way at the end */
	LANES_CAUSE,
	LANES_ARROW_NR,
};

/**
 * struct lanes_step - one row
 * @nr: number in the story; unused in LANES_VERDICT
 * @lane: where
 * @mark: enum lanes_mark
 * @text: few words
 */
struct lanes_step {
	u32 nr;
	u32 lane;
	u8 mark;
	char text[LANES_TEXT_MAX];
};

/**
 * struct lanes_bar - somebody is in a lane for a while
 * @lane: where
 * @from: in half rows: 2 x row is above that row, one more is in its middle
 * @to: likewise; UINT32_MAX: to the end
 * @kind: enum lanes_bar_kind
 * @colour: below LANES_COLOURS, or LANES_GREY
 * @text: who
 */
struct lanes_bar {
	u32 lane;
	u32 from;
	u32 to;
	u8 kind;
	u32 colour;
	char text[LANES_NAME_MAX];
};

/**
 * struct lanes_arrow - one thing acts on another
 * @from_lane: lane it starts in
 * @from_row: row it starts in
 * @to_lane: lane it ends in
 * @to_row: row it ends in, not before @from_row
 * @kind: enum lanes_arrow_kind
 */
struct lanes_arrow {
	u32 from_lane;
	u32 from_row;
	u32 to_lane;
	u32 to_row;
	u8 kind;
};

/**
 * struct lanes - a picture
 * @title: one line
 * @note: a sentence below it
 * @legend: what arrows of each kind are; used where there is one
 * @nr_lanes: lanes
 * @name: of each lane
 * @nr_steps: rows
 * @step: rows
 * @nr_bars: bars
 * @bar: bars, in the order of their beginning
 * @nr_arrows: arrows
 * @arrow: arrows
 * @failed: memory ran out; the picture cannot be drawn
 */
struct lanes {
	char title[LANES_TEXT_MAX];
	char note[LANES_TEXT_MAX];
	const char *legend[LANES_ARROW_NR];
	u32 nr_lanes;
	char name[LANES_MAX][LANES_NAME_MAX];
	u32 nr_steps;
	struct lanes_step *step;
	u32 nr_bars;
	struct lanes_bar *bar;
	u32 nr_arrows;
	struct lanes_arrow *arrow;
	bool failed;
};

/**
 * lanes_init() - begin an empty picture
 * @l: filled in; lanes_release() frees what it will hold
 * @nr_lanes: lanes, at most LANES_MAX
 */
void lanes_init(struct lanes *l, u32 nr_lanes);

/**
 * lanes_add_step() - one more row
 * @l: picture
 * @step: copied
 *
 * Return: its row.
 */
u32 lanes_add_step(struct lanes *l, const struct lanes_step *step);

/**
 * lanes_add_bar() - one more bar
 * @l: picture
 * @bar: copied
 *
 * Return: its index, for lanes_end_bar().
 */
u32 lanes_add_bar(struct lanes *l, const struct lanes_bar *bar);

/**
 * lanes_end_bar() - let a bar end
 * @l: picture
 * @bar: index
 * @to: where, in half rows
 */
void lanes_end_bar(struct lanes *l, u32 bar, u32 to);

/**
 * lanes_add_arrow() - one more arrow
 * @l: picture
 * @arrow: copied
 */
void lanes_add_arrow(struct lanes *l, const struct lanes_arrow *arrow);

/**
 * lanes_release() - free what a picture holds
 * @l: picture; the struct itself stays the caller's
 */
void lanes_release(struct lanes *l);

/**
 * lanes_half_row() - where a bar is at a moment
 * @l: picture
 * @to: end or beginning of a bar, in half rows
 *
 * Return: @to, at most the end of the last row.
 */
u32 lanes_half_row(const struct lanes *l, u32 to);

/**
 * lanes_occupant() - the bar that a step stands beside
 * @l: picture
 * @row: row
 * @kind: enum lanes_bar_kind
 *
 * Return: the bar in the lane of that step, or NULL.
 */
const struct lanes_bar *lanes_occupant(const struct lanes *l, u32 row, u8 kind);

/**
 * lanes_colour() - colour of a bar
 * @colour: as in struct lanes_bar
 *
 * Return: "#rrggbb", dark enough for text and lines on white.
 */
const char *lanes_colour(u32 colour);

/**
 * lanes_wrap() - length of the first line of a text
 * @text: text
 * @columns: characters that fit a line, at least 1
 *
 * Return: characters up to the last blank that fits and does not part "pCPU"
 * from its number, or up to the last blank, or as many as fit; the caller skips
 * blanks.
 */
size_t lanes_wrap(const char *text, size_t columns);

/**
 * struct lanes_format - a way to write a picture down
 */
struct lanes_format {
	/** @name: for messages. */
	const char *name;

	/** @draw: Print @l, which has not failed, to @out. */
	void (*draw)(const struct lanes *l, FILE *out);
};

extern const struct lanes_format lanes_svg;
extern const struct lanes_format lanes_dot;

/**
 * lanes_write() - print a picture
 * @l: picture
 * @format: lanes_svg or lanes_dot
 * @out: stream
 * @err: set on failure
 *
 * Whether @out took it is for the caller to ask.
 *
 * Return: 0, or -ENOMEM if @l has failed.
 */
int lanes_write(const struct lanes *l, const struct lanes_format *format,
		FILE *out, struct err *err);

#endif /* SIM_REPORT_LANES_H */
