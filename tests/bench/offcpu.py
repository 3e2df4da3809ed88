#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
`bperf offcpu`, `wakeup`, `offwake` and `chain` beside libbpf-tools' offcputime and wakeuptime, in one
run, as ratios.  Needs root and an idle machine; prints a table and writes JSON
(build/bench-offcpu.json).

    tests/bench/offcpu.py [--quick] [--only NAME,...] [--json FILE]

The load is tests/workloads/messages: forty threads that wake each other all the time.  The yardstick is
`bare`: two bpf_get_stack calls at each switch of a thread that is not idle (and at each wake-up);
the floor is `nothing`: a program at each that returns at once.
"""
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from common import (BPERF, Counting, OUT, QUIET, WORK, end, map_bytes, new_programs, programs,  # noqa: E402
                    run, spawn, which)

SIZE = ("2", "10")  # groups and pairs of the load
SECONDS = 2


class Tool:
    """One tracer of waits; `argv` (seconds) -> the command that traces everything."""

    def __init__(self, name, argv, does_wake=False):
        self.name, self.argv, self.does_wake = name, argv, does_wake

    def trial(self):
        return self.argv(1)


def bperf(command, *options):
    return lambda s: [BPERF, command, "-q", "-f"] + list(options) + [str(s)]


def all_tools(tmp):
    def bare(what):
        return lambda s: [os.path.join(OUT, "bare"), os.path.join(OUT, "bare.bpf.o"), "1", str(s), what]

    # This process only waits: a filter for it excludes the whole load.
    other = str(os.getpid())
    tools = [
        Tool("nothing", bare("nothing"), True),
        Tool("bare", bare("switches")),
        Tool("offcpu", bperf("offcpu")),
        Tool("offcpu 1/16", bperf("offcpu", "--sample", "1/16")),
        Tool("offcpu -p other", bperf("offcpu", "-p", other)),
        Tool("bare wake-ups", bare("wake-ups"), True),
        Tool("wakeup", bperf("wakeup"), True),
        Tool("wakeup -p other", bperf("wakeup", "-p", other), True),
        Tool("offwake", bperf("offwake"), True),
        Tool("chain", bperf("chain"), True),
    ]
    for peer, does_wake in (("offcputime", False), ("wakeuptime", True)):
        program = which(peer)
        if program:
            tools.append(Tool(peer, lambda s, p=program: [p, "--stack-storage-size", "16384", str(s)], does_wake))
    return tools


class Load:
    """Messages without end."""

    def __enter__(self):
        self.p = subprocess.Popen([os.path.join(WORK, "messages"), *SIZE, "1000000"], **QUIET)
        time.sleep(0.3)
        return self

    def __exit__(self, *_):
        self.p.kill()
        self.p.wait()


# Names of the tools' relevant programs; other software on this machine has programs too.
HOOKS = re.compile("(wait|bare|nothing|sched)_(switch|waking|wakeup|wakeup_new)(_raw)?$")


def is_wake(program):
    return "_wak" in program["name"]


def hooks(before, pid):
    """The tool's programs that matter, as far as they have run."""
    return [q for q in new_programs(before, pid) if HOOKS.match(q.get("name", "")) and q.get("run_cnt")]


def one_round(tool):
    """(runs, ns) of what the tool runs at switches and at wake-ups; None when it runs nothing."""
    before = set(programs())
    p = subprocess.Popen(tool.argv(SECONDS + 3), **QUIET)
    try:
        # Under this load a start takes seconds.
        for _ in range(100):
            if hooks(before, p.pid):
                break
            time.sleep(0.1)
        time.sleep(SECONDS)
        mine = hooks(before, p.pid)
    finally:
        end(p)
    result = []
    for of_wake in (False, True):
        chosen = [q for q in mine if is_wake(q) == of_wake]
        result.append((sum(q["run_cnt"] for q in chosen), sum(q["run_time_ns"] for q in chosen)))
    return result


def bench_ns(tools, tmp, quick):
    """BPF nanoseconds per context switch and per wake-up; tools take turns, and each one's best
    round counts: other programs on the machine only ever add time."""
    rounds = 2 if quick else 6
    best, result = {}, {}
    with Counting(), Load():
        for _ in range(rounds):
            for t in tools:
                for i, (runs, ns) in enumerate(one_round(t)):
                    if runs > 1000:
                        key = (t.name, i)
                        best[key] = min(best.get(key, (1e9, 0)), (ns / runs, runs))
    for t in tools:
        if (t.name, 0) not in best:
            continue
        ns, runs = best[t.name, 0]
        result[t.name] = {"value": round(ns), "unit": "ns/switch", "switches": runs}
        if (t.name, 1) in best:
            wake_ns, wakes = best[t.name, 1]
            result[t.name].update(ns_per_wakeup=round(wake_ns), wakeups=wakes,
                                  ns_both=round((ns * runs + wake_ns * wakes) / runs))
    return result


def ran_ns(loops):
    """CPU time per switch of the threads of a run of messages, as the scheduler counts it."""
    r = subprocess.run([os.path.join(WORK, "messages"), *SIZE, str(loops)], check=False,
                       capture_output=True, text=True)
    told = dict(line.split(" ", 1) for line in r.stdout.splitlines())
    return int(told["ran_ns"]) / int(told["switches"])


def bench_slow(tools, tmp, quick):
    """The cost of tracing for the traced threads: their CPU time per switch, less the same without a
    tool; the best of each, since other programs on the machine only ever add time."""
    loops, rounds = (500, 3) if quick else (1000, 8)
    alone, taken = [ran_ns(loops)], {t.name: [] for t in tools}
    for _ in range(rounds):
        alone.append(ran_ns(loops))
        for t in tools:
            p = subprocess.Popen(t.argv(100), **QUIET)
            time.sleep(0.7)
            try:
                if p.poll() is None:
                    taken[t.name].append(ran_ns(loops))
            finally:
                end(p)
    return {name: {"value": round(min(v) - min(alone)), "unit": "ns/switch", "alone": round(min(alone))}
            for name, v in taken.items() if v}


def bench_memory(tools, tmp, quick):
    """Peak resident of a system-wide run, BPF maps apart."""
    result = {}
    with Load():
        for t in tools:
            before = set(programs())
            p = subprocess.Popen(t.argv(60), **QUIET)
            time.sleep(1.5)
            maps = map_bytes(new_programs(before, p.pid))
            end(p)
            r = spawn(tmp, t.argv(2))
            if r:
                result[t.name] = {"value": round(r["maxrss_kb"] / 1024, 1), "unit": "MB",
                                  "maps_mb": round(maps / 2**20, 1),
                                  "cpu_ms": round((r["user_s"] + r["system_s"]) * 1000)}
    return result


BENCHES = (
    ("ns", "BPF time per context switch", bench_ns, "bare"),
    ("slow", "cost to the traced", bench_slow, "bare"),
    ("memory", "peak memory, system-wide run", bench_memory, None),
)

run(BENCHES, all_tools, "bench-offcpu.json")
