# The shipped files and a result satisfy the shipped schemas, by an independent validator.
find_python() {
	for python in /usr/bin/python3 python3; do
		"$python" -W ignore -c 'from jsonschema import Draft202012Validator' \
			2>/dev/null && return 0
	done
	return 1
}
find_python || { echo "skipped: no python3 with jsonschema" >&2; exit 0; }

# What --json writes; whether the verdicts are as expected is not asked here.
"$EPTSIM" compare "$TOP/configs/scenarios/recorded.json" \
	--policies never,hypercall-broadcast --json results.json >/dev/null
[ $? -le 1 ] || exit 1
"$EPTSIM" explore -p all --with change,guest_flush --budget change=2 \
	--json explore.json >/dev/null
[ $? = 1 ] || exit 1
"$EPTSIM" explore -p global-flush --mem 1 --json explore-little.json >/dev/null
[ $? = 3 ] || exit 1

"$python" -W ignore - "$TOP/configs" <<'END'
import glob, json, os, sys
from jsonschema import Draft202012Validator

top, bad, checked = sys.argv[1], 0, 0
for kind, folder in (("scenario", "scenarios"), ("costs", "costs"),
                     ("machine", "machines"), ("litmus", "litmus"),
                     ("results", None), ("explore", None)):
    files = glob.glob(f"{top}/{folder}/*.json" if folder else f"{kind}*.json")
    with open(f"{top}/schema/{kind}.json") as f:
        schema = json.load(f)
    Draft202012Validator.check_schema(schema)
    for path in sorted(files):
        with open(path) as f:
            data = json.load(f)
        checked += 1
        for e in Draft202012Validator(schema).iter_errors(data):
            print(f"{os.path.relpath(path, top)}: {e.json_path}: {e.message}")
            bad = 1
if checked < 20:
    print(f"only {checked} files found")
    bad = 1
sys.exit(bad)
END
