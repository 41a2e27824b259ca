# bash completion for eptsim

_eptsim_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_eptsim_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

# After a comma another policy may follow.
_eptsim_policies()
{
	local done= names
	[[ $cur == *,* ]] && done=${cur%,*},
	names=$("${COMP_WORDS[0]}" list policies 2>/dev/null | sed '1d; s/ .*//')
	[[ $done ]] || names+=" all"
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$names" -- "${cur##*,}")
	compopt -o nospace 2>/dev/null
}

_eptsim()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} options
	COMPREPLY=()

	if ((COMP_CWORD == 1)); then
		_eptsim_words "compare run explore litmus import info config list --help --version"
		return
	fi
	# "--option=value" comes as three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $prev in
	--policies|--policy|-p)
		[[ $command == import ]] || { _eptsim_policies; return; } ;;
	--format) _eptsim_words "auto ftrace perf-script vst"; return ;;
	--l0) _eptsim_words "bare hyperv kvm"; return ;;
	--trace|--threads|--out|--svg|--dot|--junit|--json|--csv|--plot|--timeline|--intervals|--output|-o)
		_eptsim_files; return ;;
	--with|--without)
		_eptsim_words "exit fault guest_write guest_flush guest_op guest_asks pv_flush reload apic_mode nested nested_ept nested_other nested_shadow eptp_switch change clear_dirty memslot hotplug"
		return ;;
	--set|-s|--seed|--kernel|--pcpus|--vms|--vcpus|--roots|--pcids|--mem|--random|--steps|--first|--budget) return ;;
	esac

	options="--trace --threads --strict --set --seed --no-checkers --json \
--csv --plot --timeline"
	case $command in
	compare) options+=" --policies" ;;
	run) options+=" --policy --keep-going" ;;
	explore) options="--policy --pcpus --vms --vcpus --roots --pcids --l0 --with --without --budget --out --svg --dot --json \
--mutate --mem --no-symmetry --exact --invariant --jobs --no-reduction --random --seed --steps --first" ;;
	litmus) options="--policies --tap --junit --story --mem" ;;
	import) options="--output --format --threads --strict --policy --l0 --kernel" ;;
	info) options="--json --intervals --threads --format --strict" ;;
	config) options="--set" ;;
	list) options="--json --markdown" ;;
	*) return ;;
	esac
	if [[ $cur == -* ]]; then
		_eptsim_words "$options --help"
	elif [[ $command == list && $COMP_CWORD == 2 ]]; then
		_eptsim_words "policies costs machines workloads invariants params"
	elif [[ $command == config && $COMP_CWORD == 2 ]]; then
		_eptsim_words "check"
	else
		_eptsim_files
	fi
}

complete -F _eptsim eptsim ./eptsim
