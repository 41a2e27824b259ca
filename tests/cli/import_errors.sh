# Every misuse of import and info is status 2, says why, and leaves no file.
mkdir there
: >empty
head -c 5000 "$TOP/tests/golden/small.vst" >cut.vst
head -c 100000 "$TOP/traces/samples/quiet.txt.zst" >cut.zst
printf 'no trace\nat all\n' >text

refuse() {
	"$EPTSIM" "$@" >there/out 2>there/err
	status=$?
	echo "$* -> $status" | sed "s,$PWD,HERE,"
	sed "/^Try \`/d; s,$PWD,HERE,; s,^,  ," there/err
	[ ! -s there/out ] || echo "  but it printed $(wc -l <there/out) lines"
}

refuse import
refuse import cut.vst
refuse import cut.vst cut.vst -o x.vst
for file in nofile . empty cut.vst cut.zst text; do
	refuse import $file -o x.vst
	refuse info $file
done
refuse import text -o x.vst --format nonsense
refuse import text -o x.vst --format vst
cp "$TOP/tests/golden/small.vst" small.vst
refuse import small.vst -o no/such/x.vst
refuse import small.vst -o .
refuse import small.vst -o x.vst --policy ''
refuse import small.vst -o x.vst --threads nofile
refuse import small.vst -o small.vst
refuse import small.vst -o ./there/../small.vst
refuse import small.vst --threads text -o text
refuse import small.vst -o ''
refuse import small.vst -o -
refuse import '' -o x.vst
refuse import small.vst -o x.vst --threads ''
refuse info ''
refuse info small.vst --threads ''
refuse info small.vst --json=
refuse info small.vst --json=small.vst
refuse info small.vst --intervals=$PWD/small.vst
refuse info small.vst --json=x --intervals=./x
refuse info small.vst --json=no/such/x.json
refuse info small.vst --intervals=.
refuse info small.vst --json --intervals
ls
cmp small.vst "$TOP/tests/golden/small.vst"
