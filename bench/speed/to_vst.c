/* Turns any trace into .vst and prints what that took, in CPU time. */
#include <stdio.h>
#include <time.h>

#include "sim/base/err.h"
#include "traces/trace.h"
#include "traces/vst.h"

static int copy(struct trace *t, struct vst_writer *w, struct err *err)
{
	struct trace_rec rec;
	int ret;

	while ((ret = trace_next(t, &rec, err)) > 0) {
		ret = trace_vst_append(w, &rec, err);
		if (ret)
			return ret;
	}
	return ret;
}

static int convert(const char *from, const char *to, struct err *err)
{
	struct vst_writer *w;
	struct trace *t;
	int ret = trace_open(from, NULL, &t, err);

	if (ret)
		return ret;
	ret = trace_vst_create(to, t, trace_recorded_under(t), &w, err);
	if (ret == 0) {
		ret = copy(t, w, err);
		if (ret == 0)
			ret = trace_vst_finish(w, trace_counts(t), err);
		else
			trace_vst_abort(w);
	}
	if (ret == 0)
		printf("import       %10llu lines   %8.2f M/s\n",
		       (unsigned long long)trace_counts(t)->lines,
		       (double)trace_counts(t)->lines /
		       ((double)clock() / CLOCKS_PER_SEC) / 1e6);
	trace_close(t);
	return ret;
}

int main(int argc, char **argv)
{
	struct err err;

	if (argc != 3) {
		fprintf(stderr, "usage: to_vst FROM TO.vst\n");
		return 2;
	}
	if (convert(argv[1], argv[2], &err) == 0)
		return 0;
	fprintf(stderr, "error: %s\n", err.msg);
	return 2;
}
