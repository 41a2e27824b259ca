/*
 * A picture is well-formed whatever texts it is given, says everything that it
 * was given, and puts it where it belongs.  Both formats are read back by
 * readers of our own, which accept the part of XML and of DOT that is written.
 */
#include "sim/report/lanes.h"

#include <check.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/suite.h"

static struct lanes picture;
static char *text;
static size_t size;

#define AWKWARD "a <b> & \"c\" \\ back\\\\slash, \001 bell \xff]]> \xc3\xa9nd"
#define LONG_WORD "0123456789012345678901234567890123456789012345678901234567890123456789"

static u32 step(u32 lane, u8 mark, const char *words)
{
	struct lanes_step s = { .nr = picture.nr_steps + 1, .lane = lane,
				.mark = mark };

	snprintf(s.text, sizeof(s.text), "%s", words);
	return lanes_add_step(&picture, &s);
}

static u32 bar(u32 lane, u8 kind, u32 from, u32 to)
{
	struct lanes_bar b = { .lane = lane, .kind = kind, .from = from,
			       .to = to, .colour = lane, .text = "who & where" };

	return lanes_add_bar(&picture, &b);
}

static void arrow(u32 from, u32 to, u8 kind)
{
	lanes_add_arrow(&picture, &(struct lanes_arrow){
			.from_lane = picture.step[from].lane, .from_row = from,
			.to_lane = picture.step[to].lane, .to_row = to,
			.kind = kind });
}

/* Four lanes, the last one empty, every mark and every kind of arrow. */
static void setup(void)
{
	lanes_init(&picture, 4);
	snprintf(picture.title, sizeof(picture.title), "title %s", AWKWARD);
	snprintf(picture.note, sizeof(picture.note), "%s %s %s %s", AWKWARD,
		 LONG_WORD, LONG_WORD, AWKWARD);
	for (u32 i = 0; i < 4; i++)
		snprintf(picture.name[i], sizeof(picture.name[i]),
			 "lane <%u>", i);
	picture.legend[LANES_SIGNAL] = "a signal & more";
	picture.legend[LANES_LOST_SIGNAL] = "a lost signal";
	picture.legend[LANES_CAUSE] = "a cause";
	step(0, LANES_PLAIN, "begins here");
	step(1, LANES_MATTERS, AWKWARD);
	step(2, LANES_PLAIN, LONG_WORD);
	step(1, LANES_BREAKS, "breaks and has so many words that they do not fit one line of any box, nor two of them");
	step(0, LANES_VERDICT, "verdict");
	bar(0, LANES_SLICE, 0, UINT32_MAX);
	bar(0, LANES_INSIDE, 1, UINT32_MAX);
	bar(1, LANES_SLICE, 2, 8);
	bar(1, LANES_INSIDE, 3, 7);
	arrow(0, 1, LANES_SIGNAL);
	arrow(2, 4, LANES_CAUSE);
	arrow(0, 4, LANES_CAUSE);
	arrow(1, 2, LANES_LOST_SIGNAL);
}

static void teardown(void)
{
	lanes_release(&picture);
	free(text);
	text = NULL;
}

static const char *draw(const struct lanes_format *format)
{
	struct err err;
	FILE *f;

	free(text);
	f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(lanes_write(&picture, format, f, &err), 0);
	fclose(f);
	return text;
}

/* --- XML --- */

#define WRONG(at, what)	ck_abort_msg("%s at \"%.60s\"", what, at)

static const char *xml_name(const char *c)
{
	if (!isalpha((unsigned char)*c))
		WRONG(c, "no name");
	while (isalnum((unsigned char)*c) || *c == '-' || *c == ':')
		c++;
	return c;
}

/* Character data up to @stop. */
static const char *xml_data(const char *c, char stop)
{
	static const char *const entities[] = {
		"&amp;", "&lt;", "&gt;", "&quot;",
	};

	for (; *c && *c != stop; c++) {
		bool known = *c != '&';

		for (u32 i = 0; i < ARRAY_SIZE(entities); i++)
			known |= !strncmp(c, entities[i], strlen(entities[i]));
		if (!known || *c == '<' || !strncmp(c, "]]>", 3) ||
		    ((unsigned char)*c < ' ' && *c != '\n'))
			WRONG(c, "no character data");
	}
	return c;
}

static const char *xml_attributes(const char *c)
{
	while (*c == ' ' || *c == '\n') {
		c = xml_name(c + 1);
		if (strncmp(c, "=\"", 2))
			WRONG(c, "no value");
		c = xml_data(c + 2, '"') + 1;
	}
	return c;
}

/* An element and what is in it; returns behind it. */
static const char *xml_element(const char *c)
{
	const char *name = c + 1, *end = xml_name(name);
	size_t len = (size_t)(end - name);

	c = xml_attributes(end);
	if (!strncmp(c, "/>", 2))
		return c + 2;
	if (*c != '>')
		WRONG(c, "no end of a tag");
	for (c = xml_data(c + 1, '<'); strncmp(c, "</", 2);
	     c = xml_data(c, '<')) {
		if (!*c)
			WRONG(name, "never closed");
		c = xml_element(c);
	}
	if (strncmp(c + 2, name, len) || c[2 + len] != '>')
		WRONG(c, "another tag is closed");
	return c + 3 + len;
}

START_TEST(the_svg_is_well_formed)
{
	const char *c = draw(&lanes_svg), *end = strstr(c, "?>\n");

	ck_assert_int_eq(strncmp(c, "<?xml version=\"1.0\"", 19), 0);
	ck_assert_str_eq(xml_element(end + 3), "\n");
}
END_TEST

START_TEST(the_svg_is_plain)
{
	static const char *const foreign[] = {
		"<script", "<style", "<image", "<foreignObject", "href", "url(",
		"onload",
	};

	draw(&lanes_svg);
	for (u32 i = 0; i < ARRAY_SIZE(foreign); i++)
		ck_assert_ptr_null(strstr(text, foreign[i]));
}
END_TEST

/* The number that follows @key after @c. */
static int number(const char *c, const char *key)
{
	c = strstr(c, key);
	ck_assert_ptr_nonnull(c);
	return (int)strtol(c + strlen(key), NULL, 10);
}

START_TEST(rows_run_down_and_lanes_to_the_right)
{
	static const char *const words[] = {
		">begins here<", ">a &lt;b&gt; &amp;", ">breaks and", ">verdict<",
	};
	int x[ARRAY_SIZE(words)], y[ARRAY_SIZE(words)];

	draw(&lanes_svg);
	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(strstr(text, ">begins here<") -
					200, words[i]);
		const char *tag = at;

		ck_assert_msg(at != NULL, "%s", words[i]);
		while (strncmp(tag, "<text y=", 8))
			tag--;
		y[i] = number(tag, "y=\"");
		x[i] = number(tag, "<tspan x=\"");
	}
	for (u32 i = 1; i < ARRAY_SIZE(words); i++)
		ck_assert_int_gt(y[i], y[i - 1]);
	ck_assert_int_gt(x[1], x[0]);
	ck_assert_int_eq(x[2], x[1]);
	ck_assert_int_lt(x[3], x[2]);
}
END_TEST

START_TEST(everything_lies_within_the_picture)
{
	int width, height;

	draw(&lanes_svg);
	width = number(text, " width=\"");
	height = number(text, " height=\"");
	for (const char *c = text; (c = strstr(c, "<rect x=\"")); c++) {
		ck_assert_int_ge(number(c, " x=\""), 0);
		ck_assert_int_ge(number(c, " height=\""), 1);
		ck_assert_int_le(number(c, " x=\"") + number(c, " width=\""),
				 width);
		ck_assert_int_le(number(c, " y=\"") + number(c, " height=\""),
				 height);
	}
}
END_TEST

START_TEST(what_occurs_has_a_key_and_nothing_else)
{
	draw(&lanes_svg);
	ck_assert_ptr_nonnull(strstr(text, ">a signal &amp; more<"));
	ck_assert_ptr_nonnull(strstr(text, ">a cause<"));
	ck_assert_ptr_nonnull(strstr(text, ">who &amp; where in guest mode<"));
	ck_assert_ptr_nonnull(strstr(text, ">what the violation rests on<"));
	picture.nr_arrows = 0;
	picture.step[1].mark = LANES_PLAIN;
	draw(&lanes_svg);
	ck_assert_ptr_null(strstr(text, "a signal"));
	ck_assert_ptr_null(strstr(text, "what the violation rests on"));
}
END_TEST

/* --- DOT --- */

static const char *blank(const char *c)
{
	while (isspace((unsigned char)*c))
		c++;
	return c;
}

static const char *expect(const char *c, const char *word)
{
	if (strncmp(c, word, strlen(word)))
		WRONG(c, word);
	return blank(c + strlen(word));
}

/* A name, a number or a quoted string. */
static const char *dot_id(const char *c)
{
	const char *from = c;

	if (*c != '"') {
		while (isalnum((unsigned char)*c) || *c == '_' || *c == '.')
			c++;
		if (c == from)
			WRONG(c, "no ID");
		return blank(c);
	}
	for (c++; *c != '"'; c++) {
		if (*c == '\\')
			c++;
		if (*c < ' ' || *c > '~')
			WRONG(from, "no string");
	}
	return blank(c + 1);
}

static const char *dot_attributes(const char *c)
{
	if (*c != '[')
		return c;
	c = blank(c + 1);
	while (*c != ']')
		c = dot_id(expect(dot_id(c), "="));
	return blank(c + 1);
}

static const char *dot_statements(const char *c);

static const char *dot_statement(const char *c)
{
	if (*c == '{')
		return expect(dot_statements(blank(c + 1)), "}");
	if (!strncmp(c, "subgraph ", 9))
		return expect(dot_statements(expect(dot_id(blank(c + 9)), "{")),
			      "}");
	c = dot_id(c);
	if (*c == '=')
		return expect(dot_id(blank(c + 1)), ";");
	if (!strncmp(c, "->", 2))
		c = dot_id(blank(c + 2));
	return expect(dot_attributes(c), ";");
}

static const char *dot_statements(const char *c)
{
	while (*c && *c != '}')
		c = dot_statement(c);
	return c;
}

START_TEST(the_dot_file_is_well_formed)
{
	const char *c = draw(&lanes_dot);

	c = expect(dot_id(expect(c, "digraph ")), "{");
	ck_assert_str_eq(dot_statements(c), "}\n");
}
END_TEST

START_TEST(a_cluster_holds_the_steps_of_its_lane)
{
	static const char *const cluster[] = {
		"s0 [label=\"1. begins here\\l\"", "s1 [label=\"2. a <b> & \\\"c\\\" ",
		"s2 [label=\"3. 0123", NULL,
	};
	const char *at, *next;

	draw(&lanes_dot);
	for (u32 i = 0; i < 4; i++) {
		char head[32];

		snprintf(head, sizeof(head), "subgraph cluster_%u {", i);
		at = strstr(text, head);
		ck_assert_ptr_nonnull(at);
		next = strstr(at, "\n\t}");
		ck_assert_ptr_nonnull(next);
		if (cluster[i])
			ck_assert_msg(strstr(at, cluster[i]) != NULL &&
				      strstr(at, cluster[i]) < next, "%s in %s",
				      cluster[i], text);
		else
			ck_assert(strstr(at, "\ts") > next);
	}
}
END_TEST

START_TEST(each_step_comes_after_the_one_before)
{
	draw(&lanes_dot);
	for (u32 i = 1; i < picture.nr_steps; i++) {
		char edge[48];

		snprintf(edge, sizeof(edge), "\ts%u -> s%u [style=invis];", i - 1,
			 i);
		ck_assert_msg(strstr(text, edge) != NULL, "%s", edge);
	}
	ck_assert_ptr_nonnull(strstr(text, "s2 -> s4 [constraint=false"));
	ck_assert_ptr_nonnull(strstr(text, "s1 -> h2 [constraint=false"));
}
END_TEST

/* --- what both rest on --- */

static const struct {
	const char *text;
	size_t columns, len;
} wraps[] = {
	{ "", 5, 0 }, { "abc", 5, 3 }, { "abcde", 5, 5 }, { "abcdef", 5, 5 },
	{ "ab cde", 5, 2 }, { "ab cd ef", 5, 5 }, { " abcdef", 5, 5 },
	{ "abc", 1, 1 }, { "of pCPU 1 is", 8, 2 }, { "of pCPU 1 is", 10, 9 },
	{ "a 1 2 3", 4, 3 },
};

START_TEST(a_line_ends_at_a_blank_if_it_can)
{
	ck_assert_uint_eq(lanes_wrap(wraps[_i].text, wraps[_i].columns),
			  wraps[_i].len);
}
END_TEST

START_TEST(a_step_stands_beside_the_bars_of_its_lane)
{
	ck_assert_ptr_eq(lanes_occupant(&picture, 0, LANES_SLICE),
			 &picture.bar[0]);
	ck_assert_ptr_eq(lanes_occupant(&picture, 1, LANES_INSIDE),
			 &picture.bar[3]);
	ck_assert_ptr_null(lanes_occupant(&picture, 2, LANES_SLICE));
	ck_assert_ptr_eq(lanes_occupant(&picture, 3, LANES_SLICE),
			 &picture.bar[2]);
	lanes_end_bar(&picture, 2, 6);
	ck_assert_ptr_null(lanes_occupant(&picture, 3, LANES_SLICE));
	ck_assert_uint_eq(lanes_half_row(&picture, 6), 6);
	ck_assert_uint_eq(lanes_half_row(&picture, UINT32_MAX), 10);
}
END_TEST

START_TEST(a_picture_of_nothing_can_be_drawn)
{
	lanes_release(&picture);
	lanes_init(&picture, 0);
	xml_element(strstr(draw(&lanes_svg), "<svg"));
	dot_statements(blank(strstr(draw(&lanes_dot), "{") + 1));
}
END_TEST

START_TEST(a_schedule_can_be_long)
{
	for (u32 i = 0; i < 2000; i++)
		step(i % 4, LANES_PLAIN, "x");
	xml_element(strstr(draw(&lanes_svg), "<svg"));
	ck_assert_ptr_nonnull(strstr(draw(&lanes_dot), "label=\"2005. x"));
}
END_TEST

START_TEST(half_a_picture_is_not_drawn)
{
	struct err err;

	picture.failed = true;
	ck_assert_int_eq(lanes_write(&picture, &lanes_dot, NULL, &err), -ENOMEM);
	ck_assert_ptr_nonnull(strstr(err.msg, "DOT: no memory"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lanes");
	TCase *t = tcase_create("lanes");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_svg_is_well_formed);
	tcase_add_test(t, the_svg_is_plain);
	tcase_add_test(t, rows_run_down_and_lanes_to_the_right);
	tcase_add_test(t, everything_lies_within_the_picture);
	tcase_add_test(t, what_occurs_has_a_key_and_nothing_else);
	tcase_add_test(t, the_dot_file_is_well_formed);
	tcase_add_test(t, a_cluster_holds_the_steps_of_its_lane);
	tcase_add_test(t, each_step_comes_after_the_one_before);
	tcase_add_loop_test(t, a_line_ends_at_a_blank_if_it_can, 0,
			    (int)ARRAY_SIZE(wraps));
	tcase_add_test(t, a_step_stands_beside_the_bars_of_its_lane);
	tcase_add_test(t, a_picture_of_nothing_can_be_drawn);
	tcase_add_test(t, a_schedule_can_be_long);
	tcase_add_test(t, half_a_picture_is_not_drawn);
	suite_add_tcase(s, t);
	return suite_main(s);
}
