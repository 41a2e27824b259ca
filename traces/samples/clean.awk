# What "perf script" printed, cut down to the threads of a table: other events
# go, other names become "other", and every line is written anew from numbers,
# so that nothing of the machine it was recorded on comes along but thread ids.
# Some kernels log no event while certain tasks are current, and so no switch
# away from them.  The PERF_RECORD_SWITCH row of the thread that comes in tells
# of it: then the switch is written from that row, with prev_state=R and
# prev_prio=120, which say nothing about that task.
# perf starts its events one after the other, so the beginning and the end of a
# recording are left out.
# usage: awk -v skip=SECONDS -v keep=SECONDS -f clean.awk THREADS TEXT
#   THREADS	lines "tgid N tid N comm NAME", as vcpus prints them
#   TEXT	perf script --ns -F comm,pid,tid,cpu,time,event,trace
#   		--show-switch-events --show-lost-events --header
function die(what) {
	printf "clean.awk: %s:%d: %s: %s\n", FILENAME, FNR, what, $0 >"/dev/stderr"
	failed = 1
	exit 1
}
# The number after KEY, which must stand in S once.
function number(s, key,   n, part) {
	n = split(s, part, " " key "=")
	if (n != 2)
		die("\"" key "=\" " (n - 1) " times")
	return part[2] + 0
}
function name(tid) {
	if (tid == 0)
		return "swapper/" (cpu + 0)
	return tid in comm ? comm[tid] : "other"
}
function put(text) {
	if (now < skip || now >= skip + keep)
		return
	printf "%16s %11s [%s] %s %26s %s\n", name(tid), ids, cpu, stamp, event, text
}
# prev_comm=X prev_pid=N prev_prio=N prev_state=S ==> next_comm=X ...
function put_switch(text,   half, next_pid, state) {
	if (split(text, half, " ==> next_comm=") != 2 ||
	    !match(half[1], / prev_state=[A-Za-z|+]+$/))
		die("not the text of the kernel (are plugins of libtraceevent installed?)")
	state = substr(half[1], RSTART + length(" prev_state="))
	next_pid = number(half[2], "next_pid")
	tid = number(half[1], "prev_pid")	# the column may say -1: gone already
	if (!(tid in comm) && !(next_pid in comm))
		return
	on[tid] = ""
	on[next_pid] = cpu
	put(sprintf("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> " \
		    "next_comm=%s next_pid=%d next_prio=%d", name(tid), tid,
		    number(half[1], "prev_prio"), state, name(next_pid),
		    next_pid, number(half[2], "next_prio")))
}
# "IN  prev pid/tid: 1/68" in the row of a thread of ours
function put_switch_in(text,   id, into) {
	if (on[tid] == cpu)
		return
	if (!match(text, /[0-9]+\/[0-9]+ *$/))
		die("\"IN prev pid/tid:\" without ids")
	into = tid
	on[into] = cpu
	ids = substr(text, RSTART)
	sub(/ *$/, "", ids)
	split(ids, id, "/")
	tid = id[2]
	event = "sched:sched_switch:"
	put(sprintf("prev_comm=%s prev_pid=%d prev_prio=120 prev_state=R ==> " \
		    "next_comm=%s next_pid=%d next_prio=120", name(tid), tid,
		    name(into), into))
	from_rows += now >= skip && now < skip + keep
}
function put_migrate(text,   pid) {
	pid = number(text, "pid")
	if (pid in comm)
		put(sprintf("comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d",
			    name(pid), pid, number(text, "prio"),
			    number(text, "orig_cpu"), number(text, "dest_cpu")))
}
BEGIN {
	line = "[0-9]+/-?[0-9]+ +\\[[0-9]+\\] +[0-9]+[.][0-9]+: +" \
	       "([a-z_]+:[a-z_]+:|PERF_RECORD_SWITCH_CPU_WIDE) "
}
FILENAME == ARGV[1] {
	if ($0 !~ /^tgid [0-9]+ tid [0-9]+ comm CPU [0-9]+\/KVM$/)
		die("not a line of the thread table")
	comm[$4] = $6 " " $7
	group[$4] = $2
	order[++nr] = $4
	next
}
FNR == 1 { print "# ========" }
/^# (os release|perf version|arch|nrcpus online|clockid frequency) :/ { print; next }
/^#/ || /^$/ { next }
# The rows that perf makes up for threads that were there before it.
!started {
	print "# ========"
	for (i = 1; i <= nr; i++)
		printf "%16s %5d/%-5d [000] %5d.%09d: PERF_RECORD_COMM: %s:%d/%d\n",
			comm[order[i]], 0, 0, 0, 0, comm[order[i]],
			group[order[i]], order[i]
	started = 1
}
/ PERF_RECORD_LOST/ { die("events were lost: record with larger buffers") }
/ PERF_RECORD_/ && !/ PERF_RECORD_SWITCH_CPU_WIDE IN / { next }
{
	if (!match($0, line))
		die("not a line of perf script")
	text = substr($0, RSTART + RLENGTH)
	split(substr($0, RSTART, RLENGTH), field, " ")
	ids = field[1]
	split(ids, id, "/")
	tid = id[2]
	cpu = substr(field[2], 2, length(field[2]) - 2)
	stamp = field[3]
	if (stamp !~ /[.][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]:$/)
		die("a time without nanoseconds")
	split(stamp, part, "[.:]")
	if (base == "")
		base = part[1] + part[2] / 1e9
	now = part[1] - base + part[2] / 1e9
	event = field[4]
	if (event == "sched:sched_switch:")
		put_switch(text)
	else if (event == "sched:sched_migrate_task:")
		put_migrate(text)
	else if (event == "PERF_RECORD_SWITCH_CPU_WIDE") {
		if (tid in comm)
			put_switch_in(text)
	} else if (event != "kvm:kvm_fpu:" || text !~ /^(un)?load *$/)
		die("an event that was not asked for")
	else if (tid in comm)
		put(text)
}
END {
	if (failed)
		exit 1
	printf "%d switches written from PERF_RECORD_SWITCH rows\n", from_rows >"/dev/stderr"
	if (now < skip + keep) {
		print "clean.awk: the recording is too short" >"/dev/stderr"
		exit 1
	}
	if (!started) {
		print "clean.awk: no event at all" >"/dev/stderr"
		exit 1
	}
}
