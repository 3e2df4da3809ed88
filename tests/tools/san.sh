#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The unit tests again, with address and undefined-behaviour sanitizers, and a short run of every fuzzer.
# `make fuzz` runs longer.
#
# long: 6 minutes of CPU time, and $FUZZ_SECONDS for each fuzzer
. "$(dirname "$0")/../lib.sh"

need clang
if ! echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n); int LLVMFuzzerTestOneInput(
	const char *p, unsigned long n) { return !p && n; }' |
	clang -fsanitize=fuzzer,address -x c -o "$TMP/probe" - 2>/dev/null; then
	skip 'sanitizers and fuzzers' 'clang has no libraries for them here (compiler-rt)'
	exit 0
fi

# Tests of absurd sizes want the NULL that malloc returns without asan.
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
# Data parsed from the command line lives as long as the program.  Everything else is freed.
echo 'leak:core/opt/' >"$TMP/lsan"
export LSAN_OPTIONS=suppressions=$TMP/lsan:print_suppressions=0

san()
{
	make -k --no-print-directory -j"$(nproc)" SAN=1 "$@"
}

check 'clang builds the unit tests with sanitizers' san unit
for source in tests/unit/*/*.c; do
	name=${source#tests/unit/}
	name=${name%.c}
	[ -x "build/san/tests/unit/$name" ] && check "$name" "build/san/tests/unit/$name"
done
unset ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS

# All fuzzers, as many at once as there are CPUs; the output of each is in its log.
san "FUZZ_SECONDS=${FUZZ_SECONDS:-5}" fuzz-all >"$TMP/fuzz.log" 2>&1

found_nothing()
{
	grep "^$1: runs: [1-9]" "$TMP/fuzz.log" && return
	grep "^$1: " "$TMP/fuzz.log"
	tail -n 40 "build/san/$1.log" || tail -n 40 "$TMP/fuzz.log"
	return 1
}

for source in tests/fuzz/*.c; do
	name=${source#tests/fuzz/}
	name=${name%.c}
	check "nothing found in $name" found_nothing "$name"
done
