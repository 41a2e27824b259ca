#!/bin/sh
# bench/peers: do the models build and agree, and would it be noticed if not?
# Verdicts and counts at the smallest size; times decide nothing.
# usage: run.sh	(from the top of the tree)
# environment: EPTSIM (the program), CC; SPIN and RUMUR as for bench/peers/explorer
: "${EPTSIM:?is the program under test}"
peers=$PWD/bench/peers
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C WORK="$work/built"
passed=0 failed=0

# check NAME COMMAND...: a test, which passes if COMMAND succeeds
check() {
	name=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		passed=$((passed + 1))
	else
		cat "$work/log"
		echo "FAIL: $name"
		failed=$((failed + 1))
	fi
}

# status WANTED TEXT COMMAND...: it exits with WANTED and says TEXT
status() {
	wanted=$1 text=$2 came=0
	shift 2
	said=$("$@" 2>&1) || came=$?
	printf '%s\nexit status %s, expected %s and "%s"\n' "$said" $came "$wanted" "$text"
	[ $came = "$wanted" ] && printf '%s\n' "$said" | grep -q -F -e "$text"
}

# facts WANTED: of the output on standard input
facts() {
	came=$(awk -f "$peers/facts.awk")
	echo "\"$came\", expected \"$1\""
	[ "$came" = "$1" ]
}

spin_output() {
	facts "$1" <<X
$2
State-vector 28 byte, depth reached 87, errors: $3
      461 states, stored
     1175 states, matched
     1636 transitions (= stored+matched)
X
}

rumur_output() {
	printf '\nStatus:\n\n\t%s found.\n\nState Space Explored:\n\n\t%s in 0s.\n' \
		"$2" '3553 states, 13906 rules fired' | facts "$1"
}

# table SED: the table of results that agree, changed by SED
table() {
	printf '%s\t%s\t%s\t%s\t%s\n' \
		one 'bare 2x2x1' per-root-mask '0.1 900' 'broken 30 40 14' \
		one 'bare 2x2x1' per-root-mask-clear '0.1 900' 'exhausted 50 60 0' \
		two 'bare 2x2x1' per-root-mask-clear '0.1 900' 'exhausted 50 60 0' \
		two 'bare 2x2x1' per-root-mask-clear '0.2 900' 'exhausted 50 60 0' \
		eptsim 'machine 2x1' per-root-mask-clear '0.1 900' 'exhausted 9 9 0' |
		sed "$1" >"$work/results"
	printf 'a hazard\t9\tyes\n' | sed "$1" >"$work/hazard"
	awk -F '\t' -v json="$work/rows" -f "$peers/table.awk" "$work/results" "$work/hazard"
}

# rows FILE: one JSON object a line, with the keys that were promised
rows() {
	awk 'BEGIN {
		x = "[0-9.e+-]+"
		row = "^\t[{] \"name\": \"[^\"]+\", \"value\": " x ", \"unit\": \"[^\"]+\", " \
			"\"low\": (null|" x "), \"high\": (null|" x "), " \
			"\"peer\": (null|\"[^\"]+\"), \"peer_value\": (null|" x "), " \
			"\"ratio\": (null|" x ") [}],?$"
	}
	/^\t/ { n++; if ($0 !~ row) { print; bad = 1 } }
	END { print NR " lines, " n " rows"; exit bad || !n || n != NR - 2 }' "$1"
}

without_a_spin() {
	SPIN=no-such-program status 0 'spin skipped: not installed' \
		"$peers/explorer" --quick
}

# An eptsim that finds nothing wrong with anything
wrong_eptsim() {
	printf '#!/bin/sh\necho "$3: exhausted, no violation; 9 states, 9 transitions, depth 9"\n' \
		>"$work/eptsim"
	chmod +x "$work/eptsim"
	EPTSIM=$work/eptsim SPIN=no-such-program status 1 \
		'eptsim, machine 2x1, per-root-mask: exhausted; expected broken' \
		"$peers/explorer" --quick
}

check 'a violation that Spin finds is read as one' spin_output 'broken 461 1635 75' \
	'pan:1: assertion violated (cached[at[0]]>=acked) (at depth 74)
Warning: Search not completed' 1
check 'a search that Spin ends is read as exhausted' spin_output 'exhausted 461 1635 87' '' 0
check 'a search that Spin cuts short is not' spin_output 'unknown 461 1635 87' \
	'error: max search depth too small' 0
check 'a violation that Rumur finds is read as one' \
	rumur_output 'broken 3553 13906 0' '1 error(s)'
check 'a search that Rumur ends is read as exhausted' \
	rumur_output 'exhausted 3553 13906 0' 'No error'
check 'no output is no verdict' facts 'unknown 0 0 0' </dev/null
check 'results that agree pass' status 0 'The explorers agree' table ''
check 'their rows are JSON' rows "$work/rows"
check 'a broken policy that looks sound is noticed' status 1 \
	'one, bare 2x2x1, per-root-mask: exhausted; expected broken' table 's/broken/exhausted/'
check 'a sound policy that looks broken is noticed' status 1 \
	'eptsim, machine 2x1, per-root-mask-clear: broken; expected exhausted' \
	table 's/exhausted 9/broken 9/'
check 'another number of states is noticed' status 1 \
	'two, bare 2x2x1, per-root-mask-clear: states 51; expected 50' \
	table '/^two/s/50 60/51 60/'
check 'a round that counts otherwise is noticed' status 1 '51 states, 50 before' \
	table '/0.2 900/s/50 60/51 60/'
check 'a hazard that is not found is noticed' status 1 'a hazard: not found' \
	table 's/yes/no/'
check 'no round is no measurement' status 2 '--rounds: "0"; expected' \
	"$peers/explorer" --rounds 0
check 'a folder that is not there is noticed before anything is run' status 2 \
	'--json: ' "$peers/explorer" --json "$work/none/rows.json"
check 'an eptsim that is not there is named' status 2 'no-such-program: cannot be run' \
	env EPTSIM=./no-such-program "$peers/explorer" --quick
check 'without Spin the rest is compared' without_a_spin
check 'an eptsim with another verdict is noticed' wrong_eptsim
if command -v "${SPIN:-spin}" >/dev/null; then
	check 'the model in Spin finds what the C search finds' status 0 \
		'The explorers agree' "$peers/explorer" --quick --json "$work/quick.json"
	check 'a whole run leaves rows of JSON' rows "$work/quick.json"
else
	echo 'skipped: the model in Spin; spin is not installed (apt-get install spin)'
fi
command -v "${RUMUR:-rumur}" >/dev/null ||
	echo 'skipped: the model in Rumur; rumur is not installed (apt-get install rumur)'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
