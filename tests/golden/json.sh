# Every figure of two policies as JSON; touch, so that its estimates are in it
# too.  Left out: the commit, and the size of the state.
cd "$TOP/tests/golden" || exit
PATH=${EPTSIM%/*}:$PATH
eptsim compare small.json --policies per-root-mask,per-root-mask-clear \
	--set access_model=touch --json - 2>/dev/null >"$OLDPWD/json"
status=$?
grep -v -e '"commit":' -e '"world_bytes":' "$OLDPWD/json"
exit $status
