# The same on bare metal, where vCPUs also run an L2: hazard A shows there, and
# the hypercall does not apply.
cd "$TOP/tests/golden" || exit
PATH=${EPTSIM%/*}:$PATH
eptsim compare small.json --set costs=../../configs/costs/icx-bare.json \
	--set l0.kind=bare --set l0.serial_teardown=false \
	--set l0.shadow_shared=false --set l0.flush_hypercall=false \
	--set workload.nested_per_s=20 \
	>"$OLDPWD/table"
status=$?
sed 1d "$OLDPWD/table"
exit $status
