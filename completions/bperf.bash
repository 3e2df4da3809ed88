# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# bash completion for bperf.  All knowledge is in `bperf __complete`; this file only adapts it to bash.

_bperf()
{
	local rest=${COMP_LINE:0:COMP_POINT} part cur line i n=-1
	local -a words=() lines=()

	# bash splits at ':' and '=' too: join the parts that have no space between them.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		part=${COMP_WORDS[i]}
		if [[ $i == 0 || $rest == [[:space:]]* ]]; then
			rest=${rest#"${rest%%[![:space:]]*}"}
			words[++n]=
		fi
		((i == COMP_CWORD)) && part=$rest
		words[n]+=$part
		rest=${rest#"$part"}
	done
	cur=${words[n]}

	COMPREPLY=()
	while IFS= read -r line; do
		lines+=("$line")
	done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
	case ${lines[0]-} in
	:file*) compopt -o default ;;
	:dir*) compopt -o dirnames ;;
	:command*)
		for ((i = 1; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} == -- ]] && break
		done
		if declare -F _command_offset >/dev/null; then
			_command_offset $((i + 1))
		elif ((COMP_CWORD == i + 1)); then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		else
			compopt -o default
		fi
		;;
	*)
		# bash replaces only the part after the last such character.
		part=
		[[ $cur == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]] && part=${cur%"${cur##*[=:]}"}
		for line in "${lines[@]}"; do
			line=${line%%$'\t'*}
			line=${line#"$part"}
			[[ $line == *[!A-Za-z0-9_.,@%+/-]* ]] && printf -v line %q "$line"
			COMPREPLY+=("$line")
			# More follows the kind of a probe, and a category.
			[[ $line == *: ]] && compopt -o nospace
		done
		;;
	esac
}

# The links that `bperf install` makes as well.
complete -F _bperf bperf
for _bperf_name in $(bperf --list 2>/dev/null | sed '/^$/,$d') $(bperf __tools 2>/dev/null); do
	complete -F _bperf "bperf-$_bperf_name"
done
unset _bperf_name
