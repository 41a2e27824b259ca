#!/bin/sh
# Draws the figures of all shipped scenarios with every policy that applies.
# "make plots" builds the program and runs this.
#   bench/plots/run.sh [OUTDIR]                              (default out/plots)
set -eu

cd "$(dirname "$0")/../.."
eptsim=${EPTSIM:-./eptsim}
out=${1:-out/plots}
mkdir -p "$out"
for name in recorded recorded-hyperv quiet; do
	status=0
	"$eptsim" compare "configs/scenarios/$name.json" --policies all \
		--plot "$out/$name" >"$out/$name.txt" || status=$?
	# Status 1, another verdict than expected, is for "make test" to tell.
	[ "$status" -le 1 ] || exit "$status"
	printf '%s\n' "$out/$name/cycles.png" "$out/$name/rates.png"
done
