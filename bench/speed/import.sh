#!/bin/sh
# How fast traces are read: a generated perf script text, plain and packed, and
# the .vst made from it.  Figures are per second of CPU time of one core.
#   bench/speed/import.sh [LINES [PCPUS [VCPUS]]]      (default 2000000 64 300)
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
lines=${1:-2000000}
pcpus=${2:-64}
vcpus=${3:-300}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cd "$root"
cc=${CC:-gcc}
"$cc" -std=gnu11 -O2 -g -I. bench/speed/gen_perf_text.c sim/base/rng.c \
	sim/base/err.c -o "$dir/gen_perf_text" -lm
"$cc" -std=gnu11 -O2 -g -I. bench/speed/read_trace.c traces/*.c \
	sim/base/err.c -o "$dir/read_trace" -lzstd -lz
"$cc" -std=gnu11 -O2 -g -I. bench/speed/to_vst.c traces/*.c \
	sim/base/err.c -o "$dir/to_vst" -lzstd -lz

"$dir/gen_perf_text" "$lines" "$pcpus" "$vcpus" > "$dir/host.txt"
"$dir/to_vst" "$dir/host.txt" "$dir/host.vst"
zstd -q -3 "$dir/host.txt" -o "$dir/host.txt.zst" 2>/dev/null ||
	rm -f "$dir/host.txt.zst"
for file in "$dir"/host.txt "$dir"/host.txt.zst "$dir"/host.vst; do
	[ -e "$file" ] || continue
	printf '%s:\n' "${file##*/}"
	"$dir/read_trace" "$file"
done
