# Calls that the house does without, everywhere or in some folders.
# usage: awk -f lib.awk -f banned.awk FILE...
BEGIN {
	split("strcpy strcat sprintf vsprintf gets strtok gmtime localtime " \
	      "ctime asctime rand srand random srandom time gettimeofday atoi " \
	      "atol atoll atof system popen alloca", never, " ")
	split("malloc calloc realloc reallocarray aligned_alloc " \
	      "posix_memalign strdup strndup asprintf vasprintf free", heap, " ")
	split("exit _exit quick_exit abort printf vprintf puts putchar perror " \
	      "err errx warn warnx", terminal, " ")
	split("clock_gettime clock clock_getres timespec_get nanosleep " \
	      "clock_nanosleep sleep usleep times getrusage", clocks, " ")
}
FNR == 1 {
	outside = FILENAME ~ /^(tests|bench|traces\/samples)\//
	may_heap = outside ||
		   FILENAME ~ /^(traces|sim\/(base|config|report|cli|driver))\//
	may_talk = outside || FILENAME ~ /^sim\/cli\/|^sim\/base\/err\.c$/
	may_clock = outside || FILENAME ~ /^sim\/cli\/|^sim\/report\/progress/
}
{ line = code($0) }
FILENAME == "sim/base/banned.h" { next }
line ~ /^#/ { next }
line ~ /\(/ {
	for (i in never)
		if (has_call(line, never[i]))
			complain(never[i] "() is banned")
	for (i in heap)
		if (!may_heap && has_call(line, heap[i]))
			complain(heap[i] "(): this folder lives in the arena")
	for (i in terminal)
		if (!may_talk && has_call(line, terminal[i]))
			complain(terminal[i] "(): only sim/cli talks to the terminal and exits")
	for (i in clocks)
		if (!may_clock && has_call(line, clocks[i]))
			complain(clocks[i] "(): no wall clock outside sim/cli and the progress bar")
}
!may_talk && line ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/ {
	complain("names stdout or stderr: only sim/cli knows the terminal")
}
END { exit bad }
