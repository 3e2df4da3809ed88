#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Where CPU time goes: shares, sums and windows, compared with programs that measure themselves.
#
# long: compares sampled shares with exact ones, 15 s
# kernels: 6.1

# shellcheck disable=SC2016 # programs for an inner shell
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

shares_are_true()
{
	local name p n

	profile -q -f -e cpu-clock -F 499 -o "$TMP/shares.folded" -- "$WORK/shares" 2 \
		>"$TMP/shares.truth" || fail "exit status $?"
	n=$(total "$TMP/shares.folded" 'burn_')
	at_least "$n" 400 'samples'
	while read -r name p; do
		share "$(total "$TMP/shares.folded" "$name")" "$n" "$p" "$name"
	done < <(truth shares share)
}
check 'three functions have the shares that they measured themselves' shares_are_true

# One attempt to compare samples with rate x CPU time: LOW HIGH.
samples_are_rate_times_time()
{
	local want n

	profile -q -f -e cpu-clock -F 199 -o "$TMP/rate.folded" -- "$WORK/shares" 1.5 \
		>"$TMP/shares.truth" || fail "exit status $?"
	want=$(awk '/^cpu_ns/ { printf "%.1f", $2 / 1e9 * 199 }' "$TMP/shares.truth")
	n=$(total "$TMP/rate.folded" ';burn_')
	between "$n" "$(awk "BEGIN { print $want * $1 - 3 }")" \
		"$(awk "BEGIN { print $want * $2 + 3 }")" "samples at 199 Hz"
}

# Where the host takes CPU time away from us, timers come late and samples are fewer: a close
# match once in three times, else at least a likely one.
sum_is_true()
{
	local i

	for ((i = 0; i < 3; i++)); do
		(samples_are_rate_times_time 0.96 1.02) && return
	done
	samples_are_rate_times_time 0.6 1.05
}
check 'samples are rate times CPU seconds' sum_is_true

chain_is_exact()
{
	local chain n

	profile -q -f -e cpu-clock -F 499 -o "$TMP/chain.folded" -- "$WORK/chain" 0.6 16 \
		>"$TMP/chain.truth" || fail "exit status $?"
	chain=$(truth chain chain)
	n=$(total "$TMP/chain.folded" ';bottom')
	at_least "$n" 100 'samples'
	between "$(grep -F ";$chain" "$TMP/chain.folded" | awk '{ n += $NF } END { print n + 0 }')" \
		"$(awk "BEGIN { print $n * 0.98 }")" "$n" 'samples with the whole chain'
}
check 'a chain of 18 calls is whole and in order' chain_is_exact

# A window may end late, where a report took long; never before its time, and the next one begins
# where it ended.
intervals_are_contiguous()
{
	start shares 30
	profile -j -U -e cpu-clock -F 199 -p "$PID" 0.5 4 >"$TMP/iv.json" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	stop
	jq -es '
		[.[] | select(.type == "interval")] as $iv |
		($iv | length) == 4 and ($iv[0].start < 0.1) and
		([range(1; 4)] | all($iv[.].start == $iv[. - 1].end)) and
		([range(0; 4)] | all($iv[.].iv == .)) and
		([range(0; 4)] | all($iv[.].end >= 0.5 * (. + 1) - 0.02))' "$TMP/iv.json" >/dev/null ||
		fail "$(jq -c 'select(.type == "interval")' "$TMP/iv.json")"
	jq_last -e '.type == "end" and .intervals == 4' "$TMP/iv.json" >/dev/null ||
		fail 'no end' "$(tail -n 1 "$TMP/iv.json")"
}
check 'windows are contiguous' intervals_are_contiguous

# Exact events cut by windows: none is lost at a cut and none counted twice.
windows_add_up()
{
	local sum n=${BPERF_SLOW:+4000} window=${BPERF_SLOW:+1}

	n=${n:-20000} window=${window:-0.2}
	profile -q -j -e page-faults -c 1 -- true >/dev/null 2>&1 || fail 'does not run'
	# All these faults go by in several windows.  Names that are not found within a window are missing from
	# its report: where programs are emulated, those of the first take 0.3 s.
	profile -q -j -U -e page-faults -c 1 -o "$TMP/cut.json" "$window" 500 -- \
		bash -c 'for i in 1 2 3; do "$0" "$1"; sleep 0.25; done' "$WORK/faults" "$n" \
		>/dev/null 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	sum=$(jq -s '[.[] | select(.type == "stack") |
		select(any(.user[]?; .func == "fault_few" or .func == "fault_many")) | .value] | add' \
		"$TMP/cut.json")
	at_least "$(jq -s '[.[] | select(.type == "interval")] | length' "$TMP/cut.json")" 2 windows
	exactly "$sum" $((12 * n)) "faults in all windows (lost: $(tail -n 1 "$TMP/cut.json" | jq -c .lost))"
}
check 'the windows of a run add up to the whole' windows_add_up

formats_agree()
{
	local want

	profile -q -F 299 -e cpu-clock -o "$TMP/a.folded" -o "$TMP/a.json" -o "$TMP/a.txt" \
		-o "$TMP/a.pb.gz" -o "$TMP/a.svg" --top 0 -- "$WORK/shares" 0.7 >/dev/null ||
		fail "exit status $?"
	want=$(total "$TMP/a.folded")
	at_least "$want" 50 samples
	exactly "$(jq -s '[.[] | select(.type == "stack") | .value] | add' "$TMP/a.json")" "$want" json
	python3 - "$TMP/a.pb.gz" "$want" <<'PY' || exit 1
import gzip, sys

data, want = gzip.open(sys.argv[1]).read(), int(sys.argv[2])

def fields(b):
    i = 0
    def varint():
        nonlocal i
        v = shift = 0
        while True:
            v |= (b[i] & 127) << shift
            shift += 7
            i += 1
            if b[i - 1] < 128:
                return v
    while i < len(b):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 2:
            n = varint()
            yield tag >> 3, b[i:i + n]
            i += n
        else:
            sys.exit("wire type %d" % (tag & 7))

def packed(b):
    if isinstance(b, int):
        return [b]
    out, v, shift = [], 0, 0
    for c in b:
        v |= (c & 127) << shift
        shift += 7
        if c < 128:
            out.append(v)
            v = shift = 0
    return out

samples = [dict_ for f, dict_ in fields(data) if f == 2]
total = 0
for s in samples:
    values = [v for f, b in fields(s) if f == 2 for v in packed(b)]
    locations = [v for f, b in fields(s) if f == 1 for v in packed(b)]
    assert len(values) == 2 and all(locations), (values, locations)
    total += values[0]
ids = [next(v for f, v in fields(l) if f == 1) for n, l in fields(data) if n == 4]
assert ids == list(range(1, len(ids) + 1)), "location ids"
strings = [s for n, s in fields(data) if n == 6]
assert strings[0] == b"" and b"burn_hot" in strings, "strings"
if total != want:
    sys.exit("pprof has %d samples, folded %d" % (total, want))
PY
	# Text: the value of each stack is below it, with its percentage.
	has "$TMP/a.txt" 'burn_hot'
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$TMP/a.svg" ||
		fail 'the SVG is no XML'
	has "$TMP/a.svg" 'burn_warm'
}
need python3
check 'folded, JSON, pprof, text and SVG of one run agree' formats_agree

idle_is_left_out()
{
	profile -q -f -F 99 -e cpu-clock 0.5 >"$TMP/busy.folded" || fail "exit status $?"
	lacks "$TMP/busy.folded" '^swapper'
	profile -q -f -F 99 -e cpu-clock -I 0.5 >"$TMP/idle.folded" || fail "exit status $?"
	# Every CPU is sampled all the time, asleep or not.
	between "$(total "$TMP/idle.folded")" "$(($(nproc) * 15))" "$(($(nproc) * 120))" \
		"samples of $(nproc) CPUs"
}
check 'idle CPUs are left out, and in with -I' idle_is_left_out

one_cpu_only()
{
	start shares 20
	taskset -p -c 0 "$PID" >/dev/null || skip_because 'cannot pin'
	profile -q -f -U -e cpu-clock -F 199 -C 0 --by cpu -p "$PID" 0.5 >"$TMP/cpu.folded" || fail "exit status $?"
	at_least "$(total "$TMP/cpu.folded" burn_)" 10 'on CPU 0'
	exactly "$(cut -d';' -f1 "$TMP/cpu.folded" | sort -u | wc -l)" 1 'CPUs seen'
	if (($(nproc) > 1)); then
		profile -q -f -U -e cpu-clock -F 199 -C 1 -p "$PID" 0.3 >"$TMP/cpu.folded" || fail "exit status $?"
		exactly "$(total "$TMP/cpu.folded" burn_)" 0 'samples on CPU 1'
	fi
	stop
}
check '-C sees that CPU and no other' one_cpu_only
