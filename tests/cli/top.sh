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
	refused 64 'runs no program' -- true
	refused 64 'an interval was expected' often
	! grep -q 'two dashes' "$TMP/err" || fail 'top runs no program' "$(cat "$TMP/err")"
	refused 64 "unknown option '--live'" --live
	refused 64 "'0' is not in 1 to" -p 0
}
check 'what it cannot do is refused, with a reason' bad_words
