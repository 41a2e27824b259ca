/*
 * Two tables: magic numbers at fixed offsets, and words of text lines.  A row
 * of text counts the lines it matches among the first that are no comment,
 * and wins when they are half of them.
 */
#define _GNU_SOURCE
#include "traces/foreign.h"

#include <string.h>

#include "traces/scan.h"

#define LINES_LOOKED_AT	32
#define BINARY_LOOKED_AT	4096

#define PERF_HINT \
	"'perf script --ns -F comm,pid,tid,cpu,time,event,trace --show-task-events -i FILE > FILE.txt'"
#define FTRACE_HINT \
	"record /sys/kernel/tracing/trace_pipe with the default options"

struct magic {
	size_t offset;
	const char *bytes;
	size_t len;
	const char *what;
};

#define MAGIC(off, bytes, what) { off, bytes, sizeof(bytes) - 1, what }

#define CTF_HINT \
	"a CTF trace (LTTng, perf data convert); not read here: record with perf or trace-cmd, or convert a perf.data by " PERF_HINT
#define PERF_DATA \
	"perf.data, which perf itself must decode: run " PERF_HINT
#define HTML \
	"a systrace HTML page; not read here: save the ftrace text inside it (the lines 'comm-pid [cpu] ...') as a file of its own"

static const struct magic magics[] = {
	MAGIC(0, "PERFILE2", PERF_DATA),
	MAGIC(0, "2ELIFREP", PERF_DATA " (written on a big-endian host)"),
	MAGIC(0, "\x17\x08\x44tracing",
	      "trace.dat of trace-cmd, which trace-cmd must decode: run 'trace-cmd report -t -N FILE > FILE.txt'"),
	MAGIC(0, "\x75\xd1\x1d\x57", "the metadata of " CTF_HINT),
	MAGIC(0, "\x57\x1d\xd1\x75", "the metadata of " CTF_HINT),
	MAGIC(0, "/* CTF 1.8", "the metadata of " CTF_HINT),
	MAGIC(0, "\xc1\x1f\xfc\xc1", "a stream of " CTF_HINT),
	MAGIC(0, "\xc1\xfc\x1f\xc1", "a stream of " CTF_HINT),
	MAGIC(0, "\xc1\xf1\xdc\xc1", "the index of " CTF_HINT),
	MAGIC(257, "ustar",
	      "a tar archive (SchedViz?); not read here: unpack it; of a SchedViz folder the per-CPU files are raw ring-buffer pages, so record ftrace text instead"),
	MAGIC(0, "TRACE:\n",
	      "compressed atrace output; not read here: run 'atrace' without -z"),
	MAGIC(0, "\x28\xb5\x2f\xfd",
	      "zstd data inside zstd or gzip data: unpack one layer"),
	MAGIC(0, "\x1f\x8b\x08",
	      "gzip data inside zstd or gzip data: unpack one layer"),
	MAGIC(0, "BZh", "bzip2 data: run 'bunzip2' first, or pack with zstd"),
	MAGIC(0, "\xfd" "7zXZ", "xz data: run 'unxz' first, or pack with zstd"),
	MAGIC(0, "PK\x03\x04", "a zip archive: unpack it first"),
	MAGIC(0, "<!DOCTYPE html", HTML),
	MAGIC(0, "<!DOCTYPE HTML", HTML),
	MAGIC(0, "<html", HTML),
	MAGIC(0, "<?xml",
	      "XML (Trace Compass?); not read here: give the original recording as text"),
	MAGIC(0, "<trace",
	      "XML (Trace Compass); not read here: give the original recording as text"),
	MAGIC(0, "\xff\xfe", "UTF-16 text: convert it by 'iconv -f UTF-16 -t UTF-8'"),
	MAGIC(0, "\xfe\xff", "UTF-16 text: convert it by 'iconv -f UTF-16 -t UTF-8'"),
};

static bool is_number(const char *p, const char *end, size_t fields)
{
	u64 num;

	for (size_t i = 0; i < fields; i++) {
		p = scan_u64(scan_spaces(p, end), end, &num);
		if (!p)
			return false;
	}
	return scan_starts(p, end, " type: ");
}

static bool has(const char *p, const char *end, const char *word)
{
	return p && memmem(p, (size_t)(end - p), word, strlen(word));
}

/* "18379 0 983361334331 type: 374" */
static bool line_raw(const char *p, const char *end)
{
	return is_number(p, end, 3);
}

/* "sched_switch: prev_comm=..." with nothing before it */
static bool line_no_context(const char *p, const char *end)
{
	return scan_starts(p, end, "sched_") &&
	       (has(p, end, ": comm=") || has(p, end, ": prev_comm="));
}

/* "CPU 1/TC-18379     0dN.4. 983361334us#: sched_wakeup: ..." */
static bool line_latency(const char *p, const char *end)
{
	const char *us = memmem(p, (size_t)(end - p), "us", 2);

	for (; us; us = memmem(us + 2, (size_t)(end - us - 2), "us", 2)) {
		if (us > p && scan_is_digit(us[-1]) && end - us > 4 &&
		    us[3] == ':' && us[4] == ' ')
			return true;
	}
	return false;
}

/* "     943.188912 [0000]  perf[18747]   0.000 ..." */
static bool line_timehist(const char *p, const char *end)
{
	const char *cpu = memmem(p, (size_t)(end - p), " [", 2);
	u64 ns, num;

	if (!cpu || !scan_time_back(p, cpu, &ns))
		return false;
	p = scan_u64(cpu + 2, end, &num);
	return p == cpu + 6 && scan_starts(p, end, "] ");
}

static bool line_timehist_head(const char *p, const char *end)
{
	return has(p, end, "task name") && has(p, end, "run time");
}

static bool line_timehist_summary(const char *p, const char *end)
{
	return has(p, end, "comm  parent   sched-in");
}

/* "   B0 *F0     943.209313 secs " */
static bool line_map(const char *p, const char *end)
{
	const char *secs = memmem(p, (size_t)(end - p), " secs", 5);
	u64 ns;

	return secs && has(p, end, "*") && scan_time_back(p, secs, &ns);
}

static bool line_sched_latency(const char *p, const char *end)
{
	return has(p, end, "|") && (has(p, end, "Runtime ms") ||
				    has(p, end, "max start:"));
}

static bool line_kvm_stat(const char *p, const char *end)
{
	return has(p, end, "VM-EXIT") && has(p, end, "Samples");
}

/* "0x428@perf.data [0x190]: event: 69", ". ... raw event: size 400 bytes" */
static bool line_perf_dump(const char *p, const char *end)
{
	return has(p, end, "]: event: ") || scan_starts(p, end, ". ");
}

static bool line_evlist(const char *p, const char *end)
{
	return has(p, end, "sample_type: ") && has(p, end, "size: ");
}

/* "2021-12-12 16:11:10.214139  <...> 206966 .N.. [017] 155.4: ..." */
static bool line_perf_prof(const char *p, const char *end)
{
	return end - p > 26 && p[4] == '-' && p[7] == '-' && p[13] == ':' &&
	       p[16] == ':' && p[19] == '.' && has(p, end, "] ");
}

/* Lines of a JavaScript string: each ends in the characters \\n\\ */
static bool line_js(const char *p, const char *end)
{
	return end - p > 3 && memcmp(end - 3, "\\n\\", 3) == 0;
}

struct shape {
	bool (*match)(const char *p, const char *end);
	bool heading;			/* one such line is enough */
	const char *what;
};

static const struct shape shapes[] = {
	{ line_raw, false,
	  "ftrace text made with options/raw, which hides the fields: 'echo 0 > options/raw', then " FTRACE_HINT },
	{ line_no_context, false,
	  "ftrace text made with options/context-info off, so it has no time and no CPU: 'echo 1 > options/context-info', then " FTRACE_HINT },
	{ line_latency, false,
	  "ftrace text in latency format (or a console dump), which cuts names and counts time from an unknown start: 'echo 0 > options/latency-format', then " FTRACE_HINT },
	{ line_timehist_head, true,
	  "perf sched timehist output, a summary; give the recording itself: " PERF_HINT },
	{ line_timehist, false,
	  "perf sched timehist output, a summary; give the recording itself: " PERF_HINT },
	{ line_timehist_summary, true,
	  "perf sched timehist --summary output; give the recording itself: " PERF_HINT },
	{ line_map, false,
	  "perf sched map output, which reuses its task codes; give the recording itself: " PERF_HINT },
	{ line_sched_latency, true,
	  "perf sched latency output, sums per task; give the recording itself: " PERF_HINT },
	{ line_kvm_stat, true,
	  "perf kvm stat output, sums per exit reason; give the recording itself: " PERF_HINT },
	{ line_perf_dump, false,
	  "a perf script -D dump; leave out -D: " PERF_HINT },
	{ line_evlist, false,
	  "perf evlist output, a list of events; give the recording itself: " PERF_HINT },
	{ line_js, false,
	  "ftrace text cut out of a systrace page as JavaScript, each line with an extra '\\n\\' at its end: remove it by \"sed 's/.n.$//'\"" },
	{ line_perf_prof, false,
	  "perf-prof output (wall-clock date first); not read here: record with perf, then " PERF_HINT },
};

static const char *recognise_magic(const char *head, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		const struct magic *m = &magics[i];

		if (len >= m->offset + m->len &&
		    memcmp(head + m->offset, m->bytes, m->len) == 0)
			return m->what;
	}
	return NULL;
}

/* Keys of JSON stand in double quotes, those Python prints in single ones. */
static const char *recognise_braces(const char *head, size_t len)
{
	const char *p = head + 1, *end = head + len;

	if (!len || *head != '{')
		return NULL;
	while (p < end && *p && strchr(" \t\r\n", *p))
		p++;
	if (scan_starts(p, end, "'") || scan_starts(p, end, "u'"))
		return "a Python dictionary (atrace run by a script); not read here: give the ftrace text inside it (the lines 'comm-pid [cpu] ...') as a file of its own";
	return "JSON (Chrome trace, perf data convert --to-json); it lacks the fields of sched_switch: give the original recording as text";
}

static const char *recognise_shape(const char *head, size_t len)
{
	const char *end = head + len;
	size_t hits[ARRAY_SIZE(shapes)] = { 0 };
	size_t lines = 0;

	for (const char *p = head; p < end && lines < LINES_LOOKED_AT; ) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		if (p < stop && (*p != '#' || line_js(p, stop)) &&
		    !scan_starts(p, stop, "CPU:")) {
			lines++;
			for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
				hits[i] += shapes[i].match(p, stop);
		}
		p = nl ? nl + 1 : end;
	}
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (hits[i] && (shapes[i].heading || 2 * hits[i] >= lines))
			return shapes[i].what;
	return NULL;
}

/* Trace.packet of the protobuf: field 1, length-delimited, again and again. */
static bool is_perfetto(const char *head, size_t len)
{
	size_t at = 0;
	size_t packets = 0;

	while (at < len && packets < 4) {
		size_t size = 0;
		unsigned int shift = 0;

		if (head[at++] != 0x0a)
			return false;
		for (; at < len && shift < 28; shift += 7) {
			size |= (size_t)(head[at] & 0x7f) << shift;
			if (!(head[at++] & 0x80))
				break;
		}
		if (shift >= 28)
			return false;
		at += size;
		packets++;
	}
	return packets > 1 || at > len;
}

static const char *recognise_binary(const char *head, size_t len)
{
	if (!memchr(head, '\0', min_u64(len, BINARY_LOOKED_AT)))
		return NULL;
	if (is_perfetto(head, len))
		return "a Perfetto protobuf trace; not read here: convert it by 'traceconv systrace FILE FILE.txt'";
	return "a binary file of no known kind (raw ring-buffer pages of a per_cpu/cpuN/trace_pipe_raw?); expected ftrace text, perf script text or .vst";
}

const char *foreign_recognise(const char *head, size_t len)
{
	static const char vst[] = "\x89VST";
	const char *what;

	if (len >= 4 && memcmp(head, vst, 4) == 0)
		return NULL;
	what = recognise_magic(head, len);
	if (!what)
		what = recognise_braces(head, len);
	if (!what)
		what = recognise_binary(head, len);
	return what ? what : recognise_shape(head, len);
}
