#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Spans are reported as they happened: their number, their lengths, and each end with the start of its own
# key; ends and starts that make no span are counted.  Workloads make known numbers of spans
# (tests/workloads/spans.c).
#
# long: a run for each claim, 40 s
# shared: its counts do not depend on the CPU time that it gets
# kernels: 5.10 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need jq awk

SPANS=$WORK/spans
BEGIN="p:$SPANS:span_begin(void *key, int value)"
END="p:$SPANS:span_end(void *key)"
KEYED="span(${BEGIN}[key] ; ${END}[key])"

# run COMMAND ARGS...: JSON Lines to $TMP/out.json; its callers check starts, events and losses.
run()
{
	local command=$1

	shift
	timeout -s KILL 120 "$BPERF" "$command" -o "$TMP/out.json" "$@" >"$TMP/stdout" \
		2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
}

# counter FIELD: of the first probe, from the end record.
counter()
{
	jq_last ".probes[0].$1" "$TMP/out.json"
}

# counters WANT...: hits, no_start, unreturned, span_full.  Where one CPU is shared by many threads
# whose programs are preempted, some find no scratch: each of those is counted as busy.
counters()
{
	local busy ended missing got

	read -r busy ended got < <(jq_last -r '.probes[0] | [.busy, .hits + .no_start, .hits, .no_start, .unreturned,
		.span_full] | join(" ")' "$TMP/out.json")
	if ((busy > 0)); then
		missing=$(($1 + $2 - ended))
		((missing <= busy)) || fail "$missing ends are missing, $busy were busy"
		skip_because "$busy events found no scratch, and are counted so"
	fi
	exactly "$got" "$*" 'hits, no_start, unreturned, span_full'
}

texts()
{
	jq -r 'select(.type == "event") | .text' "$TMP/out.json"
}

pairs_are_exact()
{
	run trace -b 4096 "$KEYED \"%d\", \$start(value)" -- "$SPANS" pairs 1600
	counters 12800 0 0 0
	exactly "$(counter ring_full)" 0 ring_full
	texts | sort -n | uniq -c | awk '{ print $1, $2 }' >"$TMP/got"
	for i in {0..7}; do echo "1600 $i"; done >"$TMP/want"
	same "$TMP/want" "$TMP/got"
}
check 'spans of 8 threads by pointer: each ended by its own thread' pairs_are_exact

counts_are_exact()
{
	run funccount "$KEYED" -- "$SPANS" pairs 16000
	counters 128000 0 0 0
}
check 'funccount counts spans that are complete' counts_are_exact

handed_over()
{
	run funccount "$KEYED" -- "$SPANS" handed 2000
	counters 8000 0 0 0
}
check 'a span that one thread starts and another ends' handed_over

length_is_time()
{
	run trace "$KEYED \"%d\", \$latency" -- "$SPANS" ms 20 pairs 16
	counters 128 0 0 0
	texts | awk '$1 < 20000000 { exit 1 }' || fail "$(texts)"
	run funccount --latency "$KEYED" -- "$SPANS" ms 20 pairs 16
	jq -es 'any(.[]; .type == "count" and .total_us >= 128 * 20000 and .value == 128)' \
		"$TMP/out.json" >/dev/null || fail "$(grep count "$TMP/out.json")"
}
check 'the latency is not shorter than the span' length_is_time

by_thread()
{
	local spec="span(p:$SPANS:span_inner(int i) ; r:$SPANS:span_outer)"

	run trace "$spec \"%d %d %d\", \$start(i), retval, \$entry(arg1)" -- "$SPANS" nested 200
	counters 200 0 0 0
	texts | awk '$1 + 1 != $2 || $1 != $3 { print; bad = 1 } END { exit bad }' >"$TMP/got" ||
		fail "$(head "$TMP/got")"
	run trace "$spec" -- "$SPANS" exits 5 nested 1
	counters 1 0 0 0
}
check 'without keys the thread is the key; an end may be a return that asks its entry' by_thread

started_at_a_return()
{
	run trace "span(r:$SPANS:span_inner(int i)[retval] ; p:$SPANS:span_inner(int i)[(long)i - 1])
		\"%d %d\", \$start(\$entry(i)), i" -- "$SPANS" nested 50
	counters 49 1 0 0
	texts | awk '$1 + 1 != $2 { exit 1 }' || fail "$(texts)"
}
check 'a return that starts a span knows the entry of its call' started_at_a_return

replaced()
{
	run trace "$KEYED \"%d\", \$start(value)" -- "$SPANS" twice 30
	counters 30 0 30 0
	exactly "$(texts | sort -u)" 2 value
	run trace "span(${BEGIN}[key] ; ${END}[key] ; keep=first) \"%d\", \$start(value)" -- "$SPANS" twice 30
	counters 30 0 30 0
	exactly "$(texts | sort -u)" 1 value
}
check 'a second start replaces the first, but not with keep=first; both are counted' replaced

unfiltered()
{
	timeout 20 "$BPERF" trace --comm none 'span(t:irq:softirq_ent* ; t:irq:softirq_exit)' -- true >"$TMP/stdout" 2>"$TMP/err" &&
		fail 'not refused'
	grep -q '^bperf: --comm: t:irq:softirq_entry is about a task other than' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'a filter that could do nothing is refused, with a glob too' unfiltered

updated()
{
	local updates="span(${BEGIN}[key](value == 1) ; ${BEGIN}[key](value == 2) ; ${END}[key])"

	run trace "$updates \"%d %d %s %s %d\", \$first(value), \$start(value), \$first(\$comm), \$first(value > 1 ? \"second\" : \"first one\"),
		\$start(\$time) > \$first(\$time)" -- "$SPANS" twice 30
	counters 30 0 0 0
	exactly "$(texts | sort | uniq -c | xargs)" '30 1 2 spans first one 1' values
	run trace "$updates \"%d %d\", \$first(*(int *)8), \$start(value)" -- "$SPANS" twice 30
	exactly "$(texts | sort | uniq -c | xargs)" '30 ? 2' 'values, of which one could not be read'
	run trace "$updates (\$latency != \$time - \$first(\$time) + 1) \"%d\", \$first(value)" -- "$SPANS" twice 30
	exactly "$(texts | sort | uniq -c | xargs)" '30 1' values
}
check 'an update replaces values, but not the time nor what $first says' updated

# Starts and ends of one key at the same time: which make a span is chance, but each start and each end
# is counted once, and a span's values are those of one start.
same_key()
{
	local options

	for options in '' '--spans 100'; do
		# shellcheck disable=SC2086 # options are words
		run funccount $options "$KEYED" -- "$SPANS" same 10000
		exactly "$(jq_last -c '.probes[0] | [.hits + .no_start, .hits + .unreturned, .span_full]' "$TMP/out.json")" \
			'[80002,80000,0]' "$options: ends, starts, span_full"
	done
	run funccount "$KEYED (\$start(value) * 3 != \$start(value * 3))" -- "$SPANS" same 10000
	exactly "$(counter hits)" 0 'spans with the values of two starts'
	run trace "$KEYED (\$latency > 3600000000000)" -- "$SPANS" same 10000
	exactly "$(counter hits)" 0 'spans that end before they begin'
}
check 'starts and ends of one key in many threads are counted once each' same_key

overflow()
{
	run funccount --spans 100 "$KEYED" -- "$SPANS" open 250 ended 250
	counters 100 150 0 150
	jq -e 'select(.type == "end") | .lost.map_full == 150' "$TMP/out.json" >/dev/null ||
		fail 'the ledger has it not'
	has "$TMP/err" '150 starts did not fit'
}
check 'starts beyond --spans are counted, each one' overflow

# The array before the hash table has 4096 elements (core/probe/span.c).
more_than_bins()
{
	local options

	run funccount "$KEYED" -- "$SPANS" open 9000 ended 9000
	counters 9000 0 0 0
	# The keys of the first 30 are begun twice again.
	for options in '' '--spans 6000'; do
		# shellcheck disable=SC2086 # options are words
		run funccount $options "$KEYED" -- "$SPANS" open 6000 twice 30 ended 6000
		counters 6000 30 60 0
	done
}
check 'spans are found wherever there was room for them' more_than_bins

unstarted()
{
	run funccount "$KEYED" -- "$SPANS" ended 70 pairs 16
	counters 128 70 0 0
}
check 'ends without a start are no spans' unstarted

threads_end()
{
	run funccount --spans 10 "span($BEGIN ; $END)" -- "$SPANS" exits 40 pairs 16
	exactly "$(counter span_full)" 0 span_full
	at_least "$(counter unreturned)" 40 unreturned
	run funccount "span($BEGIN ; $END)" -- "$SPANS" exits 40 pairs 16
	at_least "$(counter unreturned)" 40 unreturned
}
check 'a thread that ends takes its open spans away' threads_end

predicates()
{
	run funccount "span(${BEGIN}[key](value < 2) ; ${END}[key])" -- "$SPANS" pairs 160
	counters 320 960 0 0
	run funccount "span(${BEGIN}[key] ; ${END}[key]((u64)key & 1))" -- "$SPANS" open 100 ended 100
	counters 50 0 0 0
	run funccount "span(${BEGIN}[key] ; ${END}[key]) (\$start(value) == 7 && \$latency > 0)" \
		--spans 128 -- "$SPANS" pairs 160
	counters 160 0 0 0
}
check 'a condition on starts, on ends, on spans' predicates

several_sites()
{
	run trace "span(${BEGIN}[key], r:$SPANS:span_inner(int value)[(void *)\$entry(value)] ; ${END}[key])
		\"%s\", \$start(\$func)" -- "$SPANS" pairs 16 nested 3
	counters 128 0 0 0
	exactly "$(texts | sort -u)" span_begin 'started by'
	run funccount "span(p:$SPANS:nosuch | ${BEGIN}[key] ; ${END}[key])" -- \
		"$SPANS" pairs 16
	counters 128 0 0 0
	run funccount "span($BEGIN ; p:$SPANS:{span_end,span_inner,span_outer})" -- "$SPANS" twice 10
	counters 10 0 10 0
}
check 'several starts, sets and alternatives' several_sites

ends_come_first()
{
	run trace "span(${END}[key] ; ${END}[key]) \"%d\", (int)(long)key" -- "$SPANS" ended 5 ended 5 ended 5
	counters 10 5 0 0
	run trace 'span(syscall:getppid ; syscall:getppid)' -- "$WORK/calls" getppid 20
	counters 19 1 1 0
	run trace 'span(t:syscalls:sys_enter_getppid ; syscall:getppid)' -- "$WORK/calls" getppid 20
	counters 19 1 1 0
}
check 'at an event that is both an end and a start, the end comes first' ends_come_first

processes_apart()
{
	run trace "$KEYED \"%d\", \$start(value)" -- "$SPANS" forked 20
	counters 40 0 0 0
	# With key=shared, the process of an end is unknown: ends without a start are not counted.
	run trace "span(${BEGIN}[key] ; ${END}[key] ; key=shared) \"%d\", \$start(value)" -- "$SPANS" forked 20
	counters 20 0 20 0
	exactly "$(texts | sort -u)" 2 value
}
check 'equal addresses of two processes are two keys, with key=shared one' processes_apart

stack_of_the_start()
{
	run trace "span(r:$SPANS:chunk_get(size_t size)[retval] ; p:$SPANS:chunk_put(void *chunk)[chunk])
		\"%d %s\", \$start(\$entry(size)), \$start(\$ustack)" -- "$SPANS" ms 100 chunks 10
	counters 10 0 0 0
	texts | awk '$1 != 10 || $2 !~ /tidy/ || $2 ~ /leaky/ { exit 1 }' || fail "$(texts)"
}
check "a start's stack and its call's arguments are known at the end" stack_of_the_start

# opened AGE ARGS...: the spans that are open at the end, as text on stdout.
opened()
{
	local age=$1

	shift
	status_is 0 timeout -s KILL 60 "$BPERF" argdist --open "$age" "$@" -- "$SPANS" ms 100 chunks 1000
}

leaks()
{
	local spec="span(r:$SPANS:chunk_get(size_t size)[retval] ; p:$SPANS:chunk_put(void *chunk)[chunk])"

	opened 0 -S "$spec:size_t:\$start(\$entry(size))" --by "\$start(\$comm)"
	has "$TMP/out" '^ *1000 +30000 +30\.0 .* spans$'
	opened 0 -C "$spec:size_t:\$start(\$entry(size))"
	has "$TMP/out" '1000 .*= 30$'
	opened 60s -C "$spec:size_t:\$start(\$entry(size))"
	lacks "$TMP/out" '= 30'
	opened 50ms -H "$spec:u64:\$latency"
	exactly "$(awk '/->/ { n += $5 } END { print n }' "$TMP/out")" 1000 'older than 50 ms'
	opened 0 -S "$spec:size_t:\$start(\$entry(size))" --by "\$start(\$ustack)" -O folded
	exactly "$(awk '/leaky/ { n += $NF } /tidy/ { n += 1 } END { print n }' "$TMP/out")" 30000 \
		'bytes that leaky() lost'
}
check 'open spans show leaks: the size, by the thread and stack that allocated it' leaks

# The program begins after the probes are attached, and the window ends before they are detached.
ages()
{
	local spec="span(${BEGIN}[key] ; ${END}[key]):u64:\$latency"

	run argdist --open 0 -S "$spec" -- "$SPANS" open 5 ms 30 nested 1
	jq -e -s '(.[] | select(.type == "interval").end) as $until | .[] | select(.type == "stats") |
		.count == 5 and .min > 30e6 and .max <= $until * 1e9' "$TMP/out.json" >/dev/null ||
		fail "$(cat "$TMP/out.json")"
}
check 'an open span is no older than the window' ages

# bperf filters open spans and computes with them as programs do: a thousand spans, each of 30 bytes, with
# an address as key.
open_filter()
{
	local spec="span(r:$SPANS:chunk_get(size_t size)[retval] ; p:$SPANS:chunk_put(void *chunk)[chunk])"
	local size="\$start(\$entry(size))"

	opened 0 -C "$spec:size_t:$size:$size > 30"
	lacks "$TMP/out" '= 30'
	opened 0 -C "$spec:size_t:$size:$size > 29 && \$start(\$comm) ~ \"sp[a]*s\" && \$latency > 50ms"
	has "$TMP/out" '^	1000  *start\(.* = 30$'
	opened 0 -S "$spec:int:(s8)($size * 9) / 7:!($size & 1) || $size / ($size - 30)"
	has "$TMP/out" '^ *1000 +2000 +2\.0 '
	opened 0 -C "$spec:size_t,char*:$size % 7,$size == 30 ? \"lost\" : \"found\""
	has "$TMP/out" '^	1000 .*= 2, .* = lost$'
}
check 'open spans are filtered, and values are computed from them' open_filter

# Two measures of the time that threads wait for a CPU: ours, by wake-up, and the kernel's own, which
# includes preemption.
run_queue()
{
	local pid before after ours

	"$SPANS" ms 30000 nested 1 &
	pid=$!
	later "kill -9 $pid 2>/dev/null"
	sleep 0.2
	before=$(cut -d' ' -f2 "/proc/$pid/schedstat")
	run trace "span({raw:sched_wakeup,raw:sched_wakeup_new}[p->pid](p->pid == $pid) ;
		raw:sched_switch[next->pid](next->pid == $pid)) \"%d\", \$latency" -- sleep 0.8
	after=$(cut -d' ' -f2 "/proc/$pid/schedstat")
	[ "$after" ] || skip_because 'no schedstat'
	exactly "$(counter span_full)" 0 span_full
	ours=$(texts | awk '{ n += $1 } END { printf "%.0f\n", n }')
	at_least "$(texts | wc -l)" 100 wake-ups
	# Ours ends when bperf does, some time before or after we look.
	((ours <= (after - before) * 11 / 10 + 50000000)) ||
		fail "$ours ns, the kernel says $((after - before))"
}
check 'run-queue latency is not more than that of the kernel' run_queue

mistakes()
{
	refuses()
	{
		status_is "$1" "$BPERF" trace "$3" -- true
		grep -Fq -- "$2" "$TMP/err" || fail "no '$2'" "$(cat "$TMP/err")"
		grep -q '\^' "$TMP/err" || fail 'no caret' "$(cat "$TMP/err")"
	}

	refuses 64 'has no key' "span(${BEGIN}[key] ; $END)"
	refuses 64 'the key is' "span(${BEGIN}[value] ; ${END}[key])"
	refuses 64 'different number of parts' "span(${BEGIN}[key, value] ; ${END}[key])"
	refuses 64 "'nosuch' is not known at p:" "span(${BEGIN}[key] ; ${END}[key]) \"%d\", \$start(nosuch)"
	refuses 64 'is not a return' "span(${BEGIN}[key] ; ${END}[key]) \"%d\", \$entry(key)"
	refuses 64 "put a condition on the span after it" "span(${BEGIN}[key] ; ${END}[key](\$latency > 1))"
	refuses 64 'a cast makes it one' "span($BEGIN, p:$SPANS:span_inner(char value) ; $END)
		\"%d\", \$start(value)"
	status_is 64 "$BPERF" argdist --open 1 -C "$KEYED:u64:(u64)key"
	has "$TMP/err" 'an open span has not ended'
	refuses 64 'keeps numbers and strings' "span(${BEGIN}[key] ; ${BEGIN}[key] ; ${END}[key]) \"%s\", \$first(\$ustack)"
	refuses 64 'keep=first' "span(${BEGIN}[key] ; ${END}[key] ; keep=all)"
	status_is 64 "$BPERF" trace -p $$ 'span(raw:sched_wakeup[p->pid] ; raw:sched_switch[next->pid])'
	has "$TMP/err" 'a task other than'
}
check 'wrong spans are errors with a caret and a hint' mistakes
