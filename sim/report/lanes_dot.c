/*
 * The picture for dot of graphviz: one cluster per lane, one node per step.
 * Invisible edges keep steps in their order and in their column; bars become
 * the colour of the nodes beside them.
 */
#include "sim/report/lanes.h"

#include <string.h>

#define COLUMNS	32u

/* @len characters as part of a quoted string, in ASCII. */
static void characters(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			fputc('\\', out);
		fputc(text[i] < ' ' || text[i] > '~' ? '?' : text[i], out);
	}
}

static void quoted(FILE *out, const char *text)
{
	fputc('"', out);
	characters(out, text, strlen(text));
	fputc('"', out);
}

/* Text of a node, wrapped; "\l" ends a line that is flush left. */
static void label(FILE *out, const struct lanes_step *step)
{
	const char *text = step->text;

	fputs("label=\"", out);
	if (step->mark != LANES_VERDICT)
		fprintf(out, "%u. ", step->nr);
	while (*text) {
		size_t len = lanes_wrap(text, COLUMNS);

		characters(out, text, len);
		fputs("\\l", out);
		text += len;
		text += strspn(text, " ");
	}
	fputc('"', out);
}

static void node(const struct lanes *l, u32 row, FILE *out)
{
	static const char *const looks[LANES_MARK_NR] = {
		[LANES_PLAIN] = "fillcolor=\"#ffffff\"",
		[LANES_MATTERS] = "fillcolor=\"#fff3c4\"",
		[LANES_BREAKS] = "fillcolor=\"#fde4e1\"",
		[LANES_VERDICT] = "fillcolor=\"#c62828\" fontcolor=\"#ffffff\"",
	};
	const struct lanes_step *step = &l->step[row];
	const struct lanes_bar *who = lanes_occupant(l, row, LANES_SLICE);
	bool inside = lanes_occupant(l, row, LANES_INSIDE);

	fprintf(out, "\t\ts%u [", row);
	label(out, step);
	fprintf(out, " %s color=\"%s\" penwidth=%s", looks[step->mark],
		step->mark >= LANES_BREAKS ? "#c62828" :
		who ? lanes_colour(who->colour) : "#98a2b3",
		inside ? "3" : "1");
	if (who) {
		fputs(" tooltip=", out);
		quoted(out, who->text);
	}
	fputs("];\n", out);
}

static void cluster(const struct lanes *l, u32 lane, FILE *out)
{
	u32 last = UINT32_MAX;

	fprintf(out, "\tsubgraph cluster_%u {\n\t\tcolor=\"#d3d7de\";\n", lane);
	fprintf(out, "\t\th%u [shape=plaintext style=\"\" label=", lane);
	quoted(out, l->name[lane]);
	fputs("];\n", out);
	for (u32 i = 0; i < l->nr_steps; i++)
		if (l->step[i].lane == lane)
			node(l, i, out);
	for (u32 i = 0; i < l->nr_steps; i++) {
		if (l->step[i].lane != lane)
			continue;
		if (last == UINT32_MAX)
			fprintf(out, "\t\th%u -> s%u [style=invis weight=20];\n",
				lane, i);
		else
			fprintf(out, "\t\ts%u -> s%u [style=invis weight=20];\n",
				last, i);
		last = i;
	}
	fputs("\t}\n", out);
}

static void order(const struct lanes *l, FILE *out)
{
	fputs("\t{ rank=same;", out);
	for (u32 i = 0; i < l->nr_lanes; i++)
		fprintf(out, " h%u;", i);
	fputs(" }\n", out);
	for (u32 i = 1; i < l->nr_lanes; i++)
		fprintf(out, "\th%u -> h%u [style=invis];\n", i - 1, i);
	for (u32 i = 1; i < l->nr_steps; i++)
		fprintf(out, "\ts%u -> s%u [style=invis];\n", i - 1, i);
}

/* A signal that nobody has taken yet ends at the name of its lane. */
static void arrow(const struct lanes_arrow *a, FILE *out)
{
	static const char *const looks[LANES_ARROW_NR] = {
		[LANES_SIGNAL] = "color=\"#37474f\"",
		[LANES_LOST_SIGNAL] = "color=\"#37474f\" style=dashed",
		[LANES_CAUSE] = "color=\"#c62828\" penwidth=2.5",
	};

	fprintf(out, "\ts%u -> ", a->from_row);
	if (a->kind == LANES_LOST_SIGNAL)
		fprintf(out, "h%u", a->to_lane);
	else
		fprintf(out, "s%u", a->to_row);
	fprintf(out, " [constraint=false %s];\n", looks[a->kind]);
}

static void draw(const struct lanes *l, FILE *out)
{
	fputs("digraph schedule {\n\tnewrank=true;\n\tlabelloc=t;\n\tlabel=", out);
	quoted(out, l->title);
	fputs(";\n\tfontname=\"Helvetica\";\n\tranksep=0.15;\n\tnode [shape=box style=\"filled,rounded\" fontname=\"Helvetica\" fontsize=11];\n", out);
	for (u32 i = 0; i < l->nr_lanes; i++)
		cluster(l, i, out);
	order(l, out);
	for (u32 i = 0; i < l->nr_arrows; i++)
		arrow(&l->arrow[i], out);
	fputs("}\n", out);
}

const struct lanes_format lanes_dot = { "DOT", draw };
