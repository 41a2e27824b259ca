# Every misuse of compare and run is status 2, says why, and comes before the
# runs: no table, nothing written.
mkdir here there
cp "$TOP/tests/golden/small.vst" here
sed 's,"\.\./\.\./,"'"$TOP"'/,' "$TOP/tests/golden/small.json" >here/s.json
: >here/empty
head -c 5000 here/small.vst >here/cut.vst
cd here || exit

refuse() {
	"$EPTSIM" "$@" >../there/out 2>../there/err
	status=$?
	echo "$* -> $status" | sed "s,$PWD,HERE,"
	sed "/^Try \`/d; s,$PWD,HERE,; s,^,  ," ../there/err
	[ ! -s ../there/out ] || echo "  but it printed $(wc -l <../there/out) lines"
}

refuse compare
refuse compare nofile.json
refuse compare .
refuse compare empty
refuse compare s.json s.json
refuse compare s.json --trace nofile
refuse compare s.json --trace .
refuse compare s.json --trace empty
refuse compare s.json --trace cut.vst
refuse compare s.json --trace s.json
refuse compare s.json --threads nofile
refuse compare s.json --set nonsense=1
refuse compare s.json --set workload.working_set_page=1
refuse compare s.json --set workload.working_set_pages=99999999999999999999999
refuse compare s.json --set workload.accesses_per_us=-1
refuse compare s.json --set workload.strict_per_s=1e999
refuse compare s.json --set pcpus=3
refuse compare s.json --set pcpus=8193
refuse compare s.json --set seed
refuse compare s.json --set =3
refuse compare s.json --set a..b=1
refuse compare s.json --set a.b=1
refuse compare s.json --set a.b[0]=1
refuse compare s.json --seed=-1
refuse compare s.json --seed x
refuse compare s.json --seed 99999999999999999999
refuse compare s.json --policies ''
refuse compare s.json --policies never,
refuse compare s.json --policies nonsense
refuse compare s.json --policies never,never
refuse compare s.json --policies hypercall-broadcast,hypercall-broadcast:migrate=none
refuse compare s.json --policies hypercall-broadcast:migrate=none:migrate=invept-single
refuse compare s.json --policies hypercall-broadcast:migrate=foo
refuse compare s.json --policies per-root-mask:nonsense=1
refuse compare s.json --policies per-root-mask:
refuse compare s.json --json no/such/folder.json
refuse compare s.json --json .
refuse compare s.json --csv .
refuse compare s.json --timeline .
refuse compare s.json --json same --csv same
refuse compare s.json --json - --timeline -
refuse compare s.json --plot empty
refuse compare s.json --plot no/such/folder
refuse compare ''
refuse compare s.json --trace ''
refuse compare s.json --threads ''
refuse compare s.json --json ''
refuse compare s.json --csv ''
refuse compare s.json --timeline ''
refuse compare s.json --plot ''

# What the run reads must not be overwritten, whatever it is called.
ln small.vst linked.vst
ln -s s.json symbolic.json
mkdir plots
ln -s ../small.vst plots/rates.tsv
cp "$TOP/configs/machines/icelake-sp.json" machine.json
cp "$TOP/configs/costs/icx-hyperv.json" costs.json
refuse compare s.json --json s.json
refuse compare s.json --csv ./symbolic.json
refuse compare s.json --timeline "$PWD/small.vst"
refuse compare s.json --trace small.vst --json linked.vst
refuse compare s.json --threads empty --csv empty
refuse compare s.json --set machine=machine.json --csv machine.json
refuse compare s.json --set costs=costs.json --json costs.json
refuse compare s.json --plot plots
refuse compare s.json --json new.json --csv ../here/new.json
refuse compare s.json --json plots/cycles.svg --plot plots
refuse run s.json --policy never --json s.json
refuse compare s.json --trace - --json small.vst <small.vst
rm -r plots linked.vst symbolic.json machine.json costs.json
cmp small.vst "$TOP/tests/golden/small.vst"

refuse run s.json
refuse run s.json --policy all
refuse run s.json --policy never,always
refuse run s.json --set l0.flush_hypercall=false --policy hypercall-broadcast
ls -A
