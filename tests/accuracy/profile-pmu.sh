#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Hardware counters: instructions of a program that executes a known number of them, and instructions for each
# cycle.  Virtual machines rarely have the counters; QEMU emulates both on arm64, where with one CPU a cycle
# takes 1 ns and an instruction 4 (tests/vm/machine.py).
#
# kernels: 6.1 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

"$BPERF" doctor -j >"$TMP/doctor.json"
pmu=$(jq -r '.features[] | select(.name == "pmu").detail' "$TMP/doctor.json")
if [[ $pmu != cycles,\ instructions* ]]; then
	skip 'instructions for each cycle' "no hardware counters here: $pmu"
	exit 0
fi

# of FUNCTION FIELD: from the ratio of a function.
of()
{
	jq -r "select(.func == \"$1\") | .total_ratio.$2" "$TMP/f.json"
}

# close_to GOT WANT SHARE WHAT
close_to()
{
	between "$1" "$(awk "BEGIN { print $2 * (1 - $3) }")" "$(awk "BEGIN { print $2 * (1 + $3) }")" "$4"
}

# instructions_are_counted TOLERANCE ARGS...: instructions of both functions, and for each cycle.
instructions_are_counted()
{
	local share=$1 name

	shift
	profile -q --functions "$@" -o "$TMP/f.json" -- "$WORK/retired" 200 \
		>"$TMP/retired.truth" || fail "exit status $?"
	jq -c 'select(.func | strings | startswith("retire_")) | [.func, .total_ratio]' "$TMP/f.json"
	for name in retire_few retire_many; do
		close_to "$(of $name second.events)" "$(truth retired $name)" "$share" "instructions of $name"
		[ "$(of $name verdict)" = near ] || [ "$(of $name verdict)" = unknown ] ||
			fail "$name: $(of $name verdict), although all loops are alike"
		if [ -n "${BPERF_SLOW-}" ] && [ "$(uname -m)" = aarch64 ] && [ "$(nproc)" = 1 ]; then
			close_to "$(of $name value)" 0.25 "$share" "instructions for each cycle of $name"
		fi
	done
}
check 'instructions, and for each cycle, with a period' instructions_are_counted 0.02 --ratio instructions/cycles -c 1000000
check 'instructions, and for each cycle, at a rate' instructions_are_counted 0.05 --ratio instructions/cycles -F 499
check 'instructions, and for each cycle, with two periods' instructions_are_counted 0.02 \
	--ratio instructions:1000000/cycles:3000000

values_are_cycles()
{
	profile -q -f --color-by instructions -c 1000000 -o "$TMP/v.folded" -o "$TMP/v.svg" -- \
		"$WORK/retired" 200 >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/v.folded" ';retire_many')" 10 'samples of cycles in retire_many'
	has "$TMP/v.svg" 'Width is samples of cycles\. Color is instructions/cycles\.'
}
check 'the default event is cycles' values_are_cycles
