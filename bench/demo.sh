#!/bin/sh
# The first thing to look at: both shipped recordings are imported, and the flush
# policies are compared on the one with many migrations, on bare metal and in a
# Hyper-V guest.  "make demo" builds the program and runs this.
#   bench/demo.sh [OUTDIR]                                   (default out/demo)
# Exit status: 0 if every verdict is what the scenario expects, else the
# greatest that eptsim gave.
set -u

cd "$(dirname "$0")/.." || exit 2
eptsim=${EPTSIM:-./eptsim}
out=${1:-out/demo}
policies=global-flush,hypercall-broadcast,per-root-mask
policies=$policies,active-roots,per-root-mask-clear,per-root-gen
worst=0

say() {
	printf '\n== %s\n\n' "$*"
}

# Status 1, a verdict that was not expected, does not end the demo; the rest does.
run() {
	"$eptsim" "$@"
	status=$?
	[ "$status" -le 1 ] || exit "$status"
	[ "$status" -le "$worst" ] || worst=$status
}

# compare L0 SCENARIO
compare() {
	run compare "configs/scenarios/$2.json" --trace "$out/churn.vst" \
		--policies "$policies" --plot "$out/$1" \
		--json "$out/$1/results.json" --csv "$out/$1/results.csv"
}

mkdir -p "$out/bare" "$out/hyperv" || exit 2
say 'Two recordings of vCPU threads: text becomes compact .vst'
for name in quiet churn; do
	run import "traces/samples/$name.txt.zst" -o "$out/$name.vst"
done
for name in quiet churn; do
	printf '\n'
	run info "$out/$name.vst" >"$out/$name.info"
	sed '/^$/,$d' "$out/$name.info"
done

say 'Ten seconds of churn, KVM on bare metal'
compare bare recorded
say 'The same ten seconds, KVM in a Hyper-V guest'
compare hyperv recorded-hyperv

say 'Written'
for dir in bare hyperv; do
	printf '%s\n' "$out/$dir/cycles.png  where guest time is lost" \
		"$out/$dir/rates.png   flushes over time" \
		"$out/$dir/            the same as .svg, results.json, results.csv"
done
if [ "$worst" = 0 ]; then
	printf '\n%s\n' 'Every verdict is the one its scenario expects.'
else
	printf '\n%s\n' 'Some verdict is not the one its scenario expects: see above.'
fi
exit "$worst"
