#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The parts of a stack that are shown: kernel and user part, separators, annotations, addresses,
# root frames, functions and callers.
#
# long: a run for each view, 28 s
# kernels: none

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

fast=(-q -e cpu-clock -F 299)

kernel_and_user()
{
	profile "${fast[@]}" -o "$TMP/z.folded" -- "$WORK/syscalls" 0.5 zero >/dev/null || fail "exit status $?"
	has "$TMP/z.folded" '^syscalls;.*main;read_zero;.*read.*zero'
	at_least "$(total "$TMP/z.folded" ';read_zero;')" 20 'samples in the kernel'
}
check 'kernel frames are above the function that called the kernel' kernel_and_user

user_only()
{
	profile "${fast[@]}" -U -o "$TMP/z.folded" -- "$WORK/syscalls" 0.4 zero >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/z.folded" ';read_zero [0-9]*$')" 20 'samples'
	lacks "$TMP/z.folded" 'vfs_read|entry_SYSCALL|do_syscall'
}
check '-U shows user frames only' user_only

kernel_only()
{
	profile "${fast[@]}" -K -o "$TMP/z.folded" -- "$WORK/syscalls" 0.4 zero >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/z.folded" 'vfs_read|read_zero|iter_zero')" 20 'samples'
	lacks "$TMP/z.folded" ';main;'
	status_is 64 profile -U -K 1
}
check '-K shows kernel frames only' kernel_only

delimiter()
{
	profile "${fast[@]}" -d -o "$TMP/z.folded" -- "$WORK/syscalls" 0.4 zero >/dev/null || fail "exit status $?"
	has "$TMP/z.folded" ';read_zero;-;'
	profile "${fast[@]}" -d -- "$WORK/syscalls" 0.4 zero >"$TMP/z.txt" || fail "exit status $?"
	has "$TMP/z.txt" '^ +--$'
}
check '-d puts a line between kernel and user' delimiter

annotations()
{
	profile "${fast[@]}" -a -o "$TMP/z.folded" -- "$WORK/syscalls" 0.4 zero >/dev/null || fail "exit status $?"
	has "$TMP/z.folded" ';read_zero;.*_\[k\]'
	lacks "$TMP/z.folded" 'main_\[k\]'
}
check '-a marks kernel frames' annotations

addresses()
{
	profile "${fast[@]}" -A -j -- "$WORK/shares" 0.4 >"$TMP/a.json" || fail "exit status $?"
	jq -es 'any(.[]; .type == "stack" and any(.user[]?; .func == "burn_hot" and
		(.addr | test("^0x[0-9a-f]+$")) and (.off | type == "number")))' <(grep '^{' "$TMP/a.json") \
		>/dev/null || fail 'no addr beside burn_hot' "$(head -n 3 "$TMP/a.json")"
	profile "${fast[@]}" -j -- "$WORK/shares" 0.4 >"$TMP/a.json" || fail "exit status $?"
	jq -es 'all(.[] | select(.type == "stack") | .user[]?, .kernel[]?; has("addr") or has("off") | not)' \
		<(grep '^{' "$TMP/a.json") >/dev/null || fail 'addresses without -A'
}
check '-A gives addresses and offsets, and only -A' addresses

# Identical results are one line.
no_line_twice()
{
	profile "${fast[@]}" -o "$TMP/d.folded" -- "$WORK/shares" 0.8 >/dev/null || fail "exit status $?"
	exactly "$(sed 's/ [0-9]*$//' "$TMP/d.folded" | sort | uniq -d | wc -l)" 0 'stacks shown twice'
}
check 'stacks that look the same are one line' no_line_twice

roots()
{
	local by want

	start shares 30
	while read -r by want; do
		profile "${fast[@]}" -f --by "$by" -p "$PID" 0.4 >"$TMP/by.folded" || fail "--by $by: status $?"
		has "$TMP/by.folded" "$want"
	done <<-EOF
		comm ^shares;
		pid ^shares-$PID;
		tid ^shares-$PID/$PID;
		cpu ^cpu_[0-9]+;
		cgroup ^/[^;]*;
		none ^(_start|main|__libc_start|\[)
	EOF
	stop
	status_is 64 profile --by nonsense 1
}
check '--by chooses the root frame' roots

functions()
{
	profile "${fast[@]}" --functions --top 0 -j -- "$WORK/chain" 0.5 4 >"$TMP/fn.json" || fail "exit status $?"
	grep '^{' "$TMP/fn.json" >"$TMP/fn2.json"
	jq -es '
		[.[] | select(.type == "function" or .type == "func" or .type == "count")] as $f |
		($f | map(select(.func == "bottom"))[0]) as $b | ($f | map(select(.func == "step_03"))[0]) as $s |
		($b.self > 0.9 * $b.total) and ($s.self < 0.05 * $s.total) and ($s.total >= 0.97 * $b.total)' \
		"$TMP/fn2.json" >/dev/null || fail "$(grep -E 'bottom|step_03' "$TMP/fn2.json")"
}
check '--functions gives self and total' functions

recursion()
{
	profile "${fast[@]}" --functions --top 0 -j -- "$WORK/deep" 0.4 60 >"$TMP/fn.json" || fail "exit status $?"
	grep '^{' "$TMP/fn.json" >"$TMP/fn2.json"
	jq -es '[.[] | select(.func? == "ping")][0].total as $p | [.[] | select(.func? == "deep_leaf")][0].total as $l |
		$p <= 1.05 * $l + 2 and $p >= 0.95 * $l - 2' "$TMP/fn2.json" >/dev/null ||
		fail "$(grep -E 'ping|deep_leaf' "$TMP/fn2.json")"
}
check 'a function that calls itself is counted once per sample' recursion

callers()
{
	profile "${fast[@]}" --callers step_02 -o "$TMP/cl.folded" -- "$WORK/chain" 0.5 6 >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/cl.folded" 'step_06;step_05;step_04;step_03;step_02 [0-9]+$')" 50 'callers of step_02'
	lacks "$TMP/cl.folded" 'bottom|step_01'
}
check '--callers shows the callers of a function' callers

top_rows()
{
	local n

	profile -q -e page-faults -c 1 --top 5 -- "$WORK/stacks" 6 >"$TMP/top.txt" || fail "exit status $?"
	n=$(grep -c touch_leaf "$TMP/top.txt")
	((n <= 5)) || fail "$n stacks with --top 5"
	has "$TMP/top.txt" 'more stacks'
	profile -q -e page-faults -c 1 --top 0 -- "$WORK/stacks" 6 >"$TMP/top.txt" || fail "exit status $?"
	exactly "$(grep -c touch_leaf "$TMP/top.txt")" 64 'stacks with --top 0'
}
check '--top N shows N stacks and the number of the others' top_rows

vdso()
{
	profile "${fast[@]}" -o "$TMP/v.json" -o "$TMP/v.folded" -- "$WORK/syscalls" 0.5 vdso >/dev/null || fail "exit status $?"
	grep -q '\[vdso\]' /proc/self/maps || skip_because 'no vdso'
	has "$TMP/v.folded" 'clock_gettime'
	jq -es 'any(.[]; .type == "stack" and any(.user[]?; .kind == "vdso" and (.func // "" | test("gettime"))))' \
		"$TMP/v.json" >/dev/null || fail 'no named vdso frame'
}
check 'the vdso has names' vdso

defaults()
{
	profile 0.3 >"$TMP/default.txt" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	profile -j 0.2 >"$TMP/default.json" 2>/dev/null || fail "exit status $?"
	jq -es '.[0] | .type == "meta" and .plan.freq_hz == 49 and (.plan.event | type == "string")' \
		"$TMP/default.json" >/dev/null || fail "$(head -n 1 "$TMP/default.json")"
}
check 'without options it samples at 49 Hz and says which event' defaults
