/*
 * .vst.  A random change to a zstd frame dies at its checksum, so the fuzzer
 * would never get past it: the input is a list of sections in the clear, which
 * are packed here.  Every other time the bytes are taken as they are.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/fuzz/fuzz_trace.h"
#include "traces/vst.h"

#define FILE_BYTES (1u << 20)

static const char *const tags[] = { "HEAD", "STRS", "RECS", "TAIL" };

static void put_u32(uint8_t *to, uint32_t val)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(val >> (8 * i));
}

/* A section: one byte of tag, two of items, two of length, then the bytes. */
static size_t pack_section(const uint8_t **p, const uint8_t *end, uint8_t *to,
			   size_t room)
{
	size_t len = (size_t)((*p)[3] | (*p)[4] << 8);
	const uint8_t *raw = *p + 5;
	size_t n;

	if (len > (size_t)(end - raw))
		len = (size_t)(end - raw);
	if (room < VST_SECTION_BYTES + ZSTD_compressBound(len))
		return 0;
	n = ZSTD_compress(to + VST_SECTION_BYTES, room - VST_SECTION_BYTES,
			  raw, len, 1);
	memcpy(to, tags[(*p)[0] % 4], 4);
	put_u32(to + 4, (uint32_t)n);
	put_u32(to + 8, (uint32_t)len);
	put_u32(to + 12, (uint32_t)((*p)[1] | (*p)[2] << 8));
	*p = raw + len;
	return VST_SECTION_BYTES + n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	static uint8_t file[FILE_BYTES];
	size_t at = VST_PREAMBLE_BYTES;

	if (size == 0 || data[0] & 1)
		return fuzz_one(data + (size > 0), size ? size - 1 : 0, "vst");
	memset(file, 0, VST_PREAMBLE_BYTES);
	memcpy(file, VST_MAGIC, VST_MAGIC_BYTES);
	file[8] = VST_VERSION;
	for (data++; end - data >= 5; ) {
		size_t n = pack_section(&data, end, file + at,
					FILE_BYTES - at);

		if (!n)
			break;
		at += n;
	}
	return fuzz_one(file, at, NULL);
}
