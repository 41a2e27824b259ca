# explore: 0 where nothing is violated, 1 with a numbered story where something
# is, 2 for bad usage, which comes before any exploration.
less=memslot,nested,reload,guest_asks,pv_flush,apic_mode,clear_dirty,hotplug
fewer="--without $less"

. "$TOP/tests/cli/explore.inc"
# story: sentences are numbered 1, 2, 3 ... and each has a full stop
story() {
	awk '/^ *[0-9]+\. / { if ($1 != ++n "." || !/\.$/) bad = 1 }
	     END { exit bad || n < 3 }' out ||
		{ echo 'this is no story:'; cat out; }
}

# shellcheck disable=SC2086 # a list of words
explore 1 --policy never $fewer
has 'never: broken' 'I1: vCPU 0 on pCPU ' '   1. pCPU ' 'enters the guest' \
	'the host zaps the page of VM 0' 'from now on nobody may use'
story
[ ! -s err ] || { echo 'there is something on standard error:'; cat err; }
cp out once
# shellcheck disable=SC2086
explore 1 --policy never $fewer
for f in once out; do
	sed 's/[0-9.]* s, [0-9]* states\/s//' $f >$f.steady
done
cmp once.steady out.steady
# shellcheck disable=SC2086
explore 1 --policy never --no-symmetry $fewer
has 'never: broken'
story
# shellcheck disable=SC2086
explore 1 -p per-root-mask $fewer
has 'per-root-mask: broken' 'cpu_flushed_mask of root 0'
story

# shellcheck disable=SC2086
explore 0 --policy always $fewer
has 'always: exhausted, no violation'
! grep -q '^ *1\. ' out || { echo 'a story of nothing:'; cat out; }
explore 0 --policy never --without change,guest_flush,$less
has 'never: exhausted, no violation'
explore 3 --policy global-flush --mem 1
has 'global-flush: not exhausted'
explore 1 --policy global-flush,never --mem 1
has 'global-flush: not exhausted' 'never: broken'
# The worst of several decides, whatever the order.
# shellcheck disable=SC2086
explore 1 --policy never,always $fewer
has 'never: broken' 'always: exhausted'
# shellcheck disable=SC2086
explore 1 --policy always,never $fewer
has 'never: broken' 'always: exhausted'
explore 0 --policy hypercall-broadcast
has 'hypercall-broadcast: n/a: '

refuse 'expected 1 to 4' --policy never --pcpus 9
refuse 'expected 1 to 4' --policy never --pcpus 0
refuse 'expected 1 to 4' --policy never --pcpus 2x
refuse 'expected 1 to 4' --policy never --vms 5
refuse 'expected 1 to 4' --policy never --vcpus -1
refuse 'expected 2 to 64' --policy never --roots 1
refuse 'expected 3 or more' --policy always --roots 2 --vms 3 --with change
refuse 'expected 1 to ' --policy never --mem 0
refuse 'expected bare or hyperv' --policy never --l0 foo
refuse 'nothing is named "foo"' --policy never --without foo
refuse 'nothing is named "foo"' --policy never --without change,foo
refuse 'nothing is named "step"' --policy never --without step
refuse 'policy' --pcpus 2
refuse 'no policy is named "nonsense"' --policy nonsense
refuse 'many' --policy never more
refuse 'nonsense' --policy never --nonsense

explore 0 --policy active-roots --mutate
has 'active-roots: 12 bugs' '0 survived' 'vcpu_load: without INVEPT-single' \
	'the current root was listed'
explore 1 --policy vm-mask --mutate
has 'SURVIVED'
