# Flushes per second over time, one panel per policy; migrations beneath.
#   gnuplot -d -c rates.gp FORMAT OUTPUT DATA TITLE POLICIES LIMIT FLOOR
# FORMAT: png or svg.  DATA: rates.tsv as sim/report/plot_data.h describes it.
# All panels share one axis up to LIMIT, logarithmic from FLOOR if that is not 0.
policies = int(ARG5)
limit = real(ARG6)
floor_ = real(ARG7)
panel = 92.0
top = 36.0
bottom = 60.0
height = top + bottom + panel * (policies + 1)

if (ARG1 eq "svg") {
	set terminal svg noenhanced size 900,height background "white" font "DejaVu Sans,12"
} else {
	set terminal pngcairo noenhanced size 900,height background "white" font "DejaVu Sans,10"
}
set output ARG2
set datafile separator "\t"

stats ARG3 using 1 skip 1 nooutput
width = STATS_records > 1 ? STATS_max / (STATS_records - 1) : 1
last = STATS_max + width
set boxwidth width * 1.05 absolute

# Before any range is set: it would leave points out of the statistics.
array mean[policies + 2]
array peak[policies + 2]
do for [i = 2:policies + 2] {
	stats ARG3 using i skip 1 nooutput
	mean[i] = STATS_mean
	peak[i] = STATS_max
}

set border 3 linecolor "#404040"
set tics nomirror out
set grid ytics linecolor "#d0d0d0"
set style fill solid 1.0 noborder
set lmargin at screen 0.1
set rmargin at screen 0.97
set xrange [0:last]
set format x ""
set key off

edge(i) = 1.0 - (top + panel * i) / height

# Two or three round steps up to a value.
magnitude(x) = 10.0 ** floor(log10(x))
step(x) = x / magnitude(x) >= 5 ? 5 * magnitude(x) / 2 : \
	  x / magnitude(x) >= 2 ? magnitude(x) : magnitude(x) / 2

set multiplot
set label 1 ARG4 . (floor_ > 0 ? " (flush rates: logarithmic axes)" : "") \
	at screen 0.5, screen 1.0 - 20.0 / height center font ",12"
if (floor_ > 0) {
	set logscale y
	set yrange [floor_:limit * 1.3]
	decades = int(ceil((log10(limit) - log10(floor_)) / 3.0))
	set ytics 10.0 ** decades
	unset mytics
} else {
	set yrange [0:limit * 1.15]
	set ytics step(limit)
}
set format y "%.0s%c"
set ylabel "flushes/s" font ",8" offset 0, 0
do for [i = 0:policies - 1] {
	set tmargin at screen edge(i) - 20.0 / height
	set bmargin at screen edge(i + 1) + 6.0 / height
	set label 2 sprintf("mean %.1f, peak %.1f flushes/s", mean[i + 3], peak[i + 3]) \
		at graph 1, graph 1 offset 0, 0.6 right textcolor "#202020"
	set key at graph 0, graph 1 left bottom Left reverse samplen 1 height 0
	plot ARG3 using ($1 + width / 2):(column(i + 3) > 0 ? column(i + 3) : NaN) \
		with boxes linecolor "#0072b2" title columnheader(i + 3)
	unset label 1
}
unset logscale y
set ylabel "migrations/s"
set format x "%g"
set xlabel "time in the run, seconds"
most = peak[2] > 0 ? peak[2] : 1.0
set yrange [0:most * 1.15]
set ytics step(most)
set tmargin at screen edge(policies) - 20.0 / height
set bmargin at screen edge(policies + 1) + 6.0 / height
set label 2 sprintf("mean %.1f, peak %.1f migrations/s", mean[2], peak[2])
plot ARG3 using ($1 + width / 2):2 with boxes linecolor "#e69f00" title columnheader(2)
unset multiplot
