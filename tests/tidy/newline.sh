#!/bin/sh
# Every text file ends with a newline.	usage: newline.sh FILE...
[ "$(tail -q -c 1 -- "$@" | tr -cd '\n' | wc -c)" = $# ] && exit
for f do
	[ ! -s "$f" ] || [ -z "$(tail -c 1 -- "$f")" ] || {
		echo "$f: no newline at the end"
		bad=1
	}
done
exit ${bad:-0}
