#!/bin/sh
# The verdict of each policy by exploration: for each kind of thing that may
# happen besides scheduling, the states of a machine that were all explored, or
# the length of the shortest schedule that breaks an invariant.
#   bench/verdicts/run.sh [--size PxMxC]... [--l0 NAME]... [--policies LIST]
#                         [--with WORDS]... [--invariant NAME] [--time S] [--mem MIB]
# --size: pCPUs, VMs, vCPUs of each (default 2x1x1); more than one may be given
# --l0: bare or hyperv (default both)
# --policies: names separated by commas (default: all)
# --with: what may happen, as for eptsim explore (default: a list, below)
# --invariant: judge one only
# --time: patience for one cell, in seconds (default 60)
# --mem: memory for one cell (default 4096)
# environment: EPTSIM (./eptsim)
#
# Prints Markdown tables.  A cell is a number of states, all of them explored
# and none in violation; or an invariant and the steps of the shortest schedule
# that breaks it, "<=" where a shorter one has not been ruled out; or ">" and
# the states seen when patience or memory ended, which proves nothing; or n/a.
set -eu
cd "$(dirname "$0")/../.."

# What the policies differ in, one or two at a time.  fault: what was zapped
# comes back, so that changes can go on for ever.
default_with='change,fault change,guest_flush guest_asks,pv_flush reload,change
apic_mode clear_dirty memslot hotplug,change nested_ept,nested_other nested_shadow'
eptsim=${EPTSIM:-./eptsim}
sizes='' l0s='' with='' policies=all time=60 mem=4096 invariant=''

usage() {
	sed -n 's/^#   \(bench.*\)/usage: \1/p; s/^#    *\(\[--with.*\)/       \1/p' "$0" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	[ $# -gt 1 ] || usage
	case $1 in
	--size) sizes="$sizes $2" ;;
	--l0) l0s="$l0s $2" ;;
	--with) with="$with $2" ;;
	--policies) policies=$2 ;;
	--invariant) invariant=$2 ;;
	--time) time=$2 ;;
	--mem) mem=$2 ;;
	*) usage ;;
	esac
	shift 2
done
: "${sizes:=2x1x1}" "${l0s:=bare hyperv}" "${with:=$default_with}"
for size in $sizes; do
	case $size in
	[1-4]x[1-4]x[1-4]) ;;
	*) echo "error: --size: \"$size\"; expected pCPUs x VMs x vCPUs of each, as 2x1x1" >&2; exit 2 ;;
	esac
done
case $time in
''|0*|*[!0-9]*) echo "error: --time: \"$time\"; expected seconds" >&2; exit 2 ;;
esac
[ "$policies" != all ] ||
	policies=$("$eptsim" list policies | awk 'NR > 1 { printf "%s%s", comma, $1; comma = "," }')

# cell L0 SIZE WORDS POLICY
cell() {
	status=0
	timeout --foreground -s INT "$time" "$eptsim" explore --l0 "$1" --pcpus "${2%%x*}" \
		--vms "$(echo "$2" | cut -dx -f2)" --vcpus "${2##*x}" \
		--with "$3" --policy "$4" --mem "$mem" \
		${invariant:+--invariant "$invariant"} >"$out" 2>"$out.err" || status=$?
	case $status in
	0|1|3|124) ;;
	130) exit 130 ;;
	*) cat "$out.err" >&2; exit 2 ;;
	esac
	awk '
	function short(n) {
		if (n < 10000)
			return n
		if (n < 999500)
			return sprintf("%.0f k", n / 1000)
		return sprintf("%.2f M", n / 1000000)
	}
	/: n\/a: / { print "n/a"; exit }
	/ states, / {
		split($0, part, "; ")
		split(part[2], number, " ")
		depth = $0
		sub(/.*depth /, "", depth)
		sub(/,.*/, "", depth)
		if (!/: broken;/) {
			print (/: exhausted/ ? "" : "> ") short(number[1])
			exit
		}
	}
	/^  I[0-9]: / { broken = substr($1, 1, 2) }
	/a few steps shorter/ { longer = "<= " }
	END { if (broken) print "**" broken "** " longer depth }' "$out"
}

out=$(mktemp)
trap 'rm -f "$out" "$out.err"' EXIT
trap 'exit 130' INT TERM
for size in $sizes; do
	for l0 in $l0s; do
		echo "### $(echo "$size" | sed 's/\(.*\)x\(.*\)x\(.*\)/\1 pCPUs, \2 VMs, \3 vCPUs each/'), $l0${invariant:+, $invariant}"
		echo
		echo "| what may happen | $(echo "$policies" | sed 's/,/ | /g') |"
		echo "|---|$(echo "$policies" | sed 's/[^,]*,\{0,1\}/---|/g')"
		for words in $with; do
			printf '| %s |' "$words"
			for policy in $(echo "$policies" | tr , ' '); do
				is=$(cell "$l0" "$size" "$words" "$policy")
				printf ' %s |' "$is"
			done
			echo
		done
		echo
	done
done
