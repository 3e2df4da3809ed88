#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Cgroups of version 2, also where a cgroup namespace hides the cgroups above.
#
# kernel: 6.12

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

in_namespace()
{
	local dir=/sys/fs/cgroup/box inside

	mkdir -p "$dir/inner"
	later "rmdir $dir/inner $dir"
	start shares 60
	inside=$PID
	echo "$inside" >"$dir/inner/cgroup.procs"
	start chain 60
	# shellcheck disable=SC2016 # for an inner shell
	bash -c 'echo $$ >"$0/cgroup.procs" && exec unshare -Cm bash -c "
		umount /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup &&
		exec timeout 60 $1 profile -q -f -e cpu-clock -F 99 --cgroup /sys/fs/cgroup/inner 1"' \
		"$dir" "$BPERF" >"$TMP/in.folded" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	has "$TMP/in.folded" burn_
	lacks "$TMP/in.folded" bottom
	kill -9 "$inside" "$PID"
	wait "$inside" "$PID" 2>/dev/null
	return 0
}
check 'inside a cgroup namespace a cgroup is filtered by' in_namespace
