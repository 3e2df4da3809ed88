#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Traces for Perfetto: the waits and samples of a trace are those of the JSON that the same run writes, and
# wakers point at the waits that they end.  Google's decoder reads the traces, by the published schema's numbers.
#
# long: decodes the traces of several runs, half a minute
# shared: compares two outputs of one run
# kernels: none

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need jq
python=/usr/bin/python3
command -v protoc >/dev/null && $python -c 'import google.protobuf' 2>/dev/null ||
	{ echo 'skip - traces for Perfetto: no protoc, or no google.protobuf'; exit 0; }
protoc -Itests/accuracy --python_out="$TMP" perfetto.proto || exit 1

# traced COMMAND...: runs bperf with both outputs; leaves $TMP/t.json, $TMP/trace.json (pftrace.py).
traced()
{
	timeout -s KILL 60 "$BPERF" "$@" >"$TMP/out" 2>"$TMP/err" || fail "$*: status $?" "$(cat "$TMP/err")"
	$python tests/accuracy/pftrace.py "$TMP" "$TMP/t.pftrace" >"$TMP/trace.json" 2>"$TMP/err" ||
		fail "$*" "$(cat "$TMP/err")"
}
out=(-q -o "$TMP/t.pftrace" -o "$TMP/t.json")

# The stack of a row of JSON as a trace has it.
rows='.[] | select(.type == "stack") | . + {stack: (([.user[]?.func] | reverse) + ([.kernel[]?.func] | reverse) | join(";"))}'

# same_sums: each stack of each process (whose name may change) has the same time in both, to the microsecond for each row of JSON, which
# rounds.
same_sums()
{
	jq -s "[$rows] | group_by([.pid, .stack]) | map({
		key: ([.[0].pid, .[0].stack] | tostring), value: [(map(.value) | add), length]}) | from_entries" \
		"$TMP/t.json" >"$TMP/want"
	jq '.rows | group_by([.[0], .[3]]) | map({
		key: ([.[0][0], .[0][3]] | tostring), value: ((map(.[5]) | add) / 1000)}) | from_entries' \
		"$TMP/trace.json" >"$TMP/got"
	jq -n --slurpfile want "$TMP/want" --slurpfile got "$TMP/got" '
		($want[0] | keys) as $keys | ($got[0] | keys) - $keys + [$keys[] | select(
			($want[0][.][0] - ($got[0][.] // -9)) as $d | ($d | fabs) > $want[0][.][1])]' >"$TMP/differ"
	exactly "$(jq length "$TMP/differ")" 0 "stacks that differ: $(head -c 2000 "$TMP/differ")"
	at_least "$(jq length "$TMP/want")" 1 stacks
}

waits_of_a_lock()
{
	traced offwake "${out[@]}" -- "$WORK/lock" 20 20 sleep
	same_sums
	# The holder releases the lock twenty times; each release is an arrow to the wait that it ends.
	between "$(jq '[.rows[] | select(.[1] == "waiter" and .[4] == "holder" and (.[3] | contains("wait_for_lock"))) |
		.[6]] | add' "$TMP/trace.json")" 19 20 'waits that the holder ends'
}
check 'waits of a lock, with an arrow from each release' waits_of_a_lock

by_state()
{
	traced offcpu "${out[@]}" -- "$WORK/naps" 20 20
	same_sums
	at_least "$(jq '[.rows[] | select(.[2] == "sleep" and (.[3] | contains("nap_here"))) | .[6]] | add' \
		"$TMP/trace.json")" 20 'naps'
	at_least "$(jq '[.rows[] | select(.[2] == "waiting for CPU")] | length' "$TMP/trace.json")" 1 'waits for a CPU'
}
check 'slices have the name of the state' by_state

all_threads()
{
	traced offcpu "${out[@]}" 0.3 3
	same_sums
	traced chain "${out[@]}" 0.5
	same_sums
}
check 'all threads of the host, by interval; a chain' all_threads

samples()
{
	traced profile "${out[@]}" -e cpu-clock -F 199 -- "$WORK/shares" 0.5
	exactly "$(jq '[.samples[][3]] | add' "$TMP/trace.json")" \
		"$(jq -s '[.[] | select(.type == "stack") | .value] | add' "$TMP/t.json")" samples
	jq -e '[.samples[] | select(.[2] | contains("main;burn_hot"))] | length > 0' "$TMP/trace.json" >/dev/null ||
		fail "$(jq -c .samples "$TMP/trace.json" | head -c 2000)"
	traced offcpu --with-cpu "${out[@]}" -- "$WORK/shares" 0.5
	at_least "$(jq '[.samples[][3]] | add' "$TMP/trace.json")" 10 'samples beside waits'
}
check 'samples have their stacks, alone and beside waits' samples

bounded()
{
	local bytes left

	# Some 40,000 waits, of 100 bytes and more each.
	"$BPERF" offcpu -q --strict --max-file 1M -o "$TMP/t.pftrace" -o "$TMP/t.json" -- "$WORK/switches" 20000 \
		>"$TMP/out" 2>"$TMP/err"
	exactly $? 1 'exit status of --strict'
	exactly "$(jq_last '.lost | del(.missed) | add' "$TMP/t.json")" 0 'losses of the other formats'
	bytes=$(stat -c %s "$TMP/t.pftrace")
	between "$bytes" 1000000 1100000 'bytes'
	left=$(jq -r 'select(.code == "file-full") | .msg' "$TMP/t.json" | grep -oE '[0-9]+ samples')
	$python tests/accuracy/pftrace.py "$TMP" "$TMP/t.pftrace" >"$TMP/trace.json" || fail 'not a good trace'
	at_least "${left%% *}" 1000 'waits left out'
	at_least "$((${left%% *} + $(jq '[.rows[][6]] | add' "$TMP/trace.json")))" \
		"$(jq -s '[.[] | select(.type == "stack") | .count] | add' "$TMP/t.json")" 'waits written or left out'
}
check 'a file has at most --max-file, and the rest is counted' bounded

# A small ring loses waits in all formats.  Those that arrive are in both, but for those whose stack did not,
# which the trace counts as of unknown threads.
lossy()
{
	BPERF_WAIT_FAULTS=ring=4096 traced offcpu "${out[@]}" -- "$WORK/storm" 2000 1 thread 32
	# The time of those that did not arrive is in one row, and in no trace.
	jq -c 'select(any(.user[0].func, .kernel[0].func; . == "[unseen]") | not)' "$TMP/t.json" >"$TMP/sent.json"
	mv "$TMP/sent.json" "$TMP/t.json"
	jq -c 'select(.user[0].func != "[stack not taken]" and .kernel[0].func != "[stack not taken]")' "$TMP/t.json" \
		>"$TMP/known.json"
	exactly "$(cmp -s "$TMP/known.json" <(jq -c . "$TMP/t.json") && echo 0 || echo 1)" \
		"$(grep -c '"code":"waits-unknown"' "$TMP/t.json")" 'warnings of unknown threads'
	mv "$TMP/known.json" "$TMP/t.json"
	same_sums
	at_least "$(jq_last '.lost.ring_full' "$TMP/t.json")" 1 'waits lost'
}
check 'a full ring loses the same waits in both' lossy

refused()
{
	! "$BPERF" offcpu --sample 1/10 -o "$TMP/x.pftrace" 0.1 2>"$TMP/err" || fail '--sample is taken'
	grep -q 'needs all of them' "$TMP/err" || fail "$(cat "$TMP/err")"
	! "$BPERF" offcpu -o "$TMP/x.perf" 0.1 2>"$TMP/err" || fail 'perf script of waits'
	grep -q 'needs single samples with their time' "$TMP/err" || fail "$(cat "$TMP/err")"
	! "$BPERF" funccount -o "$TMP/x.pftrace" 'c:getppid' 0.1 2>"$TMP/err" || fail 'counts'
	[ ! -e "$TMP/x.pftrace" ] || fail 'a file is left'
}
check 'formats of single waits or samples are refused where there are none' refused
