# What a search found: "VERDICT STATES TRANSITIONS DEPTH", out of what it printed.
# VERDICT is broken, exhausted or unknown; what it does not print is 0.
#	usage: awk -f facts.awk OUTPUT

# Spin.  It counts the start as a transition, and leaves out the step that fails.
/^pan:[0-9]+: assertion violated/ { broken = 1; failed_at = $NF + 1 }
/Search not completed|max search depth too small|out of memory/ { cut = 1 }
/^State-vector .* errors: [0-9]+$/ { ended = 1; sub(",", "", $6); depth = $6 }
broken && failed_at { depth = failed_at }
/ states, stored/ { states = $1 }
/ transitions \(= / { transitions = $1 - 1 }

# Rumur
/^\t[0-9]+ error\(s\) found/ { broken = 1 }
/^\tNo error found/ { ended = 1 }
/ states, [0-9]+ rules fired in / { states = $1; transitions = $3 }

# elision.c and eptsim
/^[^ ]+: (broken|exhausted, no violation); [0-9]+ states, / {
	broken = $2 == "broken;"
	ended = 1
	sub(/^[^;]*; /, "")
	states = $1
	transitions = $3
	depth = $6 + 0
}

END {
	verdict = broken ? "broken" : ended && !cut ? "exhausted" : "unknown"
	printf "%s %d %d %d\n", verdict, states, transitions, depth
}
