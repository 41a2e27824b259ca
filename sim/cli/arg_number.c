#include "sim/cli/arg_number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

u64 arg_number(struct argp_state *state, const char *option, const char *arg,
	       u64 min, u64 max)
{
	char *end;
	u64 v;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (!isdigit((unsigned char)*arg) || *end || errno || v < min || v > max)
		argp_error(state, "--%s: \"%.40s\"; expected %llu to %llu",
			   option, arg, (unsigned long long)min,
			   (unsigned long long)max);
	return v;
}
