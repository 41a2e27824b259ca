#include "sim/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/err.h"

int report_file_temp(char *to, size_t size, const char *path, struct err *err)
{
	const char *base = strrchr(path, '/');
	int dir, n;

	base = base ? base + 1 : path;
	dir = (int)(base - path);
	n = snprintf(to, size, "%.*s.%ld.%s", dir, path, (long)getpid(), base);
	if (n < 0 || (size_t)n >= size)
		return err_set(err, -ENAMETOOLONG, "%.200s...: name too long",
			       path);
	return 0;
}

/* Writes into what is there; for pipes, terminals and devices. */
static int open_direct(struct report_file *rf, struct err *err)
{
	rf->f = fopen(rf->path, "we");
	if (!rf->f)
		return err_set(err, -errno, "%s: cannot write: %s", rf->path,
			       strerror(errno));
	return 0;
}

static int open_temp(struct report_file *rf, struct err *err)
{
	int ret = report_file_temp(rf->temp, sizeof(rf->temp), rf->path, err);
	int fd;

	if (ret)
		return ret;
	/* A leftover of a process with our number, long gone. */
	unlink(rf->temp);
	fd = open(rf->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	rf->f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (rf->f)
		return 0;
	ret = err_set(err, -errno, "%s: cannot create: %s", rf->path,
		      strerror(errno));
	if (fd >= 0) {
		close(fd);
		unlink(rf->temp);
	}
	return ret;
}

int report_file_open(struct report_file *rf, const char *path, FILE *standard,
		     struct err *err)
{
	struct stat st;

	*rf = (struct report_file){ 0 };
	if (!strcmp(path, "-")) {
		rf->f = standard;
		rf->lent = true;
		return 0;
	}
	if (strlen(path) >= sizeof(rf->path))
		return err_set(err, -ENAMETOOLONG, "%.200s...: name too long",
			       path);
	/* A link stays a link: what it points to is replaced. */
	if (!realpath(path, rf->path))
		snprintf(rf->path, sizeof(rf->path), "%s", path);
	if (!stat(rf->path, &st) && S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "%s: is a folder, expected a file name",
			       rf->path);
	if (!stat(rf->path, &st) && !S_ISREG(st.st_mode))
		return open_direct(rf, err);
	return open_temp(rf, err);
}

int report_file_commit(struct report_file *rf, struct err *err)
{
	int bad = fflush(rf->f) || ferror(rf->f);
	int saved = errno;

	if (!rf->lent && fclose(rf->f) && !bad) {
		bad = 1;
		saved = errno;
	}
	rf->f = NULL;
	if (!bad && *rf->temp && rename(rf->temp, rf->path)) {
		bad = 1;
		saved = errno;
	}
	if (!bad)
		return 0;
	if (*rf->temp)
		unlink(rf->temp);
	return err_set(err, saved > 0 ? -saved : -EIO, "%s: cannot write: %s",
		       rf->lent ? "standard output" : rf->path,
		       strerror(saved > 0 ? saved : EIO));
}

void report_file_abort(struct report_file *rf)
{
	if (!rf->f)
		return;
	if (!rf->lent)
		fclose(rf->f);
	rf->f = NULL;
	if (*rf->temp)
		unlink(rf->temp);
}

int report_file_end(struct report_file *rf, int ret, struct err *err)
{
	if (!ret)
		return report_file_commit(rf, err);
	report_file_abort(rf);
	return ret;
}
