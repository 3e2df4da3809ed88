#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# diff tells what changed between saved reports, and what may be chance.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need jq

printf '%s\n' 'app;main;hot 700' 'app;main;cold 300' >"$TMP/before.folded"
printf '%s\n' 'app;main;hot 900' 'app;main;fresh 500' 'app;main;cold 600' >"$TMP/after.folded"

compare() # ARGS...
{
	(cd "$TMP" && "$BPERF" diff "$@") >"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
}

# refuses STATUS PATTERN ARGS...
refuses()
{
	local want=$1 pattern=$2 status=0

	shift 2
	"$BPERF" diff "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == want)) || fail "diff $*: status $status" "$(cat "$TMP/err")"
	grep -qE -- "$pattern" "$TMP/err" || fail "diff $*: no '$pattern':" "$(cat "$TMP/err")"
}

# The largest change last; the callers, which have no samples of their own, first.
known_answer()
{
	compare before.folded after.folded
	cat >"$TMP/want" <<'EOW'
before  1,000 samples; lost: not known
after   2,000 samples; lost: not known
~ may be chance: the interval at 95 % contains 0

before  after  change      95 % interval  per second   total  change        function (self, %)
                                                      100.00   +0.00~       main
                                                      100.00   +0.00~       app
 30.00  30.00   +0.00~    -3.52 to +3.43           -   30.00   +0.00~       cold
 70.00  45.00  -25.00   -28.51 to -21.36           -   45.00  -25.00        hot
  0.00  25.00  +25.00   +23.11 to +26.94           -   25.00  +25.00   new  fresh

EOW
	same "$TMP/want" "$TMP/out"
	[ ! -s "$TMP/err" ] || fail "$(cat "$TMP/err")"
}
check 'two files with a known answer' known_answer

function_in() # NAME FILTER: of the JSON in $TMP/out
{
	jq -c "select(.type == \"diff_function\" and .func == \"$1\") | $2" "$TMP/out"
}

is() # WHAT GOT WANT
{
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

json()
{
	compare -j before.folded after.folded
	is fresh "$(function_in fresh '[.status, .self.before, .self.after, .self.share.verdict]')" \
		'["new",0,500,"changed"]'
	is cold "$(function_in cold '[.status, .self.share.change, .self.share.verdict, .self.per_second]')" \
		'["both",0,"noise",null]'
	is stacks "$(jq -c 'select(.type == "diff_stack") | [.path[-1], .before, .after]' "$TMP/out" | tr '\n' ' ')" \
		'["fresh",0,500] ["hot",700,900] ["cold",300,600] '
	is sides "$(jq -c 'select(.type == "side") | [.side, .value, .lost]' "$TMP/out" | tr '\n' ' ')" \
		'["before",1000,null] ["after",2000,null] '
	compare -j after.folded before.folded
	is fresh "$(function_in fresh '.status')" '"gone"'
	is end "$(tail -n 1 "$TMP/out" | jq -r '.type')" end
}
check 'JSON has sides, functions and stacks, and marks new and gone ones' json

# The form of difffolded.pl: other tools read it, `bperf report` does not.
two_counts()
{
	compare --folded before.folded after.folded
	sort "$TMP/out" >"$TMP/got"
	printf '%s\n' 'app;main;cold 300 600' 'app;main;fresh 0 500' 'app;main;hot 700 900' >"$TMP/want"
	same "$TMP/want" "$TMP/got"
	cp "$TMP/out" "$TMP/two.folded"
	refuses 1 'two.folded:1: two counts' "$TMP/two.folded" "$TMP/after.folded"
	! "$BPERF" report "$TMP/two.folded" 2>"$TMP/err" || fail 'bperf report reads it'
	grep -q 'two.folded:1: two counts' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'folded lines have two counts, and are no report' two_counts

stacks()
{
	compare --stacks --top 1 before.folded after.folded
	cat >"$TMP/want" <<'EOW'
... 2 more stacks with smaller changes, or with changes that may be chance

    fresh
    main
    app
        +25.00 points (95 %: +23.11 to +26.94), from 0.00 to 25.00, new

EOW
	tail -n +5 "$TMP/out" >"$TMP/got"
	same "$TMP/want" "$TMP/got"
}
check 'stacks with their changes' stacks

several()
{
	compare -j before.folded before.folded -- after.folded
	is sides "$(jq -c 'select(.type == "side") | .value' "$TMP/out" | tr '\n' ' ')" '2000 2000 '
	is hot "$(function_in hot '[.self.before, .self.after]')" '[1400,900]'
	compare -j - after.folded <"$TMP/before.folded"
	is hot "$(function_in hot '[.self.before, .self.after]')" '[700,900]'
}
check 'several files of a side, and standard input' several

measures()
{
	compare --absolute before.folded after.folded
	grep -qE '^ +700 +900 +\+200 +\+122 to \+279 +-25.00 +900 +\+200 +hot$' "$TMP/out" || fail "$(cat "$TMP/out")"
	compare --confidence 99.9 before.folded after.folded
	grep -qF '99.9 % interval' "$TMP/out" || fail "$(cat "$TMP/out")"
	compare --sort total before.folded after.folded
	grep -qF 'function (total, %)' "$TMP/out" || fail "$(cat "$TMP/out")"
	refuses 1 'how long' --per-second "$TMP/before.folded" "$TMP/after.folded"
}
check 'absolute values, other levels, totals' measures

# By default, functions that are gone have no box; with --by-before they have one.
pictures()
{
	printf '%s\n' 'app;main;hot 700' 'app;main;cold 300' 'app;main;rare 90' >"$TMP/gone.folded"
	compare -o diff.svg gone.folded after.folded
	grep -qE '<g class="o5" [^>]*m="\+25.0 points"><title>fresh \(500 samples after; from 0.00 to 25.00 %: .*, new\)' \
		"$TMP/diff.svg" || fail "$(grep fresh "$TMP/diff.svg")"
	! grep -q '<title>rare' "$TMP/diff.svg" || fail 'a box without a width'
	grep -q '1 boxes only before not drawn' "$TMP/diff.svg" || fail 'gone boxes are not counted'
	compare --by-before -o before.svg gone.folded after.folded
	grep -qE '<g class="l5" [^>]*><title>rare \(90 samples before; .*, gone\)' "$TMP/before.svg" ||
		fail "$(grep rare "$TMP/before.svg")"
	[ ! -s "$TMP/out" ] || fail 'something on stdout'
}
check 'the flame graph in both directions' pictures

usage()
{
	local a=$TMP/before.folded b=$TMP/after.folded

	refuses 64 'two files' "$a"
	refuses 64 'two files' "$a" "$b" "$a"
	refuses 64 'standard input' - -
	refuses 64 'measures nothing' --cost "$a" "$b"
	refuses 64 'as they were saved' --names full "$a" "$b"
	refuses 64 "can't be written as pprof" -o "$TMP/d.pb.gz" "$a" "$b"
	refuses 64 '--per-second' --absolute --per-second "$a" "$b"
	refuses 1 'nowhere' "$TMP/nowhere.json" "$b"
}
check 'wrong words are explained' usage

# Stacks that are left out on one side only would look gone.
large()
{
	awk 'BEGIN { for (i = 0; i < 200000; i++) print "app;main;a_function_with_a_long_name_" i ";leaf" i " 1" }' \
		>"$TMP/large.folded"
	refuses 1 'more memory than --max-memory' --max-memory 32M "$TMP/before.folded" "$TMP/large.folded"
	[ ! -s "$TMP/out" ] || fail "$(cat "$TMP/out")"
	compare --top 1 before.folded large.folded
}
check 'files that do not fit are not compared in part' large

unlike()
{
	refuses 64 "samples can't be compared with times" tests/golden/server.json tests/golden/offcpu.json
	refuses 64 "'offcpu' can't be compared with 'blocked'" tests/golden/offcpu.json tests/golden/wakeup.json
	refuses 64 'wakers' tests/golden/wakeup.json tests/golden/chain.json
	refuses 64 'no stacks' tests/golden/functions.json tests/golden/server.json
}
check 'reports that mean different things are refused' unlike

times()
{
	compare "$PWD/tests/golden/wakeup.json" "$PWD/tests/golden/wakeup.json"
	grep -q '^no intervals' "$TMP/out" || fail "$(cat "$TMP/out")"
	compare -j "$PWD/tests/golden/chain.json" "$PWD/tests/golden/chain.json"
	is changes "$(jq -c 'select(.type == "diff_stack" and .share.change != 0)' "$TMP/out")" ''
	is verdicts "$(jq -r 'select(.type == "diff_stack") | .share.verdict' "$TMP/out" | sort -u)" uncertain
}
check 'times have no interval' times

nobody()
{
	for_nobody
	as_nobody -all "$TMP/bperf" diff "$TMP/before.folded" "$TMP/after.folded" >"$TMP/out" 2>&1 ||
		fail "status $?" "$(cat "$TMP/out")"
}
[ "$(id -u)" = 0 ] && check 'everyone may compare' nobody

# ---- live runs ----

run_shares() # FILE SECONDS HOT WARM COOL
{
	"$BPERF" profile -q -F 999 -o "$TMP/$1" -- "$WORK/shares" "${@:2}" >/dev/null 2>"$TMP/err" ||
		fail "status $?" "$(cat "$TMP/err")"
}

live()
{
	run_shares a.json 1 60 30 10
	run_shares b.json 2 30 60 10
	run_shares c.json 2 60 30 10
	compare -j --confidence 99.9 a.json b.json
	is hot "$(function_in burn_hot '[.status, .total.share.verdict, .total.share.high < 0]')" \
		'["both","changed",true]'
	is warm "$(function_in burn_warm '[.status, .total.share.verdict, .total.share.low > 0]')" \
		'["both","changed",true]'
	# Twice as long, with the same shares.
	compare -j --confidence 99.9 a.json c.json
	is hot "$(function_in burn_hot '[.status, .total.share.verdict]')" '["both","noise"]'
	is warm "$(function_in burn_warm '[.status, .total.share.verdict]')" '["both","noise"]'
	is sides "$(jq -s -c '[.[] | select(.type == "side") | .seconds] | .[1] > .[0]' "$TMP/out")" true
}
[ "$(id -u)" = 0 ] && check 'live runs: other shares are a change, another length is none' live
