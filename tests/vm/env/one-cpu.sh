#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A kernel that is limited to one CPU.
#
# kernel: 6.1
# boot: nosmp

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

one_cpu()
{
	exactly "$(nproc)" 1 CPUs
	all_work
}
check 'with nosmp all commands work' one_cpu

shares_are_true()
{
	profile -q -f -e cpu-clock -F 199 -o "$TMP/s.folded" -- "$WORK/shares" 1 >/dev/null || fail "exit status $?"
	share "$(total "$TMP/s.folded" ';burn_hot')" "$(total "$TMP/s.folded" ';burn_')" 0.6 'burn_hot'
}
check 'on one CPU the shares are right' shares_are_true
