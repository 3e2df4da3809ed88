#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# User stacks of programs without frame pointers, against a chain of calls that is known.
#
# long: samples a program for each way to unwind, half a minute
# kernels: 5.10

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

CHAIN='main;frameless_1;frameless_2;frameless_3;frameless_4;'

# offcpu ARGS...: bounded, as profile is.
offcpu()
{
	timeout -s KILL 90 "$BPERF" offcpu "$@"
}

# chain_of FILE PATTERN [CHAIN]: at least 99 % of the value under PATTERN has the whole chain, from the
# start of the thread.  The C library's static functions have names only where its debug file is installed.
# Stacks from before the tables were ready are not checked: a host that gives bperf little CPU time may have
# many.
chain_of()
{
	local chain=${3-$CHAIN} all whole

	grep -E "$2" "$1" | grep -vE '\[(unwind table late|stack not readable)\]' >"$TMP/walked" || true
	all=$(total "$TMP/walked" "$2")
	whole=$(grep -E "^frameless;(([^;[]+|\[libc\.so\.6\]);)*$chain" "$TMP/walked" | awk '{ n += $NF } END { print n + 0 }')
	((whole > 0)) || fail 'no stack has the chain' "$(head -n 20 "$1")"
	at_least "$whole" "$(awk "BEGIN { print int($all * 0.99) }")" "value with the chain, of $all"
}

burning_is_whole()
{
	profile -q -U -f -e cpu-clock -F 499 -o "$TMP/burn.folded" -- "$WORK/frameless" "$(slow 2)" \
		>"$TMP/truth" || fail "exit status $?"
	chain_of "$TMP/burn.folded" 'frameless_spin'
}
check 'a chain through qsort, without frame pointers' burning_is_whole

handler_is_whole()
{
	profile -q -U -f -e cpu-clock -F 499 -o "$TMP/signal.folded" -- "$WORK/frameless" "$(slow 2)" signal \
		>"$TMP/truth" || fail "exit status $?"
	chain_of "$TMP/signal.folded" 'on_signal;frameless_spin'
}
check 'from a signal handler on its own stack to the interrupted function' handler_is_whole

thread_is_whole()
{
	profile -q -U -f -e cpu-clock -F 499 -o "$TMP/thread.folded" -- "$WORK/frameless" "$(slow 2)" thread \
		>"$TMP/truth" || fail "exit status $?"
	chain_of "$TMP/thread.folded" 'frameless_spin' '(start_thread|\[libc\.so\.6\]);in_thread;'"${CHAIN#main;}"
}
check 'a second thread' thread_is_whole

# Below the chain, each of these has its own callers.
frames_are_whole()
{
	local chain below

	profile -q -U -f -e cpu-clock -F 499 -o "$TMP/frames.folded" -- "$WORK/frameless" "$(slow 3)" frames \
		>"$TMP/truth" || fail "exit status $?"
	chain="$CHAIN(([^;[]+|\[libc\.so\.6\]);)*frameless_compare;(all_frames;)?"
	for below in 'frameless_wide;(spin_in;)?frameless_below_wide' \
		'frameless_aligned;(spin_in;)?frameless_below_aligned' \
		'(frameless_deep;){60}(spin_in;)?frameless_below_deep' \
		'frameless_parent;(spin_in;)?frameless_in_child' \
		'frameless_alarmed;([^;]+;)+on_alarm;(spin_in;)?frameless_in_handler'; do
		chain_of "$TMP/frames.folded" "${below##*[;?)]}" "$chain$below"
	done
	# The signal may come between two calls of the function.
	at_least "$(total "$TMP/frames.folded" ';frameless_interrupted;[^;]+;on_alarm')" \
		$(($(total "$TMP/frames.folded" frameless_in_handler) * 2 / 3)) 'interrupted in the function'
}
check 'frames that are wide, aligned, many, of a vfork, of a signal' frames_are_whole

# Linked to the C library, and without any symbols.
bare_is_whole()
{
	profile -q -U -e cpu-clock -F 499 -o "$TMP/bare.json" -- "$WORK/frameless-bare" "$(slow 2)" >"$TMP/truth" ||
		fail "exit status $?"
	jq -es '(map(select(.type == "stack" and (.user | length) >= 10) | .count) | add) as $whole |
		.[-1].stacks.user | .complete_share >= 0.99 and $whole >= .value * 0.98' "$TMP/bare.json" >/dev/null ||
		fail "$(tail -n 3 "$TMP/bare.json")"
}
check 'a program that is static and stripped' bare_is_whole

plug_is_whole()
{
	[ -f "$WORK/frameless.so" ] || skip_because 'the library is not built'
	profile -q -U -f -e cpu-clock -F 499 -o "$TMP/plug.folded" -- \
		"$WORK/frameless" "$(slow 3)" plug "$WORK/frameless.so" >"$TMP/truth" || fail "exit status $?"
	chain_of "$TMP/plug.folded" 'frameless_plug'
}
check 'through a library that was loaded during the run' plug_is_whole

sleeping_is_whole()
{
	offcpu -q -U -f -o "$TMP/sleep.folded" -- "$WORK/frameless" "$(slow 2)" sleep >"$TMP/truth" ||
		fail "exit status $?"
	chain_of "$TMP/sleep.folded" 'doze;'
	chain_of "$TMP/sleep.folded" 'frameless_read'
	# vfork() keeps its return address in a register while it waits.
	[ "$(uname -m)" = x86_64 ] || return 0
	offcpu -q -U -f -o "$TMP/vfork.folded" -- "$WORK/frameless" "$(slow 2)" frames >"$TMP/truth" ||
		fail "exit status $?"
	chain_of "$TMP/vfork.folded" ';(__)?(libc_)?vfork' "$CHAIN.*;frameless_parent;(__)?(libc_)?vfork"
}
check 'offcpu: a thread that sleeps at the end of the chain' sleeping_is_whole

sleeper_is_whole()
{
	start frameless 30 sleep
	offcpu -q -U -f -o "$TMP/sleeper.folded" -p "$PID" 1 || fail "exit status $?"
	chain_of "$TMP/sleeper.folded" 'doze;'
}
check 'offcpu: a thread that was asleep when the run began' sleeper_is_whole

# While a busy host takes 300 ms to read the threads that are asleep, no table is written: 250 stacks are
# copied and wait.  Otherwise 15 % would be cut.  On an emulated CPU, building a table takes longer than the
# ring has room for copies.
are_whole_from_the_start()
{
	local i most=20

	[ -z "${BPERF_SLOW-}" ] || most=10

	for ((i = 0; i < 4; i++)); do
		start frameless 30 sleep
	done
	BPERF_WAIT_FAULTS=scan-delay=300 offcpu -q -U -o "$TMP/start.json" --comm frameless 2 1 || fail "exit status $?"
	tail -n 1 "$TMP/start.json" | jq -e --argjson most "$most" '
		.stacks.user | .value > 5000000 and .cut.table_late <= .value / $most' >/dev/null ||
		fail "$(tail -n 1 "$TMP/start.json" | jq -c .stacks.user)"
}
check 'offcpu: four programs, while the run begins' are_whole_from_the_start

# The first samples of a process are copies of its stack.
copies_are_whole()
{
	profile -q -U -f -e cpu-clock -F 499 -o "$TMP/far.folded" -- "$WORK/frameless" "$(slow 0.2)" far \
		>"$TMP/truth" || fail "exit status $?"
	chain_of "$TMP/far.folded" 'frameless_spin'
	exactly "$(total "$TMP/far.folded" '\[stack not readable\]')" 0 'samples whose stack was not copied in full'
}
check 'a stack of 40 KB whose process is new' copies_are_whole

# The compiler proper has 30 MB: its table is built on a thread, while the stacks that need it wait.
compiler_is_whole()
{
	local cc1 pid

	cc1=$(cc -print-prog-name=cc1 2>/dev/null) || skip_because 'no cc here'
	[ "$(stat -Lc %s "$cc1" 2>/dev/null || echo 0)" -gt 8388608 ] || skip_because 'no large compiler here'
	printf '#include <%s.h>\n' stdio stdlib string math time >"$TMP/small.c"
	profile -q -U -e cpu-clock -F 999 -o "$TMP/cc.json" -- cc -O2 -c -o "$TMP/small.o" "$TMP/small.c" ||
		fail "exit status $?"
	tail -n 1 "$TMP/cc.json" | jq -e '.stacks.user | .value > 0 and .cut.table_late <= .value / 10' >/dev/null ||
		fail "$(tail -n 1 "$TMP/cc.json" | jq -c .stacks.user)"
}
check 'a compiler that runs for 50 ms' compiler_is_whole

by_frame_pointers()
{
	profile -q -U -f -e cpu-clock -F 499 --unwind fp -o "$TMP/fp.folded" -- "$WORK/frameless" "$(slow 1)" \
		>"$TMP/truth" || fail "exit status $?"
	! grep -qE "^frameless;[^[]*$CHAIN" "$TMP/fp.folded" || fail 'a whole chain without tables'
	! grep -q 'no unwind info\|unwind table late' "$TMP/fp.folded" || fail 'it used tables'
}
check '--unwind fp uses no tables' by_frame_pointers

# users FILE: "VALUE CUT SHARE" of user stacks, computed from its rows, and as its end record has them.
users()
{
	jq -rs '
		map(select(.type == "stack" and (.user | length) > 0)) as $rows |
		.[-1].stacks.user as $told |
		($rows | map(.count) | add) as $all |
		($rows | map(select(.user[-1].kind | IN("note", "unknown")) | .count) | add // 0) as $cut |
		"\($all) \($cut)", "\($told.value) \($told.cut | add)", $told.complete_share' "$1"
}

ledger_agrees()
{
	profile -U -e cpu-clock -F 499 -o "$TMP/told.json" -- "$WORK/frameless" "$(slow 1)" >"$TMP/truth" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	users "$TMP/told.json" >"$TMP/users"
	exactly "$(sed -n 2p "$TMP/users")" "$(sed -n 1p "$TMP/users")" 'value, and what of it is cut'
	awk 'NR == 3 { exit !($1 > 0.8 && $1 <= 1) }' "$TMP/users" || fail "$(cat "$TMP/users")"
	has "$TMP/err" '; user stacks complete: [0-9.]* %'
}
check 'the share of complete stacks agrees with the rows' ledger_agrees

fp_is_incomplete()
{
	[ "$(uname -m)" = x86_64 ] || skip_because 'the C library has frame pointers, which skip the program'
	profile -U -e cpu-clock -F 499 --unwind fp -o "$TMP/told.json" -- "$WORK/frameless" "$(slow 1)" \
		>"$TMP/truth" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	users "$TMP/told.json" >"$TMP/users"
	awk 'NR == 3 { exit !($1 < 0.2) }' "$TMP/users" || fail "$(cat "$TMP/users")"
}
check 'by frame pointers the share is small, and reported' fp_is_incomplete

# A compiler that reads its source from a pipe, line by line, and waits for each line: the first waits come
# while the table of its file, one of the largest on a host, would be built.
named_by_pid()
{
	local cc1 pid

	cc1=$(gcc -print-prog-name=cc1 2>/dev/null) && [ -x "$cc1" ] || skip_because 'no gcc here'
	mkfifo "$TMP/source"
	"$cc1" -quiet -o /dev/null - <"$TMP/source" &
	pid=$!
	later "kill -9 $pid 2>/dev/null"
	while sleep 0.001; do echo ';'; done >"$TMP/source" &
	later "kill -9 $! 2>/dev/null"
	sleep 0.3
	offcpu -q -f -p "$pid" 1 >"$TMP/cc1.folded" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	between "$(total "$TMP/cc1.folded" ';main;.*;read;')" 500000 1100000 'waits for lines (us)'
	lacks "$TMP/cc1.folded" 'unwind table late'
	# Its table needs more than one megabyte.
	offcpu -q -f --unwind-mem 1M -p "$pid" 1 >"$TMP/cc1.folded" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	has "$TMP/cc1.folded" '\[no unwind info\]'
	lacks "$TMP/cc1.folded" '\[JIT code'
}
check "waits of a process named by -p have tables from the first one on" named_by_pid

# Tables of one megabyte have no room for all files: the run goes on.
little_memory()
{
	profile -q -U -f --unwind-mem 1M -o "$TMP/little.folded" -- "$WORK/frameless" "$(slow 1)" >"$TMP/truth" ||
		fail "exit status $?"
	((($(total "$TMP/little.folded" 'frameless_spin')) > 0)) || fail 'no samples'
}
check '--unwind-mem 1M' little_memory

not_enough()
{
	local out status=0

	out=$("$BPERF" profile --unwind-mem 1K 1 2>&1) || status=$?
	same "$status" 64 'exit status'
	[[ $out == *unwind-mem* || $out == *size* ]] || fail "$out"
}
check '--unwind-mem has a least size' not_enough
