# A reader that goes away or a full disk: status 2 and a message, while the
# files that were asked for are complete.  Never a silent success.
[ -w /dev/full ] || exit 0
scenario=$TOP/tests/golden/small.json

full() {
	"$EPTSIM" "$@" >/dev/full 2>err
	status=$?
	[ "$status" = 2 ] && grep -q '^error: .*No space left' err ||
		{ echo "$*: status $status"; cat err; }
}
full --version
full --help
full list policies
full list costs
full info "$TOP/tests/golden/small.vst"
full import "$TOP/tests/golden/small.vst" -o x.vst
full config check "$scenario"
full compare "$scenario" --policies never --json kept.json
full compare "$scenario" --policies never --json -
grep -q '"policy": "never"' kept.json || echo 'the JSON is lost'

{ "$EPTSIM" compare "$scenario" --policies never --json pipe.json 2>err
  echo $? >status; } | true
grep -q '"policy": "never"' pipe.json || echo 'the JSON is lost'

# A result file does not become the standard output that was closed.
"$EPTSIM" compare "$TOP/configs/scenarios/quiet.json" -p global-flush \
	--json kept.json >&- 2>err
[ $? = 2 ] || echo 'closed output with --json: expected status 2'
[ "$(head -c 1 kept.json)" = '{' ] || { echo 'kept.json is no JSON:'; head -3 kept.json; }
