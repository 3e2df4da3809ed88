#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The commands that people know (tests/truth/trace-corpus.tsv) run, or say precisely why not on
# this host: a feature that the kernel lacks, a thing that is not installed.  Never a usage error.
# What came of each is printed as a table.
#
# kernels: host

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/truth/common.bash
. tests/truth/common.bash

# Something to see: files, forks, writes, names, exec.
timeout 300 sh -c 'while :; do cat /etc/hostname; sleep 0.05; done' >/dev/null 2>&1 &
busy=$!
at_exit+=("kill $busy")
cp "$WORK/calls" "$TMP/a.out"
PATH=${BPERF%/*}:$PATH

tinfo=$(ldconfig -p 2>/dev/null | sed -n 's/.*libtinfo\.so\.[0-9].* => //p' | head -n1)
cgroup=$(sed -n 's/^0:://p' "/proc/$$/cgroup" | head -n1)

# The place of instruction N of main in our stand-in for T21's program.
place()
{
	local line start='' i=0

	while read -r line; do
		if [[ $line == *'<main>:' ]]; then
			start=$((16#${line%% *}))
		elif [[ -n $start && $line == *:* ]] && ((i++ == $1)); then
			printf '0x%x' $((16#${line%%:*} - start))
			return
		fi
	done < <(objdump -d --no-show-raw-insn "$TMP/a.out" 2>/dev/null)
}
first=$(place 1)
second=$(place 2)

# What differs on each host; what a row means stays.
adapt()
{
	sed -E "s/\\$\\(pidof [a-z]+\\)/$busy/; s/-p [0-9]+/-p $busy/
		s,/usr/lib64/libtinfo.so,${tinfo:-/usr/lib64/libtinfo.so},
		s,/tmp/a.out:main\\+0xd,$TMP/a.out:main+${first:-0x1},
		s,/tmp/a.out:main\\+0x25,$TMP/a.out:main+${second:-0x4},
		s,/sys/fs/cgroup/system.slice/workload.service,${cgroup:-/},"
}

row()
{
	local id=$1 command=$2 status=0 n reason

	# The corpus is a shell's: quotes and all.
	eval "set -- $(adapt <<<"$command")"
	shift
	timeout --preserve-status -s INT -k 20 "$(slow 1)" "$BPERF" trace "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	n=$(($(wc -l <"$TMP/out") - 1))
	reason=$(grep -m1 '^bperf: ' "$TMP/err" | grep -v '^bperf: warning' | sed 's/^bperf: //')
	case $status in
	0) printf '%-5s runs, %d lines\n' "$id" "$((n > 0 ? n : 0))" >>"$TMP/table" ;;
	1 | 66 | 69 | 77)
		# Where instructions begin differs from kernel to kernel, and only it knows.
		((status != 1)) || [[ $reason == *'does not begin at an instruction'* ]] ||
			fail "status 1: bperf $command" "$(cat "$TMP/err")"
		[ -n "$reason" ] || fail "status $status without a reason" "$(cat "$TMP/err")"
		printf '%-5s %s\n' "$id" "$reason" >>"$TMP/table"
		;;
	*) fail "status $status: bperf $command" "$(cat "$TMP/err")" ;;
	esac
	! grep -q 'a bug in bperf' "$TMP/err" || fail "$(cat "$TMP/err")"
	# Whatever the kernel can do, these need nothing of it that any kernel lacks.
	case $command in
	*"'t:block"* | *"'u:"* | *tinfo* | *\$\(pidof*) ;;
	*"'t:"* | *"'c:"* | *:c:* | *bash:* | *[\'\ :]sys_* | *SyS_* | *__x64_sys_*)
		((status == 0)) || fail "must run: bperf $command" "$(cat "$TMP/err")"
		;;
	esac
}

while IFS='	' read -r id command _ <&3; do
	[[ $id == '#'* ]] || check "$id: $command" row "$id" "$command"
done 3<tests/truth/trace-corpus.tsv
sed 's/^/# /' "$TMP/table"
