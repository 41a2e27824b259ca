/* Reads one trace to its end and prints what that took, in CPU time. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sim/base/err.h"
#include "traces/schedule.h"
#include "traces/trace.h"

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int read_records(const char *path, struct err *err)
{
	double start = cpu_seconds();
	struct trace_rec rec;
	struct stat st;
	struct trace *t;
	double s;
	int ret = trace_open(path, NULL, &t, err);

	if (ret)
		return ret;
	do {
		ret = trace_next(t, &rec, err);
	} while (ret > 0);
	s = cpu_seconds() - start;
	stat(path, &st);
	if (ret == 0)
		printf("%-12s %10llu records %8.2f M/s %8.1f MB/s of file %6.2f bytes/record\n",
		       trace_format(t),
		       (unsigned long long)trace_counts(t)->records,
		       (double)trace_counts(t)->records / s / 1e6,
		       (double)st.st_size / s / 1e6,
		       (double)st.st_size /
		       (double)trace_counts(t)->records);
	trace_close(t);
	return ret;
}

static int read_schedule(const char *path, struct err *err)
{
	static const struct schedule_options opt = { .allow_empty = true };
	double start = cpu_seconds();
	struct schedule *s;
	int ret = schedule_load(path, NULL, &opt, &s, err);

	if (ret)
		return ret;
	printf("  schedule   %10llu events  %8.2f M switches/s, all included\n",
	       (unsigned long long)s->nr_events,
	       (double)s->switches / (cpu_seconds() - start) / 1e6);
	schedule_free(s);
	return 0;
}

int main(int argc, char **argv)
{
	struct err err;

	for (int i = 1; i < argc; i++) {
		if (read_records(argv[i], &err) ||
		    read_schedule(argv[i], &err)) {
			fprintf(stderr, "error: %s\n", err.msg);
			return 2;
		}
	}
	return 0;
}
