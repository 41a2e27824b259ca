# litmus: every shipped test as expected; a counterexample replays to its verdict;
# a wrong expectation is 1, a broken file 2 with every complaint.
"$EPTSIM" litmus >out 2>err || { echo "shipped tests: status $?"; cat out err; }
tail -n 1 out | grep -q ' 0 not$' || cat out
awk 'length > 80 { print "too wide: " $0 }' out

"$EPTSIM" explore -p per-root-mask --with change --out found.json >/dev/null
"$EPTSIM" litmus found.json -p per-root-mask,per-root-mask-clear --story >out 2>err ||
	echo "counterexample: status $?"
grep -q '^counterexample  *I1   ok$' out || cat out
grep -q 'from now on nobody may use' err || cat err
grep -q '"schedule"' found.json || cat found.json

sed 's/"per-root-mask": "I1"/"per-root-mask": "clean"/' found.json >wrong.json
"$EPTSIM" litmus wrong.json --tap --junit j.xml >out 2>&1
echo "wrong: $?"
cat out
grep -c '<failure' j.xml

sed 's/sched_in 1/sched_in 7/; s/vcpu 0 sched_out/vcpu 0 sched_uot/' found.json |
	awk '/"schedule"/ { print "\"programs\": [],"; } 1' >broken.json
"$EPTSIM" litmus broken.json
echo "broken: $?"
sed 's/vcpu 0 sched_out/vcpu 9 run/; s/"I1"/"I9"/' found.json >broken.json
"$EPTSIM" config check broken.json
echo "broken: $?"
"$EPTSIM" litmus nofile.json
echo "no file: $?"
