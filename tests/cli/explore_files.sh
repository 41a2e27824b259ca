# explore --svg, --dot and --json say what the text says; what is misused is 2
# before anything is explored, and leaves nothing behind.
mask='-p per-root-mask --with change'

# complain WORD...: what is wrong here
complain() {
	echo "$*"
}
# refuse TEXT ARGUMENT...: status 2, TEXT on standard error, no output, no file
refuse() {
	text=$1
	shift
	mkdir empty
	(cd empty && exec "$EPTSIM" explore "$@" >../out 2>../err)
	status=$?
	[ $status = 2 ] || complain "$*: status $status"
	grep -q -F -e "$text" err || { complain "$*: no \"$text\" in:"; cat err; }
	[ ! -s out ] || { complain "$*: it printed:"; cat out; }
	rmdir empty || { complain "$*: it left files"; rm -rf empty; }
}

# shellcheck disable=SC2086 # a list of words
"$EPTSIM" explore $mask --svg a.svg --dot a.dot --json a.json --out a.litmus >story 2>err
[ $? = 1 ] || complain 'not broken'
[ ! -s err ] || cat err
[ -z "$(find . -name '.*.*' -type f)" ] || complain 'temporary files are left'
# shellcheck disable=SC2086
"$EPTSIM" explore $mask --svg b.svg --dot b.dot --no-reduction >/dev/null
cmp a.svg b.svg
cmp a.dot b.dot

if command -v xmllint >/dev/null; then
	xmllint --noout a.svg
fi
if command -v dot >/dev/null; then
	dot -Tsvg -o dot.svg a.dot && grep -q '>pCPU 1<' dot.svg || complain 'dot does not draw it'
fi
# The numbers of the picture are those of the story, and so are the words that
# both have.
sed -n 's/^ *\([0-9]*\)\. .*/\1/p' story >numbers
[ "$(wc -l <numbers)" = 30 ] || cat story
sed -n 's/.*text-anchor="end" fill="#667085">\([0-9]*\)<.*/\1/p' a.svg | cmp - numbers
sed -n 's/.*label="\([0-9]*\)\. .*/\1/p' a.dot | sort -n | cmp - numbers
# box NUMBER: fill of the box of a step
box() {
	awk -v n=">$1</text>" '/<rect/ { box = $0 }
		/text-anchor="end"/ && index($0, n) { print box }' a.svg |
		sed 's/.* fill="\([^"]*\)".*/\1/'
}
# number TEXT: of the first step of the story that says so
number() {
	sed -n "s/^ *\([0-9]*\)\. .*$1.*/\1/p" story | head -n 1
}
# The entry that cached it, the zap, the flush that returned; the use.  Which of
# the shortest schedules is told, and so their numbers, may change.
entry=$(number 'enters the guest') zap=$(number 'the host zaps')
back=$(number 'the flush for VM 0 returns') use=$(tail -n 1 numbers)
for i in $(cat numbers); do
	case $i in
	"$entry"|"$zap"|"$back") wanted='#fff3c4' ;;
	"$use") wanted='#fde4e1' ;;
	*) wanted='#ffffff' ;;
	esac
	[ "$(box "$i")" = "$wanted" ] || complain "box $i is $(box "$i"), expected $wanted"
done
[ "$entry" ] && [ "$zap" ] && [ "$back" ] || cat story
grep -q '>I1: vCPU 0 on pCPU 1 may' a.svg || complain 'the finding is missing'
[ "$(grep -c '^	s[0-9]* -> s[0-9]* \[constraint=false color="#37474f"' a.dot)" = 3 ] ||
	complain 'there are not three IPIs'
grep -q "^	s$((back - 1)) -> s$use \\[constraint=false color=\"#c62828\"" a.dot || complain 'no arrow to the use'

# JSON: steps as told, and verdicts as printed.
python=$(command -v python3 || command -v /usr/bin/python3) && "$python" - <<'END'
import json, re
j, story = json.load(open("a.json")), open("story").read()
run = j["runs"][0]
told = re.findall(r"^ *(\d+)\. (.*)\.$", story, re.M)
assert [(str(s["step"]), s["text"]) for s in run["schedule"]] == told
essential = [s for s in run["schedule"] if s["essential"]]
said = ["enters the guest", "the host zaps", "the flush for VM 0 returns", "enters the guest"]
assert all(t in s["text"] for s, t in zip(essential, said, strict=True)), essential
for s in run["schedule"]:
    at = re.match(r"pCPU (\d)", s["text"])
    assert not at or s["pcpu"] == int(at[1]), s
assert run["verdict"] == "I1" and run["shortest"] and run["finding"] in story
head = re.search(r"broken; (\d+) states, (\d+) transitions, depth (\d+)", story)
assert head.groups() == tuple(str(run[k]) for k in ("states", "transitions", "depth"))
assert j["shape"] == {"pcpus": 2, "vms": 1, "vcpus": 1, "roots": 1}, j["shape"]
assert j["environment"] == ["sched_in", "sched_out", "exit", "change"]
END

# Several policies, in their order; what does not apply is skipped.
"$EPTSIM" explore -p always,hypercall-broadcast,never --with change --budget change=1 \
	--json - >many.json 2>many
[ $? = 1 ] || complain 'several: not broken'
grep -q '^never: broken' many && grep -q '^hypercall-broadcast: n/a' many || cat many
tr -d ' \n' <many.json | grep -o -e '"policy":"[a-z-]*","[a-z]*":"[^"]*"' -e '"budgets":{[^}]*}'
"$EPTSIM" explore -p global-flush --mem 1 --json - 2>/dev/null | grep -e '"verdict"' -e '"schedule"'

# Nothing violated, nothing drawn; what was there stays.
echo old >old.svg
"$EPTSIM" explore -p always --with change --svg old.svg --dot new.dot >/dev/null || complain "always: $?"
cat old.svg
[ ! -e new.dot ] || complain 'a picture of nothing'
# Standard output is the picture's alone.
# shellcheck disable=SC2086
"$EPTSIM" explore $mask --svg - 2>err | cmp - a.svg
grep -q '^  30\. ' err || complain 'the story is not on standard error'

refuse 'one file for one policy, but 2 are named' -p never,always --svg x.svg
refuse 'one file for one policy, but 2 are named' -p never,always --dot x.dot
refuse 'one file for one policy, but 2 are named' -p never,always --out x.json
refuse '--svg: the file name is empty' -p never --svg ''
refuse '--json: the file name is empty' -p never --json ''
refuse '--json: "x" is also the file of --svg' -p never --json x --svg x
refuse '--svg: "-" is also the file of --out' -p never --svg - --out -
refuse 'x.svg: cannot create' -p never --svg no/such/x.svg
refuse 'x.json: cannot create' -p never --dot y.dot --json no/such/x.json
refuse 'is a folder, expected a file name' -p never --json .
refuse '--json: --mutate writes no file' -p never --mutate --json x.json
# shellcheck disable=SC2086
for option in --svg --dot --json; do
	"$EPTSIM" explore $mask $option /dev/full >/dev/null 2>err
	echo "full: $?"
	cat err
done
