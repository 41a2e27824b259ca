#!/bin/sh
# usage: run.sh PROGRAM...	environment: FUZZ_SECONDS, for each program
#
# Fuzzes one target after the other and stops at the first finding, which is
# left under out/fuzz/findings/.  What is learned stays in out/fuzz/corpus/.
for program do
	name=${program##*/}
	learned=out/fuzz/corpus/$name
	findings=out/fuzz/findings/$name
	seeds=tests/fuzz/corpus/$name
	dict=tests/fuzz/$name.dict
	mkdir -p "$learned" "$findings"
	echo "== fuzz $name, ${FUZZ_SECONDS:-60} s"
	set -- "$learned"
	[ ! -d "$seeds" ] || set -- "$@" "$seeds"
	[ ! -e "$dict" ] || set -- -dict="$dict" "$@"
	"$program" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 \
		-rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
		-verbosity=0 -artifact_prefix="$findings/" "$@" || {
		echo "fuzz $name: found something, see $findings"
		exit 1
	}
done
echo "no finding"
