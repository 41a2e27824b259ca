# The manual is well-formed mdoc and names every command and option there is.
page=$TOP/sim/cli/eptsim.1
if command -v mandoc >/dev/null; then
	mandoc -T lint "$page" 2>&1 | grep -v -e 'mandoc.db lacks'
fi
for command in compare run explore import info config list; do
	grep -q "^\.Cm $command" "$page" || echo "no word on $command"
	for option in $("$EPTSIM" $command --help |
			grep -o -e '^  *\(-., \)\? *--[a-z0-9-]*' | grep -o -e '--.*'); do
		case $option in --help|--usage) continue ;; esac
		grep -q -e "${option#-}" "$page" || echo "$command: no word on $option"
	done
done
true
