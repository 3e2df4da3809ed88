#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Live runs write all formats at once; `bperf report` makes the same from their JSON, byte for byte except
# for the command line.
#
# long: writes and reads a report of each command, a minute
# kernels: none
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_root
need python3

# again FORMATS ARGS...: run, report, compare.
again()
{
	local formats=$1 format files=() render=() word

	shift
	for format in $formats json; do
		files+=(-o "$TMP/run.$format")
	done
	"$BPERF" "$@" -q --color never --top 0 "${files[@]}" -- "$WORK/demo" 0.4 >/dev/null 2>"$TMP/err" ||
		fail "status $? of $*" "$(cat "$TMP/err")"
	for word; do # JSON does not say these; trace has other letters
		[[ $1 != trace && $word == -[Aad] ]] && render+=("$word")
		[[ $1 == trace && $word == -a ]] && render+=(-A)
	done
	for format in $formats json; do
		"$BPERF" report -q --color never --top 0 "${render[@]}" "$TMP/run.json" \
			-o "$TMP/again.$format" 2>/dev/null ||
			fail "report as $format"
		compare "$format"
	done
}

# The command line is in a line of its own, in a field, or in a comment.
compare() # FORMAT
{
	case $1 in
	json) diff <(without_argv "$TMP/run.json") <(without_argv "$TMP/again.json") >"$TMP/diff" ;;
	pb.gz) cmp <(unpacked "$TMP/run.pb.gz") <(unpacked "$TMP/again.pb.gz") >"$TMP/diff" ;;
	svg | html)
		! diff "$TMP/run.$1" "$TMP/again.$1" | grep '^[<>]' | grep -v 'bperf [a-z]' >"$TMP/diff"
		;;
	*) diff "$TMP/run.$1" "$TMP/again.$1" >"$TMP/diff" ;;
	esac || fail "$1 is not the same" "$(head -c 2000 "$TMP/diff")"
}

without_argv()
{
	sed 's/"argv":\[.*\],"host"/"host"/' "$1"
}

# Without the string (field 6) that begins with "bperf " and a word: the command line.
unpacked()
{
	python3 -c '
import gzip, re, sys
data = gzip.open(sys.argv[1]).read()
sys.stdout.buffer.write(re.sub(rb"\x32[\x80-\xff]?.bperf [a-z].*?(?=\x32.bperf [0-9])", b"", data, 1, re.S))' "$1"
}

# A run without --heat is drawn as one with it.
heat_of_intervals()
{
	"$BPERF" argdist -i 0.1 -n 4 -q -H 'r:syscall:futex():u64:$latency' -o "$TMP/run.json" -- "$WORK/demo" 0.4 \
		>/dev/null 2>"$TMP/err" || fail 'argdist' "$(cat "$TMP/err")"
	"$BPERF" report -q --heat "$TMP/run.json" -o "$TMP/heat.svg" -o "$TMP/heat.json" -o "$TMP/heat.txt" ||
		fail 'report --heat'
	grep -q '<title>Heat map' "$TMP/heat.svg" || fail 'no heat map' "$(head -c 1000 "$TMP/heat.svg")"
	cp "$TMP/heat.svg" "$TMP/run.svg"
	cp "$TMP/heat.txt" "$TMP/run.txt"
	"$BPERF" report -q "$TMP/heat.json" -o "$TMP/again.svg" -o "$TMP/again.txt" || fail 'report'
	compare svg
	compare txt
}

check 'profile' again 'txt folded svg' profile -F 199 5
check 'profile with addresses' again 'txt folded svg pb.gz' profile -A -F 199 5
check 'profile by thread' again 'txt folded svg' profile --by tid -F 199 5
check 'profile by process' again 'txt folded svg' profile --by pid -F 199 5
check 'profile by CPU, user and kernel apart' again 'txt folded svg' profile --by cpu -d -a -F 199 5
check 'ratios' again 'txt folded svg html pb.gz' profile -A --ratio page-faults:1/cpu-clock -F 199 5
check 'functions with ratios' again 'txt html' profile --functions --color-by page-faults -F 199 5
check 'functions' again 'txt' profile --functions -F 199 5
check 'intervals' again 'txt folded' profile -F 199 0.2 2
check 'offcpu' again 'txt folded svg' offcpu 5
check 'offcpu with addresses' again 'txt folded svg pb.gz' offcpu -A 5
check 'offcpu, a sample' again 'txt folded svg' offcpu --sample 1/3 5
check 'offcpu by the share of time' again 'txt folded svg html' offcpu --color-by off-cpu 5
check 'offcpu with the time on CPUs' again 'txt folded svg' offcpu --with-cpu 5
check 'offcpu with all waits listed' again 'txt folded svg' offcpu --whole-window --waits 5
check 'counts' again 'txt html' funccount 't:sched:*'
check 'counts by key, with times' again 'txt html' funccount --by '$comm,$comm' --latency --errors syscall:read
check 'counts in lines, with columns' again 'txt' funccount --wide --col 'x=read/(write+1)' syscall:read#read \
	syscall:write#write 0.1 4
check 'histograms' again 'txt html' argdist -H 'r:syscall:futex():u64:$latency' --by '$comm' \
	-H 'raw:sched_switch():int:prev->prio-120'
check 'histograms in steps' again 'txt html' argdist --linear -5,5000,500 -H 'r:syscall:futex():u64:$latency' \
	-H 'r:syscall:mmap'
check 'histograms of bounds, cumulative' again 'txt' argdist -c -i 0.1 -n 4 --buckets -1,0,1us,1ms \
	-H 'r:syscall:futex():u64:$latency'
check 'statistics' again 'txt html' argdist --pct 1,50,99.99 --by '$comm' -S 'r:syscall:futex():u64:$latency' \
	-S 'r:syscall:mmap' -S 'raw:sched_switch():u64:~(u64)0-prev->pid'
check 'counts by value' again 'txt html' argdist -Z 8 -C 'syscall:openat():char*:filename' \
	-C 'raw:sched_switch():int,int:prev->prio,prev->__state#switches' -C 'syscall:close'
check 'a table' again 'txt html' argdist --sort SHARE --col 'SHARE=100*MEAN/(ALL+7)' --col 'NONE=1/(N-N)' \
	--table 'syscall:mmap[$comm,prot] N=count(), ALL=sum(len), MEAN=avg(len), MOST=max(len), _L=min(fd)'
check 'a table in intervals' again 'txt' argdist --table 'syscall:futex[$tid] N=count()' -i 0.1 -n 4
check 'histograms by stack' again 'txt html' argdist --by '$ustack,$comm' -H 'syscall:mmap():u64:len' \
	-H 'raw:sched_switch():int:prev->prio'
check 'a table by stack' again 'txt html' argdist --table 'syscall:futex[$ustack,$comm] N=count()'
check 'counts by stack' again 'txt folded svg html' argdist -C 'syscall:futex():stack:$ustack'
check 'sums by stack' again 'txt folded svg' argdist -S 'syscall:mmap():u64:len' --by '$ustack'
check 'a heat map' again 'txt svg html' argdist --heat -i 0.1 -n 4 -H 'r:syscall:futex():u64:$latency'
check 'heat maps by key, cumulative' again 'txt svg html' argdist --heat -c -i 0.1 --by '$tid' -n 4 \
	-H 'r:syscall:futex():u64:$latency' -H 'raw:sched_switch():int:prev->prio-120'
check 'events' again 'txt' trace 'syscall:{openat,read,mmap,futex}' 'raw:sched_switch "%s\t%d\n", next->comm, prev->pid'
check 'events with stacks and all columns' again 'txt' trace -T -t -C --print-uid -K -U 'syscall:futex' \
	'r:syscall:openat "%s", $ustack'
check 'events with addresses' again 'txt' trace -u -U -a 'syscall:futex'
check 'events, the message alone' again 'txt' trace --raw 'syscall:mmap "%d", len'
check 'events below a heading' again 'txt' trace -t --heading LEN 'syscall:mmap "%d", len'
check 'events, counted' again 'txt' trace -A 'syscall:futex "%d", op' 'syscall:close'
check 'no events' again 'txt' trace 'syscall:reboot'
check 'states' again 'txt' offcpu --states 5
check 'wakeup' again 'txt folded svg' wakeup 5
check 'offwake' again 'txt folded svg' offwake 5
check 'chain' again 'txt folded svg' chain 5
check 'a heat map of intervals' heat_of_intervals
check 'paths' again 'txt folded svg' chain --path 5
