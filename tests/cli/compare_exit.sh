# Exit status: 0 where verdicts are as expected or nothing is expected, 1 where
# one differs; run stops at the first finding with status 1, --keep-going plays
# to the end, and a clean run is 0.  Without checkers there is no verdict.
scenario=$TOP/tests/golden/small.json

expect() {
	wanted=$1
	shift
	"$EPTSIM" "$@" --csv csv >table 2>err
	status=$?
	[ "$status" = "$wanted" ] || { echo "$*: status $status, expected $wanted"; cat err; }
}
# cell N: the Nth column of the only row
cell() {
	sed -n 2p csv | cut -d, -f"$1"
}

expect 0 compare "$scenario" --policies never,per-root-gen
expect 1 compare "$scenario" --policies per-root-gen,never --set expect.per-root-gen='["I1"]'
grep -q 'per-root-gen: .*expect' table || { echo 'the table is silent about it:'; cat table; }
expect 0 compare "$scenario" --policies per-root-mask
expect 0 compare "$scenario" --policies never --no-checkers
grep -q 'not checked' table || { echo 'no word that nothing was checked:'; cat table; }
expect 1 run "$scenario" --policy never
[ "$(cell 8)" = no ] || echo 'run did not stop at the finding'
expect 1 run "$scenario" --policy never --keep-going
[ "$(cell 8)" = yes ] || echo 'run --keep-going stopped'
expect 0 run "$scenario" --policy per-root-gen
