#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Every variant of every BPF program loads.  The options are constants when a program is loaded, and the
# verifier walks only the code that can then run: each choice of options is another program to it.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_root
copied_symbols

# Each choice alone, and all at once; few, since emulated kernels have to load them too.  Without options
# the commands run in cli/doctor.sh, which asks for a reason if one does not.
variants()
{
	cat <<-EOF
		tid     -L $$ --not-cgroup /
		user    -U
		kernel  -K
		two     --ratio page-faults/cpu-clock
		all     -p $$ --follow --not-pid 1 --comm b* --not-comm x --uid 0 --not-uid 65534 --cgroup / --self
	EOF
}

# has_options NAME WORD...: the command takes all that begin with a dash.
has_options()
{
	local name=$1 word

	shift
	for word; do
		[[ $word != -* ]] || grep -Eq -- "(^|[ ,])$word([ ,=]|\$)" "$TMP/help.$name" || return
	done
}

# loads COMMAND...: it runs, no matter what it measures.
loads()
{
	local status=0

	timeout -s KILL 60 "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == 0)) || fail "exit status $status" "$(head -n 40 "$TMP/err")"
}

# A PID namespace with a /proc of its own, for the command after it.
# shellcheck disable=SC2016 # a program of the inner shell
namespace=(unshare -pf --kill-child --mount-proc
	bash -c '[ -z "$0" ] || mount --bind "$0" /proc/kallsyms; exec "$@"' "$SYMBOLS")

for name in $(commands); do
	"$BPERF" "$name" --help >"$TMP/help.$name"
	while read -r variant given; do
		read -ra options <<<"$given"
		read -ra words < <(short_run "$name")
		has_options "$name" "${options[@]}" || continue
		if [[ $given == *cgroup* ]] && ! grep -q ' cgroup2 ' /proc/mounts; then
			skip "$name: $variant" 'no cgroup2 is mounted'
			continue
		fi
		check "$name: $variant" loads "$BPERF" "$name" -q "${options[@]}" "${words[@]}"
	done < <(variants)
	if unshare -pf --mount-proc true 2>/dev/null; then
		check "$name: all, in a PID namespace" loads "${namespace[@]}" \
			"$BPERF" "$name" -q -p 1 --follow --comm 'b*' --uid 0 --not-uid 65534 "${words[@]}"
	fi
done
