# Every header is included by somebody.	usage: awk -f unused.awk FILE...
BEGIN {
	for (i = 1; i < ARGC; i++)
		if (ARGV[i] ~ /\.h$/)
			header[ARGV[i]] = 1
}
match($0, /(#[ \t]*include[ \t]*"|-include )[^" ]+/) {
	name = substr($0, RSTART, RLENGTH)
	sub(/.*[" ]/, "", name)
	delete header[name]
}
END {
	for (h in header) {
		printf "%s: included by nobody\n", h
		bad = 1
	}
	exit bad
}
