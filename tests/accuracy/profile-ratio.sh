#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Ratios of two events, compared with a program that knows its numbers of page faults and its CPU time.
#
# long: samples until ratios are exact, 20 s
# kernels: 5.10

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

slices=${BPERF_SLOW:+200}
slices=${slices:-500}

# ratios ARGS...: run the workload, functions as JSON in $TMP/f.json.  A sample that falls into the handling
# of another is not taken: one fault in 20 keeps that rare.
ratios()
{
	profile -q --functions "$@" -o "$TMP/f.json" -- "$WORK/ratios" "$slices" >"$TMP/ratios.truth" ||
		fail "exit status $?"
}

# of FUNCTION FIELD: from the ratio of a function with all that it called.
of()
{
	jq -r "select(.func == \"$1\") | .total_ratio.$2" "$TMP/f.json"
}

# true_ratio FUNCTION: page faults per nanosecond, as the program measured them.
true_ratio()
{
	awk -v name="$1" '$1 == name { printf "%.9f", $2 / $3 }' "$TMP/ratios.truth"
}

true_faults()
{
	awk -v name="$1" '$1 == name { print $2 }' "$TMP/ratios.truth"
}

# The interval at 95 % is two sigma to each side: the true ratio is within five, more or less.  Where the host
# takes CPU time away from us, samples of time are fewer, and ratios larger, for all functions alike.
is_true_for() # FUNCTION SCALE
{
	awk -v want="$(true_ratio "$1")" -v at="$(of "$1" value)" -v low="$(of "$1" low)" \
		-v high="$(of "$1" high)" -v scale="$2" 'BEGIN {
			want *= scale
			below = at - 2.7 * (at - low) - 0.03 * at
			above = at + 2.7 * (high - at) + 0.03 * at
			printf "%.9f, want %.9f: %.9f to %.9f\n", at, want, below, above
			exit !(want >= below && want <= above)
		}' || fail "the ratio of $1 is not the true one"
}

# attempt SCALE of both functions that fault
both_are_true()
{
	is_true_for touch "$1" && is_true_for mix "$1"
}

rates_are_true()
{
	local i scale

	for ((i = 0; i < 3; i++)); do
		ratios -e cpu-clock -F 997 --color-by page-faults:20
		(both_are_true 1) && break
	done
	# All of its CPU time, and what the samples saw of it.
	scale=$(awk -v seen="$(jq -s 'map(select(.type == "function" and
		(.func == "touch" or .func == "mix" or .func == "spin")).total_ratio.first.events) | add' \
		"$TMP/f.json")" '/^(touch|mix|spin) / { ns += $3 } END { print ns / seen }' "$TMP/ratios.truth")
	between "$scale" 0.95 3 'CPU time for each nanosecond that was sampled'
	both_are_true "$scale"
	[ "$(of touch verdict)" = more ] || fail "touch: $(of touch verdict)"
	[ "$(of spin verdict)" = less ] || fail "spin: $(of spin verdict)"
	exactly "$(of spin value)" 0 'page faults of spin'
	between "$(of spin high)" 0 "$(of mix low)" 'the limit of spin'
}
check 'page faults for each nanosecond of CPU time are those of the program' rates_are_true

faults_are_exact()
{
	ratios --ratio page-faults:1/cpu-clock
	exactly "$(of touch second.events)" "$(true_faults touch)" 'page faults of touch'
	exactly "$(of touch second.count)" "$(true_faults touch)" 'samples of page faults of touch'
	exactly "$(of mix second.events)" "$(true_faults mix)" 'page faults of mix'
	exactly "$(of spin second.events)" 0 'page faults of spin'
}
check 'each page fault is counted where the period is 1' faults_are_exact

# The kernel adapts the period to the rate, slowly where events come in bursts: samples may be few, which their
# squares must tell, and their periods add up.
rate_adds_up()
{
	local n faults

	ratios --ratio page-faults/cpu-clock -F 499
	n=$(of touch second.count)
	faults=$(true_faults touch)
	((n && n < faults / 4)) || fail "$n samples of $faults faults: no rate"
	awk -v n="$n" -v got="$(of touch second.events)" -v squares="$(of touch second.squares)" \
		-v want="$faults" 'BEGIN {
			error = got > want ? got - want : want - got
			printf "%d of %d, standard error %.0f\n", got, want, sqrt(squares)
			exit !(error <= 5 * sqrt(squares) && squares >= got * got / n * 0.999)
		}' || fail 'the periods do not add up'
}
check 'the periods of samples at a rate add up to the events' rate_adds_up

# On a slow machine, names may come too late for short windows: all faults of the process are added up, and it has
# some hundred of its own.
windows_add_up()
{
	local faults

	profile -q --ratio page-faults:1/cpu-clock -F 199 -o "$TMP/w.json" 0.3 200 -- \
		"$WORK/ratios" "$slices" >"$TMP/ratios.truth" || fail "exit status $?"
	(($(jq -s 'map(select(.type == "interval")) | length' "$TMP/w.json") > 1)) || fail 'one window'
	faults=$(($(true_faults touch) + $(true_faults mix)))
	between "$(jq -s 'map(select(.comm == "ratios").ratio.second.events) | add' "$TMP/w.json")" "$faults" \
		$((faults + 1000)) 'page faults in all windows'
	jq -es 'map(select(.type == "interval").ratio.first |
		[.events, .count * 5025125]) | all((.[0] - .[1] | fabs) <= .[1] / 1000 + 1)' "$TMP/w.json" \
		>/dev/null || fail 'periods of cpu-clock at 199 Hz' "$(jq -c '.ratio?' "$TMP/w.json")"
}
check 'windows add up' windows_add_up

# The same events twice: the ratio is that of the periods.
same_event_in_two_ways()
{
	profile -q --functions --ratio page-faults:10/minor-faults:5 -o "$TMP/f.json" -- "$WORK/faults" 20000 \
		>/dev/null || fail "exit status $?"
	between "$(of fault_many value)" 0.99 1.01 'page faults for each minor fault'
	# One sample per CPU may be open at each end, and other processes fault, too.
	between "$(of fault_many second.count)" $((6000 - 100)) $((6000 + 100)) 'every tenth of 60,000'
	between "$(of fault_many first.count)" $((12000 - 200)) $((12000 + 200)) 'every fifth of 60,000'
}
check 'two counts of the same faults have the ratio 1' same_event_in_two_ways

values_stay()
{
	profile -q -f --ratio context-switches:1/page-faults:1 -o "$TMP/v.json" -o "$TMP/v.folded" \
		-o "$TMP/v.pb.gz" -- "$WORK/faults" 5000 >/dev/null || fail "exit status $?"
	exactly "$(total "$TMP/v.folded" ';fault_many')" 15000 fault_many
	exactly "$(jq -s 'map(select(.type == "stack").value) | add' "$TMP/v.json")" "$(total "$TMP/v.folded")" \
		'the samples in JSON'
	exactly "$(awk '{ n += $(NF - 1) } END { print n }' "$TMP/v.folded")" \
		"$(jq -s 'map(select(.type == "stack").ratio.second.events) | add' "$TMP/v.json")" \
		'the second events in folded stacks'
	"$BPERF" report -q --from pprof --value context-switches -f "$TMP/v.pb.gz" >"$TMP/p.folded" ||
		fail 'report of pprof'
	exactly "$(total "$TMP/p.folded")" "$(awk '{ n += $(NF - 1) } END { print n }' "$TMP/v.folded")" \
		'the second events in pprof'
}
check 'values are samples of the first event, with the second beside them' values_stay

# Time on and off the CPU: one function burns, one sleeps.
share_of_time()
{
	timeout -s KILL 90 "$BPERF" offcpu -q --color-by off-cpu -o "$TMP/s.svg" -o "$TMP/s.json" -- \
		"$WORK/phases" 4 >/dev/null || fail "exit status $?"
	"$BPERF" report -q "$TMP/s.json" -o "$TMP/again.svg" || fail 'report'
	diff <(grep -v 'bperf [or]' "$TMP/s.svg") <(grep -v 'bperf [or]' "$TMP/again.svg") >"$TMP/diff" ||
		fail 'not the same picture' "$(head -c 1000 "$TMP/diff")"
	has "$TMP/s.svg" '>\[on CPU\] \(.*; 0\.0 % of it off the CPU\)'
	has "$TMP/s.svg" '>\[blocked\] \(.*; 100\.0 % of it off the CPU\)'
	want=$(jq -s 'map(select(.type == "stack")) | (map(.ns // (.value * 1000)) | add) as $all |
		(map(select([.kernel[], .user[]] | any(.func == "[on CPU]") | not) | .ns // (.value * 1000)) |
			add) / $all * 100' "$TMP/s.json")
	between "$(sed -n 's/.*<title>all (.*; \([0-9.]*\) % of it off the CPU).*/\1/p' "$TMP/s.svg")" \
		"$(awk "BEGIN { print $want - 0.06 }")" "$(awk "BEGIN { print $want + 0.06 }")" 'the share of all'
}
check 'offcpu --color-by off-cpu shows the share of time off the CPU' share_of_time
