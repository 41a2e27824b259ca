#include "sim/report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/err.h"
#include "sim/report/figures.h"
#include "sim/report/plot_data.h"
#include "sim/report/report_file.h"

extern char **environ;

/* One kind of picture. */
struct picture {
	const char *name;
	const char *what;
	struct plot_scale (*data)(FILE *out, const struct comparison *c);
};

static const struct picture pictures[] = {
	{ "cycles", "Where guest time is lost", plot_cycles_data },
	{ "rates", "Flushes over time", plot_rates_data },
};

static const char *const formats[] = { "png", "svg" };

/* What a picture leaves: its data, then the picture in each format. */
#define PICTURE_FILES	(1 + ARRAY_SIZE(formats))

struct job {
	const struct comparison *c;
	const char *dir;
	const struct picture *picture;
	struct plot_scale scale;
	char script[PATH_MAX];
	char data[PATH_MAX];
};

static int make_path(char *to, const char *dir, const char *name,
		     const char *ending, struct err *err)
{
	int n = snprintf(to, PATH_MAX, "%s/%s.%s", dir, name, ending);

	if (n < 0 || n >= PATH_MAX)
		return err_set(err, -ENAMETOOLONG, "%.200s...: name too long", dir);
	return 0;
}

static int write_data(struct job *j, struct err *err)
{
	struct report_file rf;
	int ret = make_path(j->data, j->dir, j->picture->name, "tsv", err);

	if (!ret)
		ret = report_file_open(&rf, j->data, NULL, err);
	if (ret)
		return ret;
	j->scale = j->picture->data(rf.f, j->c);
	return report_file_commit(&rf, err);
}

static void make_title(const struct job *j, char *to, size_t size)
{
	char scenario[100], machine[60], l0[24], trace[100] = "";
	const char *file = j->c->trace.file;

	plot_name(scenario, sizeof(scenario), j->c->scenario);
	plot_name(machine, sizeof(machine), j->c->machine);
	plot_name(l0, sizeof(l0), j->c->l0);
	if (file) {
		const char *slash = strrchr(file, '/');

		plot_name(trace, sizeof(trace), slash ? slash + 1 : file);
	}
	snprintf(to, size, "%s: %s on %s, L0 %s%s%s", j->picture->what, scenario,
		 machine, l0, *trace ? ", trace " : "", trace);
}

/* What gnuplot complained with, on one line; "" if it said nothing. */
static void read_complaint(FILE *log, char *to, size_t size)
{
	size_t n;

	rewind(log);
	n = fread(to, 1, size - 1, log);
	to[n] = '\0';
	for (char *c = to; *c; c++)
		if ((unsigned char)*c < 0x20)
			*c = ' ';
	while (n && (to[n - 1] == ' ' || !to[n - 1]))
		to[--n] = '\0';
}

static int start(char *const *argv, FILE *log, pid_t *pid)
{
	posix_spawn_file_actions_t io;
	int ret = posix_spawn_file_actions_init(&io);

	if (ret)
		return ret;
	ret = posix_spawn_file_actions_addopen(&io, 0, "/dev/null", O_RDONLY, 0);
	if (!ret)
		ret = posix_spawn_file_actions_addopen(&io, 1, "/dev/null",
						       O_WRONLY, 0);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&io, fileno(log), 2);
	if (!ret)
		ret = posix_spawnp(pid, argv[0], &io, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&io);
	return ret;
}

static int run_gnuplot(char *const *argv, const char *data, struct err *err)
{
	FILE *log = tmpfile();
	char complaint[400];
	int ret, status = 0;
	pid_t pid;

	if (!log)
		return err_set(err, -errno, "gnuplot: no temporary file: %s",
			       strerror(errno));
	ret = start(argv, log, &pid);
	if (ret) {
		fclose(log);
		return err_set(err, -ret, "gnuplot: cannot run it: %s (Debian has it in gnuplot-nox); the data to draw are in %s",
			       strerror(ret), data);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	read_complaint(log, complaint, sizeof(complaint));
	fclose(log);
	/* A shell-less spawn reports a missing program as 127 on some systems. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(err, -ENOENT, "gnuplot: not found (Debian has it in gnuplot-nox); the data to draw are in %s",
			       data);
	if (!status)
		return 0;
	return err_set(err, -EIO, "gnuplot failed on %s as %s: %s; %s %d",
		       data, argv[4],
		       *complaint ? complaint : "it said nothing", WIFSIGNALED(status) ?
		       "killed by signal" : "exit status", WIFSIGNALED(status) ?
		       WTERMSIG(status) : WEXITSTATUS(status));
}

static int draw(const struct job *j, const char *format, struct err *err)
{
	char path[PATH_MAX], temp[PATH_MAX], title[400];
	char nr[16], limit[40], floor[40];
	char *argv[] = {
		(char *)"gnuplot", (char *)"-d", (char *)"-c",
		(char *)j->script, (char *)format, temp, (char *)j->data, title,
		nr, limit, floor, NULL,
	};
	struct stat st;
	int ret = make_path(path, j->dir, j->picture->name, format, err);

	if (!ret)
		ret = report_file_temp(temp, sizeof(temp), path, err);
	if (ret)
		return ret;
	make_title(j, title, sizeof(title));
	snprintf(nr, sizeof(nr), "%u", j->scale.nr_policies);
	snprintf(limit, sizeof(limit), "%.9g", j->scale.limit);
	snprintf(floor, sizeof(floor), "%.9g", j->scale.floor);
	ret = run_gnuplot(argv, j->data, err);
	if (!ret && (stat(temp, &st) || !st.st_size))
		ret = err_set(err, -EIO, "gnuplot wrote no picture for %s", path);
	if (!ret && rename(temp, path))
		ret = err_set(err, -errno, "%s: cannot write: %s", path,
			      strerror(errno));
	if (ret)
		unlink(temp);
	return ret;
}

bool plot_path(const char *dir, u32 i, char *to)
{
	u32 file = i % PICTURE_FILES;

	if (i >= ARRAY_SIZE(pictures) * PICTURE_FILES)
		return false;
	snprintf(to, PATH_MAX, "%s/%s.%s", dir,
		 pictures[i / PICTURE_FILES].name,
		 file ? formats[file - 1] : "tsv");
	return true;
}

int plot_prepare(const char *dir, const char *scripts, struct err *err)
{
	char script[PATH_MAX];
	struct stat st;
	int ret = 0;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return err_set(err, -errno, "%s: cannot make the folder: %s", dir,
			       strerror(errno));
	if (!stat(dir, &st) && !S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "%s: not a folder; pictures need one",
			       dir);
	if (access(dir, W_OK | X_OK))
		return err_set(err, -errno, "%s: cannot write there: %s", dir,
			       strerror(errno));
	for (u32 i = 0; i < ARRAY_SIZE(pictures) && !ret; i++) {
		ret = make_path(script, scripts, pictures[i].name, "gp", err);
		if (!ret && access(script, R_OK))
			ret = err_set(err, -errno, "%s: cannot read the gnuplot script: %s",
				      script, strerror(errno));
	}
	return ret;
}

int plot_write(const struct comparison *c, const char *dir, const char *scripts,
	       struct err *err)
{
	int ret;

	if (!figures_first_run(c))
		return err_set(err, -EINVAL, "nothing to plot: every policy was skipped");
	ret = plot_prepare(dir, scripts, err);
	for (u32 i = 0; i < ARRAY_SIZE(pictures) && !ret; i++) {
		struct job j = { .c = c, .dir = dir, .picture = &pictures[i] };

		ret = make_path(j.script, scripts, pictures[i].name, "gp", err);
		if (!ret)
			ret = write_data(&j, err);
		for (u32 f = 0; f < ARRAY_SIZE(formats) && !ret; f++)
			ret = draw(&j, formats[f], err);
	}
	return ret;
}
