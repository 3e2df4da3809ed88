#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A short run of every fuzzer; `make fuzz` runs longer.
. "$(dirname "$0")/lib.sh"

need clang
if ! echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n); int LLVMFuzzerTestOneInput(
	const char *p, unsigned long n) { return !p && n; }' |
	clang -fsanitize=fuzzer,address -x c -o "$TMP/probe" - 2>/dev/null; then
	skip fuzz "clang has no libFuzzer here (compiler-rt)"
	exit 0
fi

for source in tests/fuzz/*.c; do
	[ -f "$source" ] || continue
	name=${source#tests/fuzz/}
	name=${name%.c}
	check "nothing found in $name" make --no-print-directory -j"$(nproc)" FUZZ=1 \
		"FUZZ_SECONDS=${FUZZ_SECONDS:-5}" "fuzz-$name"
done
