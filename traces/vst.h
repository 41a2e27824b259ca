/*
 * .vst, the compact trace: the same records as any other format, in a tenth
 * of the bytes or less, with every form of damage detected.  Byte by byte in
 * traces/FORMAT.md.
 */
#ifndef TRACES_VST_H
#define TRACES_VST_H

#include "traces/trace.h"

struct err;
struct vst_writer;			/* opaque; one file being written */

/* What the format is made of; the reader and the writer share it. */
#define VST_MAGIC	"\x89VST\r\n\x1a\n"
#define VST_MAGIC_BYTES	8u
#define VST_VERSION	1u
#define VST_PREAMBLE_BYTES	16u
#define VST_SECTION_BYTES	16u
#define VST_BLOCK_RECORDS	65536u
#define VST_RAW_BYTES_MAX	(4u << 20)	/* of one section, unpacked */
#define VST_PACKED_BYTES_MAX	(5u << 20)

/* Columns of a block, in their order in the file. */
enum vst_column {
	VST_COL_KIND,			/* one byte: enum trace_kind */
	VST_COL_CPU,
	VST_COL_TIME,			/* zigzag difference to the one before */
	VST_COL_TID,
	VST_COL_TGID,
	VST_COL_COMM,			/* string id + 1; 0 is none */
	VST_COL_X,			/* by kind, see vst_kinds[] */
	VST_COL_Y,
	VST_COL_Z,			/* one byte */
	VST_COL_NR,
};

/**
 * struct vst_kind - which of the columns X, Y, Z a kind of record uses
 * @x: switch: next tid; migrate: from CPU; KVM: vCPU + 1; lost: count
 * @y: switch: next string id + 1; migrate: to CPU
 * @z: switch: previous state; task: 1 if born
 */
struct vst_kind {
	bool x, y, z;
};

extern const struct vst_kind vst_kinds[TRACE_KIND_NR];

/**
 * trace_vst_create() - start a compact trace
 * @path: where it will be after trace_vst_finish(); until then a temporary
 *        file beside it is written
 * @src: trace that the records come from; it resolves their names and must
 *       stay open until the writer is finished or aborted
 * @under: conditions of the recording
 * @out: set on success; the caller hands it to trace_vst_finish() or
 *       trace_vst_abort()
 * @err: set on failure
 *
 * Return: 0, -ENOMEM, or a negative errno of open(2) or write(2).
 */
int trace_vst_create(const char *path, const struct trace *src,
		     const struct trace_recorded_under *under,
		     struct vst_writer **out, struct err *err);

/**
 * trace_vst_append() - add a record
 * @w: writer
 * @rec: record of the trace given to trace_vst_create()
 * @err: set on failure
 *
 * Return: 0, or a negative errno of write(2).  After a failure only
 * trace_vst_abort() is left.
 */
int trace_vst_append(struct vst_writer *w, const struct trace_rec *rec,
		     struct err *err);

/**
 * trace_vst_finish() - complete the file and give it its name
 * @w: writer; released in any case
 * @counts: what the source held besides records
 * @err: set on failure
 *
 * Return: 0, or a negative errno of write(2) or rename(2); then no file is
 * left behind.
 */
int trace_vst_finish(struct vst_writer *w, const struct trace_counts *counts,
		     struct err *err);

/**
 * trace_vst_abort() - give up and remove the temporary file
 * @w: writer; NULL is allowed
 */
void trace_vst_abort(struct vst_writer *w);

/**
 * trace_vst_bytes() - size so far
 * @w: writer
 *
 * Return: bytes written to the temporary file.
 */
u64 trace_vst_bytes(const struct vst_writer *w);

#endif /* TRACES_VST_H */
