#!/bin/sh
# usage: check.sh PROGRAM...
#
# Runs libcheck programs, several at once, from the top of the tree.  Shows one
# line for each, all of its output when something failed, and the sum.
if [ "$1" = --one ]; then
	src=tests/${3#*/tests/}.c
	export CK_TIMEOUT_MULTIPLIER=15	# sanitizers are slow, and so are some machines
	export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
	export UBSAN_OPTIONS=print_stacktrace=1
	log=$2/$(echo "$src" | tr / _)
	"$3" >"$log" 2>&1
	status=$?
	# ThreadSanitizer of older compilers dislikes much address randomisation.
	if grep -q 'unexpected memory mapping' "$log"; then
		setarch -R "$3" >"$log" 2>&1
		status=$?
		grep -Eq 'unexpected memory mapping|^setarch:' "$log" && status=skip
	fi
	echo "exit status $status" >>"$log"
	exit 0
fi

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
jobs=$(nproc 2>/dev/null || echo 2)
printf '%s\n' "$@" | xargs -r -P "$jobs" -n 1 "$0" --one "$dir"

passed=0 failed=0
for program do
	src=tests/${program#*/tests/}.c
	log=$dir/$(echo "$src" | tr / _)
	if [ "$(tail -n 1 "$log")" = "exit status skip" ]; then
		echo "${src%.c}: skipped, its sanitizer does not start here"
		continue
	fi
	sum=$(awk -F '[:,]' '/^[0-9]+%: Checks: / {
			n++; checks += $3; failures += $5; errors += $7
		} END { if (n && checks) print checks, failures, errors }' "$log")
	# shellcheck disable=SC2086 # three numbers or nothing
	set -- ${sum:-0 0 1}
	bad=$(($2 + $3))
	if [ "$bad" = 0 ] && [ "$(tail -n 1 "$log")" != "exit status 0" ]; then
		bad=1
	fi
	if [ "$bad" != 0 ]; then
		echo "--- $program"
		cat "$log"
	fi
	good=$(($1 - $2 - $3))
	[ "$good" -ge 0 ] || good=0
	printf '%s: %d passed, %d failed\n' "${src%.c}" "$good" "$bad"
	passed=$((passed + good)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
