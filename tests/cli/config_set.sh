# Settings go through the same checks as the file.
cd "$TOP" || exit
f=configs/scenarios/recorded.json
"$EPTSIM" config check --set seed=7 --set machine.guest_levels=5 \
	--set costs.invlpg.value=50 --set 'expect.never=["I1"]' $f || exit 1
"$EPTSIM" config check --set seed=x --set machine.guest_level=5 \
	--set costs.invlpg.value=-50 --set workload.hot_pages.x=1 --set l0=7 \
	--set 'expect.never=["I1","J"]' --set polices=all --set '[0]=1' $f
