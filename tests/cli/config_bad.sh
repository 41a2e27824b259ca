# All complaints of all files at once, each with file, line and path; the good
# file between them is still said to be good.
cp -r "$TOP/configs/machines" .
cat >scenario.json <<'END'
{
	"name": "mine",
	"machine": "machines/icelake-sp.json",
	"costs": "costs.json",
	"l0": { "kind": "bear", "serial_teardown": false, "shared_fill": false,
		"shadow_shared": false, "flush_hypercall": 0 },
	"schedule": { "kind": "recorded", "trace": "nowhere.vst" },
	"access_model": "touch",
	"seed": 1.5,
	"seed": -1,
	"policies": "never,globl-flush",
	"workload": {
		"working_set_page": 5
	}
}
END
printf '{ "costs": [' >costs.json
printf '{ "tlb": 1 }\n' >machine.json
printf '{ "colour": "red" }\n' >other.json
"$EPTSIM" config check scenario.json machines/peers-lru.json machine.json \
	other.json missing.json .
