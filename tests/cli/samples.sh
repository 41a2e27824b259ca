# The shipped recordings are what their README says: nothing lost, two CPUs,
# 6 VMs of 2 vCPUs, enough pCPU changes under churn; and "info" counts what
# plain awk counts in the same text.
samples=$TOP/traces/samples
bad=0

complain() {
	echo "$*"
	bad=1
}

# field NAME: a number out of the report of the sample in hand
field() {
	sed -n "s/^ *\"$1\": *\([0-9]*\).*/\1/p" info.json | head -n 1
}

# want NAME VALUE
want() {
	[ "$(field "$1")" = "$2" ] || complain "$kind: $1 is $(field "$1"), expected $2"
}

# counted TEXT: the number that summary.awk puts in front of TEXT
counted() {
	sed -n "s/.*\(^\|[ ,]\)\([0-9]*\) $1.*/\2/p" summary | head -n 1
}

for kind in quiet churn; do
	"$EPTSIM" info --strict --json=info.json "$samples/$kind.txt.zst" \
		>table 2>&1 || { cat table; complain "$kind: info failed"; continue; }
	for count in lost_events lost_markers broken torn skipped unordered; do
		want $count 0
	done
	grep -q '"brackets": true' info.json || complain "$kind: no KVM_RUN brackets"
	[ "$(grep -c 'CPU [01]/KVM$' table)" = 12 ] || complain "$kind: not 12 vCPUs"
	[ "$(grep -c '"assumed": false' info.json)" = 6 ] || complain "$kind: not 6 known VMs"

	command -v zstd >/dev/null || continue
	zstd -q -d -c "$samples/$kind.txt.zst" >text
	awk -f "$samples/summary.awk" text >summary || complain "$kind: unpaired switches"
	want switches "$(counted switches,)"
	want sched_ins "$(counted 'switch-ins of vCPUs')"
	want pcpu_changes "$(counted 'pCPU changes')"
	want migrate_hints "$(counted 'migrate hints')"
done

# The last one looked at is churn, ten seconds long.
[ "$(field pcpu_changes)" -ge 2000 ] || complain "churn: under 200 pCPU changes per second"
exit $bad
