#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --sample: how far off a sample may be, and what must not be scaled.  offcpu-states.sh tests on all kernels
# that sampling happens.
#
# long: samples long enough for exact shares, 11 s
# kernels: 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

# Waits that were open at the start are all taken, and so have weight one.
sampled_open()
{
	start naps 1 60000 60
	bp offcpu -q --sample 1/1000 -p "$PID" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	whole "$(rows 'has("nap_here")' value)" "$(window_us 0)" 'main thread'
	# A long wait that a sample of few hits must not become longer than the run.
	for _ in 1 2 3; do
		bp offcpu -q --sample 1/2 --by tid -o "$TMP/w.json" -- "$WORK/naps" 3 150 >/dev/null 2>"$TMP/err" || fail "exit status $?"
		jq -es '([.[] | select(.type == "interval")][0] | (.end - .start) * 1e6) as $w |
			[.[] | select(.type == "stack")] | group_by(.tid) | all(.[]; (map(.value) | add) <= $w + 2)' \
			"$TMP/w.json" >/dev/null || fail 'a total above the wall time' "$(jq -c 'select(.type == "stack") | [.tid, .value]' "$TMP/w.json")"
	done
	status_is 64 bp offcpu --sample 1/0 0.1
	status_is 64 bp offcpu --sample 5 0.1
	status_is 64 bp offcpu --sample 1/4 --states 0.1
}
check '--sample: no total above the wall time, open waits in full' sampled_open

# Each of them lives for 100 ms of a run of more than a second.
sampled_lives()
{
	local us

	bp offcpu -q --sample 1/10 --by tid -o "$TMP/w.json" -- "$WORK/storm" 120 100 thread 8 >"$TMP/storm.truth" \
		2>"$TMP/err" || fail "exit status $?"
	us=$(jq -s "$jq_defs"' [.[] | stacks | select(has("storm_nap"))] | group_by(.tid) | map(map(.value) | add) | max' "$TMP/w.json")
	between "$us" 100000 "$(($(truth storm nap_ns) / 120000 + 60000))" 'the longest thread (us)'
}
check '--sample: no total exceeds the lifetime of its thread' sampled_lives

# Samples of CPUs are no waits, and are not thinned out.
sampled_with_cpu()
{
	local n on

	for n in 1 4 20; do
		bp offcpu -q --with-cpu --sample "1/$n" --by tid -o "$TMP/w.folded" -- "$WORK/contend" 1 >"$TMP/contend.truth" \
			2>"$TMP/err" || fail "exit status $?"
		on=$(total "$TMP/w.folded" ';rival_burn(;.*)?;\[on CPU\] ')
		between "$on" "$((($(truth contend ran-0) + $(truth contend ran-1)) * 80 / 100000 - 50000))" \
			"$((($(truth contend ran-0) + $(truth contend ran-1)) * 120 / 100000 + 50000))" "on CPUs with 1/$n (us)"
	done
}
check '--sample leaves the samples of --with-cpu as they are' sampled_with_cpu

# Short waits for a CPU come with small errors, whatever was the length of the sleep before them.
sampled_parts()
{
	bp offcpu -q --sample 1/10 --split -o "$TMP/w.json" -- "$WORK/naps" 1000 2 >/dev/null 2>"$TMP/err" || fail "exit status $?"
	jq -es "$jq_defs"' [.[] | stacks | select(has("nap_here"))] |
		(map(select(has("[blocked]"))) | max_by(.value)) as $b |
		(map(select(has("[waiting for CPU]"))) | max_by(.value)) as $r |
		$b.stderr > $b.value * 0.02 and $b.stderr < $b.value * 0.5 and
		($r.value > $b.value * 0.5 or $r.stderr < $b.stderr * 0.5)' "$TMP/w.json" >/dev/null ||
		fail 'errors are not of the parts:' "$(jq -c 'select(.type == "stack") | [.value, .stderr, .kernel[0].func]' "$TMP/w.json")"
}
check '--sample --split: each part has its own error' sampled_parts
