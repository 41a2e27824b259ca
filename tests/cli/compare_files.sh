# All forms of output at once; --json - moves the table to standard error; what
# exists is replaced, nothing else is left behind; pictures are PNG and SVG.
scenario=$TOP/tests/golden/small.json
two=global-flush,per-root-gen
echo old >r.json
"$EPTSIM" compare "$scenario" --policies $two --json r.json --csv r.csv \
	--timeline t.json --plot plots >table || exit
"$EPTSIM" compare "$scenario" --policies $two --json - >r2.json 2>table2 || exit
cmp r.json r2.json
cmp table table2
grep -q '"policy": "per-root-gen"' r.json || echo 'r.json is not the result'
[ "$(wc -l <r.csv)" = 3 ] || echo 'r.csv has not three lines'
head -c 1 t.json | grep -q '[[{]' || echo 't.json is no JSON'
ls -A . plots
head -c 8 plots/cycles.png | od -An -c
grep -c '<svg' plots/rates.svg
