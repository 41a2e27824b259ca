#!/bin/sh
# usage: run.sh	(from the top of the tree)	environment: CC
#
# Every check of the source is a test: it passes when it has nothing to say.
# Before that, each check has to find what is wrong with a small bad file.
here=tests/tidy
passed=0 failed=0

# check NAME COMMAND...
check() {
	name=$1
	shift
	if out=$("$@" 2>&1); then
		passed=$((passed + 1))
	else
		printf '%s\nFAIL: %s\n' "$out" "$name"
		failed=$((failed + 1))
	fi
}

lib() { awk -f $here/lib.awk -f "$here/$1.awk" $source; }
layers() { awk -f $here/layers.awk $here/layers.txt $source; }
headers() { $here/headers.sh $header; }
words() { awk -f $here/words.awk $text; }
newline() { $here/newline.sh $text; }
unused() { awk -f $here/unused.awk $source Makefile; }
shells() {
	command -v shellcheck >/dev/null || return 0
	shellcheck -s sh -S warning $shell
}
textform() { awk -f $here/lib.awk -f $here/text.awk $text; }

# No file name in the tree has a blank; this is a check too.
blanks() { ! find sim models traces configs tests bench -name '*[[:space:]]*' | grep .; }

source=$(find sim models traces tests bench -name '*.[ch]' 2>/dev/null | sort)
header=$(find sim models traces -name '*.h' | sort)
shell=$(find .ci/run tests bench traces sim configs -name '*.sh' -o -path .ci/run \
	-o -path bench/peers/explorer 2>/dev/null | sort)
text=$(find Makefile ./*.md LICENSE .clang-format .gitignore .ci sim models \
	traces configs tests bench -type f \( -name '*.[ch]' -o -name '*.sh' -o \
	-name '*.awk' -o -name '*.md' -o -name '*.json' -o -name '*.py' -o \
	-name '*.gp' -o -name '*.pml' -o -name '*.m' -o -path bench/peers/explorer -o \
	-name '*.1' -o -name '*.bash' -o -path '.ci/run' -o -name Makefile -o \
	-name LICENSE -o -name layers.txt -o -name '.[cg]*' \) \
	! -path 'tests/fuzz/corpus/*' 2>/dev/null | sort)

check "file names" blanks
check layers layers
check headers headers
check kernel-doc lib docs
check "lengths and levels" lib length
check "banned calls" lib banned
check "numbers in charges" lib charge
check "form of lines" textform
check "last line ends" newline
check "words and paths" words
check "unused headers" unused
check "shell scripts" shells

out=$($here/selftest.sh)
[ "$out" != "${out##*FAIL}" ] && echo "$out"
last=$(echo "$out" | tail -n 1)
passed=$((passed + ${last%% passed*}))
last=${last##*, }
failed=$((failed + ${last%% failed}))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
