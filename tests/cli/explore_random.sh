# explore --random: big machines, the same bytes for the same seed, a story that
# is shrunk and can be shown again; and what goes wrong.
host='--pcpus 64 --vms 150 --vcpus 2'

. "$TOP/tests/cli/explore.inc"
# steady FILE: without what the clock says
steady() {
	sed 's/, [0-9.]* s, [0-9]* actions\/s//' "$1"
}

# shellcheck disable=SC2086 # lists of words
explore 1 -p per-root-mask --random 200 --seed 2 $host --with change,fault,guest_flush \
	--out found.json
has 'per-root-mask: broken in run ' ' of seed 2; ' '  I' 'may use' \
	' on 64 pCPUs, 150 VMs of 2 vCPUs to ' 'no single one can be left out' \
	'   1. pCPU ' '  show it again:'
[ ! -s err ] || { echo 'there is something on standard error:'; cat err; }
steady out >once

# shellcheck disable=SC2086
explore 1 -p per-root-mask --random 200 --seed 2 $host --with change,fault,guest_flush
steady out | cmp once -

# The command that is printed gives the same but for the number of runs.
# shellcheck disable=SC2046
explore 1 $(sed -n '/show it again/{n;s/^.* explore //;p;}' once)
steady out >again
sed 's/; [0-9]* runs*, [0-9]* actions//' once >a
sed 's/; [0-9]* runs*, [0-9]* actions//' again >b
diff a b

# The file is a test that holds.
"$EPTSIM" litmus found.json -p per-root-mask >out ||
	{ echo 'the file does not show it:'; cat out; }

# Bounds, L0 and what is left out come back in that command.
explore 1 -p never --random 50 --pcpus 9 --l0 hyperv --without fault,exit,pv_flush \
	--budget change=2,sched_in=9 --steps 700
has '--steps 700 --pcpus 9 --vms 1 --vcpus 1 --l0 hyperv --with guest_write,guest_flush,' \
	',hotplug --without exit --budget sched_in=9,change=2'
explore 1 -p never --random 300 --pcpus 4 --vcpus 2 --invariant I1
has ' I1: ' '--vcpus 2 --invariant I1'

# shellcheck disable=SC2086
explore 0 -p per-root-gen,per-root-mask-clear --random 10 --steps 500 $host \
	--with change,fault,guest_flush
has 'per-root-gen: no violation; 10 runs, 5000 actions' \
	'per-root-mask-clear: no violation; 10 runs, 5000 actions' \
	'that proves nothing'
explore 0 -p hypercall-broadcast --random 1
has 'hypercall-broadcast: n/a: '
explore 0 -p never --random 3 --without sched_in
has 'never: no violation; 3 runs, '

# A file that cannot be written does not keep the story from being told.
explore 2 -p never --random 50 --with change --out no/such/folder.json
has 'never: broken' '   1. pCPU ' 'show it again'
grep -q 'no/such/folder.json' err || cat err

refuse 'expected 1 to 1000000000' -p never --random 0
refuse 'expected 1 to 1000000000' -p never --random -1
refuse 'expected 1 to 1000000' -p never --random 1 --steps 0
refuse 'expected 1 to 1000000' -p never --random 1 --steps 1e3
refuse 'expected 0 to 18446744073709551615' -p never --random 1 --seed x
refuse 'expected 0 to 18446744073709551615' -p never --random 1 \
	--seed 18446744073709551616
refuse 'expected 1 to 1000000000' -p never --random 1 --first 0
refuse 'expected 1 to 256' -p never --random 1 --pcpus 257
refuse 'expected 1 to 512' -p never --vms 513 --random 1
refuse '--vms times --vcpus: 600 vCPUs; expected at most 512' -p never \
	--random 1 --vms 200 --vcpus 3
refuse 'expected 1 to 4' -p never --pcpus 64
refuse '--seed: only with --random' -p never --seed 3
refuse '--steps: only with --random' -p never --steps 3
refuse '--first: only with --random' -p never --first 3
for option in '--mem 100' '--roots 8' --mutate --no-symmetry --no-reduction; do
	# shellcheck disable=SC2086
	refuse "${option%% *}: not with --random" -p never --random 1 $option
done

# SIGINT ends the runs; what was done is told.
"$EPTSIM" explore -p always --random 1000000000 --steps 100 >out 2>err &
pid=$!
sleep 1
kill -INT $pid
wait $pid
status=$?
[ $status = 130 ] || echo "after SIGINT: status $status"
has 'always: interrupted, no violation; ' ' runs, '
