#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Compiled probes do what they should: events, cells, counters, spans (tests/codegen/bench.c).
#
# shared: its counts do not depend on the CPU time that it gets
# kernels: 5.10 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
[ -x "$WORK/values/programs" ] || {
	skip 'compiled probes' 'build/tests/workloads/values/programs is not built'
	exit
}
"$WORK/values/programs"
