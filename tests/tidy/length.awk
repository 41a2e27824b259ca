# Functions: 70 lines, 3 levels, 5 parameters at most.  Files: 800 lines.
# usage: awk -f lib.awk -f length.awk FILE...
function arguments(s,   i, c, depth, n) {
	sub(/^[^(]*\(/, "", s)
	n = 1
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		depth += (c == "(") - (c == ")")
		if (depth < 0)
			break
		n += c == "," && !depth
	}
	return n
}
FNR == 1 { open = 0; parens = 0; head = ""; more = macro = 0 }
FNR == 801 { complain("over 800 lines"); bad = 1 }
{ line = code($0) }
macro || line ~ /^[ \t]*#/ { macro = line ~ /\\$/; next }
line ~ /^\{/ {
	open = FNR
	parens = more = 0
	if (head ~ /\(/ && head !~ /=/ && arguments(head) > 5)
		complain("function with more than 5 parameters")
}
line ~ /^[a-z_A-Z]/ { head = "" }
!open { head = head " " line }
line ~ /^\}/ {
	if (open && FNR - open > 71) {
		printf "%s:%d: function of %d lines\n", FILENAME, open, FNR - open - 1
		bad = 1
	}
	open = 0
	head = ""
	next
}
open && line !~ /^[ \t]*$/ {
	if (!parens && !more && line ~ /^\t\t\t\t\t/)
		complain("nested deeper than 3 levels")
	parens += tally(line, "\\(") - tally(line, "\\)")
	more = line ~ /[-=+*\/&|?,<>:^(]$/ && line !~ /(case .*|default|[a-z_]+):$/
	if (line !~ /[;{}:)]$/ && line !~ /(^|[ \t])(else|do)$/)
		more = 1
}
END { exit bad }
