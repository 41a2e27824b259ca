/*
 * Bytes of a trace: a file, standard input or memory, with zstd and gzip
 * undone on the fly.  A stream with bounded memory: however large the file,
 * one block of it is held at a time.
 */
#ifndef TRACES_INPUT_H
#define TRACES_INPUT_H

#include <stddef.h>

#include "sim/base/types.h"

struct err;
struct input;				/* opaque; one open stream */

/* What input_peek() can show at most. */
#define INPUT_PEEK_MAX	65536u

/**
 * input_open() - open a file
 * @path: file, or "-" for standard input
 * @out: set on success; the caller hands it to input_close()
 * @err: set on failure
 *
 * The compression is recognised by its magic number, never by the file name.
 *
 * Return: 0; a negative errno of open(2); -EISDIR, -EIO, -ENOMEM; -EPROTO for
 * damaged compression.
 */
int input_open(const char *path, struct input **out, struct err *err);

/**
 * input_open_memory() - read from memory as if it were a file
 * @data: bytes, borrowed until input_close()
 * @len: bytes in @data
 * @out: set on success; the caller hands it to input_close()
 * @err: set on failure
 *
 * Return: 0; -ENOMEM; -EPROTO for damaged compression.
 */
int input_open_memory(const void *data, size_t len, struct input **out,
		      struct err *err);

/**
 * input_peek() - look at what comes next without consuming it
 * @in: stream
 * @data: set to the bytes, valid until the next call
 * @len: set to how many there are: up to INPUT_PEEK_MAX, fewer only at the
 *       end of the stream
 * @err: set on failure
 *
 * Return: 0; -EIO; -EPROTO for damaged compression.
 */
int input_peek(struct input *in, const char **data, size_t *len,
	       struct err *err);

/**
 * input_line() - take the next line
 * @in: stream
 * @line: set to its first byte, valid until the next call
 * @len: set to its length in bytes, without newline and carriage return
 * @err: set on failure
 *
 * The last line may lack its newline.  A line of more than TRACE_LINE_MAX
 * bytes is consumed whole and shown cut to that length; input_line_cut()
 * tells.
 *
 * Return: 1 with a line, 0 at the end, -EIO, -EPROTO for damaged compression.
 */
int input_line(struct input *in, const char **line, size_t *len,
	       struct err *err);

/**
 * input_line_cut() - was the last line too long
 * @in: stream
 *
 * Return: true if input_line() had to cut it.
 */
bool input_line_cut(const struct input *in);

/**
 * input_line_nr() - number of the last line
 * @in: stream
 *
 * Return: 1-based number; 0 before the first line.
 */
u64 input_line_nr(const struct input *in);

/**
 * input_read() - take an exact number of bytes
 * @in: stream
 * @dst: where to put them
 * @nr: bytes wanted
 * @err: set on failure
 *
 * Return: 1; 0 if the stream had ended before the first byte; -EPROTO if it
 * ends before the last one, or for damaged compression; -EIO.
 */
int input_read(struct input *in, void *dst, size_t nr, struct err *err);

/**
 * input_offset() - where the next byte stands
 * @in: stream
 *
 * Return: offset in the uncompressed stream, in bytes.
 */
u64 input_offset(const struct input *in);

/**
 * input_name() - what to call the stream in messages
 * @in: stream
 *
 * Return: path, "<stdin>" or "<memory>"; lives as long as @in.
 */
const char *input_name(const struct input *in);

/**
 * input_compression() - how the bytes were packed
 * @in: stream
 *
 * Return: "none", "zstd" or "gzip".
 */
const char *input_compression(const struct input *in);

/**
 * input_close() - release a stream
 * @in: stream; NULL is allowed
 */
void input_close(struct input *in);

#endif /* TRACES_INPUT_H */
