#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Locked down so that BPF may not read the kernel's memory.
#
# kernel: 6.12
# boot: lockdown=confidentiality

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

check 'with lockdown=confidentiality all commands say so' all_refuse 77 'lock.*confidentiality'

doctor_knows()
{
	"$BPERF" doctor >"$TMP/doctor"
	has "$TMP/doctor" '^no +lockdown +confidentiality'
	has "$TMP/doctor" '^does not work: .*profile'
}
check 'doctor says so beforehand' doctor_knows

umount /sys/kernel/security
check 'all commands say so without securityfs too' all_refuse 77 'lock.*confidentiality'
check 'doctor says so beforehand without securityfs too' doctor_knows
mount -t securityfs securityfs /sys/kernel/security
