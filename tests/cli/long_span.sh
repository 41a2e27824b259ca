# Three switches within hours are simulated in full, which takes its time: that is
# said before it begins.  A span below an hour is nothing to speak of.
cpu='CPU 0/KVM 7/7 [000]'
in='prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R'
in="$in ==> next_comm=CPU 0/KVM next_pid=7 next_prio=120"
out='prev_comm=CPU 0/KVM prev_pid=7 prev_prio=120 prev_state=S'
out="$out ==> next_comm=swapper next_pid=0 next_prio=120"
# trace SECONDS
trace() {
	printf '%s %s: sched:sched_switch: %s\n' "$cpu" 1.000000 "$in" \
		"$cpu" 2.000000 "$out" "$cpu" $((1 + $1)).000000 "$in"
}
trace 3599 >short.txt
trace 3600 >long.txt
for name in short long; do
	for command in compare run; do
		echo "$command $name"
		"$EPTSIM" $command "$TOP/configs/scenarios/quiet.json" \
			--policies global-flush --trace $name.txt >table
	done
done 2>&1
