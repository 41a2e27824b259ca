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
	echo "$* -> $status"
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
refuse compare s.json --seed x
refuse compare s.json --seed 99999999999999999999
refuse compare s.json --policies ''
refuse compare s.json --policies never,
refuse compare s.json --policies nonsense
refuse compare s.json --policies never,never
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
refuse run s.json
refuse run s.json --policy all
refuse run s.json --policy never,always
refuse run s.json --set l0.flush_hypercall=false --policy hypercall-broadcast
ls -A
