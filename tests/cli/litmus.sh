# litmus: every shipped test as expected; a counterexample replays to its verdict;
# a wrong expectation is 1, a broken file 2 with every complaint.
"$EPTSIM" litmus >out 2>err || { echo "shipped tests: status $?"; cat out err; }
tail -n 1 out | grep -q ' 0 not$' || cat out
awk 'length > 80 { print "too wide: " $0 }' out

"$EPTSIM" explore -p per-root-mask --with change --out found.json >/dev/null
"$EPTSIM" litmus found.json -p per-root-mask,per-root-mask-clear --story >out 2>err ||
	echo "counterexample: status $?"
# Another policy takes other steps, so it cannot follow this schedule.
grep -q '^counterexample  *I1    -$' out || cat out
grep -q 'from now on nobody may use' err || cat err
grep -q '"schedule"' found.json || cat found.json

sed 's/"per-root-mask": "I1"/"per-root-mask": "clean"/' found.json >wrong.json
"$EPTSIM" litmus wrong.json --tap --junit j.xml >out 2>&1
echo "wrong: $?"
cat out
grep -c '<failure' j.xml

# Its steps may be others tomorrow, so errors are made in one that stays.
cat >fixed.json <<'EOF'
{
	"name": "fixed", "l0": "bare", "pcpus": 2, "vms": 1, "vcpus": 1,
	"schedule": [
		"vcpu 0 sched_in 1",
		"vcpu 0 run",
		"vcpu 0 exit",
		"vcpu 0 run",
		"vcpu 0 sched_out"
	],
	"expect": {
		"per-root-mask": "I1"
	}
}
EOF
sed 's/sched_in 1/sched_in 7/; s/vcpu 0 sched_out/vcpu 0 sched_uot/' fixed.json |
	awk '/"schedule"/ { print "\"programs\": [],"; } 1' >broken.json
"$EPTSIM" litmus broken.json
echo "broken: $?"
sed 's/vcpu 0 sched_out/vcpu 9 run/; s/"I1"/"I9"/' fixed.json >broken.json
"$EPTSIM" config check broken.json
echo "broken: $?"
sed 's/"expect"/"faults": ["invept_single", "invept", 7], &/' fixed.json >broken.json
"$EPTSIM" config check broken.json
echo "broken: $?"
sed 's/"expect"/"faults": "invept_single", &/' fixed.json >broken.json
"$EPTSIM" config check broken.json
"$EPTSIM" litmus nofile.json
echo "no file: $?"

"$EPTSIM" litmus --junit fixed.json fixed.json
echo "results over a test: $?"

# A folder is its files.
mkdir folder
"$EPTSIM" litmus folder
echo "empty folder: $?"
cp fixed.json folder
"$EPTSIM" litmus folder fixed.json -p per-root-mask | grep -e '^fixed' -e verdicts

# programs STEP...: a test of one vCPU that does this
programs() {
	printf '{ "name": "t", "l0": "bare", "pcpus": 1, "vms": 1, "vcpus": 1,\n'
	printf '"programs": [ { "actor": "vcpu 0", "do": [ "sched_in 0"'
	printf ', "%s"' "$@"
	printf ' ] } ],\n"expect": { "always": "clean", "never": "clean" } }\n'
}
# Programs that cannot end have tested nothing, which is not "clean".
programs 'wait host 0 unmapped' exit >stuck.json
"$EPTSIM" litmus stuck.json -p always,global-flush | grep -e '^t' -e found -e verdicts
"$EPTSIM" litmus stuck.json -p always --tap
"$EPTSIM" litmus stuck.json -p always --junit j.xml >out
echo "stuck: $?"
grep -o '<failure message="[^"]*"' j.xml
# Both ways in which a guest flushes can happen.
for kind in 0 1; do
	programs 'wait in_guest' "guest_flush $kind" 'wait in_guest' >flush.json
	"$EPTSIM" litmus flush.json -p always,never >out || cat out
done
