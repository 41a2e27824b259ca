/*
 * stopwatch - how long a command takes on one core
 *
 * Runs the command N times, pinned to the CPU it was started on, and prints CPU
 * seconds (user and system): least, median, greatest; then the most memory it
 * held, in KiB.  Its standard output is dropped.  CPU time rather than time of
 * day, since other work may be going on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/types.h"

#define RUNS_MAX 64

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

_Noreturn static void become(char **argv)
{
	int fd = open("/dev/null", O_WRONLY);

	if (fd >= 0 && dup2(fd, 1) >= 0)
		execvp(argv[0], argv);
	fprintf(stderr, "stopwatch: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Status 1, a verdict that was not expected, is no failure here. */
static double run(char **argv, long *kib)
{
	struct rusage use;
	int status;
	pid_t pid = fork();

	if (!pid)
		become(argv);
	if (pid < 0 || wait4(pid, &status, 0, &use) != pid) {
		fprintf(stderr, "stopwatch: %s\n", strerror(errno));
		exit(2);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
		fprintf(stderr, "stopwatch: %s failed\n", argv[0]);
		exit(2);
	}
	if (use.ru_maxrss > *kib)
		*kib = use.ru_maxrss;
	return seconds(&use.ru_utime) + seconds(&use.ru_stime);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	double took[RUNS_MAX];
	long n = argc > 2 ? strtol(argv[1], NULL, 10) : 0, kib = 0;
	int cpu = sched_getcpu();
	cpu_set_t one;

	if (n < 1 || n > RUNS_MAX) {
		fprintf(stderr, "usage: stopwatch N COMMAND [WORD]...   (N from 1 to %d)\n",
			RUNS_MAX);
		return 2;
	}
	CPU_ZERO(&one);
	if (cpu >= 0 && cpu < CPU_SETSIZE) {
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	for (long i = 0; i < n; i++)
		took[i] = run(argv + 2, &kib);
	qsort(took, (size_t)n, sizeof(took[0]), by_value);
	printf("%.4f %.4f %.4f %ld\n", took[0], took[n / 2], took[n - 1], kib);
	return 0;
}
