#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Locked down as under Secure Boot: tracing is allowed.
#
# kernel: 6.12
# boot: lockdown=integrity

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

is_locked()
{
	has /sys/kernel/security/lockdown '\[integrity\]'
	"$BPERF" doctor >"$TMP/doctor"
	has "$TMP/doctor" '^ok +lockdown +integrity'
}
check 'doctor reads the mode' is_locked
check 'with lockdown=integrity all commands work' all_work
