#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
`bperf profile` beside the other profilers that are installed, in one run, as ratios.  Needs root and an
idle machine; prints a table and writes JSON (build/bench.json).

    tests/bench/profile.py [--quick] [--only NAME,...] [--json FILE]

Peers: bpftrace, perf, and libbpf-tools' profile where LIBBPF_PROFILE names one (Debian's package
leaves it out).  The yardstick is `bare`: two bpf_get_stack calls in the same program type.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from common import (BPERF, Counting, OUT, QUIET, WORK, end, map_bytes, median, new_programs,  # noqa: E402
                    programs, run, spawn, which)


class Tool:
    """One sampler, and the command lines that make it do the same as the others."""

    def __init__(self, name, program, sample, faults=None, report=None):
        self.name, self.program = name, program
        self.sample = sample  # (hz, seconds) -> argv, CPU samples of all CPUs
        self.faults = faults  # (seconds) -> argv, every page fault
        self.report = report  # argv that symbolizes the data that `sample` has left, or None

    def trial(self):
        return self.sample(99, 1)


def bpftrace_argv(probe, seconds):
    return [which("bpftrace"), "-e",
            "%s { @[comm, kstack, ustack] = count(); } interval:s:%d { exit(); }" % (probe, seconds)]


def all_tools(tmp):
    data = os.path.join(tmp, "perf.data")
    tools = [
        Tool("bperf", BPERF,
             lambda hz, s: [BPERF, "profile", "-q", "-f", "-e", "cpu-clock", "-F", str(hz), str(s)],
             lambda s: [BPERF, "profile", "-q", "-f", "-e", "page-faults", "-c", "1", str(s)]),
        Tool("bare", os.path.join(OUT, "bare"),
             lambda hz, s: [os.path.join(OUT, "bare"), os.path.join(OUT, "bare.bpf.o"), str(hz), str(s)],
             lambda s: [os.path.join(OUT, "bare"), os.path.join(OUT, "bare.bpf.o"), "1", str(s),
                        "page-faults"]),
    ]
    peer = os.environ.get("LIBBPF_PROFILE")
    if peer and os.access(peer, os.X_OK):
        tools.append(Tool("libbpf-tools", peer,
                          lambda hz, s: [peer, "-f", "-F", str(hz), "--stack-storage-size", "16384", str(s)]))
    if which("bpftrace"):
        tools.append(Tool("bpftrace", which("bpftrace"),
                          lambda hz, s: bpftrace_argv("profile:hz:%d" % hz, s),
                          lambda s: bpftrace_argv("software:page-faults:1", s)))
    perf = which("perf")
    if perf and subprocess.run([perf, "--version"], check=False, **QUIET).returncode == 0:
        tools.append(Tool("perf", perf,
                          lambda hz, s: [perf, "record", "-q", "-a", "-g", "-e", "cpu-clock", "-F", str(hz),
                                         "-o", data, "sleep", str(s)],
                          lambda s: [perf, "record", "-q", "-a", "-g", "-e", "page-faults", "-c", "1",
                                     "-o", data, "sleep", str(s)],
                          [perf, "script", "-i", data]))
    return tools


class Load:
    """Keeps every CPU busy, half with user stacks of known depth, half in the kernel."""

    def __init__(self, seconds):
        self.procs = []
        for i in range(os.cpu_count() or 1):
            argv = ([os.path.join(WORK, "chain"), str(seconds), "16"] if i % 2 == 0 else
                    [os.path.join(WORK, "syscalls"), str(seconds), "zero"])
            # Before all else that runs here: most samples should be of this load.
            self.procs.append(subprocess.Popen(argv, preexec_fn=lambda: os.nice(-10), **QUIET))

    def __enter__(self):
        time.sleep(0.2)
        return self

    def __exit__(self, *_):
        # The cost on an idle host is not an answer.
        if any(p.poll() is not None for p in self.procs):
            raise RuntimeError("the load ended before the measurement")
        for p in self.procs:
            p.kill()
            p.wait()


# ---- measurements -----------------------------------------------------------------------------

def one_ns_per_sample(tool, hz, seconds):
    before = set(programs())
    p = subprocess.Popen(tool.sample(hz, seconds + 2), **QUIET)
    try:
        time.sleep(seconds + (1.0 if tool.name == "bpftrace" else 0.3))
        mine = new_programs(before, p.pid)
    finally:
        end(p)
    samplers = [q for q in mine if q["type"] == "perf_event"]
    runs = sum(q.get("run_cnt", 0) for q in samplers)
    ns = sum(q.get("run_time_ns", 0) for q in samplers)
    others = sum(q.get("run_time_ns", 0) for q in mine if q["type"] != "perf_event")
    return (ns / runs, runs, others) if runs > hz else (None, 0, 0)


def bench_ns(tools, tmp, quick):
    """BPF nanoseconds per CPU sample; tools take turns, and each one's best round counts: other
    programs on the machine only ever add time."""
    seconds, rounds, hz = (2, 2, 999) if quick else (2, 8, 999)
    taken = {t.name: [] for t in tools}
    runs = {t.name: 0 for t in tools}
    for _ in range(rounds):
        with Counting(), Load(120):
            for t in tools:
                if t.name == "perf":
                    continue  # has no BPF program
                ns, n, _others = one_ns_per_sample(t, hz, seconds)
                taken[t.name].append(ns)
                runs[t.name] += n
    return {n: {"value": round(min(x for x in v if x)), "unit": "ns/sample", "samples": runs[n],
                "all": [round(x) for x in v if x]}
            for n, v in taken.items() if median(v)}


def fault_ns(rounds):
    """The cost of one page fault for its program, as it measures itself."""
    taken = []
    for _ in range(rounds):
        r = subprocess.run([os.path.join(WORK, "faults"), "20000"], capture_output=True, check=False,
                           text=True)
        m = re.search(r"fault_ns ([\d.]+)", r.stdout)
        if m:
            taken.append(float(m[1]))
    return min(taken)  # noise only ever adds


def bench_event(tools, tmp, quick):
    """The cost of one traced event for its program: CPU time per page fault, less the same without
    a tool, measured just before."""
    rounds = 5 if quick else 15
    fault_ns(rounds)  # the first ones pay for memory that the host has yet to find
    taken = {t.name: [] for t in tools}
    for _ in range(1 if quick else 3):
        for t in tools:
            if not t.faults:
                continue
            alone = fault_ns(rounds)
            p = subprocess.Popen(t.faults(60), **QUIET)
            time.sleep(1.5 if t.name == "bpftrace" else 0.5)
            try:
                taken[t.name].append(fault_ns(rounds) - alone)
            finally:
                end(p)
    return {n: {"value": round(median(v)), "unit": "ns/event"} for n, v in taken.items()
            if median(v) is not None}


def one_start(tool, tmp):
    """exec to sampling: until the last attach, by the system calls, traced the same for all."""
    log = os.path.join(tmp, "strace")
    argv = [which("strace"), "-f", "--seccomp-bpf", "-ttt", "-qq", "-o", log,
            "-e", "trace=execve,perf_event_open,ioctl,bpf"] + tool.sample(99, 1)
    subprocess.run(argv, check=False, timeout=60, **QUIET)
    start = last = None
    with open(log, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = re.match(r"\d+\s+(\d+\.\d+) (.*)", line)
            if not m:
                continue
            if start is None and m[2].startswith("execve("):
                start = float(m[1])
            if re.search(r"PERF_EVENT_IOC_(SET_BPF|ENABLE)|BPF_LINK_CREATE", m[2]) and " = -1" not in m[2]:
                if start and float(m[1]) - start < 10:
                    last = float(m[1])
    return (last - start) * 1000 if start and last else None


def bench_start(tools, tmp, quick):
    if not which("strace"):
        return {}
    taken = {t.name: [] for t in tools}
    for _ in range(2 if quick else 5):
        for t in tools:
            taken[t.name].append(one_start(t, tmp))
    return {n: {"value": round(median(v), 1), "unit": "ms"} for n, v in taken.items() if median(v)}


def bench_memory(tools, tmp, quick):
    """Peak resident of a system-wide run, BPF maps apart."""
    seconds, result = 2 if quick else 5, {}
    with Load(120):
        for t in tools:
            before = set(programs())
            out = os.path.join(tmp, "spawn.json")
            if os.path.exists(out):
                os.unlink(out)
            p = subprocess.Popen([os.path.join(OUT, "spawn"), out] + t.sample(99, seconds), **QUIET)
            time.sleep(seconds * 0.8 + (0.5 if t.name == "bpftrace" else 0))
            maps = map_bytes(new_programs(before, p.pid))
            try:
                p.wait(120)
                with open(out, encoding="utf-8") as f:
                    r = json.load(f)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                p.terminate()
                p.wait()
                continue
            result[t.name] = {"value": round(r["maxrss_kb"] / 1024, 1), "unit": "MB",
                              "maps_mb": round(maps / 2**20, 1),
                              "cpu_ms": round((r["user_s"] + r["system_s"]) * 1000)}
    return result


def bench_size(tools, tmp, quick):
    """The program and every shared library it loads."""
    result = {}
    for t in tools:
        files = {os.path.realpath(t.program)}
        r = subprocess.run(["ldd", t.program], capture_output=True, check=False, text=True)
        files |= {os.path.realpath(m) for m in re.findall(r"(/\S+) \(0x", r.stdout)}
        result[t.name] = {"value": round(sum(os.path.getsize(f) for f in files) / 2**20, 2), "unit": "MB",
                          "files": len(files)}
    return result


def large_program():
    """A compiler that is one large library, and a source for it to compile."""
    for name in ("llc", "llc-14", "llc-19", "clang", "clang-14", "clang-19"):
        path = which(name)
        if not path:
            continue
        libs = subprocess.run(["ldd", path], capture_output=True, check=False, text=True).stdout
        if "libLLVM" in libs and "clang" in name:
            return path
    return None


def big_source(tmp):
    path = os.path.join(tmp, "big.c")
    with open(path, "w", encoding="ascii") as f:
        for i in range(3000):
            f.write("int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) "
                    "s += a[i] * (i ^ %d) + (s >> %d); switch (s & 7) { case 0: s += 1; break; "
                    "case 3: s ^= n; break; case 5: s *= 7; } return s; }\n" % (i, i, i * 7, i % 13))
    return path


def after_interrupt(p, deadline=120):
    start = time.monotonic()
    p.send_signal(signal.SIGINT)
    p.wait(deadline)
    return (time.monotonic() - start) * 1000


def bench_symbols(tools, tmp, quick):
    """From Ctrl-C to the end of the report while a compiler ran in libLLVM (130 MB)."""
    clang, result = large_program(), {}
    if not clang:
        return {}
    source = big_source(tmp)
    argv = [clang, "-O2", "-c", "-o", "/dev/null", source]
    for t in tools:
        if t.name == "bare":
            continue
        load = subprocess.Popen(["sh", "-c", 'while :; do "$@"; done', "sh"] + argv,
                                start_new_session=True, **QUIET)
        try:
            time.sleep(1)
            with open(os.path.join(tmp, "symbols"), "wb") as out:
                p = subprocess.Popen(t.sample(499, 600), stdout=out, stderr=subprocess.DEVNULL,
                                     stdin=subprocess.DEVNULL)
                time.sleep(5 if t.name == "bpftrace" else 4)
                # The compiler goes on: a report about a living process is measured.
                ms = after_interrupt(p)
                if t.report:
                    begin = time.monotonic()
                    subprocess.run(t.report, check=False, stdout=out, stderr=subprocess.DEVNULL)
                    ms += (time.monotonic() - begin) * 1000
            with open(os.path.join(tmp, "symbols"), "rb") as out:
                named = len(set(re.findall(rb"llvm::[\w:~]+|_ZN\w*4llvm\w+", out.read())))
            result[t.name] = {"value": round(ms), "unit": "ms", "llvm_names": named}
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
        finally:
            os.killpg(load.pid, signal.SIGKILL)
            load.wait()
    if "bperf" in result:
        result["bperf"]["peak_mb"] = symbols_memory(tmp, argv)
    return result


def symbols_memory(tmp, argv):
    """Peak of a whole run beside that compiler (not above it: wait4 counts children in)."""
    load = subprocess.Popen(["sh", "-c", 'while :; do "$@"; done', "sh"] + argv,
                            start_new_session=True, **QUIET)
    try:
        time.sleep(1)
        r = spawn(tmp, [BPERF, "profile", "-q", "-e", "cpu-clock", "-F", "499", "-o",
                        os.path.join(tmp, "symbols.folded"), "4"])
    finally:
        os.killpg(load.pid, signal.SIGKILL)
        load.wait()
    return round(r["maxrss_kb"] / 1024, 1) if r else None


def one_render(tmp, bits, suffix):
    """Seconds from the end of the program under test to the end of bperf."""
    out = os.path.join(tmp, "render." + suffix)
    report = os.path.join(tmp, "spawn.json")
    argv = [os.path.join(OUT, "spawn"), report, BPERF, "profile", "-q", "-e", "page-faults", "-c", "1",
            "-o", out, "--", os.path.join(WORK, "stacks"), str(bits), "1"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL) as p:
        ended = None
        for line in p.stdout:
            if line.startswith(b"count"):
                ended = time.monotonic()
        p.wait(120)
        took = time.monotonic() - ended if ended else None
    with open(report, encoding="utf-8") as f:
        r = json.load(f)
    if r["status"] or took is None:
        return None
    return {"value": round(took, 2), "unit": "s", "bytes": os.path.getsize(out),
            "peak_mb": round(r["maxrss_kb"] / 1024, 1), "cpu_s": round(r["user_s"] + r["system_s"], 2)}


def bench_render(tools, tmp, quick):
    """131,072 distinct stacks (2^17) to each format, symbolization included."""
    result, bits = {}, 14 if quick else 17
    for suffix in ("folded", "txt", "json", "pb.gz", "svg"):
        r = one_render(tmp, bits, suffix)
        if r:
            result["bperf ." + suffix] = dict(r, stacks=1 << bits)
    return result


BENCHES = (
    ("ns", "BPF time per sample", bench_ns, "bare"),
    ("event", "cost of one event to its program", bench_event, "bare"),
    ("start", "exec to sampling", bench_start, None),
    ("memory", "peak memory, system-wide run", bench_memory, None),
    ("size", "size on disk with libraries", bench_size, None),
    ("symbols", "report on a process in libLLVM", bench_symbols, None),
    ("render", "end of the program to end of the report, many stacks", bench_render, None),
)


run(BENCHES, all_tools, "bench.json")
