#!/bin/sh
# usage: replay.sh PROGRAM...
#
# Feeds each fuzz target its own seeds.  A sanitizer's complaint, a crash or a
# hang is a failure; what the seeds decode to is not judged here.
passed=0 failed=0
for program do
	name=${program##*/}
	for seed in tests/fuzz/corpus/"$name"/*; do
		[ -e "$seed" ] || continue
		if out=$(timeout 20 "$program" "$seed" 2>&1); then
			passed=$((passed + 1))
		else
			printf 'FAIL: %s %s\n%s\n' "$program" "$seed" "$out"
			failed=$((failed + 1))
		fi
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
