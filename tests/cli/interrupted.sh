# SIGINT: status 130, what was done is kept and marked partial.  The run would
# take minutes; it is interrupted as soon as its files have been opened.
"$EPTSIM" compare "$TOP/configs/scenarios/recorded.json" --policies all \
	--set access_model=exact --json r.json --csv r.csv >table 2>err &
pid=$!
tries=0
until [ -n "$(find . -name '*r.csv*' -o -name '*r.*.csv*')" ] || [ $tries = 20 ]; do
	sleep 0.5
	tries=$((tries + 1))
done
sleep 0.3
kill -INT $pid
wait $pid
echo "status $?"
cat err
head -n 1 table | grep -o 'PARTIAL.*'
grep -o '"partial": true' r.json
ls -A
