# Words that decide what a report says are checked, "-" is no file, and an import
# that is interrupted leaves nothing.
trace=$TOP/traces/samples/quiet.txt.zst
refuse() {
	text=$1
	shift
	"$EPTSIM" import "$@" "$trace" >out 2>err
	[ $? = 2 ] || echo "$*: expected status 2"
	grep -q -F -e "$text" err || { echo "$*: no \"$text\" in:"; cat err; }
}
refuse 'no policy is named "globl-flush"' --policy globl-flush -o x.vst
refuse 'expected bare, hyperv or kvm' --l0 hypervv -o x.vst
refuse 'a file' -o -
refuse 'a file' -o ''
mkfifo pipe
"$EPTSIM" import - -o x.vst <pipe >out 2>err &
pid=$!
exec 3>pipe
zstd -dcq "$trace" | head -2000 >&3
sleep 0.3
kill -TERM $pid
wait $pid
[ $? = 130 ] || echo 'interrupted: expected status 130'
exec 3>&-
for f in * .[!.]*; do
	case $f in pipe|out|err|.\[*) ;; *) echo "left behind: $f" ;; esac
done
