#!/bin/sh
# usage: run.sh [-u] NAME.sh...
#
# Runs each test in a fresh directory, with EPTSIM (the program) and TOP (the
# top of the tree) in the environment and nothing on standard input.
#
#   NAME.out	what it must print, to the byte; unchecked if absent
#   NAME.err	the same for standard error
#   NAME.exit	its exit status; 0 if absent
#
# -u rewrites the .out and .err files that exist: touch one to begin with.
update=
if [ "$1" = -u ]; then
	update=1
	shift
fi
: "${EPTSIM:?is the program under test}" "${TOP:?is the top of the tree}"
export EPTSIM TOP
export LC_ALL=C TZ=UTC
unset CDPATH

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# compare WANTED GOT: show how they differ; with -u make them the same
compare() {
	[ -e "$1" ] || return 0
	if [ -n "$update" ]; then
		cmp -s "$1" "$2" || { cp "$2" "$1" && echo "rewrote $1"; }
		return 0
	fi
	diff -u --label "$1" --label "what came" "$1" "$2"
}

# run FILE: true if the test in FILE passes
run() {
	base=${1%.sh} ok=0
	case $1 in /*) script=$1 ;; *) script=$PWD/$1 ;; esac
	rm -rf "$work/dir" && mkdir "$work/dir" || return 1
	(cd "$work/dir" && exec sh "$script") \
		</dev/null >"$work/out" 2>"$work/err"
	status=$?
	wanted=0
	[ ! -e "$base.exit" ] || wanted=$(cat "$base.exit")
	if [ "$status" != "$wanted" ]; then
		echo "$1: exit status $status, expected $wanted"
		ok=1
	fi
	compare "$base.out" "$work/out" || ok=1
	compare "$base.err" "$work/err" || ok=1
	if [ "$ok" != 0 ] && [ ! -e "$base.err" ] && [ -s "$work/err" ]; then
		sed 's/^/stderr: /' "$work/err"
	fi
	return "$ok"
}

for test do
	if run "$test"; then
		passed=$((passed + 1))
	else
		echo "FAIL: $test"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
