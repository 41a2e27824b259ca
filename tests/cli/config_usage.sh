# Bad usage exits with 2 and says what was expected.
export EPTSIM_CONFIGS="$TOP/configs"
for args in "config" "config check" "config chekc x" "list" "list cheese" \
	"list policies x" "list --json --markdown params" "list costs nowhere" \
	"config check --bogus x"; do
	# shellcheck disable=SC2086 # a list of words
	"$EPTSIM" $args >/dev/null 2>err
	echo "$args: $? $(sed -n '1s/^[^:]*: //p' err)"
done
