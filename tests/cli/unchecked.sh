# Without checkers there is no verdict: none in the table, no clean bill in the
# results, and none of the complaints that a verdict differs.
"$EPTSIM" compare "$TOP/configs/scenarios/recorded.json" --no-checkers \
	-p never,per-root-mask --json r.json --csv r.csv >table || echo "status $?"
[ "$(grep -c 'not checked  ' table)" = 2 ] || { echo 'in the table:'; cat table; }
grep -e 'none seen' -e DIFFERS -e clean table
[ "$(grep -c '"found": null' r.json)" = 2 ] || echo 'JSON says something was found'
[ "$(grep -c ',not checked,' r.csv)" = 2 ] || echo 'CSV says something was found'
grep -q '"replay": .* --no-checkers' r.json || echo 'replay would check'
