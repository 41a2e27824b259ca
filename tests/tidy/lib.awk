# code(LINE): LINE without comments and with strings and characters emptied.
# To be called on every line of every file, in order.
function code(line,   out, c, i, n, two) {
	if (FNR == 1)
		in_comment = 0
	if (!in_comment && line !~ /[\/"']/)
		return line
	n = length(line)
	for (i = 1; i <= n; i++) {
		c = substr(line, i, 1)
		two = substr(line, i, 2)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				i++
			}
		} else if (two == "/*") {
			in_comment = 1
			i++
		} else if (two == "//") {
			return out "//"
		} else if (c == "\"" || c == "'") {
			out = out c
			for (i++; i <= n && substr(line, i, 1) != c; i++)
				if (substr(line, i, 1) == "\\")
					i++
			out = out c
		} else {
			out = out c
		}
	}
	return out
}
function complain(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
	bad = 1
}
# has_call(CODE, NAME): is NAME called (not a member, not part of a longer word)
function has_call(s, name) {
	return s ~ ("(^|[^A-Za-z0-9_.>])" name "[ \t]*\\(")
}
# count of a character in a string
function tally(s, re) { return gsub(re, "", s) }
