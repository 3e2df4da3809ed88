#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The README's table of kernels is the one that was measured (tests/vm/table.py).

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need python3

check "the README's table of kernels is made from results" python3 tests/vm/table.py --check

# doctor's answers here have the rows that are recorded.
rows_are_complete()
{
	tail -n +2 tests/vm/features.tsv | cut -f1 | sort >"$TMP/recorded"
	sed -n 's/^\t\[FEATURE_[A-Z_]*\] = { { .key = "\([a-z_]*\)".*/\1/p' core/host/feature.c |
		grep -Evx 'privileges|lockdown|pmu|limits|kallsyms|bpf_jit|tracefs' | sort >"$TMP/rows"
	same "$TMP/rows" "$TMP/recorded" || fail 'make check-vm, then tests/vm/table.py --record'
}
check 'every feature of the kernel is recorded' rows_are_complete
