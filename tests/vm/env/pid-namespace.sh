#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Inside a PID namespace: its pids are not the kernel's.
#
# kernel: 6.12

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

cat >"$TMP/inside" <<'EOT'
"$WORK/shares" 60 >/dev/null &
"$WORK/chain" 60 >/dev/null 2>&1 &
sleep 0.5
timeout 60 "$BPERF" profile -q -f -e cpu-clock -F 99 --by pid -p $! 1
EOT

numbers_are_ours()
{
	unshare -pf --kill-child --mount-proc bash "$TMP/inside" >"$TMP/out" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	has "$TMP/out" '^chain-[0-9];.*bottom'
	lacks "$TMP/out" burn_
}
check '-p takes a process by its pid inside' numbers_are_ours

all_inside()
{
	local name

	for name in $(commands); do
		# shellcheck disable=SC2046 # words
		unshare -pf --kill-child --mount-proc timeout 60 "$BPERF" "$name" -q $(short_run "$name") >"$TMP/out" 2>"$TMP/err" ||
			fail "$name: exit status $?" "$(cat "$TMP/err")"
	done
}
check 'inside a PID namespace all commands work' all_inside

sites_inside()
{
	local site

	for site in t:sched:sched_switch k:ksys_sync "p:$WORK/shares:main"; do
		unshare -pf --kill-child --mount-proc timeout 60 "$BPERF" funccount -q -d 0.2 "$site" >"$TMP/out" 2>"$TMP/err" ||
			fail "$site: exit status $?" "$(cat "$TMP/err")"
	done
}
check 'inside a PID namespace sites are probed' sites_inside
