#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command lines of `bperf top`, and those that it refuses.  tests/accuracy/top.sh has its screen.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

refused() # STATUS PATTERN ARGS...
{
	local want=$1 pattern=$2 status=0

	shift 2
	"$BPERF" top "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == want)) || fail "status $status of top $*" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail 'a result all the same:' "$(head "$TMP/out")"
	grep -qF -- "$pattern" "$TMP/err" || fail "no '$pattern':" "$(cat "$TMP/err")"
}

bad_words()
{
	refused 64 'standard output is not a terminal'
	refused 64 'bperf offcpu --states 10 and bperf profile 10 print the same as text'
	! grep -qe --live -e ' -j ' "$TMP/err" || fail 'top has no such options' "$(cat "$TMP/err")"
	refused 64 'bperf offcpu --states 1 1 and bperf profile 1 1 print the same' -n 1
	refused 64 'bperf offcpu --states -p 1 2 3 and bperf profile -p 1 2 3 print' -d 2 -p 1 --iterations=3
	refused 64 "bperf offcpu --states -p 1 --comm 'a b' 1 4 and" -bn4 -p 1 --comm 'a b'
	refused 64 'bperf offcpu --states -p 1 2 and bperf profile -p 1 2 print' -bp 1 2
	refused 64 '-b: top has no batch mode, only a screen' -b
	refused 64 "'x': an interval was expected" -d x
	refused 64 '-d conflicts with an interval' -d 1 5
	refused 64 '-n conflicts with a count' -n 1 5 5
	refused 64 'top cannot run a program' -- true
	refused 64 '--cpu: a wait, which top shows, does not belong to one CPU' --cpu 0
	refused 64 'an interval was expected' often
	! grep -q 'two dashes' "$TMP/err" || fail 'top runs no program' "$(cat "$TMP/err")"
	refused 64 "unknown option '--live'" --live
	refused 64 "'0' is not in 1 to" -p 0
}
check 'unsupported options are refused, with a reason' bad_words
