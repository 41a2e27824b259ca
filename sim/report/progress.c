#include "sim/report/progress.h"

#include <time.h>

#include "sim/report/text.h"

#define PATIENCE_NS	1000000000ULL	/* short runs show no bar */
#define INTERVAL_NS	100000000ULL
#define LABEL_WIDTH	28
#define BAR_WIDTH	36u

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ULL + (u64)ts.tv_nsec;
}

void progress_begin(struct progress *p, FILE *out)
{
	p->out = out;
	p->start_ns = now();
	p->drawn_ns = 0;
}

void progress_at(struct progress *p, u64 now_ns, const char *label, u64 done,
		 u64 total)
{
	char clean[LABEL_WIDTH + 1], bar[BAR_WIDTH + 1];
	u64 part = total && done < total ? done : total;
	u32 full = total ? (u32)((unsigned __int128)part * BAR_WIDTH / total) : 0;

	if (!p->out || now_ns - p->start_ns < PATIENCE_NS ||
	    (p->drawn_ns && now_ns - p->drawn_ns < INTERVAL_NS))
		return;
	p->drawn_ns = now_ns;
	for (u32 i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < full ? '#' : '.';
	bar[BAR_WIDTH] = '\0';
	text_clean(clean, sizeof(clean), label);
	fprintf(p->out, "\r%-*s [%s]", LABEL_WIDTH, clean, bar);
	if (total)
		fprintf(p->out, " %3u %%",
			(u32)((unsigned __int128)part * 100 / total));
	fputs("\033[K", p->out);
	fflush(p->out);
}

void progress_update(struct progress *p, const char *label, u64 done, u64 total)
{
	if (p->out)
		progress_at(p, now(), label, done, total);
}

void progress_end(struct progress *p)
{
	if (p->out && p->drawn_ns) {
		fputs("\r\033[K", p->out);
		fflush(p->out);
	}
	p->drawn_ns = 0;
}
