#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Cgroups of version 1: one hierarchy per controller, beside an unused version 2 or without it.
#
# kernel: 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

umount /sys/fs/cgroup
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/cpuacct
mount -t cgroup -o cpuacct cgroup /sys/fs/cgroup/cpuacct || {
	skip "$(this_test)" 'this kernel has no cgroup v1 controller'
	exit 0
}
at_exit+=('umount /sys/fs/cgroup/cpuacct /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup')

filters()
{
	local dir=/sys/fs/cgroup/cpuacct/box inside

	mkdir -p "$dir/inner"
	start shares 60
	inside=$PID
	echo "$inside" >"$dir/inner/cgroup.procs" || fail 'cannot move a process'
	start chain 60
	profile -q -f -e cpu-clock -F 99 --cgroup "$dir" 1 >"$TMP/in.folded" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	has "$TMP/in.folded" burn_
	lacks "$TMP/in.folded" bottom
	profile -q -f -e cpu-clock -F 99 --not-cgroup "$dir" 1 >"$TMP/out.folded" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	lacks "$TMP/out.folded" burn_
	has "$TMP/out.folded" bottom
	kill -9 "$inside" "$PID"
	wait "$inside" "$PID" 2>/dev/null
	rmdir "$dir/inner" "$dir"
	return 0
}
check 'a cgroup of version 1 is filtered by' filters
check 'with version 1 all commands work' all_work
