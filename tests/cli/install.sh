# An installed copy works from anywhere: configs, samples and plot scripts are
# found beside it, and the tree it came from is not needed.
make -s -C "$TOP" NODEPS=1 DESTDIR="$PWD/root" install >log 2>&1 || { cat log; exit 1; }
bin=$(find root -name eptsim -type f -perm -u+x) || exit
share=${bin%/bin/eptsim}/share
mv root elsewhere && cd elsewhere && bin=${bin#root/} share=${share#root/} || exit

for page in man/man1/eptsim.1 bash-completion/completions/eptsim; do
	[ -s "$share/$page" ] || echo "$page is not there"
done
find "$share" -perm -o+w -o -name '*.c' -o -name '*.sh' -o -name '*.awk'
"$bin" list machines | grep -o '^icelake-sp' || exit
"$bin" config check "$share"/eptsim/configs/*/*.json >checked 2>&1
grep -c 'ok (scenario)' checked
"$bin" compare "$share/eptsim/configs/scenarios/quiet.json" \
	--policies per-root-gen --plot plots >table || exit
ls plots
