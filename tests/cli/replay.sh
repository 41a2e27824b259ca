# The command in the results gives the same again, called as the program was; a
# trace that came through a pipe is not in it, and it says so.
cp "$TOP/tests/golden/small.vst" .
sed 's,"\.\./\.\./,"'"$TOP"'/,' "$TOP/tests/golden/small.json" >s.json
mkdir 'my tools' && ln -s "$EPTSIM" 'my tools/sim' || exit
replay() {
	sed -n 's/^ *"replay": "\(.*\)".*/\1/p' "$1"
}

# again WORDS...: run, then run what the results say, then compare the two
again() {
	'./my tools/sim' "$@" --json first.json >first
	echo "$1 -> $?"
	replay first.json
	sh -c "$(replay first.json) --json second.json" >second
	cmp first.json second.json && cmp first second
	grep -A 2 'show it again' first | sed 3q
}
again compare s.json --policies per-root-mask,never --set workload.strict_per_s=3
again compare s.json --seed 3
again run s.json --policy never
again run s.json --policy never --keep-going

for how in '--trace -' '--set schedule.trace=-'; do
	PATH=${EPTSIM%/*}:$PATH eptsim compare s.json --policies never $how \
		--json piped.json <small.vst >table
	echo "compare $how -> $?"
	replay piped.json
	grep -A 3 'show it again' table
done
