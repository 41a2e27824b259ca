#include "sim/report/lanes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/grow.h"

void lanes_init(struct lanes *l, u32 nr_lanes)
{
	BUG_ON(nr_lanes > LANES_MAX);
	*l = (struct lanes){ .nr_lanes = nr_lanes };
}

u32 lanes_add_step(struct lanes *l, const struct lanes_step *step)
{
	struct lanes_step *more = grow_array(l->step, l->nr_steps,
					     sizeof(*more), &l->failed);

	BUG_ON(step->lane >= l->nr_lanes || step->mark >= LANES_MARK_NR);
	if (!more)
		return 0;
	l->step = more;
	more[l->nr_steps] = *step;
	return l->nr_steps++;
}

u32 lanes_add_bar(struct lanes *l, const struct lanes_bar *bar)
{
	struct lanes_bar *more = grow_array(l->bar, l->nr_bars, sizeof(*more),
					    &l->failed);

	BUG_ON(bar->lane >= l->nr_lanes || bar->colour > LANES_GREY);
	if (!more)
		return 0;
	l->bar = more;
	more[l->nr_bars] = *bar;
	return l->nr_bars++;
}

void lanes_end_bar(struct lanes *l, u32 bar, u32 to)
{
	if (!l->failed)
		l->bar[bar].to = to;
}

void lanes_add_arrow(struct lanes *l, const struct lanes_arrow *arrow)
{
	struct lanes_arrow *more = grow_array(l->arrow, l->nr_arrows,
					      sizeof(*more), &l->failed);

	BUG_ON(arrow->from_lane >= l->nr_lanes || arrow->to_lane >= l->nr_lanes ||
	       arrow->to_row < arrow->from_row || arrow->kind >= LANES_ARROW_NR);
	if (!more)
		return;
	l->arrow = more;
	more[l->nr_arrows++] = *arrow;
}

void lanes_release(struct lanes *l)
{
	free(l->step);
	free(l->bar);
	free(l->arrow);
	l->step = NULL;
	l->bar = NULL;
	l->arrow = NULL;
	l->nr_steps = l->nr_bars = l->nr_arrows = 0;
}

u32 lanes_half_row(const struct lanes *l, u32 to)
{
	return to < 2 * l->nr_steps ? to : 2 * l->nr_steps;
}

const struct lanes_bar *lanes_occupant(const struct lanes *l, u32 row, u8 kind)
{
	for (u32 i = 0; i < l->nr_bars; i++) {
		const struct lanes_bar *b = &l->bar[i];

		if (b->kind == kind && b->lane == l->step[row].lane &&
		    b->from <= 2 * row + 1 && b->to >= 2 * row + 1)
			return b;
	}
	return NULL;
}

/* Told apart by colour-blind readers as well; red and yellow mean something. */
const char *lanes_colour(u32 colour)
{
	static const char *const colours[LANES_COLOURS + 1] = {
		"#0072b2", "#009e73", "#9a5fa8", "#2ba3c7", "#7a6a1e", "#3f51b5",
		"#4e7d2d", "#8d5b4c", [LANES_GREY] = "#6b7280",
	};

	BUG_ON(colour > LANES_GREY);
	return colours[colour];
}

size_t lanes_wrap(const char *text, size_t columns)
{
	size_t len = strnlen(text, columns + 1), blank = 0;

	if (len <= columns)
		return len;
	for (size_t at = columns; at; at--) {
		if (text[at] != ' ')
			continue;
		if (!isdigit((unsigned char)text[at + 1]))
			return at;
		if (!blank)
			blank = at;
	}
	return blank ? blank : columns;
}

int lanes_write(const struct lanes *l, const struct lanes_format *format,
		FILE *out, struct err *err)
{
	if (l->failed)
		return err_set(err, -ENOMEM, "%s: no memory for the picture",
			       format->name);
	format->draw(l, out);
	return 0;
}
