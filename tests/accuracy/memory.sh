#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Memory is bounded and stays flat, whatever the host does, and no sum changes because of that.
#
# long: fills the memory limit several times, a minute
# kernels: 6.12

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

# The least memory has room for 14,000 stacks.
MANY_STACKS=24000

# descend COMMAND ARGS...: with the least memory, and a program that is in a new stack each time.
descend()
{
	timeout -s KILL "$(slow 60)" "$BPERF" "$@" --max-memory 32M -q -o "$TMP/m.json" -- \
		"$WORK/churn" --descend 5 20 "$MANY_STACKS" >"$TMP/m.truth" 2>"$TMP/m.err" ||
		fail "exit status $?" "$(cat "$TMP/m.err")"
}

bounded()
{
	local other total n rss lost

	descend offcpu
	# Frames are most of a row, and jq takes a minute for them under emulation.
	total=$(cut -c 1-200 "$TMP/m.json" | awk 'match($0, /"comm":"churn".*"value":[0-9]+/) {
			sub(/.*"value":/, "")
			n += $0 + 0
		}
		END { printf "%d", n }')
	other=$(grep -F '[other stacks]' "$TMP/m.json" | jq -n "$jq_defs"'
		reduce (inputs | select(.comm == "churn") | stacks | select(leaf == "[other stacks]")) as $s (0;
			. + $s.count)')
	read -r rss n lost <<<"$(tail -n 1 "$TMP/m.json" |
		jq -r '[.cost.rss_kb, .lost.stack_full, .lost.ring_full + .lost.missed] | join(" ")')"
	at_least "$other" 1000 'waits below [other stacks]'
	at_least "$n" "$other" 'waits that the ledger tells of'
	# All the time that the program did not run, except for lost records.
	awk -v t="$total" -v lost="$lost" '
		/^wall_ns/ { w = $2 }
		/^cpu_ns/ { c = $2 }
		END {
			off = (w - c) / 1e3
			exit !((lost > 100 || t > 0.9 * off) && t < 1.1 * off + 5e5)
		}' "$TMP/m.truth" ||
		fail "$total us in all" "$(cat "$TMP/m.truth")"
	at_least $((48 * 1024)) "$rss" 'KB that a limit of 32 MB and a report may take'
}
check 'offcpu: stacks over --max-memory are folded by process, and counted' bounded

# The same stacks, with and without room for them.
sums()
{
	local all
	local limited

	timeout -s KILL 60 "$BPERF" profile -q -e cpu-clock -F 997 -o "$TMP/m.json" -- \
		"$WORK/churn" --descend "$(slow 2)" >/dev/null || fail "exit status $?"
	all=$(tail -n 1 "$TMP/m.json" | jq .lost.stack_full)
	limited=$(stacks_of 'leaf == "[other stacks]"' count)
	exactly "$all $limited" '0 0' 'stacks folded where there is room'
}
check 'profile: nothing is folded where there is room' sums

ENOUGH=400000 # keys or stacks, for which 32 MB have no room

# A host without time makes fewer calls than there is room for.
skip_if_few()
{
	(($(sed -n 3p "$TMP/m.sums") || $(sed -n 1p "$TMP/m.sums") >= ENOUGH)) ||
		skip_because 'too few calls in the time to fill the memory'
}

# Each call has a key of its own, and most find no room: no call is missing from the sum.
keys()
{
	nice -n 19 dd if=/dev/zero of=/dev/null bs=1 2>/dev/null & # not in the way of the report
	later "kill $!"
	timeout -s KILL "$(slow 60)" "$BPERF" funccount -q --max-memory 32M --keys 1000000 -o "$TMP/m.json" \
		--by '$time,$pid,$comm' t:raw_syscalls:sys_enter 2 1 >/dev/null || fail "exit status $?"
	jq -s '
		(map(select(.type == "count") | .value) | add) as $sum |
		(map(select(.key == "other") | .value) | add // 0) as $other |
		.[-1] | ($sum, .probes[0].hits, $other, .lost.map_full)' "$TMP/m.json" >"$TMP/m.sums"
	exactly "$(sed -n 1p "$TMP/m.sums")" "$(sed -n 2p "$TMP/m.sums")" 'calls in all rows'
	exactly "$(sed -n 3p "$TMP/m.sums")" "$(sed -n 4p "$TMP/m.sums")" 'calls in the ledger'
	skip_if_few
	at_least "$(sed -n 3p "$TMP/m.sums")" 1000 'calls of keys without room'
}
check 'funccount: keys over --max-memory become one row, and are counted' keys

# The same for stacks that are keys: all events are in some row.
key_stacks()
{
	timeout -s KILL "$(slow 60)" "$BPERF" argdist -q --max-memory 32M --keys 1000000 -o "$TMP/m.json" \
		-C 't:syscalls:sys_enter_nanosleep():stack:$ustack' -- \
		"$WORK/churn" --descend "$(slow 5)" 20 >/dev/null || fail "exit status $?"
	jq -s "$jq_defs"'
		(map(stacks | .count) | add) as $sum |
		(map(stacks | select(leaf == "[other]" or leaf == "[other stacks]") | .count) | add // 0) as $other |
		.[-1] | ($sum, .probes[0].hits, $other, .lost.map_full + .lost.stack_full)' "$TMP/m.json" >"$TMP/m.sums"
	exactly "$(sed -n 1p "$TMP/m.sums")" "$(sed -n 2p "$TMP/m.sums")" 'calls in all rows'
	exactly "$(sed -n 3p "$TMP/m.sums")" "$(sed -n 4p "$TMP/m.sums")" 'calls in the ledger'
	skip_if_few
	at_least "$(sed -n 3p "$TMP/m.sums")" 1000 'calls without a stack of their own'
}
check 'argdist: stacks over --max-memory become one, and their events are counted' key_stacks

# The least memory that may be asked for has room for thousands of rows.
same_events()
{
	timeout -s KILL "$(slow 60)" "$BPERF" trace -q -A -K -U --max-memory 32M -o "$TMP/m.json" \
		't:syscalls:sys_enter_nanosleep' -- "$WORK/churn" --descend "$(slow 3)" 20 >/dev/null ||
		fail "exit status $?"
	at_least "$(jq -s 'map(select(.type == "event" and .text != "[other events]")) | length' "$TMP/m.json")" \
		1000 'rows of their own'
}
check 'trace -A: the least memory has room for rows' same_events

# ---- flat ----

# rss PID: its resident memory in KB.
rss()
{
	local key value rest

	while read -r key value rest; do
		[ "$key" != VmRSS: ] || echo "$value"
	done <"/proc/$1/status"
}

# tool NAME: run it with arguments that load it; each ends by itself after a while.  Stacks of other programs
# are left out: a compiler that starts meanwhile has a table of 6 MB.
tool()
{
	local churn='($comm == "exe")' # it execs /proc/self/exe

	case $1 in
	offcpu) exec "$BPERF" offcpu -q --comm exe 0.25 480 ;;
	profile) exec "$BPERF" profile -q --comm exe -e cpu-clock -F 997 0.25 480 ;;
	trace) exec "$BPERF" trace -q -M 200000 -K -U "t:syscalls:sys_enter_mmap $churn" ;;
	argdist) exec "$BPERF" argdist -q --comm exe --keys 100000 -C "t:syscalls:sys_enter_nanosleep():stack:\$ustack" 0.25 480 ;;
	funccount) exec "$BPERF" funccount -q --by '$time' t:sched:sched_switch 0.25 480 ;;
	esac
}

# grow SECONDS NAME...: run all side by side, since they share the churn; $TMP/NAME.sizes has the exit
# status, and the peak of each in the first, second and last third, in KB.  What an emulated CPU has no time
# for would wait in memory (trace: up to an eighth of --max-memory), so that less is done there.
grow()
{
	local name seconds=$1 churn i now third rate=${BPERF_SLOW:+40}
	local -A pids=() most=()

	shift
	"$WORK/churn" "${rate:-200}" $((seconds + 10)) >/dev/null &
	churn=$!
	for name in "$@"; do
		tool "$name" >/dev/null 2>"$TMP/$name.err" &
		pids[$name]=$!
	done
	for ((i = 0; i < 2 * seconds; i++)); do
		sleep 0.5
		third=$((i * 3 / (2 * seconds)))
		for name in "$@"; do
			now=$(rss "${pids[$name]}" 2>/dev/null)
			((${now:-0} <= ${most[$name$third]:-0})) || most[$name$third]=$now
		done
	done
	kill $churn
	wait $churn 2>/dev/null
	for name in "$@"; do
		kill -INT "${pids[$name]}"
		wait "${pids[$name]}" # an error is the check's
		echo "$? ${most[${name}0]:-0} ${most[${name}1]:-0} ${most[${name}2]:-0}" >"$TMP/$name.sizes"
	done
}

# It takes some seconds until stacks are old enough to be forgotten.  If nothing is ever forgotten, the last
# third is half as large again.
is_flat()
{
	local status first last

	read -r status first _ last <"$TMP/$1.sizes"
	exactly "$status" 0 "exit status: $(tail -n 3 "$TMP/$1.err")"
	at_least $((first * 6 / 5)) "$last" "KB in the last third, after $first in the first"
}

tools='offcpu profile trace argdist funccount'
# Stacks become old by time, not by work: a slow machine needs no more of it.
# shellcheck disable=SC2086 # several words
grow 30 $tools
for name in $tools; do
	sed "s/^/# $name: exit status, KB by third: /" "$TMP/$name.sizes"
	check "$name beside a churn of processes: memory stays flat" is_flat "$name"
done
