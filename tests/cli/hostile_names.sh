# Names from the command line, a config and a trace cannot drive the terminal: all
# that is not printable ASCII is spelled out in messages.
esc=$(printf '\033[31m\377\302\233')
show() {
	"$EPTSIM" "$@" >out 2>err
	echo "status $?: $(head -n 1 err)"
	! LC_ALL=C grep '[^ -~]' err >raw || echo 'the message is raw'
}
scenario=$TOP/tests/golden/small.json
show "no$esc"
show list "no$esc"
show config "no$esc"
show compare "no$esc"
show compare "$scenario" --policies "no$esc"
show compare "$scenario" --policies "hypercall-broadcast:no$esc=1"
show compare "$scenario" --policies "hypercall-broadcast:migrate=no$esc"
show compare "$scenario" --set "no$esc=1"
show compare "$scenario" --json "no$esc/x"
show info "no$esc"
# A section that is none: its tag is at offset 16, behind magic and version.
{ head -c 16 "$TOP/tests/golden/small.vst"; printf '\033[2\377'; \
	tail -c +21 "$TOP/tests/golden/small.vst"; } >tag.vst
show info tag.vst
