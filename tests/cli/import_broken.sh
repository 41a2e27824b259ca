# A broken line among good ones is counted and shown with its number; --strict
# makes it fatal and leaves no file.

# switch MICROSECONDS TEXT: a line of perf script
switch() {
	printf '%s %s %s\n' "       CPU 0/KVM  1001/1011  [000]    10.000$1:" \
		'      sched:sched_switch:' "$2"
}
in='prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==>'
in="$in next_comm=CPU 0/KVM next_pid=1011 next_prio=120"
out='prev_comm=CPU 0/KVM prev_pid=1011 prev_prio=120 prev_state=S ==>'
out="$out next_comm=swapper/0 next_pid=0 next_prio=120"

{ switch 100000 "$in"; switch 200000 "$out"; } >good.txt
{
	switch 100000 "$in"
	switch 150000 'prev_comm=CPU 0/KVM prev_pid='
	switch 200000 "$out"
} >broken.txt
"$EPTSIM" import good.txt -o good.vst 2>&1
"$EPTSIM" import broken.txt -o broken.vst 2>&1
"$EPTSIM" info broken.vst | grep -e '^broken' -e '^sched-ins'
"$EPTSIM" import broken.txt -o strict.vst --strict 2>&1
echo "status $?"
"$EPTSIM" info broken.txt --strict 2>&1
echo "status $?"
ls
