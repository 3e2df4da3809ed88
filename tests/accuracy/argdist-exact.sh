#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Distributions of values that are known are found exactly: as counts, histograms and statistics, from one
# thread and from eight, by key, by interval, and equal to trace's events.
#
# long: a run for each kind of key and value, 78 s
# shared: its counts do not depend on the CPU time that it gets
# kernels: 5.10 6.1 6.12

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. "$(dirname "$0")/common.bash"
need jq

# On emulated CPUs each thread makes fewer calls, since each takes longer.
TIMES=20000
[ -z "${BPERF_SLOW-}" ] || TIMES=400

# run ARGS...: JSON to $TMP/out, the workload's output to $TMP/spread.truth.
run()
{
	: >"$TMP/all"
	timeout -s KILL 300 "$BPERF" argdist -j "$@" >>"$TMP/all" 2>"$TMP/err" ||
		fail "status $? of: $*" "$(cat "$TMP/err")"
	grep '^{' "$TMP/all" >"$TMP/out"
	grep -v '^{' "$TMP/all" >"$TMP/spread.truth"
}

# measure ARGS...: run, and fail if anything is lost.
measure()
{
	run "$@"
	jq_last -e '.type == "end" and (.lost | all(. == 0 or . == null))' "$TMP/out" >/dev/null ||
		fail 'something was lost:' "$(tail -n1 "$TMP/out")"
}

# got FILTER: FILTER's result for the list of all records, compact.
got()
{
	jq_values "$1" "$TMP/out"
}

# jq: the workload's function that allocated the memory.
named='(.user | map(.func) | map(select(test("take_")))[0])'

# alike N: jq that sorts rows.  On an emulated machine bperf gets no CPU in a program's first milliseconds,
# and stacks that end in [unwind table late] have rows of their own: there, rows whose first N values are
# the same are added up.
alike()
{
	if [ "${BPERF_SLOW-}" ]; then
		echo "group_by(.[:$1]) | map(.[0][:$1] + (map(.[$1:]) | transpose | map(add)))"
	else
		echo sort
	fi
}

VALUE="$WORK/spread:call_value(long v):long:v"
KEYED="$WORK/spread:call_keyed(int key, long v):long:v"
VALUES="0:$TIMES 1:3 -1:5 -2:1 -3:2 4:1 7:1 8:1 1000000:2 -9223372036854775808:1 9223372036854775807:1"

counts_by_value() # THREADS
{
	# shellcheck disable=SC2086 # words
	measure -C "p:$VALUE" -C "p:$WORK/spread:call_value()" -- "$WORK/spread" "$1" $VALUES
	exactly "$(got '[.[] | select(.type == "count" and .key) | [.key.v, .value]] | sort')" \
		"$(jq -n -c --argjson t "$1" --argjson n "$TIMES" '[["-1", 5], ["-2", 1], ["-3", 2],
			["-9223372036854775808", 1], ["0", $n], ["1", 3], ["1000000", 2], ["4", 1],
			["7", 1], ["8", 1], ["9223372036854775807", 1]] | map([.[0], .[1] * $t])')" \
		'values and their counts'
	exactly "$(got '.[] | select(.type == "count" and .key == null) | .value')" \
		$(((TIMES + 18) * $1)) 'calls'
}
[ "${BPERF_SLOW-}" ] || check 'counts of values from one thread' counts_by_value 1
check 'counts of values from eight threads' counts_by_value 8

log2() # THREADS
{
	# shellcheck disable=SC2086
	measure -H "p:$VALUE" -- "$WORK/spread" "$1" $VALUES
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.n > 0) |
		[.lo, .n]] | sort')" \
		"$(jq -n -c --argjson t "$1" --argjson n "$TIMES" '[[-1, 5], [-3, 3],
			[-9223372036854775808, 1], [0, $n], [1, 3], [4, 2], [524288, 2], [8, 1],
			[4611686018427387904, 1]] | map([.[0] + 0, .[1] * $t]) | sort')" \
		'buckets and their counts'
}
[ "${BPERF_SLOW-}" ] || check 'log2 is exact and has a sign, from one thread' log2 1
check 'log2 is exact and has a sign, from eight threads' log2 8

unsigned()
{
	measure -H "p:$WORK/spread:call_value(unsigned long v):u64:v" -- "$WORK/spread" 1 -1:3 5:2
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.n > 0) | [.hi, .n]]')" \
		'[[8,2],[null,3]]' 'buckets of unsigned numbers'
}
check 'the same bits without a sign are large' unsigned

scales()
{
	measure -H "p:$VALUE" --linear -10,10,5 -- "$WORK/spread" 8 -11:1 -10:2 -6:3 -5:4 4:5 5:6 9:7 \
		10:8 1000:9
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | [.lo, .hi, .n]]')" \
		'[[null,-10,8],[-10,-5,40],[-5,0,32],[0,5,40],[5,10,104],[10,null,136]]' 'linear'
	measure -H "p:$VALUE" --buckets -5,0,7 -- "$WORK/spread" 8 -6:1 -5:2 -1:3 0:4 6:5 7:6
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | [.lo, .hi, .n]]')" \
		'[[null,-5,8],[-5,0,40],[0,7,72],[7,null,48]]' 'bounds'
}
check 'linear buckets and bounds' scales

statistics() # THREADS
{
	measure -S "p:$VALUE" --pct 1,50,90,99,100 -- "$WORK/spread" "$1" -7:10 3:40 5:40 12:9 1000:1
	exactly "$(got '.[] | select(.type == "stats") | [.count, .sum, .min, .max, (.percentiles | to_entries |
		sort_by(.key | tonumber) | map(.value | floor))]')" \
		"[$((100 * $1)),$((1358 * $1)),-7,1000,[-7,3,5,12,1000]]" 'count, sum, least, greatest, percentiles'
	between "$(got '.[] | select(.type == "stats") | .mean')" 13.57 13.59 'mean'
}
[ "${BPERF_SLOW-}" ] || check 'statistics of one thread' statistics 1
check 'statistics of eight threads' statistics 8

at_the_edge()
{
	measure -S "p:$VALUE" -- "$WORK/spread" 1 9223372036854775807:3
	grep -q '"sum":null,"mean":null,"min":9223372036854775807,' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -q '"90":9223372036854775807.000' "$TMP/out" || fail "$(cat "$TMP/out")"
	status_is 0 "$BPERF" argdist -S "p:$VALUE" -- "$WORK/spread" 1 9223372036854775807:3
	has "$TMP/out" '^ *3 +- +-( +9223372036854775807){5}$'
	measure -S "p:$VALUE" -- "$WORK/spread" 1 9223372036854775807:1
	grep -q '"sum":9223372036854775807,' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a sum that does not fit is not known; no percentile is beyond the largest value' at_the_edge

# 1 to 1000, each once: percentiles are the numbers themselves.
percentiles()
{
	local words=() i p

	for ((i = 1; i <= 1000; i++)); do words+=("$((i * 1000)):1"); done
	measure -S "p:$VALUE" --pct 10,25,50,75,90,99,99.9 -- "$WORK/spread" 1 "${words[@]}"
	got '.[] | select(.type == "stats") | .percentiles | to_entries[] | [.key, .value]' | sed 's/[]["]//g' >"$TMP/got"
	for p in 10 25 50 75 90 99 99.9; do
		between "$(awk -F, -v p=$p '$1 == p { print $2 }' "$TMP/got")" \
			"$(awk -v p=$p 'BEGIN { print p * 10000 * 15 / 16 }')" \
			"$(awk -v p=$p 'BEGIN { print p * 10000 * 17 / 16 }')" "percentile $p"
	done
}
check 'percentiles are at most 1/16 off' percentiles

by_key()
{
	measure -H "p:$KEYED" -S "p:$KEYED" -C "p:$KEYED" --by 'key,$comm' -- "$WORK/spread" 4 \
		1:5:100 2:7:3 3:100000:1
	exactly "$(got '[.[] | select(.type == "hist") | [.key.key, .key.comm, .count]] | sort')" \
		'[["1","spread",400],["2","spread",12],["3","spread",4]]' 'histograms by key'
	exactly "$(got '[.[] | select(.type == "stats") | [.key.key, .sum]] | sort')" \
		'[["1",2000],["2",84],["3",400000]]' 'sums by key'
	exactly "$(got '[.[] | select(.type == "count") | [.key.key, .key.v, .value]] | sort')" \
		'[["1","5",400],["2","7",12],["3","100000",4]]' 'counts by key'
	measure -C "p:$KEYED" --by '$tid' -- "$WORK/spread" 8 1:1:500
	exactly "$(got '[.[] | select(.type == "count") | .value]')" \
		'[500,500,500,500,500,500,500,500]' 'counts by thread'
}
check 'each key has its own values' by_key

texts()
{
	measure -C "p:$WORK/spread:call_text(char *s):char*:s" \
		-C "p:$WORK/spread:call_text(char *s):char*:s:STRCMP(\"odd\", s)#filtered" -- \
		"$WORK/spread" 4 text:1001
	exactly "$(got '[.[] | select(.type == "count" and .label == null) | [.key.s, .value]] | sort')" \
		'[["even",2004],["odd",2000]]' 'counts by text'
	exactly "$(got '[.[] | select(.type == "count" and .label == "filtered") | [.key.s, .value]]')" \
		'[["odd",2000]]' 'counts of what passes the filter'
}
check 'texts, and a filter before the key' texts

other() # KIND
{
	local room=64

	: >"$TMP/all"
	timeout 60 "$BPERF" argdist -j --keys $room "$1" "p:$KEYED" --by key -- \
		"$WORK/spread" 4 keys:200 >>"$TMP/all" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	grep '^{' "$TMP/all" >"$TMP/out"
	exactly "$(got '[([.[] | select(.key?) | .value_ // .count // .value] | add),
		([.[] | select(.key? and .key != "other")] | length), (.[] | select(.key? == "other") | .count // .value)]')" \
		"[800,$room,$((4 * (200 - room)))]" 'events together, keys, others'
	exactly "$(got '.[] | select(.type == "end") | [.complete, .lost.map_full, .probes[0].hits]')" \
		"[false,$((4 * (200 - room))),800]" 'the ledger'
}
check 'keys without room are one row: counts' other -C
check 'keys without room are one row: histograms' other -H
check 'keys without room are one row: statistics' other -S

# More keys than one system call reads; the tables are emptied in between.
many_keys()
{
	local n=$((TIMES / 2))

	measure --keys $((2 * n)) -C "p:$KEYED" -i 0.1 -- "$WORK/spread" 2 keys:$n wait:250 keys:$n \
		wait:250 keys:$n
	exactly "$(got '[.[] | select(.type == "count")] | group_by(.key.v) |
		[length, (map(map(.value) | add) | unique)]')" "[$n,[6]]" 'keys, and calls of each'
	exactly "$(got '[.[] | select(.type == "count")] | group_by([.iv, .key.v]) |
		map(length) | unique')" '[1]' 'rows of a key in a window'
}
check 'each of many keys is read once' many_keys

intervals()
{
	measure -C "p:$VALUE" -H "p:$VALUE" -S "p:$VALUE" 0.05 -- "$WORK/spread" 2 5:$TIMES wait:60 \
		7:$TIMES wait:60 9:$TIMES
	exactly "$(got '[.[] | select(.type == "count") | .value] | add')" $((6 * TIMES)) 'counts'
	exactly "$(got '[.[] | select(.type == "hist") | .count] | add')" $((6 * TIMES)) 'histograms'
	exactly "$(got '[.[] | select(.type == "stats") | .sum] | add')" $((42 * TIMES)) 'sums'
	at_least "$(grep -c '"type":"interval"' "$TMP/out")" 3 intervals
}
check 'intervals add up to the whole' intervals

# Each report covers its window, not the run: earlier keys are not counted again, and take no room.
windows()
{
	measure -S "p:$KEYED" --table "p:$WORK/spread:call_keyed(int key, long v) LEAST=min(v), \
		MOST=max(v), N=count()" --keys 4 --by key -i 0.1 -- "$WORK/spread" 2 1:-9:50 1:900:50 2:7:10 \
		3:8:10 wait:250 1:3:50 4:7:10 5:8:10 wait:250 1:20:50 1:40:50 6:1:10 7:2:10
	exactly "$(got '[.[] | select(.type == "stats" and .key == null)] | length')" 0 \
		'[other], with seven keys of which three come together'
	exactly "$(got '[.[] | select(.type == "stats" and .key.key == "1")] |
		[(map(.min) | min), (map(.max) | max), (map(.count) | add)]')" '[-9,900,500]' 'of all'
	exactly "$(got '[.[] | select(.type == "stats" and .key.key == "1")][-1] |
		[.min >= 20, .max]')" '[true,40]' 'the last ones'
	exactly "$(got '[.[] | select(.type == "table" and .key.key == "1")][-1] |
		[.columns.LEAST >= 20, .columns.MOST]')" '[true,40]' 'the last ones, in a table'
	exactly "$(got '[.[] | select(.type == "table") | .columns.N] | add')" 620 'all'
}
check 'a report covers its window only: keys, extremes' windows

# Cells of unsigned values have no buckets for negative ones, and hold the greatest of all.
unsigned_statistics()
{
	local stats='.[] | select(.type == "stats") | [.count, .min, (.buckets | length), ([.buckets[][1]] | add)]'

	measure -S "p:$WORK/spread:call_value(long v):u64:v" -- "$WORK/spread" 1 0:3 7:2 8:5 -1:4
	exactly "$(got "$stats")" '[14,0,4,14]' 'count, least, buckets, events in them'
	grep -q '"max":18446744073709551615' "$TMP/out" || fail "$(cat "$TMP/out")"
	measure -S "p:$WORK/spread:call_value(long v):s64:v" -- "$WORK/spread" 1 0:3 7:2 8:5 -1:4
	exactly "$(got "$stats")" '[14,-1,4,14]' 'the same with signs'
}
check 'statistics of unsigned values' unsigned_statistics

# The tables of 30,000 statistics have some hundred batches.
many_statistics()
{
	measure -T 0 --keys 30000 -S "p:$WORK/spread:call_keyed(int key, long v):u64:v" --by key -- \
		"$WORK/spread" 1 keys:30000
	exactly "$(got '[.[] | select(.type == "stats") | [.sum == (.key.key | tonumber), .count == 1]] |
		[length, (unique | .[])]')" '[30000,[true,true]]' 'each key with its sum'
	exactly "$(got '.[] | select(.type == "end") | .probes[0].hits')" 30000 events
}
[ "${BPERF_SLOW-}" ] || check 'statistics of many keys' many_statistics

# Each column has a program of its own, but an event is one event: in the ledger, in its messages and in rows.
columns()
{
	local site="p:$WORK/spread:call_text(char *s)"

	run --table "${site}[s] N=count(), S=sum(1), M=max(2)" -- "$WORK/spread" 1 text:4 fault:3
	exactly "$(grep -c 'had a value that could not be read' "$TMP/err")" 1 'messages'
	grep -q '3 events had a value that could not be read' "$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(got '.[-1].probes | map([.hits, .absent])')" '[[7,3]]' 'probes: the row [unreadable] has three of them'
	run --keys 1 --table "p:$WORK/spread:call_keyed(int key, long v)[key] N=count(), S=sum(v)" \
		-- "$WORK/spread" 1 1:5:10 2:7:10 3:8:10
	exactly "$(got '[.[] | select(.type == "table") | .count] | sort')" '[10,20]' 'events of rows'
	exactly "$(got '.[-1] | [.lost.map_full, (.probes | map([.hits, .map_full]))]')" \
		'[20,[[30,20]]]' 'events without room'
}
check 'an event is counted once, not for each column' columns

# Eight programs at one function that is called all the time: they begin and end together.  When a window
# ends, two threads may be between two of the programs.
together()
{
	local site="p:$WORK/spread:call_value(long v)" n

	"$WORK/spread" 2 1:1000000000 &
	PID=$!
	later "kill -9 $PID 2>/dev/null"
	measure --table "${site}[\$comm] A=count(),B=count(),C=count(),D=count()" -p "$PID" \
		--table "${site}[\$comm] E=count(),F=count(),G=count(),H=count()" -i 0.1 -d 0.35
	stop
	n=$(got '[.[] | select(.type == "table") | [.columns[]] | max - min] | max')
	between "$n" 0 2 'apart'
	at_least "$(got '[.[] | select(.type == "table") | .columns.A] | add')" 10 calls
}
check 'all sites of a run begin and end at once' together

cumulative()
{
	measure -c -H "p:$VALUE" -i 0.05 -- "$WORK/spread" 2 5:100 wait:120 7:100
	exactly "$(got '[.[] | select(.type == "hist") | .count] | max')" 400 'the last report'
	exactly "$(got '[.[] | select(.type == "hist") | .count] | . == sort')" true 'reports grow'
	has "$TMP/err" '^400 events, watched for'
}
check 'with -c each report covers everything since the start' cumulative

# The workload measures a nap from outside and from inside: a value measured at its edges is between the
# two.
latencies()
{
	measure -S "r:$WORK/spread:call_nap():u64:\$latency" -- "$WORK/spread" 4 nap:20 nap:5 nap:20
	exactly "$(got '.[] | select(.type == "stats") | .count')" 12 naps
	exactly "$(got '.[] | select(.type == "stats") | .unit')" '"ns"' 'unit'
	between "$(got '.[] | select(.type == "stats") | .sum')" 180000000 "$(truth spread nap_ns)" \
		'nanoseconds of naps'
	measure -H "r:$WORK/spread:call_nap(long ms):u64:\$latency/1ms/\$entry(ms)" -- \
		"$WORK/spread" 2 nap:20
	exactly "$(got '.[] | select(.type == "hist") | .buckets[0].lo >= 1')" true 'per millisecond'
}
check 'times of calls' latencies

# One run seen by both: trace's events put into buckets by jq.
as_trace()
{
	"$WORK/spread" 2 wait:1500 5:10 100:7 -3:4 70:1 wait:2000 >/dev/null &
	local pid=$! tracer

	later "kill -9 $pid 2>/dev/null"
	timeout 60 "$BPERF" trace -j -p $pid "$WORK/spread:call_value(long v) \"%ld\", v" \
		>"$TMP/events" 2>"$TMP/trace.err" &
	tracer=$!
	measure -p $pid -H "p:$VALUE"
	wait $tracer
	exactly "$(got '.[] | select(.type == "hist") | .count')" 44 'events in the histogram'
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.n > 0) | [.lo, .n]]')" \
		"$(jq -s -c '[.[] | select(.type == "event") | .args.v |
			if . < 0 then -(pow(2; (-. | log2 | floor) + 1) - 1)
			else pow(2; log2 | floor) end] |
			group_by(.) | map([.[0], length])' "$TMP/events")" 'buckets, by argdist and by trace'
}
check 'the histogram agrees with the events of trace' as_trace

# Two sites, one row for each key: every column is right by itself.
table() # THREADS
{
	local site="$WORK/spread:call_keyed(int key, long v)[key]"

	measure --table "$site(v > 3) HITS=count(), SUM=sum(v), MEAN=avg(v), LEAST=min(v), MOST=max(v)" \
		--table "$site(v <= 3) SMALL=count(), LOWEST=min(v)" --col 'TWICE=2*SUM/HITS' -- \
		"$WORK/spread" "$1" 1:5:100 1:9:100 1:-4:1 2:7:3 3:-1:5 3:-9:1
	exactly "$(got '[.[] | select(.type == "table") | [.key.key, .columns.HITS, .columns.SUM,
		.columns.MEAN, .columns.LEAST, .columns.MOST, .columns.SMALL, .columns.LOWEST,
		.columns.TWICE]] | sort')" \
		"$(jq -n -c --argjson t "$1" '[["1", 200 * $t, 1400 * $t, 7, 5, 9, $t, -4, 14],
			["2", 3 * $t, 21 * $t, 7, 7, 7, 0, null, 14],
			["3", 0, 0, null, null, null, 6 * $t, -9, null]]')" 'rows'
	exactly "$(got '.[] | select(.type == "end") | [.probes[] | .hits]')" \
		"[$((203 * $1)),$((7 * $1))]" 'hits of each spec'
	exactly "$(got '[.[] | select(.type == "table") | .count] | sort')" \
		"[$((3 * $1)),$((6 * $1)),$((201 * $1))]" 'events of each row'
}
[ "${BPERF_SLOW-}" ] || check 'a table of two sites, one thread' table 1
check 'a table of two sites, eight threads' table 8

# The memory that each function allocates, callers first: by count, and by size.
stacks() # THREADS
{
	timeout 60 "$BPERF" argdist --folded -C "p:$WORK/spread:call_alloc(size_t size):stack:\$ustack" \
		-- "$WORK/spread" "$1" small:300 big:20 2>"$TMP/err" | grep ';' >"$TMP/folded"
	exactly "$(total "$TMP/folded" ';take_small;take;call_alloc ')" $((300 * $1)) 'small ones'
	exactly "$(total "$TMP/folded" ';take_big;take;call_alloc ')" $((20 * $1)) 'big ones'
	exactly "$(total "$TMP/folded")" $((320 * $1)) 'all'
	measure -S "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$comm,$ustack' -- \
		"$WORK/spread" "$1" small:300 big:20
	exactly "$(got "[.[] | select(.type == \"stack\") | [.comm, $named, .count, .value]] | $(alike 2)")" \
		"[[\"spread\",\"take_big\",$((20 * $1)),$((81920 * $1))],[\"spread\",\"take_small\",$((300 * $1)),$((4800 * $1))]]" \
		'stacks, their counts and their sums'
}
[ "${BPERF_SLOW-}" ] || check 'memory by the stack that takes it, one thread' stacks 1
check 'memory by the stack that allocates it, eight threads' stacks 8

# A function's first instructions do not tell a walk by frame pointers that it has no frame yet.
caller_without_frame()
{
	timeout 60 "$BPERF" argdist --folded -C "p:$WORK/spread:call_plain(long v):stack:\$ustack" \
		-- "$WORK/spread" 1 plain:30 2>"$TMP/err" | grep ';' >"$TMP/folded"
	exactly "$(total "$TMP/folded" ';take_plain;call_plain ')" 30 'with their callers'
	exactly "$(total "$TMP/folded")" 30 'all'
	timeout 60 "$BPERF" argdist --folded --unwind fp -C "p:$WORK/spread:call_plain(long v):stack:\$ustack" \
		-- "$WORK/spread" 1 plain:30 2>"$TMP/err" | grep ';' >"$TMP/folded"
	exactly "$(total "$TMP/folded" ';take_plain;call_plain ')" 30 'with their callers, by frame pointers'
	# After the function's first instruction only the kernel's walk is used.
	timeout 60 "$BPERF" argdist --folded --unwind fp -C "p:$WORK/spread:call_plain+4():stack:\$ustack" \
		-- "$WORK/spread" 1 plain:30 2>"$TMP/err" | grep ';' >"$TMP/folded"
	exactly "$(total "$TMP/folded" ';(do_named|work);call_plain[+ ]')" 30 'after its first instruction'
	timeout 60 "$BPERF" argdist --folded -C "p:$WORK/spread:call_plain+4():stack:\$ustack" \
		-- "$WORK/spread" 1 plain:30 2>"$TMP/err" | grep ';' >"$TMP/folded"
	exactly "$(total "$TMP/folded" ';take_plain;call_plain[+ ]')" 30 'the same, by call frame information'
}
check 'a function that begins without a frame has its caller in its stack' caller_without_frame

# A histogram and a row of columns for each stack: each function has its own.
stacks_with_values() # THREADS
{
	local site="p:$WORK/spread:call_alloc(size_t size)"

	measure -H "$site:size_t:size" -H "$site:size_t:size * 2" --by '$comm,$ustack' -- \
		"$WORK/spread" "$1" small:300 big:20
	exactly "$(got "[.[] | select(.type == \"hist\") |
		[.key.comm, $named, (.buckets | map(.lo)), .count, (.buckets | map(.n) | add)]] | $(alike 3)")" \
		"$(jq -n -c --argjson t "$1" '[["spread", "take_big", [4096], 20 * $t, 20 * $t],
			["spread", "take_big", [8192], 20 * $t, 20 * $t],
			["spread", "take_small", [16], 300 * $t, 300 * $t],
			["spread", "take_small", [32], 300 * $t, 300 * $t]]')" 'histograms by stack'
	measure --table "${site}[\$ustack] (size < 100) SMALL=count()" \
		--table "${site}[\$ustack] BYTES=sum(size), LEAST=min(size), MOST=max(size)" \
		--col 'EACH=BYTES/SMALL' -- "$WORK/spread" "$1" small:300 big:20
	exactly "$(got "[.[] | select(.type == \"table\") | [$named, .key] + (.columns |
		[.LEAST, .MOST, .SMALL, .BYTES])] | $(alike 4)")" \
		"[[\"take_big\",null,4096,4096,0,$((81920 * $1))],[\"take_small\",null,16,16,$((300 * $1)),$((4800 * $1))]]" \
		'columns by stack'
	# There the two tables may have the same event with different stacks.
	[ "${BPERF_SLOW-}" ] || exactly "$(got "[.[] | select(.type == \"table\") | [$named, .columns.EACH]] | sort")" \
		'[["take_big",null],["take_small",16]]' 'a column of columns'
}
[ "${BPERF_SLOW-}" ] || check 'sizes by the stack that takes them, one thread' stacks_with_values 1
check 'sizes by the stack that allocates them, eight threads' stacks_with_values 8

# Each process has the functions at other addresses.
stacks_of_processes()
{
	local site="p:$WORK/spread:call_alloc(size_t size)"

	measure -H "$site:size_t:size" \
		--table "${site}[\$ustack] N=count(), LEAST=min(size), MOST=max(size)" --by '$ustack' -- \
		sh -c "'$WORK/spread' 2 small:30 big:2; '$WORK/spread' 1 small:40; '$WORK/spread' 1 small:1"
	exactly "$(got "[.[] | select(.type == \"hist\") | [$named, (.buckets | map([.lo, .n]))]] | sort")" \
		'[["take_big",[[4096,4]]],["take_small",[[16,101]]]]' 'histograms'
	exactly "$(got "[.[] | select(.type == \"table\") | [$named, .columns.N, .columns.LEAST, .columns.MOST]] |
		sort")" \
		'[["take_big",4,4096,4096],["take_small",101,16,16]]' 'rows'
}
check 'stacks that look the same are one' stacks_of_processes

stacks_of_a_caller()
{
	local site="p:$WORK/spread:take(size_t size)" names='[.user[:2][].func]'

	measure -H "$site:size_t:size" --table "${site}[\$ustack] N=count()" --by '$ustack' --caller 'take_s*' -- \
		"$WORK/spread" 1 small:30 big:2
	exactly "$(got "[.[] | select(.type == \"hist\" or .type == \"table\") | [$names, .count, .columns.N]] | sort")" \
		'[[["take","take_small"],30,null],[["take","take_small"],30,30]]' 'histograms and rows'
	measure -C "$site:stack:\$ustack" --caller 'take_b*' -- "$WORK/spread" 1 small:30 big:2
	exactly "$(got "[.[] | select(.type == \"stack\") | [$names, .value]]")" '[[["take","take_big"],2]]' stacks
	measure -C "$site:stack:\$ustack" --caller take -- "$WORK/spread" 1 small:30 big:2
	exactly "$(got '[.[] | select(.type == "stack")] | length')" 0 'what calls itself'
}
check 'stacks of one caller' stacks_of_a_caller

stacks_without_room()
{
	# Until unwind tables are ready, stacks of different threads have keys of their own.
	run -H "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$ustack' --keys 1 --unwind fp -- \
		"$WORK/spread" 4 small:300 big:20
	exactly "$(got "[.[] | select(.type == \"hist\") | [.key, $named, .count]] | sort")" \
		'[[null,"take_small",1200],["other",null,80]]' 'the first one, and the rest'
	exactly "$(got '.[-1] | [.complete, .lost.map_full, .probes[0].hits]')" '[false,80,1280]' \
		'the ledger'
	# Whichever stack comes first, and however it is walked, all calls are in one of the two rows.
	run -H "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$ustack' --keys 1 -- \
		"$WORK/spread" 4 small:300 big:20
	exactly "$(got '[.[] | select(.type == "hist") | .count] | [length, add]')" '[2,1280]' 'rows, and calls in them'
	exactly "$(got '([.[] | select(.key == "other") | .count] | add) == .[-1].lost.map_full')" true 'the ledger, too'
}
check 'stacks without room are one row' stacks_without_room

# of_stack NAME TYPE COUNT WANT: rows of this type whose stacks have the function count as many.  Stacks that
# end in [unwind table late] (see alike) don't have it, and may be of either function.
of_stack()
{
	local late=0

	[ -z "${BPERF_SLOW-}" ] || late=$(got "[.[] | select(.type == \"$2\" and $named == null) | $3] | add // 0")
	between "$(got "[.[] | select(.type == \"$2\" and $named == \"$1\") | $3] | add")" $(($4 - late)) "$4" "$1"
}

stacks_by_interval()
{
	measure -C "p:$WORK/spread:call_alloc(size_t size):stack:\$ustack" 0.05 -- "$WORK/spread" 2 \
		small:$TIMES wait:60 big:$TIMES wait:60 small:$TIMES
	of_stack take_small stack .value $((4 * TIMES))
	of_stack take_big stack .value $((2 * TIMES))
	exactly "$(got '[.[] | select(.type == "stack") | .value] | add')" $((6 * TIMES)) 'all'
	measure -H "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$ustack' 0.05 -- \
		"$WORK/spread" 2 small:$TIMES wait:60 big:$TIMES wait:60 small:$TIMES
	of_stack take_small hist '(.buckets | map(.n) | add)' $((4 * TIMES))
	exactly "$(got "[.[] | select(.type == \"hist\") | .count] | add")" $((6 * TIMES)) 'all in histograms'
	at_least "$(grep -c '"type":"interval"' "$TMP/out")" 3 intervals
	measure -c -H "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$ustack' 0.05 -- \
		"$WORK/spread" 2 small:100 wait:120 small:100
	exactly "$(got '[.[] | select(.type == "hist")] | group_by(.iv) | map(map(.count) | add) | [max, . == sort]')" \
		'[400,true]' 'with -c reports are of all since the start'
}
check 'stacks by interval' stacks_by_interval

stacks_in_little_memory()
{
	between "$(peak_kb argdist -H "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$ustack' -- \
		"$WORK/spread" 2 small:300 big:300 wait:500)" 1000 16000 'KB at most'
}
check 'stacks as keys in less than 16 MB' stacks_in_little_memory

# missed_of PROBE: prints the number of missed events; fails if anything else was lost.
missed_of()
{
	exactly "$(got '.[-1].lost | del(.missed) | add')" 0 'lost' >&2
	got ".[-1].probes[$1].missed // 0"
}

kernel_stacks()
{
	run -C 'syscall:getpgid():stack:$kstack' -- /usr/bin/python3 -c '
import os
for i in range(3000): os.getpgid(0)'
	counted "$(got '[.[] | select(.type == "stack") | .value] | add')" "$(missed_of 0)" 3000 'calls'
	exactly "$(got '[.[] | select(.type == "stack") | .kernel | map(.func) | any(test("bpf"))] | any')" \
		false 'frames of our own'
	# At the start a function calls programs, at the end they get a record.
	run -C 'span(syscall:getpgid ; t:raw_syscalls:sys_exit(id >= 0)):stack:$start($kstack)' -- \
		/usr/bin/python3 -c '
import os
for i in range(3000): os.getpgid(0)'
	at_least "$(got '[.[] | select(.type == "stack")] | length')" 1 'stacks of starts'
	exactly "$(got '[.[] | select(.type == "stack") | .kernel | map(.func) | any(test("bpf"))] | any')" \
		false 'frames of our own at starts'
}
if [ -x /usr/bin/python3 ]; then
	check 'kernel stacks' kernel_stacks
fi

system_calls()
{
	local of_arg='.[] | select(.type == "count" and .key.pid'

	run -H 'r:syscall:getpgid():int:retval' -C 'syscall:getpgid():int:pid' -- /usr/bin/python3 -c '
import os
for i in range(3000): os.getpgid(0)
for i in range(500):
	try: os.getpgid(-1)
	except OSError: pass'
	counted "$(got "$of_arg == \"0\") | .value")" "$(missed_of 1)" 3000 'those of process 0'
	counted "$(got "$of_arg == \"-1\") | .value")" "$(missed_of 1)" 500 'those of process -1'
	counted "$(got '.[] | select(.type == "hist") | .buckets[] | select(.lo == -3 and .hi == -1) | .n')" \
		"$(missed_of 0)" 500 'what failed returns -1 to -3'
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.n > 0 and .lo < 0)] | length')" \
		1 'buckets below 0'
}
# These include the ends of system calls: each counts as one.  (funccount-exact.sh attaches to all
# tracepoints at once: here that would take an emulated kernel a minute.)
tracepoints_together()
{
	local name sites='t:*:{sys_enter,sys_exit,sys_*_get*id,sys_*_close,sys_*_mmap}'

	has_tracepoint syscalls:sys_enter_getpgid || skip_because 'no tracepoints of system calls here'
	run -C "$sites()" -C "$sites()::\$func" -- /usr/bin/python3 -c '
import os
for i in range(3000): os.getpgid(0)'
	for name in sys_enter_getpgid sys_exit_getpgid; do
		counted "$(got ".[] | select(.type == \"count\" and .key.func? == \"$name\") | .value")" \
			"$(missed_of 1)" 3000 $name
	done
	exactly "$(got '[.[] | select(.type == "count" and .key == null)] | length')" 1 'rows of all'
	exactly "$(got '.[] | select(.type == "count" and .key == null) | .value')" \
		"$(got '.[-1].probes[0].hits')" 'all'
}

# Calls whose arguments have different names, by programs that serve all of them: each event has the right
# call and that call's arguments.
calls_together()
{
	local name n

	run -C 'syscall:{getpgid,getsid,umask}():long:arg1:arg1 < 7' --by '$func' \
		-S 'r:syscall:{getpgid,getsid,umask}():u64:$latency:$entry(arg1) < 7' \
		--table 'syscall:{getpgid,getsid,umask}[$func] (arg1 < 7) N=count(), SUM=sum(arg1)' -- \
		/usr/bin/python3 -c '
import os
for i in range(3000): os.getpgid(0)
for i in range(500): os.getsid(0)
for i in range(700): os.umask(i % 2 * 6)'
	exactly "$(missed_of 0) $(missed_of 1) $(missed_of 2) $(missed_of 3)" '0 0 0 0' missed
	exactly "$(got '[.[] | select(.type == "count") | [.key.func, .key.arg1, .value]] | sort')" \
		'[["getpgid","0",3000],["getsid","0",500],["umask","0",350],["umask","6",350]]' 'calls'
	exactly "$(got '[.[] | select(.type == "stats") | [.key.func, .count, .min > 0]] | sort')" \
		'[["getpgid",3000,true],["getsid",500,true],["umask",700,true]]' 'returns'
	exactly "$(got '[.[] | select(.type == "table") | [.key.func, .columns.N, .columns.SUM]] | sort')" \
		'[["getpgid",3000,0],["getsid",500,0],["umask",700,2100]]' 'columns'
}
if [ -x /usr/bin/python3 ]; then
	check 'system calls by argument and by result' system_calls
	check 'system calls with one program' calls_together
	check 'tracepoints of system calls and others' tracepoints_together
else
	skip 'system calls by argument and by result' 'no python3 here'
fi

# limited WHAT TYPE: the rows of a recursion's 20 stacks, whose two innermost frames are the same but for the
# first one.
limited()
{
	local row='((.user // .stack) | map(.func) | join(" "))'

	exactly "$(got "[.[] | select(.type == \"$2\") | [$row, $3]] | sort")" \
		'[["call_recurse call_recurse",19],["call_recurse do_recurse",1]]' "$1"
}

limited_stacks()
{
	local probe="p:$WORK/calls:call_recurse(int d)"

	measure -C "$probe:stack:ustack(2)" -- "$WORK/calls" recurse 20
	limited counts stack .value
	measure -S "$probe:int:1" --by 'ustack(2)' -- "$WORK/calls" recurse 20
	limited sums stack .count
	measure -H "$probe:int:d" --by 'ustack(2)' -- "$WORK/calls" recurse 20
	limited histograms hist '([.buckets[].n] | add)'
	measure --table "$probe [ustack(2)] N=count()" -- "$WORK/calls" recurse 20
	limited 'a table' table .columns.N
	measure -S "span(${probe}[d] ; r:$WORK/calls:call_recurse(int d)[\$entry(d)]):int:1" \
		--by '$start(ustack(2))' -- "$WORK/calls" recurse 20
	limited 'starts of spans' stack .count
}
check 'stacks of limited depth are one row if their innermost frames are the same' limited_stacks

# Names in pages that no one has touched are read at the return; names at no address have a row of their own.
unread_names()
{
	local names='[.[] | select(.type == "count" and .key) | [(.key | to_entries[0].value), .value] |
		select(.[0] | test("^page |unreadable"))]'

	run -T 0 -C 'r:syscall:openat():char*:$entry(filename)' -- "$WORK/calls" open 500 nowhere 7
	exactly "$(got "$names | map(select(.[0] != \"[unreadable]\")) | [length, (map(.[1]) | add)]")" '[500,500]' \
		'names that were read at the return'
	exactly "$(got "$names | map(select(.[0] == \"[unreadable]\")) | map(.[1])")" '[7]' 'names at no address'
	exactly "$(got '.[-1].probes[0].absent')" 7 'events with an unreadable value'
	run -T 0 -C 'syscall:openat():char*:filename' -- "$WORK/calls" open 500 nowhere 7
	exactly "$(got "$names | map(.[1]) | add")" 507 'names at the entry, and those that could not be read there'
	[ "$(got "$names | map(select(.[0] == \"[unreadable]\")) | map(.[1]) | add > 7")" = true ] ||
		fail 'each page was there at the entry'
	grep -q 'at r:syscall:..., $entry(x) reads it, too' "$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(got "$names | map(select(.[0] == \"[unreadable]\")) | map(.[1]) | add")" \
		"$(got '.[-1].probes[0].absent')" 'the ledger'
	run -C 'r:syscall:execve():char*:$entry(filename)' -- "$WORK/calls" exec 5
	exactly "$(got "$names | map(.[1])")" '[5]' 'names of programs that another one has replaced'
}
check 'strings that are not in memory at the entry are read at the return, or counted as unreadable' unread_names

# Numbers too: each combination of parts that can be read has a row.
unread_numbers()
{
	run -T 0 -C 'syscall:openat():char*,char,u64:filename,*(char *)filename,flags' \
		--by '((struct timespec *)filename)->tv_sec' -- "$WORK/calls" nowhere 7 open 3
	exactly "$(got '[.[] | select(.type == "count" and .key) | select([.key[]][:3] |
		. == ["[unreadable]","[unreadable]","[unreadable]"]) | .value] | add >= 7')" true 'rows of no part'
	exactly "$(got '[.[] | select(.type == "count" and .key) | [.key[]] | select(.[3] == "O_RDONLY" or .[3] == "0")] |
		length > 1')" true 'rows of parts that can be read'
}
check 'parts of keys that cannot be read' unread_numbers

# Keys that can be absent are longer in the kernel than those of the same type that cannot.
unread_by_one_spec()
{
	local site="p:$WORK/spread:call_keyed(int key, long v)"
	local n='[.[] | select(.type == "table") | [.key[], .columns.N, .columns.M]] | sort'

	run --table "${site}[key] N=count()" --table "${site}[*(int *)8] M=count()" -- "$WORK/spread" 1 1:5:10 2:7:10
	exactly "$(got "$n")" '[["1",10,0],["2",10,0],["[unreadable]",0,20]]' 'the second spec'
	run --table "${site}[*(int *)8] N=count()" --table "${site}[key] M=count()" -- "$WORK/spread" 1 1:5:10 2:7:10
	exactly "$(got "$n")" '[["1",0,10],["2",0,10],["[unreadable]",20,0]]' 'the first spec'
}
check 'a table of keys that only one of its specs may fail to read' unread_by_one_spec

# A file may have the name that stands for one that cannot be read: text shows both alike, JSON tells them apart.
named_unreadable()
{
	local rows='[.[] | select(.key["entry(filename)"]? == "[unreadable]") | [(.unreadable // [])[], .value]] | sort'

	# shellcheck disable=SC2016 # $1 is the inner shell's
	run -T 0 -i 0.05 -C 'r:syscall:openat():char*:$entry(filename)' -- \
		sh -c 'cd "$2" && : >"[unreadable]"; sleep 0.2; "$1" nowhere 7' - "$WORK/calls" "$TMP"
	exactly "$(got "$rows")" '[[1],["entry(filename)",7]]' 'rows'
	"$BPERF" report -j "$TMP/out" >"$TMP/again" || fail "status $? of report"
	exactly "$(jq_values "$rows" "$TMP/again")" '[[1],["entry(filename)",7]]' 'rows of windows that were added up'
}
check 'keys that are the text [unreadable]' named_unreadable

# Keys that are addresses are told apart by their symbols, also those of processes that have ended.
symbols_as_keys()
{
	local by='sym=usym($entry(%ip))'

	[ "$(uname -m)" = x86_64 ] || by='sym=usym($entry(%pc))'
	measure -H "r:$WORK/calls:call_say():u64:\$latency" --by "$by" -- sh -c "
		'$WORK/calls' say 3; '$WORK/calls' say 4"
	exactly "$(got '[.[] | select(.type == "hist") | [.key.sym, ([.buckets[].n] | add)]]')" \
		'[["call_say [calls]",7]]' 'rows by function'
	measure -C 'syscall:getpid():u64:ksym($task->restart_block.fn)' -- "$WORK/calls" getpid 5
	exactly "$(got '[.[] | select(.type == "count" and .key) | [(.key | add), .value]]')" \
		'[["do_no_restart_syscall",5]]' 'rows by kernel function'
	"$BPERF" funccount -j --by "$by" "r:$WORK/calls:call_say" -- "$WORK/calls" say 3 >"$TMP/all" 2>"$TMP/err" ||
		fail "$(cat "$TMP/err")"
	grep '^{' "$TMP/all" >"$TMP/out"
	exactly "$(got '[.[] | select(.type == "count" and .key) | .key.sym]')" '["call_say [calls]"]' 'counts'
}
copied_symbols
check 'addresses as keys have their names' symbols_as_keys
