#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Command lines of trace that people know (tests/accuracy/trace-corpus.tsv).
#
# long: a run for each question of the corpus, 45 s
# kernels: none
# Rows about the kernel's functions run where those can be probed: tests/vm/vm 6.1 corpus
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/corpus.bash
. tests/accuracy/corpus.bash

cp "$WORK/calls" "$TMP/a.out"
PATH=${BPERF%/*}:$PATH

tinfo=$(ldconfig -p 2>/dev/null | sed -n 's/.*libtinfo\.so\.[0-9].* => //p' | head -n1)
cgroup=$(sed -n 's/^0:://p' "/proc/$$/cgroup" | head -n1)

# The offset of instruction N of main in our stand-in for T21's program.
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

adapt()
{
	sed -E "s/\\$\\(pidof [a-z]+\\)/$busy/; s/-p [0-9]+/-p $busy/
		s,/usr/lib64/libtinfo.so,${tinfo:-/usr/lib64/libtinfo.so},
		s,/tmp/a.out:main\\+0xd,$TMP/a.out:main+${first:-0x1},
		s,/tmp/a.out:main\\+0x25,$TMP/a.out:main+${second:-0x4},
		s,/sys/fs/cgroup/system.slice/workload.service,${cgroup:-/},"
}

results()
{
	local n

	n=$(wc -l <"$1")
	printf '%d lines' "$((n > 0 ? n - 1 : 0))"
}

# The offsets at which instructions begin differ between kernels, and only the kernel knows them.
may_fail()
{
	[[ $1 == *'does not begin at an instruction'* ]]
}

must_run()
{
	case $1 in
	*"'t:block"* | *"'u:"* | *tinfo* | *\$\(pidof*) false ;;
	*"'t:"* | *"'c:"* | *:c:* | *bash:* | *[\'\ :]sys_* | *SyS_* | *__x64_sys_*) ;;
	*) false ;;
	esac
}

corpus trace tests/accuracy/trace-corpus.tsv
