# The completion knows each command, option and policy that the program knows.
command -v bash >/dev/null || exit 0
cat >try.bash <<'END'
compopt() { :; }
source "$TOP/sim/cli/eptsim.bash"
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_eptsim
	printf '%s\n' "${COMPREPLY[@]}"
}
for command in compare run explore litmus import info config list; do
	complete_words "$EPTSIM" "" | grep -q -x -e $command || echo "command $command is missing"
	complete_words "$EPTSIM" $command -- | sort >known
	"$EPTSIM" $command --help | grep -o -e '^  *\(-., \)\? *--[a-z0-9-]*' |
		grep -o -e '--.*' | grep -v -x -e --usage | sort >real
	diff real known >diff || { echo "options of $command:"; cat diff; }
done
complete_words "$EPTSIM" compare --policies always,per-root-m
complete_words "$EPTSIM" list mach
END
EPTSIM=$EPTSIM exec bash try.bash
