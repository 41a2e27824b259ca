# Same input, same bytes: twice over, checkers on or off, one policy or all.
cd "$TOP/tests/golden" || exit
json() {
	to=$OLDPWD/$1
	shift
	"$EPTSIM" compare small.json --json "$to" "$@" >/dev/null
}
json a --policies global-flush,per-root-mask
json b --policies global-flush,per-root-mask
json alone --policies per-root-mask
json unchecked --policies per-root-mask --no-checkers
json other --policies per-root-mask --seed 8
cd "$OLDPWD" || exit
cmp a b || exit

# figures FILE: what the one or last run of it cost
figures() {
	sed -n '/"policy": "per-root-mask"/,$p' "$1" |
		sed -n '/"counts": {/,/^      }/p; /"cycles": {/,/^      }/p'
}
for f in a alone unchecked other; do
	figures $f >$f.figures
done
[ -s a.figures ] || { echo 'no figures found'; exit 1; }
cmp a.figures alone.figures
cmp a.figures unchecked.figures
! cmp -s a.figures other.figures || echo 'another seed gives the same'
