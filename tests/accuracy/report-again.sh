#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Live runs write all formats at once; `bperf report` makes the same from their JSON, byte for byte except
# for the command line.
#
# kernels: 6.1
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
	for word; do # JSON does not say these
		[[ $word == -[Aad] ]] && render+=("$word")
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
	svg) ! diff "$TMP/run.svg" "$TMP/again.svg" | grep '^[<>]' | grep -v 'bperf [a-z]' >"$TMP/diff" ;;
	*) diff "$TMP/run.$1" "$TMP/again.$1" >"$TMP/diff" ;;
	esac || fail "$1 is not the same" "$(head -c 2000 "$TMP/diff")"
}

without_argv()
{
	# The outcome of each probe is not kept.
	sed 's/"argv":\[.*\],"host"/"host"/; s/,"probes":\[.*\]}$/}/' "$1"
}

# Without the string (field 6) that begins with "bperf " and a word: the command line.
unpacked()
{
	python3 -c '
import gzip, re, sys
data = gzip.open(sys.argv[1]).read()
sys.stdout.buffer.write(re.sub(rb"\x32[\x80-\xff]?.bperf [a-z].*?(?=\x32.bperf [0-9])", b"", data, 1, re.S))' "$1"
}

check 'profile' again 'txt folded svg' profile -F 199 5
check 'profile with addresses' again 'txt folded svg pb.gz' profile -A -F 199 5
check 'profile by thread' again 'txt folded svg' profile --by tid -F 199 5
check 'profile by process' again 'txt folded svg' profile --by pid -F 199 5
check 'profile by CPU, user and kernel apart' again 'txt folded svg' profile --by cpu -d -a -F 199 5
check 'functions' again 'txt' profile --functions -F 199 5
check 'intervals' again 'txt folded' profile -F 199 0.2 2
check 'offcpu' again 'txt folded svg' offcpu 5
check 'offcpu with addresses' again 'txt folded svg pb.gz' offcpu -A 5
check 'offcpu, a sample' again 'txt folded svg' offcpu --sample 1/3 5
check 'offcpu with the time on CPUs' again 'txt folded svg' offcpu --with-cpu 5
check 'offcpu with all waits listed' again 'txt folded svg' offcpu --whole-window --waits 5
check 'counts' again 'txt' funccount 't:sched:*'
check 'counts by key, with times' again 'txt' funccount --by '$comm' --latency --errors syscall:read
check 'counts in lines, with columns' again 'txt' funccount --wide --col 'x=read/(write+1)' syscall:read#read \
	syscall:write#write 0.1 4
check 'states' again 'txt' offcpu --states 5
check 'wakeup' again 'txt folded svg' wakeup 5
check 'offwake' again 'txt folded svg' offwake 5
check 'chain' again 'txt folded svg' chain 5
check 'paths' again 'txt folded svg' chain --path 5
