/* ftrace text: forced and, every other time, recognised by content. */
#include "tests/fuzz/fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_one(data, size, size % 2 ? "ftrace" : NULL);
}
