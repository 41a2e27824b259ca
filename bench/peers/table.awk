# The table of bench/peers/explorer, what explains it, and rows of JSON.
#	usage: awk -F '\t' -v json=FILE -f table.awk RESULTS HAZARD
# RESULTS: tool, model, policy, "seconds KiB", "verdict states transitions depth",
# a line for each run; HAZARD: name, nanoseconds, whether it was found.
# Exit status: 1 if two disagree.

function disagree(what) {
	printf "DISAGREE: %s\n", what
	bad = 1
}

# sort(LIST, N): in place; N is the number of rounds
function sort(list, n,   i, j, x) {
	for (i = 2; i <= n; i++) {
		x = list[i]
		for (j = i - 1; j > 0 && list[j] > x; j--)
			list[j + 1] = list[j]
		list[j + 1] = x
	}
}

# spread(KEY): the rounds of KEY as least, median, most
function spread(key,   n, list, i) {
	n = rounds[key]
	for (i = 1; i <= n; i++)
		list[i] = took[key, i]
	sort(list, n)
	least = list[1]
	median = list[int((n + 1) / 2)]
	most = list[n]
}

function show(x) {
	if (x >= 1e6)
		return sprintf("%.3g M", x / 1e6)
	return x >= 1e3 ? sprintf("%.3g k", x / 1e3) : sprintf("%.3g", x)
}

function number(x) {
	return x == "" ? "null" : sprintf("%.6g", x)
}

# row(NAME, VALUE, UNIT, LOW, HIGH, PEER): of JSON; what is absent is null
function row(name, value, unit, low, high, peer,   has) {
	has = peer != "" && peer_value > 0
	printf "%s\t{ \"name\": \"%s\", \"value\": %.10g, \"unit\": \"%s\", ",
		(rows++ ? ",\n" : "[\n"), name, value, unit >json
	printf "\"low\": %s, \"high\": %s, ", number(low), number(high) >json
	printf "\"peer\": %s, \"peer_value\": %s, \"ratio\": %s }",
		(has ? "\"" peer "\"" : "null"), number(has ? peer_value : ""),
		number(has ? value / peer_value : "") >json
}

# What is over in a moment says nothing about speed.
function says_speed(key) {
	return verdict[key] == "exhausted" && states[key] >= 100000
}

# line(KEY): one line of the table, and its rows of JSON
function line(key,   part, name, rate) {
	split(key, part, SUBSEP)
	name = part[1] ", " part[2] ", " part[3]
	spread(key)
	printf "%-21s %-18s %-20s %-9s %9d %9d %5d %8.3f %7.3f ..%7.3f", part[1],
		part[2], part[3], verdict[key], states[key], transitions[key],
		depth[key], median, least, most
	row(name ": states", states[key], "states")
	row(name ": transitions", transitions[key], "transitions")
	row(name ": time", median, "s", least, most)
	if (!says_speed(key)) {
		printf " %9s %6s\n", "-", "-"
		return
	}
	rate = states[key] / median
	printf " %9s %6.0f\n", show(rate), 1024 * kib[key] / states[key]
	peer_value = part[1] == "spin" ? 0 : spin_rate
	row(name ": states/s", rate, "states/s", states[key] / most,
	    states[key] / least, "spin, bare 3x3x3")
	row(name ": bytes/state", 1024 * kib[key] / states[key], "bytes")
}

# The same number, found by two tools that look at the same model
function same(key, what, value, known,   part) {
	split(key, part, SUBSEP)
	if (!((part[2], what) in known))
		known[part[2], what] = value
	else if (value != known[part[2], what])
		disagree(part[1] ", " part[2] ", " part[3] ": " what " " value \
			 "; expected " known[part[2], what])
}

# Verdicts as expected; one model, one number of states and one shortest schedule.
function compare_all(   i, part, wanted, known) {
	for (i = 1; i <= nr; i++) {
		split(keys[i], part, SUBSEP)
		wanted = part[3] == "per-root-mask" ? "broken" : "exhausted"
		if (verdict[keys[i]] != wanted)
			disagree(part[1] ", " part[2] ", " part[3] ": " verdict[keys[i]] \
				 "; expected " wanted)
		if (part[2] !~ /^bare/)
			continue
		if (wanted == "exhausted") {
			same(keys[i], "states", states[keys[i]], known)
			same(keys[i], "transitions", transitions[keys[i]], known)
		} else if (part[1] ~ /^C|BFS/) {
			same(keys[i], "depth", depth[keys[i]], known)
		}
	}
}

# ratio_to_spin(TOOL): how fast TOOL is, with Spin as 1
function ratio_to_spin(tool,   key, rate) {
	key = tool SUBSEP machine SUBSEP sound
	spread(key)
	rate = transitions[key] / median
	printf "  %-22s %6.2f times the states/s of Spin, %6.2f times its transitions/s\n",
		tool, states[key] / median / spin_rate, rate / spin_transitions
	peer_value = spin_transitions
	row(tool ", " machine ", " sound ": transitions/s", rate, "transitions/s",
	    transitions[key] / most, transitions[key] / least, "spin, bare 3x3x3")
}

function ratios(   i) {
	if (!spin_rate)
		return
	print "\nSpin, bare 3x3x3, depth first, is 1; medians of this sitting:"
	for (i = 1; i <= nr_ours; i++)
		ratio_to_spin(ours[i])
}

function factor(tool) {
	return states[tool, machine, sound] / states["eptsim", machine, sound]
}

function notes(   c, bare) {
	c = "C, elision.c"
	bare = "bare " substr(machine, 9) "x1"
	if (!((c, bare, sound) in states))
		bare = "bare 2x2x1"
	printf "\nbare PxVxN: P pCPUs, V vCPUs, N changes; machine PxV: the same without N.\n"
	printf "\nWhy eptsim has more states (%d in \"%s\", %d in \"%s\" with neither):\n",
		states[c, bare, sound], bare, states["eptsim, neither", machine, sound],
		machine
	printf "- Micro-steps. A rule of the bare protocol loads, enters or changes in one go.\n"
	printf "  The machine can be interrupted between test and set of the mask's bit, INVEPT,\n"
	printf "  request, kick, IPI and acknowledgement; the shortest schedule that breaks\n"
	printf "  per-root-mask has %d steps here and %d there.\n",
		depth["eptsim", machine, "per-root-mask"], depth[c, bare, "per-root-mask"]
	printf "- State that the bare protocol lacks: where each thread is in its plan; IPIs and\n"
	printf "  preemption; a root that is allocated, published and loaded; INVVPID and the tags\n"
	printf "  of a TLB by VPID, by EPTP and by both; speculation at any time; whether the page\n"
	printf "  is there at all; what the checker has been promised.\n"
	printf "- What the machine does not count: versions. It keeps their order only. Without\n"
	printf "  faults a page that is gone stays gone, so that there is one change, as in x1;\n"
	printf "  with faults there are changes without end, and the search still ends.\n"
	printf "- Reductions. Names of pCPUs (symmetry) and steps that commute: %.1f and %.1f\n",
		factor("eptsim --no-symmetry"), factor("eptsim --no-reduction")
	printf "  times as many states without, %.1f times with neither. The others have none,\n",
		factor("eptsim, neither")
	printf "  so \"eptsim, neither\" is what to hold beside them.\n"
	printf "Time is CPU time of the whole process on one core, building excluded; memory is its\n"
	printf "peak. Where a search ends at a violation, states depend on the order: Spin goes\n"
	printf "depth first, the others breadth first. eptsim with reduction looks twice then, the\n"
	printf "second time without: the time is of both, the states are of the second.\n"
}

# Until the first counterexample is printed, by the clock on the wall.
function hazard(   i, name) {
	print "\nTime to the first counterexample, start of the program included (aim: 0.1 s):"
	for (i = 1; i <= nr_hazards; i++) {
		name = hazards[i]
		spread(name)
		printf "  %-48s %6.3f s %6.3f ..%6.3f\n", name, median, least, most
		peer_value = 0.1
		row(name ": time to first counterexample", median, "s", least, most, "aim")
		if (missed[name])
			disagree(name ": not found")
	}
}

NF == 3 {
	if (!($1 in rounds))
		hazards[++nr_hazards] = $1
	took[$1, ++rounds[$1]] = $2 / 1e9
	if ($3 != "yes")
		missed[$1] = 1
	next
}

{
	key = $1 SUBSEP $2 SUBSEP $3
	split($4, use, " ")
	split($5, fact, " ")
	if (!(key in rounds)) {
		keys[++nr] = key
		verdict[key] = fact[1]
		states[key] = fact[2]
		transitions[key] = fact[3]
		depth[key] = fact[4]
		if ($1 ~ /^eptsim/ && $2 !~ /,/ && !($1 in seen)) {
			seen[$1]
			ours[++nr_ours] = $1
			machine = $2
		}
	} else if (fact[1] != verdict[key] || fact[2] != states[key]) {
		disagree($1 ", " $2 ", " $3 ": " fact[2] " states, " states[key] " before")
	}
	took[key, ++rounds[key]] = use[1]
	if (use[2] > kib[key])
		kib[key] = use[2]
}

END {
	sound = "per-root-mask-clear"
	key = "spin" SUBSEP "bare 3x3x3" SUBSEP sound
	if (key in states) {
		spread(key)
		spin_rate = states[key] / median
		spin_transitions = transitions[key] / median
	}
	printf "\n%-21s %-18s %-20s %-9s %9s %9s %5s %8s %16s %9s %6s\n", "tool", "model",
		"policy", "verdict", "states", "transit.", "depth", "seconds",
		"least .. most", "states/s", "B/st."
	for (i = 1; i <= nr; i++)
		line(keys[i])
	ratios()
	hazard()
	notes()
	compare_all()
	print rows ? "\n]" : "[]" >json
	close(json)
	print bad ? "The explorers disagree." : "\nThe explorers agree."
	exit bad
}
