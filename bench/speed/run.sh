#!/bin/sh
# How fast eptsim is and what it holds, on one core.  "make bench" builds what is
# needed and runs this.
#   bench/speed/run.sh [--json FILE] [--runs N] [--quick]
# --runs: how often each figure is measured (default 3; what takes long, once).
# --quick: the big trace is a tenth as long.
#
# Every figure is CPU time of the whole command: reading the trace, playing it,
# ranking the policies and printing included.
set -eu

cd "$(dirname "$0")/../.."
eptsim=${EPTSIM:-./eptsim}
tools=${TOOLS:-out/plain/bench/speed}
work=${WORK:-out/bench}
json='' runs=3 part=1
while [ $# -gt 0 ]; do
	case $1 in
	--json) json=${2:?--json needs a file}; shift ;;
	--runs) runs=${2:?--runs needs a number}; shift ;;
	--quick) part=10 ;;
	*) echo "usage: bench/speed/run.sh [--json FILE] [--runs N] [--quick]" >&2; exit 2 ;;
	esac
	shift
done
mkdir -p "$work"
rows=$work/rows.tsv
: >"$rows"

# measure N COMMAND...: sets least, median, most (CPU seconds) and kib
measure() {
	took=$("$tools/stopwatch" "$@")
	set -- $took
	least=$1 median=$2 most=$3 kib=$4
}

# calc EXPRESSION: awk's arithmetic
calc() {
	awk "BEGIN { printf \"%.6g\", $1 }"
}

# figure FILE KEY: a number out of the JSON of one run; keys are unique there
figure() {
	sed -n "s/^ *\"$2\": *\([0-9.]*\).*/\1/p" "$1" | head -n 1
}

# row NAME VALUE UNIT [LOW HIGH [PEER PEER_VALUE]]
row() {
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4-}" "${5-}" \
		"${6-}" "${7-}" >>"$rows"
	awk -v name="$1" -v v="$2" -v unit="$3" -v lo="${4-}" -v hi="${5-}" \
		-v peer="${6-}" -v pv="${7-}" '
	function show(x) {
		if (x >= 1e9) return sprintf("%.3g G", x / 1e9)
		if (x >= 1e6) return sprintf("%.3g M", x / 1e6)
		if (x >= 1e4) return sprintf("%.3g k", x / 1e3)
		return sprintf("%.3g ", x)
	}
	BEGIN {
		printf "%-46s %10s%-14s", name, show(v), unit
		if (lo != "") printf " %8s.. %s", show(lo), show(hi)
		if (peer != "") printf "  %s: %s(x %.3g)", peer, show(pv), pv ? v / pv : 0
		printf "\n"
	}'
}

head_line() {
	printf '\n%s\n' "$*"
}

# speed NAME JSON: rates of the run just measured, which JSON describes
speed() {
	host=$(calc "$(figure "$2" pcpus) * $(figure "$2" simulated_ns) / 1e9")
	steps=$(figure "$2" micro_steps)
	row "$1: time" "$median" s "$least" "$most" ${3+"$3"} ${4+"$4"}
	row "$1: simulated" "$(calc "$host / $median")" 'pCPU-s/s' \
		"$(calc "$host / $most")" "$(calc "$host / $least")"
	row "$1: micro-steps" "$(calc "$steps / $median")" '/s' \
		"$(calc "$steps / $most")" "$(calc "$steps / $least")"
}

samples() {
	head_line "Shipped samples, per-root-mask-clear, checkers on ($runs runs)"
	for sample in quiet churn; do
		scenario=configs/scenarios/quiet.json
		[ $sample = quiet ] || scenario=configs/scenarios/recorded.json
		for model in touch exact; do
			n=$runs
			[ $sample$model != churnexact ] || n=1
			f=$work/$sample-$model.json
			measure "$n" "$eptsim" compare $scenario \
				--policies per-root-mask-clear \
				--set access_model=$model --json "$f"
			speed "$sample, $model" "$f"
			[ $sample$model = churntouch ] || continue
			touch_s=$median
		done
	done
	exact_s=$median
}

# Relative error of touch in one figure, in percent.
off() {
	calc "100 * ($(figure "$work/churn-touch.json" "$1") / $(figure "$work/churn-exact.json" "$1") - 1)"
}

touch_against_exact() {
	head_line 'touch against exact, churn sample'
	row 'touch: faster than exact' "$(calc "$exact_s / $touch_s")" times
	for key in tlb_misses stlb_hits walk overhead_cycles; do
		row "touch: $key off by" "$(off $key)" %
	done
}

checkers() {
	head_line "Checkers, churn sample, touch ($runs runs)"
	measure "$runs" "$eptsim" compare configs/scenarios/recorded.json \
		--policies per-root-mask-clear --no-checkers
	row 'checkers on: time' "$touch_s" s '' '' off "$median"
}

together() {
	head_line "Eight policies, churn sample on hyperv, touch ($runs runs; alone 1)"
	policies=$("$eptsim" list policies | sed '1d; s/ .*//')
	measure "$runs" "$eptsim" compare configs/scenarios/recorded-hyperv.json \
		--policies all
	one=$median lo=$least hi=$most sum=0
	for p in $policies; do
		measure 1 "$eptsim" run configs/scenarios/recorded-hyperv.json \
			--keep-going --policy "$p"
		sum=$(calc "$sum + $median")
	done
	row 'eight policies in one compare' "$one" s "$lo" "$hi" 'eight runs' "$sum"
}

big() {
	trace=$work/big-$part.vst
	[ -e "$trace" ] || "$tools/gen_trace" --seconds $((60 / part)) \
		--switches $((5000000 / part)) -o "$trace" >/dev/null 2>&1
	head_line "Generated trace: 64 pCPUs, 300 vCPUs, $((60 / part)) s, $((5 / part)).$((50 / part % 10)) M switches; touch, checkers on (1 run)"
	measure 1 "$eptsim" info "$trace"
	row 'big: reading the trace alone' "$median" s
	for p in $policies; do
		case $p in hypercall-broadcast) continue ;; esac
		f=$work/big-$p.json
		measure 1 "$eptsim" compare configs/scenarios/big.json \
			--trace "$trace" --policies "$p" --json "$f"
		speed "big, $p" "$f" aim $((10 / part))
	done
	row 'big: memory of the process' "$(calc "$kib * 1024")" bytes
	measure 1 "$eptsim" compare configs/scenarios/big.json --trace "$trace" \
		--policies per-root-gen --no-checkers
	row 'big, per-root-gen: checkers off, time' "$median" s
}

# world PCPUS VMS VCPUS: bytes of state of a host of that size, into $bytes
world() {
	"$tools/gen_trace" --pcpus "$1" --vms "$2" --vcpus "$3" --seconds 1 \
		--switches 2000 -o "$work/size.vst" >/dev/null 2>&1
	"$eptsim" compare configs/scenarios/big.json --trace "$work/size.vst" \
		--policies per-root-gen --json "$work/size.json" >/dev/null
	bytes=$(figure "$work/size.json" world_bytes)
}

memory() {
	head_line 'State of a run (world_bytes), 96 pages per vCPU'
	world 64 20 40
	base=$bytes
	world 128 20 40
	row 'memory per pCPU' "$(calc "($bytes - $base) / 64")" bytes
	world 64 40 80
	row 'memory per VM of two vCPUs' "$(calc "($bytes - $base) / 20")" bytes
}

import() {
	lines=$((1000000 / part))
	text=$work/host.txt
	head_line "Import, $lines generated lines of perf script ($runs runs)"
	"$tools/gen_perf_text" "$lines" 64 300 >"$text"
	measure "$runs" "$eptsim" import "$text" -o "$work/host.vst"
	row 'import: text to .vst' "$(calc "$lines / $median")" lines/s \
		"$(calc "$lines / $most")" "$(calc "$lines / $least")"
	if command -v zstd >/dev/null; then
		zstd -q -f -3 "$text" -o "$text.zst"
		measure "$runs" "$eptsim" import "$text.zst" -o "$work/host.vst"
		row 'import: packed text to .vst' "$(calc "$lines / $median")" \
			lines/s "$(calc "$lines / $most")" "$(calc "$lines / $least")"
	fi
	measure "$runs" "$eptsim" info "$work/host.vst"
	row 'info: .vst to schedule' "$(calc "$lines / $median")" records/s \
		"$(calc "$lines / $most")" "$(calc "$lines / $least")"
	rm -f "$text" "$text.zst"
}

write_json() {
	[ -n "$json" ] || return 0
	awk -F '\t' '
	function text(s) { return s == "" ? "null" : "\"" s "\"" }
	function number(s) { return s == "" ? "null" : s }
	BEGIN { print "[" }
	{
		printf "%s\t{ \"name\": %s, \"value\": %s, \"unit\": %s, \"low\": %s, \"high\": %s, \"peer\": %s, \"peer_value\": %s, \"ratio\": %s }",
			(NR > 1 ? ",\n" : ""), text($1), number($2), text($3), number($4),
			number($5), text($6), number($7),
			($7 > 0 ? sprintf("%.6g", $2 / $7) : "null")
	}
	END { print "\n]" }' "$rows" >"$json"
}

printf '%s, %s\n' "$("$eptsim" --version)" \
	"$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
printf 'median, then least .. greatest\n'
samples
touch_against_exact
checkers
together
memory
import
big
write_json
