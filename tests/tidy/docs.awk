# kernel-doc: every function that a header declares has a block that names it,
# all of its parameters and, unless it returns void, what it returns; a struct
# with a block documents all of its members; ops tables always have one.
# Blocks stand in headers only.		usage: awk -f lib.awk -f docs.awk FILE...
# A parameter has a line of its own; a member may be named along with another.
function said(name, after) {
	return doc ~ ("@" name after)
}
# params(LIST): complain about each parameter that the block leaves out
function params(s, who,   i, c, depth, word, n, list) {
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		depth += (c == "(") - (c == ")")
		word = word ((c == "," && depth) ? " " : c)
	}
	n = split(word, list, ",")
	for (i = 1; i <= n; i++) {
		word = list[i]
		if (match(word, /\(\*[a-z_0-9]+/)) {
			word = substr(word, RSTART + 2, RLENGTH - 2)
		} else {
			gsub(/__attribute__.*|\[[^\]]*\]/, "", word)
			sub(/[ \t]+$/, "", word)
			if (word ~ /\.\.\.$/ || word ~ /^[ \t]*void$/ || word == "")
				continue
			sub(/.*[ \t*]/, "", word)
		}
		if (!said(word, "(, @[a-z_0-9]+)*:"))
			complain(who "() does not document @" word)
	}
}
function function_done(s,   name, head, list) {
	gsub(/__attribute__[ \t]*\(\([^;{]*\)\)/, " ", s)
	gsub(/[ \t]+/, " ", s)
	sub(/^ /, "", s)
	head = s
	sub(/ ?\(.*/, "", head)
	name = head
	sub(/.*[ *]/, "", name)
	list = s
	sub(/^[^(]*\(/, "", list)
	sub(/\)[^)]*$/, "", list)
	if (index(doc, " " name "() - ") == 0) {
		if (s !~ /^static/)
			complain(name "() has no kernel-doc")
		return
	}
	if (head !~ /(^| )void [a-z_0-9]+$/ && index(doc, "Return:") == 0)
		complain(name "() does not document what it returns")
	params(list, name)
}
# members(CODE): one line of a struct body at depth 1
function members(s,   n, list, i, word) {
	if (match(s, /\(\*[ ]*(const )?[a-z_0-9]+/)) {
		word = substr(s, RSTART, RLENGTH)
		sub(/.*[* ]/, "", word)
		want[word] = FNR
		return
	}
	gsub(/\[[^\]]*\]|:[ \t]*[0-9]+|__attribute__.*\)\)/, "", s)
	gsub(/[{}]/, " ", s)
	sub(/;.*/, "", s)
	n = split(s, list, ",")
	for (i = 1; i <= n; i++) {
		word = list[i]
		sub(/[ \t]+$/, "", word)
		sub(/.*[ \t*]/, "", word)
		if (word != "")
			want[word] = FNR
	}
}
function struct_done(   m, line) {
	for (m in want)
		if (documented && !said(m, "[^a-z_0-9]")) {
			printf "%s:%d: struct %s does not document @%s\n",
			       FILENAME, want[m], tag, m
			bad = 1
		}
	for (m in want)
		delete want[m]
}
FNR == 1 { doc = decl = tag = ""; in_doc = depth = in_struct = 0 }
{ line = code($0) }
FILENAME == "sim/base/banned.h" { next }
FILENAME ~ /\.c$/ {
	if ($0 ~ /^[ \t]*\/\*\*$/)
		complain("kernel-doc stands in the header")
	next
}
/^\/\*\*/ && !in_struct { in_doc = 1; doc = "" }
in_doc { doc = doc " " $0 "\n"; if (/\*\//) in_doc = 0; next }
in_struct { if ($0 ~ /@[a-z_0-9]+[:,]/) doc = doc " " $0 "\n" }
line ~ /^[ \t]*$/ { next }
line ~ /^[ \t]*#/ || in_macro { in_macro = line ~ /\\$/; next }
in_struct {
	before = depth
	depth += tally(line, "{") - tally(line, "}")
	if (depth <= 0) {
		struct_done()
		in_struct = 0
		doc = ""
	} else if (before == 1 && depth == 1 && line ~ /\{.*\}/) {
		sub(/\{.*\}/, " ", line)
		members(line)
	} else if (before == 1 && depth == 1) {
		part = part " " line
		if (line ~ /;/) {
			members(part)
			part = ""
		}
	} else if (before > 1 && depth == 1) {
		members(line)
	}
	next
}
decl == "" && line ~ /^(typedef )?(struct|union)[ \t]*[a-z_0-9]*[ \t]*\{/ {
	if (line ~ /\}/) {
		doc = ""
		next
	}
	tag = line
	sub(/^(typedef )?(struct|union)[ \t]*/, "", tag)
	sub(/[ \t]*\{.*/, "", tag)
	documented = index(doc, " struct " tag " - ") || index(doc, " union " tag " - ")
	if (!documented && doc != "")
		complain("kernel-doc does not name struct " tag)
	if (!documented && tag ~ /_ops$/)
		complain("struct " tag " has no kernel-doc")
	in_struct = depth = 1
	part = ""
	next
}
decl == "" && line ~ /^(enum|typedef|union)[ \t]/ && line !~ /\(/ {
	body = line !~ /;/
	doc = ""
	next
}
decl == "" && line ~ /^(struct|extern const) [a-z_0-9 ]+;/ { doc = ""; next }
body { if (line ~ /^\}/) body = 0; next }
line ~ /^\}/ { doc = decl = ""; inside = 0; next }
inside { next }
line ~ /^[ \t]/ && decl == "" { next }
{
	decl = decl " " line
	if (line ~ /^\{/ || line ~ /[;{][ \t]*$/) {
		inside = line ~ /\{[ \t]*$/
		sub(/[;{].*/, "", decl)
		if (decl ~ /\(/ && decl !~ /=|^ *(typedef|_?[Ss]tatic_assert)/)
			function_done(decl)
		decl = doc = ""
	}
}
END { exit bad }
