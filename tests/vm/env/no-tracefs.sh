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
	exactly "$(verdict tracefs)" no 'verdict on tracefs'
	"$BPERF" doctor | grep '^no  *tracefs' >"$TMP/doctor"
	has "$TMP/doctor" 'mount -t tracefs'
}
check 'doctor says how to mount it' doctor_knows

mount -t tracefs tracefs /sys/kernel/tracing
