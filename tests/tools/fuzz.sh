#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A short run of every fuzzer; `make fuzz` runs longer.
#
# long: a minute for each fuzzer
. "$(dirname "$0")/../lib.sh"

need clang
if ! echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n); int LLVMFuzzerTestOneInput(
	const char *p, unsigned long n) { return !p && n; }' |
	clang -fsanitize=fuzzer,address -x c -o "$TMP/probe" - 2>/dev/null; then
	skip fuzz "clang has no libFuzzer here (compiler-rt)"
	exit 0
fi

# All fuzzers, as many at once as there are CPUs; the output of each is in its log.
make -k --no-print-directory -j"$(nproc)" FUZZ=1 "FUZZ_SECONDS=${FUZZ_SECONDS:-5}" fuzz-all >"$TMP/fuzz.log" 2>&1

passed()
{
	grep "^$1: runs: [1-9]" "$TMP/fuzz.log" && return
	grep "^$1: " "$TMP/fuzz.log"
	tail -n 40 "build/fuzz/$1.log" || tail -n 40 "$TMP/fuzz.log"
	return 1
}

for source in tests/fuzz/*.c; do
	name=${source#tests/fuzz/}
	name=${name%.c}
	check "nothing found in $name" passed "$name"
done
