#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The unit tests again, with address and undefined-behaviour sanitizers.
#
# long: 6 minutes of CPU time
. "$(dirname "$0")/../lib.sh"

# Tests of absurd sizes want the NULL that malloc returns without asan.
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
# Data parsed from the command line lives as long as the program.  Everything else is freed.
echo 'leak:core/opt/' >"$TMP/lsan"
export LSAN_OPTIONS=suppressions=$TMP/lsan:print_suppressions=0

check 'builds with sanitizers' make -k --no-print-directory -j"$(nproc)" SAN=1 all unit
for source in tests/unit/*/*.c; do
	name=${source#tests/unit/}
	name=${name%.c}
	[ -x "build/san/tests/unit/$name" ] && check "$name" "build/san/tests/unit/$name"
done
