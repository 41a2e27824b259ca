# What is charged comes from the cost sheet: no number in a call of charge().
# usage: awk -f lib.awk -f charge.awk FILE...
FNR == 1 { depth = 0 }
{ rest = code($0) }
rest ~ /^#/ { next }
{
	while (rest != "") {
		if (!depth) {
			if (!match(rest, /(^|[^A-Za-z0-9_])([a-z_]*_)?charge[ \t]*\(/))
				break
			rest = substr(rest, RSTART + RLENGTH)
			depth = 1
			args = ""
			start = FNR
		}
		for (i = 1; i <= length(rest) && depth; i++) {
			c = substr(rest, i, 1)
			depth += (c == "(") - (c == ")")
			args = args c
		}
		rest = substr(rest, i)
		if (!depth && args ~ /(^|[^A-Za-z0-9_])[0-9]/) {
			printf "%s:%d: number in a charge: (%s\n", FILENAME, start, args
			bad = 1
		}
	}
}
END { exit bad }
