# The lists, as tables, JSON and Markdown.  What grows with every new policy or
# file is only looked into, not compared whole.
export EPTSIM_CONFIGS="$TOP/configs"
"$EPTSIM" list policies | awk '/^(name|global-flush) / { print $1, $2 }'
"$EPTSIM" list machines | awk '/^(name|icelake-sp) / { print $1, $2, $3 }'
"$EPTSIM" list workloads | awk '/^(scenario|recorded) / { print $1, $2 }'
"$EPTSIM" list invariants
"$EPTSIM" list params --markdown | sed -n 1,4p
"$EPTSIM" list costs icx-bare | awk '{ print $1, $2, $3, $4, $5 }' | sed -n 1,4p
"$EPTSIM" list costs "$TOP/configs/costs/icx-hyperv.json" |
	awk '$2 == "l0_trap" { print $1, $2, $6 }'
for what in policies costs machines workloads invariants params; do
	"$EPTSIM" list $what --json >$what.json || exit 1
	grep -q '^  {' $what.json || echo "$what: no entries"
done
EPTSIM_CONFIGS=/nowhere "$EPTSIM" list machines
