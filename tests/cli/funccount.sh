#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of bperf funccount: patterns, options, numbers after them, mistakes.  tests/accuracy
# tests its counts.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# ---- mistakes: none of them needs root ----

# mistake STATUS TEXT ARGS...: refused with the status, the text is in the message, no result.
mistake()
{
	local want=$1 text=$2 status=0

	shift 2
	timeout 20 "$BPERF" funccount "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == want)) || fail "status $status, want $want, of: $*" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail "a result in spite of the error: $*"
	grep -qF -- "$text" "$TMP/err" || fail "no '$text' in:" "$(cat "$TMP/err")"
}

check 'without a pattern the error shows one' mistake 64 'for example  bperf funccount'
check 'a line that /proc/meminfo lacks' mistake 64 "no column has the name 'MEMINFO_Nothing'" --wide --col A=MEMINFO_Nothing syscall:getpid 1 1
check 'numbers alone are no pattern' mistake 64 'nothing to count was given' 1 5
check 'numbers before a pattern' mistake 64 "'1' is not a probe" syscall:read 1 x
check 'an interval twice' mistake 64 '-i conflicts with the interval' -i 1 syscall:read 1
check 'a duration and a count' mistake 64 '-d conflicts with a count' -d 1 syscall:read 1 5
check 'a column without --wide' mistake 64 '--wide' --col 'a=b' syscall:read
check 'keys with --wide' mistake 64 'not for --by' --wide --by '$comm' syscall:read
check 'folded counts' mistake 64 "counts can't be written as folded" --folded syscall:read
check 'a step that cannot be dumped' mistake 64 "'asm' can't be dumped" --dump=asm syscall:read

# caret ARGS...: refused, with a caret.
caret()
{
	mistake "$@"
	grep -q '\^' "$TMP/err" || fail 'no caret:' "$(cat "$TMP/err")"
}

check 'a predicate with an unknown name' caret 64 "did you mean 'count'" --dump=types \
	'syscall:read (cuont > 1)'
check 'a key with an unknown name' caret 64 '$com' --dump=types --by '$com' syscall:read
check 'the call time of a site that does not return' caret 64 '--latency: only functions' --dump=types --latency \
	t:sched:sched_switch
check 'errors of a site that does not return' caret 64 '--errors: a span' --dump=types --errors \
	'span(syscall:read ; syscall:write)'
check 'a broken regular expression' mistake 64 'not a regular expression' -r --dump=types 'c:(read'
check 'a glob with -r' mistake 64 '.* matches anything' -r --dump=types 'c:*read'
check 'time between events' caret 64 'span(START ; END)' --dump=types --latency t:sched:sched_switch
check 'a function that does not exist' caret 66 "did you mean 'call_me'" --dump=types \
	"$WORK/counted:call_mee"
check 'a regular expression matches whole names' caret 66 'no function' --dump=types -r \
	"$WORK/counted:all_m"
check 'too many keys' caret 64 'more than 8' --dump=types --by '1,2,3,4,5,6,7,8,9' syscall:read

bad_column()
{
	mistake "$@" && grep -q '\^' "$TMP/err" || fail 'no caret:' "$(cat "$TMP/err")"
}

if [ "$(id -u)" != 0 ]; then
	skip 'runs' 'needs root'
	exit
fi
check 'a column with an unknown name' bad_column 64 "no column has the name 'wirte'" --wide \
	--col 'x=read/wirte' syscall:read#read syscall:write#write 0.1 1
check 'the error names the columns' bad_column 64 'it has read, write' --wide \
	--col 'x=read/wirte' syscall:read#read syscall:write#write 0.1 1
check 'a column that is not arithmetic' bad_column 64 'a column is computed with' --wide \
	--col 'x=read&1' syscall:read#read 0.1 1

# ---- runs ----

# counts ARGS...: to $TMP/out and $TMP/err.
counts()
{
	timeout -s KILL 60 "$BPERF" funccount "$@" >"$TMP/out" 2>"$TMP/err" ||
		fail "status $? of: $*" "$(cat "$TMP/err")"
}

# rows NAME COUNT...: the table holds exactly these counts.
rows()
{
	local got

	got=$(awk '$1 == "FUNC" { on = 1; next } on && NF { print $1, $2 }' "$TMP/out" | sort | xargs)
	[ "$got" = "$(printf '%s %s\n' "$@" | sort | xargs)" ] ||
		fail "got $got" "want $*" "$(cat "$TMP/out" "$TMP/err")"
}

# Attached through perf, each tracepoint would have to be waited for: a minute for all.
no_perf()
{
	counts --dry-run 't:*:{sched_switch,sys_enter_read,sys_exit_read,kfree}'
	[ "$(sort "$TMP/out" | xargs -d '\n')" = "t:kmem:kfree by raw_tp t:sched:sched_switch by raw_tp \
t:syscalls:sys_enter_read by raw-syscall t:syscalls:sys_exit_read by raw-syscall" ] || fail "$(cat "$TMP/out")"
	counts --dry-run --attach tracepoint 't:*:{sched_switch,sys_enter_read}'
	[ "$(grep -c 'by tracepoint' "$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
	counts --by '$comm,$func' --dry-run 't:*:{sched_switch,sys_enter_read}($pid > 1)'
	[ "$(grep -c 'by raw' "$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
	counts --by '(int)$pid' --dry-run 't:*:{sched_switch,sys_enter_read}'
	[ "$(grep -c 'by tracepoint' "$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
	counts --dry-run 't:sched:sched_switch(prev_pid > 0)'
	[ "$(grep -c 'by tracepoint' "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
}
has_tracepoint syscalls:sys_enter_read && check 'tracepoints of several kinds are raw ones' no_perf

kinds_of_sites()
{
	counts "$WORK/counted:call_me" -- "$WORK/counted" 500 1
	rows call_me 500
	counts "r:$WORK/counted:call_even" -- "$WORK/counted" 500 1
	rows call_even 250
	counts 't:syscalls:sys_enter_getpgid' -- python3 -c 'import os
for i in range(70): os.getpgid(0)'
	rows syscalls:sys_enter_getpgid 70
	counts 'syscall:getpgid' -- python3 -c 'import os
for i in range(71): os.getpgid(0)'
	rows getpgid 71
	counts 'r:syscall:getpgid' -- python3 -c 'import os
for i in range(72): os.getpgid(0)'
	rows getpgid 72
}
check 'functions, returns, tracepoints and system calls are counted' kinds_of_sites

patterns()
{
	counts "$WORK/counted:many_0*" --top 0 -- "$WORK/counted" 1
	(($(grep -c '^many_0[0-9]* *1 ' "$TMP/out") == 100)) || fail "$(cat "$TMP/out" "$TMP/err")"
	counts "$WORK/counted:many_00[1-3]" -- "$WORK/counted" 1
	rows many_001 1 many_002 1 many_003 1
	counts "$WORK/counted:{many_001,many_999}" -- "$WORK/counted" 1
	rows many_001 1 many_999 1
	counts -r "$WORK/counted:many_(00[1-3]|12)" -- "$WORK/counted" 1
	rows many_001 1 many_002 1 many_003 1
	counts -r 't:syscalls:sys_(enter|exit)_getpgid' -- python3 -c 'import os; os.getpgid(0)'
	rows syscalls:sys_enter_getpgid 1 syscalls:sys_exit_getpgid 1
	counts -r 'syscall:getp(gid|riority)' -- python3 -c 'import os; os.getpgid(0)'
	rows getpgid 1
	counts --latency 'syscall:{getpgid,uselib}' -- python3 -c 'import os; os.getpgid(0)'
	awk '$1 == "getpgid" { n = $2 } END { exit n != 1 }' "$TMP/out" &&
		! grep -q 'never returned' "$TMP/err" || fail "$(cat "$TMP/out" "$TMP/err")"
}
check 'globs, sets and regular expressions' patterns

several()
{
	counts "$WORK/counted:call_me (arg1 < 10)#ten" "$WORK/counted:call_me (arg1 >= 10)#more" \
		"r:$WORK/counted:call_even ((int)retval < 0)#failed" "$WORK/counted:many_0*#hundred" \
		-- "$WORK/counted" 1000 1
	rows ten 10 more 990 failed 250 hundred 100
}
check 'several patterns with predicates and labels' several

# Kernels crash when they look up such an event while another process removes one (core/attach/attach.c).
# The test counts queries with a buffer of 256 bytes, which only links get.
links_are_left_alone()
{
	local asked='syscall:bpf (cmd == 15 && ((u32 *)uattr)[1] == 256)#asked'

	counts --dry-run "$WORK/counted:many_0*" -- "$WORK/counted" 1
	grep -q 'by uprobe-event' "$TMP/out" || skip_because "no event in tracefs: $(tail -n 1 "$TMP/out")"
	counts "$asked" -- "$BPERF" funccount "$WORK/counted:many_0*" -- "$WORK/counted" 1000 1
	grep -Eq '^asked +0 ' "$TMP/out" || fail "$(grep asked "$TMP/out")"
}
check 'links to events in tracefs are not queried' links_are_left_alone

named_is_shown()
{
	counts "$WORK/counted:call_nap" "$WORK/counted:call_deep#deep" -- "$WORK/counted" 10 1
	rows "p:$WORK/counted:call_nap" 0 deep 0
	counts "$WORK/counted:call_n*" -- "$WORK/counted" 10 1
	rows
}
check 'a site that was given by name has a row, even with 0 calls' named_is_shown

keys()
{
	counts --by '$comm,arg1 % 2' "$WORK/counted:call_me" -- "$WORK/counted" 11 1
	grep -Eq '^call_me +counted +0 +6 ' "$TMP/out" && grep -Eq '^call_me +counted +1 +5 ' "$TMP/out" ||
		fail "$(cat "$TMP/out" "$TMP/err")"
	counts -j --by '$comm,arg1 % 2' "$WORK/counted:call_me" -- "$WORK/counted" 11 1
	[ "$(grep '^{' "$TMP/out" | jq -c 'select(.type == "count") | [.func, .key, .value]' | sort | xargs -0 printf '%s')" = \
		'["call_me",{"comm":"counted","arg1 % 2":"0"},6]
["call_me",{"comm":"counted","arg1 % 2":"1"},5]' ] || fail "$(cat "$TMP/out")"
}
check 'a row for each key' in_order keys

other_keys()
{
	counts --keys 4 --by 'arg1' "$WORK/counted:call_me" -- "$WORK/counted" 1000 1
	awk '$1 == "call_me" { known += $3 } $2 == "[other]" { other += $3 }
		END { exit !(other > 900 && known + other == 1000) }' "$TMP/out" ||
		fail "$(cat "$TMP/out" "$TMP/err")"
}
check 'keys without room are counted together' other_keys

failures()
{
	counts --errors "$WORK/counted:call_{me,even}" -- "$WORK/counted" 1000 1
	awk '$1 == "call_me" && $NF == 0 { n++ } $1 == "call_even" && $NF == 250 { n++ }
		END { exit n != 2 }' "$TMP/out" || fail "$(cat "$TMP/out" "$TMP/err")"
	counts --errors 'syscall:getpgid' -- python3 -c 'import os
for i in range(10):
	try: os.getpgid(0 if i % 5 else 4194304)
	except OSError: pass'
	awk '$1 == "getpgid" && $2 == 10 && $NF == 2 { n++ } END { exit !n }' "$TMP/out" ||
		fail "$(cat "$TMP/out" "$TMP/err")"
}
check 'calls that fail are counted' failures

# Calls that bperf makes in the program's process before exec, to hold the program back, are not counted.
nobodys()
{
	counts 'r:syscall:read' 'syscall:{rt_sigprocmask,rt_sigaction,prctl,getppid}' -- \
		"$WORK/calls" getppid 3
	! grep -qE '(rt_sig[a-z]*|prctl) +[1-9]' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -qE 'getppid +3 ' "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" argdist -H 'r:syscall:read():u64:$latency' -- "$WORK/calls" getppid 3 >"$TMP/out" 2>"$TMP/err"
	! grep -q 'before the run' "$TMP/err" || fail "$(cat "$TMP/err")"
	! grep -q 'could not be read' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check "calls before the program's exec are not the program's" nobodys

intervals()
{
	counts t:sched:sched_switch 0.2 3
	(($(grep -c '^FUNC' "$TMP/out") == 3)) || fail 'interval count' "$(cat "$TMP/out")"
	counts -i 0.2 -d 0.5 t:sched:sched_switch
	(($(grep -c '^FUNC' "$TMP/out") == 3)) || fail '-i -d' "$(cat "$TMP/out")"
	counts -d 0.2 t:sched:sched_switch
	(($(grep -c '^FUNC' "$TMP/out") == 1)) || fail '-d' "$(cat "$TMP/out")"
	counts -T -d 0.2 t:sched:sched_switch
	grep -Eq '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]$' "$TMP/out" || fail '-T' "$(cat "$TMP/out")"
}
check 'intervals, counts and durations' intervals

# An interval alone repeats until stopped.
repeats()
{
	local status=0

	timeout -s INT -k 20 1.5 "$BPERF" funccount t:sched:sched_switch 0.2 >"$TMP/out" 2>"$TMP/err" ||
		status=$?
	((status == 124 || status == 0)) && (($(grep -c '^FUNC' "$TMP/out") >= 2)) ||
		fail "$status" "$(cat "$TMP/out" "$TMP/err")"
	grep -q 'lost: none' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'an interval alone repeats until Ctrl-C' repeats

wide()
{
	counts --wide --col 'half=even/me' --col 'none=me/deep' "$WORK/counted:call_me#me" \
		"$WORK/counted:call_even#even" "$WORK/counted:call_deep#deep" -- "$WORK/counted" 100 1
	[ "$(grep TIME "$TMP/out" | xargs)" = 'TIME me even deep half none' ] &&
		[ "$(sed '1,/TIME/d' "$TMP/out" | awk '{ print $2, $3, $4, $5, $6 }')" = '100 50 0 0.500 -' ] ||
		fail "$(cat "$TMP/out" "$TMP/err")"
}
check 'a line for each report, with computed columns' wide

top()
{
	counts --top 2 "$WORK/counted:call_*" -- "$WORK/counted" 1000 1 1
	rows call_me 1000 call_even 500
	grep -q 'more row' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check '--top shows the largest, and how many are left out' top

status_of_program()
{
	local status=0

	timeout 20 "$BPERF" funccount -q syscall:getpid -- sh -c 'exit 7' >"$TMP/out" 2>"$TMP/err" ||
		status=$?
	((status == 7)) || fail "status $status" "$(cat "$TMP/err")"
}
check 'the program'\''s status is ours' status_of_program

dry()
{
	counts --dry-run "$WORK/counted:call_*"
	(($(grep -c call_ "$TMP/out") >= 4)) || fail "$(cat "$TMP/out")"
	counts --dump=bpf 'syscall:read (count > 10)'
	grep -q exit "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'dry runs' dry

# Each spec searched the file in a helper process of its own, read the slots of all indirect functions of the
# library, and compared its name with all others: 2.5 ms and 880 reads each.
finds_a_file_once()
{
	local specs=() i

	command -v strace >/dev/null || skip_because 'no strace here'
	for i in malloc free calloc realloc getenv setenv fopen fclose fread fwrite fflush puts \
		atoi strtol qsort bsearch rand srand abort exit; do
		specs+=("c:$i")
	done
	timeout 60 strace -f -qq -e trace=clone,pread64 -o "$TMP/calls" \
		"$BPERF" funccount --dry-run -p $$ "${specs[@]}" >"$TMP/out" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	(($(grep -c uprobe "$TMP/out") == 20)) || fail "$(cat "$TMP/out")"
	(($(grep -c 'clone(' "$TMP/calls") <= 2)) || fail "$(grep -c 'clone(' "$TMP/calls") helpers"
	(($(grep -c pread64 "$TMP/calls") < 20 * 500)) || fail "$(grep -c pread64 "$TMP/calls") reads"
}
check 'many probes of one file search it once' finds_a_file_once
