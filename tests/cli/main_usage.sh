# What the program says about itself, and that nonsense is status 2 with a hint.
"$EPTSIM" --version | grep -q '^eptsim [0-9]*\.[0-9]*\.[0-9]* (.*)$' || exit
"$EPTSIM" --help | grep -q 'compare .*side by side' || exit

# refuse WORD...: status 2, nothing on standard output, the reason on standard error
refuse() {
	"$EPTSIM" "$@" >out 2>err
	status=$?
	echo "$* -> $status: $(head -n 1 err)"
	[ ! -s out ] || echo "  but it printed $(wc -l <out) lines"
}
refuse nonsense
refuse --nonsense
for command in compare run import info config list; do
	refuse $command --nonsense
	refuse $command
	"$EPTSIM" $command --help | grep -q '^Usage: eptsim '$command || echo "$command: no help"
done
