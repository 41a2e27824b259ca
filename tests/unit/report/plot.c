/* Pictures are whole or absent, and a name is never a command. */
#include "sim/report/plot.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/report/plot_data.h"
#include "tests/suite.h"
#include "tests/unit/report/fixture.h"

#define SCRIPTS "bench/plots"

static char dir[] = "/tmp/eptsim-plot-XXXXXX";
static char *text;
static size_t text_size;
static struct err err;

static void setup(void)
{
	fx_begin();
	text = NULL;
	err.msg[0] = '\0';
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static u32 empty(bool remove_all)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];
	u32 n = 0;

	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (remove_all)
			unlink(path);
	}
	closedir(d);
	return n;
}

static void teardown(void)
{
	empty(true);
	rmdir(dir);
	free(text);
}

static bool have_gnuplot(void)
{
	return !access("/usr/bin/gnuplot", X_OK) && !access(SCRIPTS, R_OK);
}

static struct run_result *wavy(const char *name, u32 scale)
{
	struct run_result *r = fx_run(name);

	fx_cost(COST_INVEPT_GLOBAL, 50, 100, 200);
	fx_pay(r, COST_INVEPT_GLOBAL, 1000u * scale);
	for (u32 i = 0; i < RATE_BUCKETS; i++) {
		r->flush_rate[i] = scale * (i % 3);
		r->migration_rate[i] = i % 5;
	}
	return r;
}

static off_t size_of(const char *name)
{
	char path[200];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) ? -1 : st.st_size;
}

START_TEST(all_pictures_are_drawn_and_nothing_else_is_left)
{
	if (!have_gnuplot())
		return;
	wavy("a", 1);
	wavy("b", 100);
	fx_find(wavy("c", 3), 1, true, "stale");
	fx_skip("d", "no");
	if (plot_write(&fx.c, dir, SCRIPTS, &err))
		ck_abort_msg("%s", err.msg);
	ck_assert_int_gt(size_of("cycles.png"), 2000);
	ck_assert_int_gt(size_of("cycles.svg"), 2000);
	ck_assert_int_gt(size_of("rates.png"), 2000);
	ck_assert_int_gt(size_of("rates.svg"), 2000);
	ck_assert_uint_eq(empty(false), 6);
}
END_TEST

START_TEST(runs_without_any_loss_or_length_are_drawn_too)
{
	if (!have_gnuplot())
		return;
	fx_run("a");
	fx.run[0].stats.cycles[CYC_GUEST] = 0;
	if (plot_write(&fx.c, dir, SCRIPTS, &err))
		ck_abort_msg("%s", err.msg);
	ck_assert_uint_eq(empty(false), 6);
}
END_TEST

START_TEST(names_reach_gnuplot_as_names_only)
{
	char canary[64], name[POLICY_NAME_MAX], title[200];

	if (!have_gnuplot())
		return;
	snprintf(canary, sizeof(canary), "%s/canary", dir);
	snprintf(name, sizeof(name), "`touch %s`", canary);
	wavy(name, 1);
	snprintf(name, sizeof(name), "\"; system('touch %s'); #", canary);
	wavy(name, 2);
	wavy("tab\tnew\nline", 3);
	wavy("#comment", 4);
	wavy("'\"\\n%s%n@ARG1 {/=50 x}", 4);
	wavy("<script>&amp;", 4);
	snprintf(title, sizeof(title), "x\"; system(\"touch %s\") #`touch %s`", canary,
		 canary);
	fx.c.scenario = title;
	fx.c.machine = "-e 'exit'";
	fx.c.trace.file = "a/b$(touch x)`y`";
	if (plot_write(&fx.c, dir, SCRIPTS, &err))
		ck_abort_msg("%s", err.msg);
	ck_assert_int_ne(access(canary, F_OK), 0);
	ck_assert_uint_eq(empty(false), 6);
}
END_TEST

START_TEST(without_gnuplot_the_message_helps)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "");

	if (access(SCRIPTS, R_OK)) {
		free(path);
		return;
	}
	wavy("a", 1);
	setenv("PATH", "/nonexistent", 1);
	ck_assert_int_eq(plot_write(&fx.c, dir, SCRIPTS, &err), -ENOENT);
	setenv("PATH", path, 1);
	free(path);
	ck_assert_ptr_nonnull(strstr(err.msg, "gnuplot"));
	ck_assert_ptr_nonnull(strstr(err.msg, "gnuplot-nox"));
	ck_assert_ptr_nonnull(strstr(err.msg, "cycles.tsv"));
	ck_assert_uint_eq(empty(false), 1);
}
END_TEST

START_TEST(a_failing_script_leaves_no_picture)
{
	char path[200];
	FILE *f;

	if (!have_gnuplot())
		return;
	wavy("a", 1);
	snprintf(path, sizeof(path), "%s/cycles.gp", dir);
	f = fopen(path, "w");
	fputs("set terminal svg\nset output ARG2\nplot x\nno such command\n", f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/rates.gp", dir);
	fclose(fopen(path, "w"));
	ck_assert_int_eq(plot_write(&fx.c, dir, dir, &err), -EIO);
	ck_assert_ptr_nonnull(strstr(err.msg, "gnuplot failed"));
	ck_assert_ptr_nonnull(strstr(err.msg, "invalid command"));
	ck_assert_uint_eq(empty(false), 3);		/* scripts and data */
}
END_TEST

/* A program by the name of gnuplot that does what @script says. */
static void fake_gnuplot(const char *script)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/gnuplot", dir);
	f = fopen(path, "w");
	fprintf(f, "#!/bin/sh\n%s\n", script);
	fclose(f);
	chmod(path, 0755);
}

static const struct {
	const char *script;
	const char *says;
} silent[] = {
	{ "exit 1", "it said nothing; exit status 1" },
	{ "echo >&2; exit 7", "it said nothing; exit status 7" },
	{ "kill -KILL $$", "it said nothing; killed by signal 9" },
	{ "echo no space >&2; exit 1", "no space; exit status 1" },
};

START_TEST(a_gnuplot_that_fails_silently_has_its_status_told)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "");

	if (access(SCRIPTS, R_OK)) {
		free(path);
		return;
	}
	wavy("a", 1);
	fake_gnuplot(silent[_i].script);
	setenv("PATH", dir, 1);
	ck_assert_int_eq(plot_write(&fx.c, dir, SCRIPTS, &err), -EIO);
	setenv("PATH", path, 1);
	free(path);
	ck_assert_msg(strstr(err.msg, silent[_i].says), "%s", err.msg);
}
END_TEST

START_TEST(a_missing_script_is_named)
{
	wavy("a", 1);
	ck_assert_int_eq(plot_write(&fx.c, dir, "/nonexistent", &err), -ENOENT);
	ck_assert_str_eq(err.msg, "/nonexistent/cycles.gp: cannot read the gnuplot script: No such file or directory");
	ck_assert_uint_eq(empty(false), 0);
}
END_TEST

START_TEST(all_skipped_is_nothing_to_plot)
{
	fx_skip("a", "no");
	ck_assert_int_eq(plot_write(&fx.c, dir, SCRIPTS, &err), -EINVAL);
}
END_TEST

START_TEST(cycles_data_are_percentages_of_guest_time)
{
	FILE *f = open_memstream(&text, &text_size);
	struct plot_scale scale;

	wavy("a", 1000);
	fx_find(wavy("b", 2000), 3, false, "x");
	scale = plot_cycles_data(f, &fx.c);
	fclose(f);
	ck_assert_str_eq(text,
		"position\tpolicy\tlabel\ttotal\tflush\twalk\tl0_shadow\thypercall\tlock_wait\tipi\texit\tsched\toverrun\n"
		"0\ta\t10.0 %, slowdown 1.100\t10\t10\t0\t0\t0\t0\t0\t0\t0\t0\n"
		"1\tb\t20.0 %, slowdown 1.200, possible I3\t20\t20\t0\t0\t0\t0\t0\t0\t0\t0\n");
	ck_assert_uint_eq(scale.nr_policies, 2);
	ck_assert(fabs(scale.limit - 20.0) < 1e-9);
}
END_TEST

START_TEST(an_outlier_does_not_flatten_the_rest)
{
	FILE *f = open_memstream(&text, &text_size);
	struct plot_scale scale;

	wavy("a", 100);
	wavy("b", 200);
	wavy("c", 5000);
	scale = plot_cycles_data(f, &fx.c);
	fclose(f);
	ck_assert(fabs(scale.limit - 3.0) < 1e-9);
}
END_TEST

START_TEST(rates_are_per_second_and_spread_decides_the_axis)
{
	FILE *f = open_memstream(&text, &text_size);
	struct plot_scale scale;

	for (u32 i = 0; i < RATE_BUCKETS; i++)
		fx.run[0].flush_rate[i] = 2;
	fx_run("a");
	scale = plot_rates_data(f, &fx.c);
	fclose(f);
	ck_assert_int_eq(strncmp(text, "seconds\tmigrations\ta\n0\t0\t1024\n0.0078125\t0\t1024\n", 47), 0);
	ck_assert(scale.floor == 0.0 && scale.limit == 1024.0);
	free(text);

	f = open_memstream(&text, &text_size);
	fx_run("b")->flush_rate[0] = 2000;
	scale = plot_rates_data(f, &fx.c);
	fclose(f);
	ck_assert(scale.floor == 512.0 && scale.limit == 256000.0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report/plot");
	TCase *tc = tcase_create("plot");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, all_pictures_are_drawn_and_nothing_else_is_left);
	tcase_add_test(tc, runs_without_any_loss_or_length_are_drawn_too);
	tcase_add_test(tc, names_reach_gnuplot_as_names_only);
	tcase_add_test(tc, without_gnuplot_the_message_helps);
	tcase_add_test(tc, a_failing_script_leaves_no_picture);
	tcase_add_loop_test(tc, a_gnuplot_that_fails_silently_has_its_status_told,
			    0, (int)ARRAY_SIZE(silent));
	tcase_add_test(tc, a_missing_script_is_named);
	tcase_add_test(tc, all_skipped_is_nothing_to_plot);
	tcase_add_test(tc, cycles_data_are_percentages_of_guest_time);
	tcase_add_test(tc, an_outlier_does_not_flatten_the_rest);
	tcase_add_test(tc, rates_are_per_second_and_spread_decides_the_axis);
	suite_add_tcase(s, tc);
	return suite_main(s);
}
