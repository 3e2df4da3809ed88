#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Neither tracefs nor debugfs is mounted, anywhere.
#
# kernel: 6.12

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash
# shellcheck source=tests/cli/doctor.bash
. tests/cli/doctor.bash

without()
{
	umount /sys/kernel/tracing
	umount -R /sys/kernel/debug 2>/dev/null
	grep -E 'tracefs|debugfs' /proc/mounts && fail 'still mounted'
	all_work
}
check 'without tracefs all commands work' without

doctor_knows()
{
	exactly "$(verdict tracefs)" ok 'verdict on tracefs'
	"$BPERF" doctor | tr -s '\n ' ' ' >"$TMP/doctor"
	has "$TMP/doctor" 'ok tracefs not mounted; bperf mounts it for itself'
}
check 'doctor says that it is mounted for us alone' doctor_knows

alone()
{
	"$BPERF" list t:sched:sched_switch >"$TMP/list" || fail "status $?"
	has "$TMP/list" '^t:sched:sched_switch$'
	! grep -E 'tracefs|debugfs' /proc/mounts || fail 'others see the mount'
}
check 'tracepoints are found, and no other process sees the mount' alone

for_nobody
sites()
{
	local caps

	cp "$WORK/shares" "$TMP/shares"
	for caps in +bpf,+perfmon +sys_admin +sys_admin,+dac_read_search; do
		tracefs_agrees "$caps"
		probing_agrees "$caps" k:ksys_sync 'kernel functions'
		probing_agrees "$caps" "p:$TMP/shares:main" 'user functions'
	done
}
check 'without tracefs sites are probed as doctor says' sites

mount -t tracefs tracefs /sys/kernel/tracing
