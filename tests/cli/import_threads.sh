# A table of threads brings names that a .vst does not have; the two go together
# all the same, here and in the .vst made of both.
"$EPTSIM" import "$TOP/traces/samples/quiet.txt.zst" -o plain.vst >out || echo "status $?"
for name in gimp gdb perl emacs cron; do
	n=$((${n:-0} + 1))
	echo "tgid 4711 tid $n comm $name"
done >table
"$EPTSIM" info plain.vst | sed 1d >without
"$EPTSIM" info --threads table plain.vst | sed 1d >with
"$EPTSIM" import --threads table plain.vst -o named.vst >out || echo "status $?"
"$EPTSIM" info named.vst | sed 1d >kept
# Nobody of the table runs a vCPU: but for the rows themselves, nothing changes.
grep -v '^records' without >wanted
for f in with kept; do
	grep -v '^records' $f | diff wanted - || echo "$f: other than without the table"
done
