#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The options that dump accepts and refuses, and the shape of its text.  tests/accuracy/dump.sh tests the
# meaning of what it says.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
COMMAND=dump
# shellcheck source=tests/cli/waits.bash
. tests/cli/waits.bash

bad_words()
{
	refuses 64 'dump: no threads were chosen'
	refuses 64 "--comm '*' takes all threads" -K
	refuses 64 'dump cannot run a program' -- true
	refuses 64 "'5': nothing is expected here" -p 1 5
	refuses 64 'conflicts with' -U -K -p 1
	refuses 64 'conflicts with' -p 1 -t 1
	refuses 64 'is not a' -p 1,x
	refuses 64 "unknown option '--states'" --states -p 1
	refuses 64 "threads can't be written as html, only as: text, folded, json, pprof, svg" -o "$TMP/a.html" -p 1
	refuses 66 'there is no process 4194304' -p 4194304
	refuses 66 'there is no thread 4194304' -t 4194304
	refuses 66 'no cgroup' --cgroup /no/such/cgroup
}
check 'words that do not go together are refused' bad_words

if ((EUID)); then
	skip 'options run' 'needs root'
	exit 0
fi

bash -c 'sleep 300 & sleep 300 & wait' &
pid=$!
at_exit+=("pkill -P $pid sleep; kill $pid 2>/dev/null")
sleep 0.5
sleepers=$(pgrep -d, -P "$pid" sleep)

# takes ARGS...: it succeeds; text in $TMP/out, the ledger in $TMP/err.
takes()
{
	local status=0

	timeout -s KILL 60 "$BPERF" dump "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	((status == 0)) || fail "exit status $status of: dump $*" "$(cat "$TMP/err")"
	grep -Eq '^[0-9,]+ threads?[,;].*lost: ' "$TMP/err" || fail "no ledger of: dump $*" "$(cat "$TMP/err")"
}

# says REGEX: a line of the text.
says()
{
	grep -Eq -- "$1" "$TMP/out" || fail "no line '$1' in:" "$(cat "$TMP/out")"
}

text()
{
	takes -p "$pid"
	says "^bash \($pid\), 1 thread, [0-9][0-9]:[0-9][0-9]:[0-9][0-9]\$"
	says "^\"bash\" \($pid\)  child, for [0-9.]+ m?s: end of any of 2 children\$"
	says '^    (do_wait|[^ ]*wait4)$'
	takes -p "$sleepers"
	says '^"sleep" \([0-9]+\)  sleep, for [0-9.]+ m?s: 4 min [0-9]+ s left of 5 min 00 s$'
	(($(grep -c '^sleep ([0-9]*), 1 thread' "$TMP/out") == 2)) || fail "$(cat "$TMP/out")"
	takes --top 1 -p "$sleepers"
	# Without a terminal, a line below a heading fits 80 columns.
	! grep -E '^("|  [a-z])' "$TMP/out" | grep -E '.{81}' || fail 'too wide'
}
check 'text says state, time and object' text

lines()
{
	takes -P -p "$pid"
	takes -K -d -p "$pid"
	takes -U -s -p "$pid"
	takes -A -p "$pid"
	takes -t "$pid"
	takes --comm 'ba*'
	takes --uid 0 --not-comm bash -K
	takes --cpu 0 -p "$pid"
	takes --follow -p "$pid"
	grep -q '^sleep ' "$TMP/out" || fail '--follow lacks the children'
	takes --self --comm bperf
	says '^"bperf" \([0-9]+\)  running'
	takes -f -p "$pid,$sleepers"
	is_folded
	grep -Eq '^sleep;.* 2$' "$TMP/out" || fail "$(cat "$TMP/out")"
	takes -p "$pid" --comm no-such-thread
	[ ! -s "$TMP/out" ] || fail "$(cat "$TMP/out")"
}
check 'options run' lines

files()
{
	local extension files=()

	for extension in svg pb.gz json txt folded; do
		files+=(-o "$TMP/a.$extension")
	done
	takes -p "$sleepers" "${files[@]}"
	for extension in svg pb.gz json txt folded; do
		[ -s "$TMP/a.$extension" ] || fail "nothing in a.$extension"
	done
	grep -q 'Width is threads' "$TMP/a.svg" || fail 'no unit in the SVG'
}
check 'files of all formats are written' files

# A zombie has no threads; a thread that ends is no error.
ended()
{
	bash -c 'sleep 0.1 & exec sleep 60' &
	later=$!
	sleep 0.6
	takes -p "$(pgrep -P $later)"
	kill $later
	grep -q 'has ended, and its parent has not waited for it yet' "$TMP/err" || fail "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail "$(cat "$TMP/out")"
}
check 'a zombie is said to be one' ended

everything()
{
	takes --comm '*' -K
	says '^"ksoftirqd/0" '
	says '^kthreadd \(2\), 1 thread'
}
check 'all threads of the host' everything
