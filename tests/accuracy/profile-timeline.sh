#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Single samples with their time, as lines of perf script and in bins of 50 ms, beside a program that
# says when it ran which function.
#
# kernels: 5.10
# shared: what it counts does not depend on the time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_root
need python3

run_phases()
{
	"$BPERF" profile -q -e cpu-clock -F 199 --timeline -o "$TMP/run.json" -o "$TMP/run.perf" \
		-- "$WORK/phases" 4 >"$TMP/phases" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
}
check 'a profile writes single samples' run_phases

cat >"$TMP/times.py" <<'EOP'
import collections, json, re, sys

# A sample's time is taken by the program, some microseconds after the interrupt.
SLACK = 2_000_000
BIN = 50_000_000
phases = collections.defaultdict(list)
for line in open(sys.argv[1]):
    name, start, end = line.split()
    phases[name].append((int(start) - SLACK, int(end) + SLACK))
records = [json.loads(line) for line in open(sys.argv[2])]
begin = int(records[0]["clock"]["monotonic_ns"])

def within(name, start, end):
    return any(s < end and start < e for s, e in phases[name])

counts, bins = collections.Counter(), collections.Counter()
for r in records:
    name = next((f["func"] for f in r.get("user", []) if f["func"] in phases), None)
    if r["type"] != "stack":
        continue
    counts[name] += r["value"]
    if sum(n for b, n in r["bins"]) != r["value"]:
        sys.exit("a row with %d samples has %s" % (r["value"], r["bins"]))
    for b, n in r["bins"]:
        start = begin + b * BIN
        if name and not within(name, start, start + BIN):
            sys.exit("%s in bin %d, where it did not run" % (name, b))
        bins[name, b] += n

seen, seen_bins = collections.Counter(), collections.Counter()
for block in open(sys.argv[3]).read().split("\n\n"):
    head = re.search(r"^(.+) (\d+)/(\d+) \[(\d+)\] (\d+)\.(\d{9}): +(\d+) cpu-clock:$", block, re.M)
    if not head:
        continue
    if head[7] != "5025125":
        sys.exit("period %s at 199 Hz" % head[7])
    names = re.findall(r"^\t +[0-9a-f]+ (\w+)\+0x", block, re.M)
    name = next((n for n in names if n in phases), None)
    at = int(head[5] + head[6])
    if name and not within(name, at, at + 1):
        sys.exit("%s at %d, where it did not run" % (name, at))
    seen[name] += 1
    seen_bins[name, (at - begin) // BIN] += 1
if seen != counts or seen_bins != bins:
    sys.exit("perf script has %s, JSON has %s" % (seen, counts))
if min(counts["first_phase"], counts["second_phase"]) < 10:
    sys.exit("too few samples: %s" % counts)
EOP
check 'each sample has the time at which its function ran' \
	python3 "$TMP/times.py" "$TMP/phases" "$TMP/run.json" "$TMP/run.perf"

several_windows()
{
	"$BPERF" profile -q -e cpu-clock -F 199 --timeline 0.25 4 -o "$TMP/run.json" -o "$TMP/run.perf" \
		-- "$WORK/phases" 4 >"$TMP/phases" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	python3 "$TMP/times.py" "$TMP/phases" "$TMP/run.json" "$TMP/run.perf"
	python3 - "$TMP/run.json" <<-'EOP'
		import json, sys
		bins = {}
		for line in open(sys.argv[1]):
		    r = json.loads(line)
		    if r["type"] == "stack":
		        bins.setdefault(r["iv"], []).extend(b for b, n in r["bins"])
		    elif r["type"] == "interval" and bins.get(r["iv"]):
		        first, last = min(bins[r["iv"]]) * 0.05, max(bins[r["iv"]]) * 0.05
		        if first < r["start"] - 0.051 or last > r["end"] + 0.01:
		            sys.exit("interval %d is from %f to %f, its bins from %f to %f" %
		                     (r["iv"], r["start"], r["end"], first, last))
	EOP
}
check 'each report has the samples of its window' several_windows

same_as_report()
{
	run_phases
	"$BPERF" report -q --folded "$TMP/run.perf" >"$TMP/perf.folded" || fail 'report of perf script'
	"$BPERF" report -q --folded "$TMP/run.json" >"$TMP/json.folded" || fail 'report of JSON'
	diff <(sort "$TMP/perf.folded") <(sort "$TMP/json.folded") || fail 'they differ'
}
check 'the samples add up to the counts' same_as_report
