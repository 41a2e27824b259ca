#!/bin/sh
# Every header compiles alone, and twice over.	usage: headers.sh HEADER...
# environment: CC
jobs=$(nproc 2>/dev/null || echo 2)
printf '%s\n' "$@" | CC=${CC:-cc} xargs -r -P "$jobs" -I '{}' sh -c '
	printf "#include \"%s\"\n#include \"%s\"\n" "$1" "$1" |
	$CC -std=gnu11 -Wall -Wextra -Werror -I. -fsyntax-only -xc - ||
	{ echo "$1: does not compile alone and twice"; exit 1; }' sh '{}' 2>&1
