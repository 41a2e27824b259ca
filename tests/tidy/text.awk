# The form of a line: no trailing blanks, 100 columns in code (a string may
# stick out: messages are never broken), and comments in C are block comments.
# usage: awk -f lib.awk -f text.awk FILE...
function columns(s,   i, n) {
	for (i = 1; i <= length(s); i++)
		n = substr(s, i, 1) == "\t" ? n - n % 8 + 8 : n + 1
	return n
}
FNR == 1 {
	is_c = FILENAME ~ /\.[ch]$/
	is_code = is_c || FILENAME ~ /\.(sh|awk|py|gp)$|(^|\/)Makefile$/
}
/[ \t\r]$/ { complain("trailing blank") }
is_code && length($0) > 50 && columns($0) > 100 {
	bare = $0
	gsub(/"[^"]*"/, "\"\"", bare)
	if (columns(bare) > 100 || bare == $0)
		complain("over 100 columns")
}
is_c && code($0) ~ /\/\/$/ { complain("// comment") }
END { exit bad }
