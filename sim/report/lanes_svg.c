/*
 * The picture as SVG: shapes and text only, no script, no style sheet, no
 * marker, so that whatever shows SVG shows it alike.  Nobody measures text
 * here; boxes are made wide enough for a wide face.
 */
#include "sim/report/lanes.h"

#include <string.h>

#include "sim/report/text.h"

enum {
	MARGIN = 20, TIME = 26,		/* the axis at the left */
	SLICE = 15, INSIDE = 8, STRIP = SLICE + INSIDE + 5,
	GUTTER = 40,			/* between lanes: where arrows run */
	LINE = 16, PAD = 4, GAP = 8, NUMBER = 26,
	TITLE = 30, HEAD = 30, KEY = 20, SAMPLE = 26, ADVANCE = 7,
	KEYS_MAX = 48,
};

/* Fill and stroke of boxes, width of the stroke and weight of the text. */
static const struct {
	const char *fill;
	const char *stroke;
	const char *width;
	const char *text;
	const char *weight;
	const char *meaning;
} looks[LANES_MARK_NR] = {
	[LANES_PLAIN] = { "#ffffff", "#d3d7de", "1", "#222222", "normal", NULL },
	[LANES_MATTERS] = { "#fff3c4", "#b98900", "1.5", "#222222", "normal",
			    "what the violation rests on" },
	[LANES_BREAKS] = { "#fde4e1", "#c62828", "2", "#222222", "normal",
			   "the step that violates" },
	[LANES_VERDICT] = { "#c62828", "#c62828", "1", "#ffffff", "bold", NULL },
};

static const struct {
	const char *stroke;
	const char *width;
	const char *dashes;
	int shift;			/* so that kinds do not cover each other */
} strokes[LANES_ARROW_NR] = {
	[LANES_SIGNAL] = { "#37474f", "1.3", "none", -6 },
	[LANES_LOST_SIGNAL] = { "#37474f", "1.3", "4 3", -6 },
	[LANES_CAUSE] = { "#c62828", "2.4", "none", 5 },
};

#define FACES	"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"

enum key_kind { KEY_BAR, KEY_MARK, KEY_ARROW };

/* A line of the legend: @which mark or arrow, or a @bar. */
struct key {
	u8 kind;
	u8 which;
	const struct lanes_bar *bar;
	int x;
	int y;
	char words[100];
};

struct svg {
	const struct lanes *l;
	FILE *out;
	int box;			/* width of boxes */
	int width;
	int top;			/* of the lanes */
	int height;
	u32 nr_keys;
	struct key key[KEYS_MAX];
	int key_x;			/* where the next one goes */
	int key_y;
};

static size_t columns(const struct svg *s, const struct lanes_step *step)
{
	int number = step->mark == LANES_VERDICT ? 0 : NUMBER;
	int advance = step->mark == LANES_VERDICT ? ADVANCE + 1 : ADVANCE;

	return (size_t)((s->box - 12 - number) / advance);
}

/* Lines that a text takes; prints them at @x if that is not negative. */
static int lines(struct svg *s, const char *text, size_t width, int x)
{
	int nr = 0;

	while (*text) {
		size_t len = lanes_wrap(text, width);
		char line[LANES_TEXT_MAX];

		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (x >= 0) {
			fprintf(s->out, "<tspan x=\"%d\" dy=\"%d\">", x,
				nr ? LINE : 0);
			text_xml(s->out, line);
			fputs("</tspan>", s->out);
		}
		nr++;
		text += len;
		text += strspn(text, " ");
	}
	return nr ? nr : 1;
}

static int row_height(struct svg *s, u32 row)
{
	const struct lanes_step *step = &s->l->step[row];

	return LINE * lines(s, step->text, columns(s, step), -1) + 2 * PAD;
}

/* Upper edge of the box of a row, or, for the row after the last, of nothing. */
static int row_top(struct svg *s, u32 row)
{
	int y = s->top + HEAD + GAP;

	for (u32 i = 0; i < row; i++)
		y += row_height(s, i) + GAP;
	return y;
}

static int row_middle(struct svg *s, u32 row)
{
	return row_top(s, row) + row_height(s, row) / 2;
}

static int half_row(struct svg *s, u32 half)
{
	half = lanes_half_row(s->l, half);
	if (half % 2)
		return row_middle(s, half / 2);
	return row_top(s, half / 2) - GAP / 2;
}

static int lane_left(const struct svg *s, u32 lane)
{
	return MARGIN + TIME + (int)lane * (STRIP + s->box + GUTTER);
}

static int box_left(const struct svg *s, u32 lane)
{
	return lane_left(s, lane) + STRIP;
}

static int box_right(const struct svg *s, u32 lane)
{
	return box_left(s, lane) + s->box;
}

static void text(struct svg *s, int x, int y, const char *attributes,
		 const char *words)
{
	fprintf(s->out, "<text x=\"%d\" y=\"%d\" %s>", x, y, attributes);
	text_xml(s->out, words);
	fputs("</text>\n", s->out);
}

static void bar_rect(struct svg *s, int x, int y, int width, int height)
{
	fprintf(s->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"",
		x, y, width, height);
}

static void bar_colours(struct svg *s, const struct lanes_bar *b)
{
	const char *colour = lanes_colour(b->colour);

	if (b->kind == LANES_INSIDE)
		fprintf(s->out, " fill=\"%s\"/>\n", colour);
	else
		fprintf(s->out, " fill=\"%s\" fill-opacity=\"0.2\" stroke=\"%s\"/>\n",
			colour, colour);
}

static void box_colours(struct svg *s, u8 mark)
{
	fprintf(s->out, " fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\"/>\n",
		looks[mark].fill, looks[mark].stroke, looks[mark].width);
}

static void draw_bar(struct svg *s, const struct lanes_bar *b)
{
	int x = lane_left(s, b->lane), y = half_row(s, b->from);
	int height = half_row(s, b->to) - y;

	if (b->kind == LANES_INSIDE)
		bar_rect(s, x + SLICE + 1, y, INSIDE, height);
	else
		bar_rect(s, x, y, SLICE, height);
	bar_colours(s, b);
	if (b->kind == LANES_INSIDE || height < ADVANCE * (int)strlen(b->text))
		return;
	fprintf(s->out, "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\" font-size=\"11\" fill=\"%s\">",
		x + SLICE - 4, y + height / 2, lanes_colour(b->colour));
	text_xml(s->out, b->text);
	fputs("</text>\n", s->out);
}

static void draw_box(struct svg *s, u32 row)
{
	const struct lanes_step *step = &s->l->step[row];
	int x = box_left(s, step->lane), y = row_top(s, row), indent = 6;
	int base = y + PAD + LINE - 4;

	fprintf(s->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"",
		x, y, s->box, row_height(s, row));
	box_colours(s, step->mark);
	if (step->mark != LANES_VERDICT) {
		fprintf(s->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#667085\">%u</text>\n",
			x + NUMBER - 3, base, step->nr);
		indent = NUMBER + 4;
	}
	fprintf(s->out, "<text y=\"%d\" fill=\"%s\" font-weight=\"%s\">", base,
		looks[step->mark].text, looks[step->mark].weight);
	lines(s, step->text, columns(s, step), x + indent);
	fputs("</text>\n", s->out);
}

/* The head of an arrow that comes from the left if @way is 1, else from the right. */
static void draw_head(struct svg *s, int x, int y, int way, const char *colour)
{
	fprintf(s->out, "<path d=\"M%d %d l%d -5 v10 z\" fill=\"%s\" stroke=\"#ffffff\"/>\n", x, y,
		-9 * way, colour);
}

static void begin_line(struct svg *s, u8 kind, int x, int y)
{
	fprintf(s->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\" stroke-linejoin=\"round\" d=\"M%d %d ",
		strokes[kind].stroke, strokes[kind].width, strokes[kind].dashes,
		x, y);
}

/*
 * A row has one box, so an arrow that runs along rows and down a gutter crosses
 * none.
 */
static void draw_arrow(struct svg *s, const struct lanes_arrow *a)
{
	int y = row_middle(s, a->from_row), to_y = row_middle(s, a->to_row);
	bool right = a->to_lane > a->from_lane;
	int x = a->to_lane < a->from_lane ? box_left(s, a->from_lane) :
					    box_right(s, a->from_lane);
	int to_x = right ? box_left(s, a->to_lane) : box_right(s, a->to_lane);
	int gutter = (right ? lane_left(s, a->to_lane) - GUTTER / 2 :
			      to_x + GUTTER / 2) + strokes[a->kind].shift;
	int way = right ? 1 : -1;

	begin_line(s, a->kind, x, y);
	fprintf(s->out, "H%d V%d H%d\"/>\n", gutter, to_y, to_x - 7 * way);
	draw_head(s, to_x, to_y, way, strokes[a->kind].stroke);
}

static void draw_lane(struct svg *s, u32 lane)
{
	int x = lane_left(s, lane) - 6, width = STRIP + s->box + 12;

	fprintf(s->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"#f5f6f8\"/>\n",
		x, s->top, width, s->height - s->top - MARGIN);
	text(s, x + width / 2, s->top + 20,
	     "text-anchor=\"middle\" font-weight=\"bold\" font-size=\"14\" fill=\"#222222\"",
	     s->l->name[lane]);
}

static void draw_time(struct svg *s)
{
	int from = s->top + HEAD + GAP, to = s->height - MARGIN - 4;

	fprintf(s->out, "<path d=\"M%d %d V%d m-4 -8 l4 8 l4 -8\" fill=\"none\" stroke=\"#98a2b3\"/>\n",
		MARGIN, from, to);
	fprintf(s->out, "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"end\" font-size=\"11\" fill=\"#667085\">time</text>\n",
		MARGIN - 5, from);
}

/* --- legend: what occurs, in rows of as many as fit, above the lanes --- */

static bool named_before(const struct lanes *l, u32 bar)
{
	for (u32 i = 0; i < bar; i++)
		if (l->bar[i].kind == l->bar[bar].kind &&
		    !strcmp(l->bar[i].text, l->bar[bar].text))
			return true;
	return false;
}

static bool has_mark(const struct lanes *l, u8 mark)
{
	for (u32 i = 0; i < l->nr_steps; i++)
		if (l->step[i].mark == mark)
			return true;
	return false;
}

static bool has_arrow(const struct lanes *l, u8 kind)
{
	for (u32 i = 0; i < l->nr_arrows; i++)
		if (l->arrow[i].kind == kind)
			return true;
	return false;
}

/* Place the next key and count it; what has no room any more is left out. */
static void add_key(struct svg *s, struct key key)
{
	int width;

	if (s->nr_keys == KEYS_MAX)
		return;
	width = SAMPLE + 10 + ADVANCE * (int)strlen(key.words) + 14;
	if (s->key_x > MARGIN && s->key_x + width > s->width - MARGIN) {
		s->key_x = MARGIN;
		s->key_y += KEY;
	}
	key.x = s->key_x;
	key.y = s->key_y;
	s->key[s->nr_keys++] = key;
	s->key_x += width;
}

static void add_keys(struct svg *s)
{
	const struct lanes *l = s->l;

	for (u32 i = 0; i < l->nr_bars; i++) {
		struct key key = { .kind = KEY_BAR, .bar = &l->bar[i] };

		if (named_before(l, i))
			continue;
		snprintf(key.words, sizeof(key.words), "%s%s", key.bar->text,
			 key.bar->kind == LANES_INSIDE ? " in guest mode" : "");
		add_key(s, key);
	}
	for (u8 m = 0; m < LANES_MARK_NR; m++) {
		struct key key = { .kind = KEY_MARK, .which = m };

		if (!looks[m].meaning || !has_mark(l, m))
			continue;
		snprintf(key.words, sizeof(key.words), "%s", looks[m].meaning);
		add_key(s, key);
	}
	for (u8 k = 0; k < LANES_ARROW_NR; k++) {
		struct key key = { .kind = KEY_ARROW, .which = k };

		if (!l->legend[k] || !has_arrow(l, k))
			continue;
		snprintf(key.words, sizeof(key.words), "%s", l->legend[k]);
		add_key(s, key);
	}
}

static void draw_sample(struct svg *s, const struct key *key)
{
	const struct lanes_bar *b = key->bar;
	bool inside;

	switch (key->kind) {
	case KEY_BAR:
		inside = b->kind == LANES_INSIDE;
		bar_rect(s, key->x, key->y + (inside ? 5 : 3), SAMPLE,
			 inside ? INSIDE : 12);
		bar_colours(s, b);
		break;
	case KEY_MARK:
		fprintf(s->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\" rx=\"3\"",
			key->x, key->y + 3, SAMPLE);
		box_colours(s, key->which);
		break;
	default:
		begin_line(s, key->which, key->x, key->y + 9);
		fprintf(s->out, "h%d\"/>\n", SAMPLE - 7);
		draw_head(s, key->x + SAMPLE, key->y + 9, 1,
			  strokes[key->which].stroke);
	}
}

static void draw_legend(struct svg *s)
{
	for (u32 i = 0; i < s->nr_keys; i++) {
		draw_sample(s, &s->key[i]);
		text(s, s->key[i].x + SAMPLE + 8, s->key[i].y + 13,
		     "fill=\"#444444\"", s->key[i].words);
	}
}

static size_t note_columns(const struct svg *s)
{
	return (size_t)((s->width - 2 * MARGIN) / ADVANCE);
}

static void lay_out(struct svg *s)
{
	const struct lanes *l = s->l;

	s->box = l->nr_lanes > 2 ? 240 : 310;
	s->width = lane_left(s, l->nr_lanes) - GUTTER + 6 + MARGIN;
	/* One lane has arrows at its side, and a legend that is wider. */
	s->width += l->nr_lanes < 2 ? 2 * GUTTER + 100 : 0;
	s->key_x = MARGIN;
	s->key_y = MARGIN + TITLE + GAP +
		   LINE * lines(s, l->note, note_columns(s), -1);
	add_keys(s);
	s->top = s->key_y + KEY + GAP;
	s->height = row_top(s, l->nr_steps) + MARGIN;
}

static void draw_head_lines(struct svg *s)
{
	text(s, MARGIN, MARGIN + 16,
	     "font-size=\"18\" font-weight=\"bold\" fill=\"#111111\"",
	     s->l->title);
	fprintf(s->out, "<text y=\"%d\" fill=\"#444444\">", MARGIN + TITLE + 12);
	lines(s, s->l->note, note_columns(s), MARGIN);
	fputs("</text>\n", s->out);
}

static void draw(const struct lanes *l, FILE *out)
{
	struct svg s = { .l = l, .out = out };

	lay_out(&s);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"%s\" font-size=\"12\">\n<title>",
		s.width, s.height, s.width, s.height, FACES);
	text_xml(out, l->title);
	fprintf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
		s.width, s.height);
	draw_head_lines(&s);
	draw_legend(&s);
	draw_time(&s);
	for (u32 i = 0; i < l->nr_lanes; i++)
		draw_lane(&s, i);
	for (u32 i = 0; i < l->nr_bars; i++)
		draw_bar(&s, &l->bar[i]);
	for (u32 i = 0; i < l->nr_steps; i++)
		draw_box(&s, i);
	for (u32 i = 0; i < l->nr_arrows; i++)
		draw_arrow(&s, &l->arrow[i]);
	fputs("</svg>\n", out);
}

const struct lanes_format lanes_svg = { "SVG", draw };
