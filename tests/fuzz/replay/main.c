/*
 * Stands in for libFuzzer: hands files to a fuzz target once, so that seeds
 * and past findings are ordinary tests with any compiler.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A block of exactly the file's size, so that ASan sees a byte too far. */
static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	int ret = 1;

	if (!f) {
		perror(path);
		return 1;
	}
	if (!fseek(f, 0, SEEK_END))
		size = ftell(f);
	rewind(f);
	if (size >= 0)
		data = malloc(size ? (size_t)size : 1);
	if (data && fread(data, 1, (size_t)size, f) == (size_t)size) {
		LLVMFuzzerTestOneInput(data, (size_t)size);
		ret = 0;
	} else {
		perror(path);
	}
	free(data);
	fclose(f);
	return ret;
}

int main(int argc, char **argv)
{
	int ret = 0;

	for (int i = 1; i < argc; i++)
		ret |= replay(argv[i]);
	return ret;
}
