# Where guest time is lost: stacked bars, one per policy.
#   gnuplot -d -c cycles.gp FORMAT OUTPUT DATA TITLE POLICIES LIMIT FLOOR
# FORMAT: png or svg.  DATA: cycles.tsv as sim/report/plot_data.h describes it.
# Bars longer than LIMIT (percent) are cut off and marked.
policies = int(ARG5)
limit = real(ARG6)
height = 184 + 34 * policies

if (ARG1 eq "svg") {
	set terminal svg noenhanced size 900,height background "white" font "DejaVu Sans,12"
} else {
	set terminal pngcairo noenhanced size 900,height background "white" font "DejaVu Sans,10"
}
set output ARG2
set datafile separator "\t"

# Okabe and Ito's colours, distinct for the colour-blind; grey for overrun.
array colour[9] = ["#d55e00", "#0072b2", "#cc79a7", "#882255", "#000000", \
		   "#e69f00", "#009e73", "#56b4e9", "#999999"]
array meaning[9] = ["flush instructions", "page walks", "L0 shadow tables", \
		    "flush hypercalls", "lock wait", "IPIs", "VM exits", \
		    "context switches", "overrun"]
first = 5

# Only what occurs at all gets a place in the key.
present = ""
do for [k = 1:9] {
	stats ARG3 using first + k - 1 skip 1 nooutput
	if (STATS_max > 0) {
		present = present . sprintf(" %d", k)
	}
}
if (present eq "") {
	present = "1"
}

set label 1 ARG4 at screen 0.5, screen 1.0 - 20.0 / height center font ",12"
set key at screen 0.5, screen 1.0 - 36.0 / height top center horizontal \
	reverse Left samplen 1.2 width 1
set lmargin 27
set rmargin 3
set bmargin at screen 58.0 / height
set tmargin at screen 1.0 - 92.0 / height
set border 3 linecolor "#404040"
set xtics nomirror out
set ytics nomirror scale 0
set grid xtics linecolor "#d0d0d0"
set xlabel "cycles lost, % of guest time"
set xrange [0:limit * 1.55]
set yrange [policies - 0.4:-0.6]
set style fill solid 1.0 noborder

cut(x) = x < limit ? x : limit
left(k) = cut(k == 1 ? 0 : sum [i = first:first + k - 2] column(i))
right(k) = cut(sum [i = first:first + k - 1] column(i))
note(total, s) = (total > limit ? "(bar cut) " : "") . s

plot for [w in present] ARG3 skip 1 \
	using (left(w + 0)):1:(left(w + 0)):(right(w + 0)):($1 - 0.32):($1 + 0.32):ytic(2) \
	with boxxyerror linecolor rgb colour[w + 0] title meaning[w + 0], \
	ARG3 skip 1 using (cut($4)):1:(note($4, strcol(3))) \
	with labels left offset 0.7, 0 textcolor "#202020" notitle
