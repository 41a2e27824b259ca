#!/bin/sh
# usage: all.sh "TITLE: COMMAND"...
#
# Runs the suites one after the other, each to its end whatever the others did,
# and adds up the "N passed, N failed" that each closes with.  A suite that
# closes with anything else, or exits nonzero with no failure to show for it,
# counts as one failure.
passed=0 failed=0
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

for suite do
	printf '== %s\n' "${suite%%: *}"
	{ sh -c "${suite#*: }"; echo "exit status $?"; } 2>&1 | tee "$log" |
		sed '$d'
	status=$(sed -n '$s/^exit status //p' "$log")
	last=$(tail -n 2 "$log" | head -n 1)
	p=${last%% passed, *} f=${last##* passed, } f=${f%% failed}
	case "$p$f" in
	*[!0-9]*|'')
		echo "FAIL: the suite ended with no result, exit status $status"
		p=0 f=1
		;;
	*)
		if [ "$status" != 0 ] && [ "$f" = 0 ]; then
			echo "FAIL: exit status $status"
			f=1
		fi
		;;
	esac
	passed=$((passed + p)) failed=$((failed + f))
done
echo "== all suites"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
