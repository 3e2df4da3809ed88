#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Calls whose number is known are counted exactly: from one thread and from eight, recursive, interleaved,
# through a pattern of a thousand functions, and by intervals that add up.
#
# shared: its counts do not depend on the CPU time that it gets
# kernels: 5.10 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. "$(dirname "$0")/common.bash"
need jq

CALLS=1000000
[ -z "${BPERF_SLOW-}" ] || CALLS=20000

# run ARGS...: JSON to $TMP/out.
run()
{
	timeout -s KILL 300 "$BPERF" funccount -j "$@" >"$TMP/all" 2>"$TMP/err" ||
		fail "status $? of: $*" "$(cat "$TMP/err")"
	grep '^{' "$TMP/all" >"$TMP/out"
	grep -v '^{' "$TMP/all" >"$TMP/counted.truth"
}

# counts ARGS...: run, and fail if anything is lost.
counts()
{
	run "$@"
	jq -e 'select(.type == "end") | .lost | add == 0' "$TMP/out" >/dev/null ||
		fail 'something was lost:' "$(tail -n1 "$TMP/out")"
}

# count_of NAME: the sum over all intervals.
count_of()
{
	jq -s --arg name "$1" '[.[] | select(.type == "count" and .func == $name) | .value] | add // 0' \
		"$TMP/out"
}

from_threads() # THREADS
{
	counts "$WORK/counted:call_{me,even,deep}" -- "$WORK/counted" "$CALLS" "$1" 10
	exactly "$(count_of call_me)" "$CALLS" 'calls of call_me'
	exactly "$(count_of call_even)" "$(truth counted even)" 'calls of call_even'
	exactly "$(count_of call_deep)" "$(truth counted deep)" 'recursive calls'
}
check "$CALLS calls from one thread" from_threads 1
check "$CALLS calls from eight threads" from_threads 8

returns()
{
	counts "r:$WORK/counted:call_{me,even,deep}" -- "$WORK/counted" $((CALLS / 10)) 8 20
	exactly "$(count_of call_me)" $((CALLS / 10)) 'returns of call_me'
	exactly "$(count_of call_even)" "$(truth counted even)" 'returns of call_even'
	exactly "$(count_of call_deep)" "$(truth counted deep)" 'returns of recursive calls'
}
check 'returns from eight threads' returns

# The kernel remembers 64 of a thread's open calls, and does not report the returns of the others.  Old
# kernels do not count the skipped entries, either.
deep_returns()
{
	run "$WORK/calls:call_recurse" "r:$WORK/calls:call_recurse" -- "$WORK/calls" recurse 100
	exactly "$(jq_last -c '.probes | [.[0].hits, .[0].missed // 0, .[1].hits, .[1].missed]' \
		"$TMP/out")" '[100,0,64,null]' 'calls and returns'
	exactly "$(jq -s -c '[.[] | select(.type == "interval" or .type == "end") | .lost.missed]' \
		"$TMP/out")" '[null,null]' 'what is known of lost returns'
	exactly "$(jq_last '.complete' "$TMP/out")" false 'whether that is complete'
	run --strict "r:$WORK/calls:call_recurse" -- "$WORK/calls" recurse 100
	grep -q "strict: the kernel doesn't count what it skips of r:" "$TMP/err" ||
		fail "$(cat "$TMP/err")"
	run --latency "r:$WORK/calls:call_recurse" -- "$WORK/calls" recurse 100
	exactly "$(jq_last -c '[.complete, (.probes[0] | .hits, .missed // 0)]' "$TMP/out")" \
		'[false,64,0]' 'where entries are met'
	exactly "$(jq_last '.probes[0] | .too_deep + .unreturned' "$TMP/out")" 36 'lost returns'
	exactly "$(jq -s -c '[.[] | select(.type == "interval") | .lost.recursion] | add' "$TMP/out")" \
		"$(jq_last '.lost.recursion' "$TMP/out")" 'what the reports say was lost'
}
check 'lost returns beyond 64 nested calls are not reported as none' deep_returns

by_thread()
{
	counts --by '$tid' "$WORK/counted:call_me" -- "$WORK/counted" $((CALLS / 10)) 4
	exactly "$(jq -s -c '[.[] | select(.type == "count") | .value] | sort' "$TMP/out")" \
		"[$((CALLS / 40)),$((CALLS / 40)),$((CALLS / 40)),$((CALLS / 40))]" 'calls by thread'
}
check 'each thread has its own count' by_thread

# The naps at the workload's end, 0.2 s, make several intervals even where all calls are over in one.
by_intervals()
{
	counts "$WORK/counted:call_me" 0.05 -- "$WORK/counted" $((CALLS / 4)) 2 0 10000
	exactly "$(count_of call_me)" $((CALLS / 4)) 'sum of the intervals'
	at_least "$(grep -c '"type":"interval"' "$TMP/out")" 2 intervals
}
check 'intervals add up to the whole' by_intervals

# A key that no longer occurs makes room for the next one.
keys_come_and_go()
{
	counts --by key --keys 2 "p:$WORK/spread:call_keyed(int key, long v)" -i 0.1 -- "$WORK/spread" 2 \
		1:1:10 wait:250 2:1:10 wait:250 3:1:10 wait:250 4:1:10
	exactly "$(jq -s -c '[.[] | select(.type == "count")] | group_by(.key.key) |
		map([.[0].key.key, (map(.value) | add)])' "$TMP/out")" \
		'[["1",20],["2",20],["3",20],["4",20]]' 'calls by key'
}
check 'keys that no longer occur make room for others' keys_come_and_go

a_thousand()
{
	counts "$WORK/counted:many_*" -- "$WORK/counted" 1 1
	exactly "$(jq -s '[.[] | select(.type == "count" and .value == 1)] | length' "$TMP/out")" 1000 \
		'functions called once'
}
check 'a thousand functions' a_thousand

# The workload measures the nap of a call from outside and the kernel from inside: a value measured at its
# edges is between the two.
latencies()
{
	local got outside

	counts --latency "$WORK/counted:call_{nap,me}" -- "$WORK/counted" 1000 4 0 2000
	exactly "$(count_of call_nap)" 80 naps
	exactly "$(count_of call_me)" 1000 calls
	got=$(jq -s '[.[] | select(.func? == "call_nap") | .total_us] | add' "$TMP/out")
	outside=$(truth counted nap_ns)
	between "$got" 160000 "$(awk -v n="$outside" 'BEGIN { print n / 1000 }')" 'microseconds of naps'
}
check 'interleaved threads have their own times' latencies

# The numbers of 32-bit calls mean other calls: 20 is getpid there, and writev to 64-bit code.
compat()
{
	"$WORK/calls" compat 1 || skip_because 'no 32-bit system calls here'
	counts 'syscall:writev' 'r:syscall:writev' 'syscall:getpid' 't:syscalls:sys_enter_writev' -- "$WORK/calls" compat 300
	exactly "$(jq -s -c '[.[] | select(.type == "count") | [.func, .value]] | sort' "$TMP/out")" \
		'[["getpid",300],["sys_enter_writev",0],["writev",0],["writev",0]]' 'calls of a 64-bit task'
}
check '32-bit system calls are not counted as others' compat

# A function that calls itself: the outermost call's time includes that of all others; n calls of depth 1 to
# n.
recursion()
{
	counts --latency "$WORK/counted:call_deep" -- "$WORK/counted" 10000 2 30
	exactly "$(count_of call_deep)" "$(truth counted deep)" 'recursive calls'
	exactly "$(jq 'select(.type == "end") | .probes[0] | .no_start + .unreturned + .map_full + .too_deep' \
		"$TMP/out")" 0 'calls without a partner'
}
check 'recursive calls have times' recursion

failures()
{
	counts --errors --latency "$WORK/counted:call_even" -- "$WORK/counted" 40000 4
	exactly "$(jq 'select(.type == "count") | .errors' "$TMP/out")" 10000 'calls that failed'
}
check 'failed calls of four threads' failures

# Every bash begins with a sigsetjmp, and returns to it later: a return probe there would kill every bash.
twice()
{
	local status=0

	timeout 60 "$BPERF" funccount -q 'r:c:*setjmp' -- bash -c 'echo $((1 / 0))' >"$TMP/all" 2>"$TMP/err" || status=$?
	exactly "$status" 66 'exit status'
	grep -q 'a return probe on [_a-z]*setjmp would crash its callers' "$TMP/err" ||
		fail 'not refused' "$(cat "$TMP/err")"
	run -r 'r:c:(_setjmp|.*sigsetjmp|getpgid)' -- bash -c '(echo $((1 / 0))) 2>/dev/null; echo lived'
	grep -qx lived "$TMP/counted.truth" || fail 'bash died' "$(cat "$TMP/all")"
}
check 'a function that returns twice gets no return probe' twice

# Entries are attached before returns are: a call between the two is not open, and does not take another
# call's place.
called_while_attaching()
{
	start below 150
	run --latency "$WORK/below:leaf" -p "$(truth below pid)" -d 0.3
	stop
	at_least "$(count_of leaf)" 1000 'calls'
	exactly "$(jq_last -c '[(.lost | add), (.probes[0].too_deep), (.probes[0].unreturned)]' "$TMP/out")" \
		'[0,0,0]' 'losses'
}
check 'calls from before the start take no place' called_while_attaching

# Return values need no types: no format files are read, and one program is enough.
errors_of_all_calls()
{
	between "$(peak_kb funccount -v --errors --latency 'syscall:*' -- sh -c '[ -e /no ]; sleep 0.5')" \
		1000 16000 'KB at most'
	exactly "$(grep -c 'verified in' "$TMP/err")" 2 'programs'
	at_least "$(awk '$1 == "newfstatat" || $1 == "access" || $1 == "faccessat2" {sum += $6} END {print sum + 0}' "$TMP/out")" 1 'errors'
}
check 'errors of all system calls in less than 16 MB' errors_of_all_calls

syscalls()
{
	local got missed n=0

	run 'syscall:getpgid' 'r:syscall:getpgid' 't:syscalls:sys_enter_getpgid' -- /usr/bin/python3 -c '
import os
for i in range(20000): os.getpgid(0)'
	while read -r got missed; do
		counted "$got" "$missed" 20000 "way $((n += 1))"
	done < <(jq -s -r '[[.[] | select(.type == "count") | .value], [.[-1].probes[].missed // 0]] |
		transpose[] | @tsv' "$TMP/out")
	exactly "$n" 3 'ways'
	exactly "$(jq_last '.lost | del(.missed) | add' "$TMP/out")" 0 'lost otherwise'
}

# Only a process that has loaded the library knows the implementation of an indirect function.  The workload
# prints the addresses of its own: they depend on the processor and on the library's build.  Those of strchr,
# strrchr and memset can begin with a vector instruction on which the kernel places no probe: the next one
# has it.
chosen_by_the_loader()
{
	local name at

	start chosen 0 60
	for name in strcspn wmemset strstr strchr strrchr memset; do
		"$BPERF" trace --dry-run "p:c:$name" >"$TMP/plan" 2>&1
		at=$(grep -o '+0x[0-9a-f]*$' "$TMP/plan") || fail "$name:" "$(cat "$TMP/plan")"
		((at >= $(truth chosen "$name") && at < $(truth chosen "$name") + 16)) ||
			fail "$name:" "$(cat "$TMP/plan" "$TMP/chosen.truth")"
		counts "c:$name" -- "$WORK/chosen" 3000 0 "$name"
		# Our own start of the process calls some of them too.
		between "$(count_of "$name")" 3000 3020 "$name"
	done
	stop
}
check 'functions that the loader chooses are counted where they are' chosen_by_the_loader

# All categories: most are attached as raw tracepoints, system calls together.
all_tracepoints()
{
	local missed name

	has_tracepoint syscalls:sys_enter_getpgid || skip_because 'no tracepoints of system calls here'
	run 't:*:*' -- /usr/bin/python3 -c '
import os
for i in range(20000): os.getpgid(0)'
	missed=$(jq_last '.probes[0].missed // 20000' "$TMP/out")
	for name in sys_enter_getpgid sys_exit_getpgid; do
		counted "$(count_of $name)" "$missed" 20000 $name
	done
	at_least "$(count_of sys_enter)" 20000 'all system calls'
	at_least "$(count_of sched_process_exit)" 1 'threads that ended'
	[[ $BPERF == */san/* ]] || between "$(jq_last '.cost.rss_kb' "$TMP/out")" 1 16383 'kB of memory'
}
if [ -x /usr/bin/python3 ]; then
	check 'system calls, three ways' syscalls
	check 'system calls among all tracepoints' all_tracepoints
else
	skip 'system calls, three ways' 'no python3 here'
fi
