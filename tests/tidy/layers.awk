# Includes point one way, as layers.txt says; a .c begins with its own header.
# usage: awk -f layers.awk layers.txt FILE...
function dir(p) { return match(p, /\/[^\/]*$/) ? substr(p, 1, RSTART - 1) : "." }
function layer(p,   d) {		# longest listed prefix of p's directory
	for (d = dir(p); d != "."; d = dir(d))
		if (d in may)
			return d
	return "?"
}
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }
FILENAME == ARGV[1] {
	if ($0 ~ /^[ \t]*(#|$)/)
		next
	who = $1; $1 = ""; may[who] = $0 " "
	next
}
FNR == 1 {
	me = layer(FILENAME)
	own = FILENAME
	if (!sub(/\.c$/, ".h", own) || (getline line < own) < 0)
		own = ""
	close(own)
}
/^#[ \t]*include/ && own != "" {
	if (!index($0, "\"" own "\""))
		complain("does not include " own " first")
	own = ""
}
match($0, /^#[ \t]*include[ \t]*"[^"]+"/) {
	inc = $0; sub(/^[^"]*"/, "", inc); sub(/".*/, "", inc)
	to = layer(inc)
	if (inc ~ /\.c$/)
		complain("includes a .c file, " inc)
	if (to == "?")
		complain("include \"" inc "\" is not written from the top of the tree")
	else if (!(me == to || may[me] ~ /\*/ ||
		   index(may[me], " " to " ") || index(may[me], " " inc " ")))
		complain(me " may not include " inc " (layer " to ")")
}
END { exit bad }
