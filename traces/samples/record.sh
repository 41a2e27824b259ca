#!/bin/sh
# usage: record.sh quiet|churn OUTDIR	(from anywhere; needs root and perf)
#
# Starts the VMs of vcpus.c, records ten seconds of their scheduling, and
# leaves OUTDIR/quiet.txt.zst or OUTDIR/churn.txt.zst: text of perf script in
# which every thread but those of vcpus is called "other".  Fails, and leaves
# nothing, when a single event was lost.
#
#   quiet	6 VMs of 2 vCPUs that mostly sleep, placed as the kernel likes
#   churn	the same VMs, wanting more CPU than there is, and a thread per VM
#		that moves each vCPU to another CPU every 16 ms on average
#
# DURATION	seconds (10)
# BUFFER_PAGES	of each CPU, a power of two (4096)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
kind=${1:-} out=${2:-}
duration=${DURATION:-10}
ours='"CPU*/KVM"'

case $kind in
quiet) load='--busy-us 300 --idle-us 20000 --spin 250' ;;
churn) load='--busy-us 2000 --idle-us 5000 --spin 2000 --churn 16' ;;
*) echo "usage: record.sh quiet|churn OUTDIR" >&2; exit 2 ;;
esac
[ -d "$out" ] || { echo "record.sh: \"$out\": expected a folder" >&2; exit 2; }

tmp=$(mktemp -d)
vms=
finish() {
	[ -z "$vms" ] || kill "$vms" 2>/dev/null || :
	rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT TERM

${CC:-cc} -std=gnu11 -O2 -I"$top" -o "$tmp/vcpus" "$here/vcpus.c" \
	"$top/sim/base/rng.c" "$top/sim/base/err.c" -lm -lpthread

: >"$tmp/started"
# $load is a list of words.
"$tmp/vcpus" --vms 6 --vcpus 2 --seed 1 --seconds 0 $load >"$tmp/started" &
vms=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	grep -q '^ready$' "$tmp/started" && break
	sleep 0.2
done
grep -q '^ready$' "$tmp/started" || { echo "record.sh: vcpus did not start" >&2; exit 1; }
grep '^tgid ' "$tmp/started" >"$tmp/threads"
sleep 1

# KVM_RUN brackets are worth having, but KVM may be absent or a module.
set --
if grep -q '^mode kvm$' "$tmp/started" &&
   perf list 2>/dev/null | grep -q 'kvm:kvm_fpu '; then
	set -- -e kvm:kvm_fpu --filter "comm ~ $ours"
fi
perf record -a --switch-events -k CLOCK_MONOTONIC -m "${BUFFER_PAGES:-4096}" \
	-e sched:sched_switch \
	--filter "prev_comm ~ $ours || next_comm ~ $ours" \
	-e sched:sched_migrate_task --filter "comm ~ $ours" "$@" \
	-o "$tmp/data" -- sleep $((duration + 2)) 2>"$tmp/log" || {
	cat "$tmp/log" >&2
	exit 1
}
kill "$vms"
wait "$vms" || { echo "record.sh: vcpus failed" >&2; exit 1; }
vms=

perf report --stats -i "$tmp/data" >"$tmp/stats" 2>/dev/null
if grep -i lost "$tmp/stats" "$tmp/log" >&2; then
	echo "record.sh: events were lost; set BUFFER_PAGES higher" >&2
	exit 1
fi
perf script --header --ns --show-switch-events --show-lost-events \
	-F comm,pid,tid,cpu,time,event,trace -i "$tmp/data" \
	>"$tmp/raw" 2>"$tmp/log" || { cat "$tmp/log" >&2; exit 1; }
awk -v skip=1 -v keep="$duration" -f "$here/clean.awk" "$tmp/threads" "$tmp/raw" >"$tmp/$kind.txt"

# The last word on what leaves the machine: nothing but these names.
if grep -vE '^#|^ *(other|swapper/[0-9]+|CPU [0-9]+/KVM) +[0-9]+/-?[0-9]+ ' \
	"$tmp/$kind.txt" >&2 ||
   grep -oE 'comm=.*' "$tmp/$kind.txt" | grep -oE 'comm=[^=]* [a-z_]*pid=' |
	grep -vE '^comm=(other|swapper/[0-9]+|CPU [0-9]+/KVM) ' >&2; then
	echo "record.sh: a name that should not be there" >&2
	exit 1
fi

awk -f "$here/summary.awk" "$tmp/$kind.txt" || {
	echo "record.sh: switches are missing" >&2
	exit 1
}
zstd -q -19 -f "$tmp/$kind.txt" -o "$tmp/$kind.txt.zst"
cp "$tmp/$kind.txt.zst" "$out/$kind.txt.zst"
