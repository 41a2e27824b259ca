# What a cleaned recording holds, counted from its text alone.  A change of
# pCPU is a switch-in on another CPU than the switch-in before; the time until
# a vCPU comes back to the CPU it left is what decides whether stale entries
# are still there.
# Every vCPU must go in and out by turns, on one CPU; if one does not, events
# are missing, and the exit status is 1.
# usage: awk -f summary.awk TEXT
function seconds(stamp,   part) {	# from the first event on
	split(stamp, part, "[.:]")
	if (base == "")
		base = part[1] + part[2] / 1e9
	return part[1] - base + part[2] / 1e9
}
# The columns from the id on: a name may hold blanks.
function columns(   n, id) {
	match($0, /[0-9]+\/-?[0-9]+ +\[[0-9]+\] /)
	n = split(substr($0, RSTART), col, " ")
	split(col[1], id, "/")
	tid = id[2] + 0
	cpu = substr(col[2], 2, length(col[2]) - 2) + 0
	return n
}
function switched_in(who) {
	ins++
	unpaired += (who in running_on) && running_on[who] != ""
	running_on[who] = cpu
	if ((who in on) && on[who] != cpu) {
		changes++
		left[who, on[who]] = now
		if ((who, cpu) in left) {
			away = now - left[who, cpu]
			returns++
			bin[away < 0.002 ? 0 : away < 0.010 ? 1 : away < 0.050 ? 2 : 3]++
		}
	}
	on[who] = cpu
}
function switched_out(who) {
	outs++
	unpaired += (who in running_on) && running_on[who] != cpu
	running_on[who] = ""
}
function loaded(who) {
	loads++
	if ((who in load_cpu) && load_cpu[who] != cpu)
		load_changes++
	load_cpu[who] = cpu
}
/PERF_RECORD_COMM: CPU / {
	split($NF, id, "[:/]")
	vcpu[id[length(id)]] = 1
	vms += !(id[length(id) - 1] in vm)
	vm[id[length(id) - 1]] = 1
	vcpus++
}
/^#/ || /PERF_RECORD_/ { next }
{ columns(); now = seconds(col[3]); cpus += !(cpu in seen); seen[cpu] = 1; events++ }
/sched_switch: / {
	match($0, / prev_pid=[0-9]+/)
	tid = substr($0, RSTART + 10, RLENGTH - 10) + 0
	switches++
	breaks += (cpu in running) && running[cpu] != tid
	if (tid in vcpu)
		switched_out(tid)
	match($0, / next_pid=[0-9]+/)
	next_tid = substr($0, RSTART + 10, RLENGTH - 10) + 0
	running[cpu] = next_tid
	if (next_tid in vcpu) {
		switched_in(next_tid)
		if (inside[next_tid])
			loaded(next_tid)
	}
	if ((tid in vcpu) && / prev_state=R/)
		preempted++
}
/sched_migrate_task: / { hints++ }
/kvm_fpu: load/ { runs++; inside[tid] = 1; loaded(tid) }
/kvm_fpu: unload/ { inside[tid] = 0 }
END {
	printf "%d CPUs, %d VMs, %d vCPUs, %.3f s, %d events\n", cpus, vms, vcpus, now, events
	printf "%d switches, %d chain breaks (others among themselves are not recorded)\n", switches, breaks
	printf "%d switch-ins of vCPUs, %d preemptions, %d migrate hints\n", ins, preempted, hints
	printf "%d KVM_RUN calls, %d loads, %d of them on another pCPU\n", runs, loads, load_changes
	printf "%d pCPU changes, %.1f per second\n", changes, changes / now
	printf "%d switches do not pair up: vCPUs go in and out by turns, on one CPU\n", unpaired
	printf "%d returns to the pCPU left before: %d within 2 ms, %d in 2..10 ms, %d in 10..50 ms, %d later\n",
		returns, bin[0], bin[1], bin[2], bin[3]
	exit unpaired > 0
}
