#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Memory has a bound, and stays flat, whatever the host does; no sum changes for it.
#
# kernels: 5.10 6.12

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq

[ -x "$WORK/churn" ] || { skip "$(this_test)" 'workloads are not built (make work)'; exit 0; }

jq_defs='def leaf: (.user[0]?.func // .kernel[0]?.func); def stacks: select(.type == "stack");'

# stacks_of FILTER FIELD: the sum over the rows of $TMP/m.json that FILTER lets through.
stacks_of()
{
	jq -n "$jq_defs reduce (inputs | stacks | select($1) | .$2) as \$v (0; . + \$v)" "$TMP/m.json"
}

# descend COMMAND ARGS...: with the least memory, and a program that is in a new stack each time.
descend()
{
	timeout -s KILL 120 "$BPERF" "$@" --max-memory 32M -q -o "$TMP/m.json" -- \
		"$WORK/churn" --descend "$(slow 5)" 20 >"$TMP/m.truth" 2>"$TMP/m.err" ||
		fail "exit status $?" "$(cat "$TMP/m.err")"
}

bounded()
{
	local other total n rss

	descend offcpu
	rss=$(jq -s '.[-1].cost.rss_kb' "$TMP/m.json")
	other=$(stacks_of 'leaf == "[other stacks]" and .comm == "churn"' count)
	total=$(stacks_of '.comm == "churn"' value)
	n=$(jq -s '.[-1].lost.stack_full' "$TMP/m.json")
	at_least "$other" 1000 'waits below [other stacks]'
	at_least "$n" "$other" 'waits that the ledger tells of'
	# All the time that the program did not run, but for records that were lost.
	awk -v t="$total" -v lost="$(jq -s '.[-1].lost | .ring_full + .missed' "$TMP/m.json")" '
		/^wall_ns/ { w = $2 }
		/^cpu_ns/ { c = $2 }
		END {
			off = (w - c) / 1e3
			exit !((lost > 100 || t > 0.9 * off) && t < 1.1 * off + 5e5)
		}' "$TMP/m.truth" ||
		fail "$total us in all" "$(cat "$TMP/m.truth")"
	at_least $((48 * 1024)) "$rss" 'KB that a limit of 32 MB and a report may take'
}
check 'offcpu: what is over --max-memory is folded by process, and counted' bounded

# The same stacks, with and without room for them.
sums()
{
	local all
	local limited

	timeout -s KILL 60 "$BPERF" profile -q -e cpu-clock -F 997 -o "$TMP/m.json" -- \
		"$WORK/churn" --descend "$(slow 2)" >/dev/null || fail "exit status $?"
	all=$(jq -s '.[-1].lost.stack_full' "$TMP/m.json")
	limited=$(stacks_of 'leaf == "[other stacks]"' count)
	exactly "$all $limited" '0 0' 'stacks folded where there is room'
}
check 'profile: nothing is folded where there is room' sums

# rss PID: KB.
rss()
{
	awk '/^VmRSS/ { print $2 }' "/proc/$1/status"
}

# flat COMMAND ARGS...: 300 processes a second; what is there after a third of the time is nearly
# all that there ever is.
flat()
{
	local first=0 last=0 i pid churn now

	"$WORK/churn" 300 60 >/dev/null &
	churn=$!
	later "kill -9 $churn 2>/dev/null"
	"$BPERF" "$@" -q 0.25 100000 >/dev/null 2>"$TMP/flat.err" &
	pid=$!
	later "kill -9 $pid 2>/dev/null"
	for ((i = 0; i < 60; i++)); do
		sleep 0.5
		now=$(rss "$pid")
		[ -n "$now" ] || fail 'it has ended' "$(cat "$TMP/flat.err")"
		if ((i < 30)); then
			((first = now > first ? now : first))
		else
			((last = now > last ? now : last))
		fi
	done
	kill -9 "$churn"
	kill -INT "$pid"
	wait "$pid" || fail "exit status $?" "$(cat "$TMP/flat.err")"
	# Doubling where nothing is forgotten: half of it, and the noise of the host.
	at_least $((first * 5 / 4)) "$last" "KB in the second half, after $first in the first"
}
check 'offcpu at intervals beside a churn of processes: memory stays flat' flat offcpu
check 'profile at intervals: the same' flat profile -e cpu-clock -F 997
