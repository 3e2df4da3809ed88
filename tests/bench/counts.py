#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
`bperf funccount` and `argdist` beside bpftrace, ply and bcc, in one run, as ratios.  Needs root and an
idle machine; prints tables and writes JSON (build/bench-counts.json).

    tests/bench/counts.py [--quick] [--only NAME,...] [--json FILE]

The load (events.c) calls one thing all the time, with values from 0 to 4095: write(2), met at its
system call's tracepoint, or a function of its own, met by a uprobe.  Each tool counts it, counts it
by thread name or by a string of 20 bytes that a function gets, and makes a histogram of the values.  Tools that cannot run here are left out: bcc needs
the kernel's headers.
"""
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from common import (BPERF, Counting, OUT, QUIET, end, family, held, map_bytes, median, programs,  # noqa: E402
                    run, which)

EVENTS = os.path.join(OUT, "events")
TRACEPOINT = "t:syscalls:sys_enter_write"
UPROBE = "p:%s:call_value" % EVENTS
TEXT = "p:%s:call_text" % EVENTS
LOADS = {TRACEPOINT: "write", UPROBE: "call", TEXT: "text"}
SECONDS = 1.5


class Tool:
    """One tracer; `argv` (what, site) -> the command, None if the tool cannot do it."""

    def __init__(self, name, argv):
        self.name, self.argv = name, argv

    def trial(self):
        return self.argv("count", TRACEPOINT)


def bperf(what, site):
    if what == "count":
        return [BPERF, "funccount", "-q", site]
    if what == "keyed":
        return [BPERF, "funccount", "-q", "--by", "$comm", site]
    if what == "texts":
        return [BPERF, "argdist", "-q", "-C", "%s(char *text):char*:text" % site]
    value = "args->count" if site == TRACEPOINT else "arg1"
    return [BPERF, "argdist", "-q", "-H", "%s():u64:%s" % (site, value)]


def bpftrace(what, site):
    probe = "tracepoint:syscalls:sys_enter_write" if site == TRACEPOINT else "u" + site.replace("p:", "probe:", 1)
    value = "args->count" if site == TRACEPOINT else "arg0"
    return ["bpftrace", "-e", "%s { %s }" % (probe, {"count": "@ = count();", "keyed": "@[comm] = count();",
                                                     "texts": "@[str(arg0)] = count();",
                                                     "hist": "@ = hist(%s);" % value}[what])]


def ply(what, site):
    if site != TRACEPOINT:
        return None
    return ["ply", "tracepoint:syscalls/sys_enter_write { %s }" % {
        "count": "@ = count();", "keyed": "@[comm] = count();", "hist": "@ = quantize(data->count);"}[what]]


def bcc(what, site):
    if what == "count":
        return [which("funccount-bpfcc"), site if site == TRACEPOINT else "%s:call_value" % EVENTS]
    if what == "texts":
        return [which("argdist-bpfcc"), "-i", "100", "-C", "%s(char *text):char*:text" % site]
    value = "args->count" if site == TRACEPOINT else "v"
    probe = site if site == TRACEPOINT else UPROBE + "(unsigned long v)"
    probe += "()" if site == TRACEPOINT else ""
    form = ["-C", "%s:u32:$PID" % probe] if what == "keyed" else ["-H", "%s:u64:%s" % (probe, value)]
    return [which("argdist-bpfcc"), "-i", "100"] + form


def all_tools(_tmp):
    peers = (("bpftrace", bpftrace, "bpftrace"), ("ply", ply, "ply"), ("bcc", bcc, "argdist-bpfcc"))
    return [Tool("bperf", bperf)] + [Tool(name, argv) for name, argv, program in peers if which(program)]


class Load:
    """Endless events on one CPU; tools use the other."""

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        self.p = subprocess.Popen([EVENTS, self.what], **QUIET)
        os.sched_setaffinity(self.p.pid, {0})
        return self

    def __exit__(self, *_):
        self.p.kill()
        self.p.wait()


def own(before, pid):
    """The tool's programs, and not those of other tools that start at the same time."""
    ids = set().union(*map(held, family(pid)))
    return [q for i, q in programs().items() if i not in before and i in ids]


def counted(progs):
    return {q["id"]: (q.get("run_cnt", 0), q.get("run_time_ns", 0)) for q in progs}


def one_round(argv):
    """Runs of the tool's programs for some time, and their nanoseconds; None if it has no programs."""
    before = set(programs())
    p = subprocess.Popen(argv, **QUIET)
    deadline = time.monotonic() + 30
    try:
        while time.monotonic() < deadline and p.poll() is None:
            first = counted(own(before, p.pid))
            time.sleep(SECONDS)
            now = counted(own(before, p.pid))
            runs, ns = (sum(now[i][n] - first[i][n] for i in now if i in first) for n in (0, 1))
            if runs > 10000:
                return runs, ns
    finally:
        end(p, 10)
    return None


def bench_ns(what, site):
    """BPF nanoseconds per event; tools take turns, and each one's best round counts: other programs on
    the machine only ever add time."""
    def bench(tools, tmp, quick):
        best = {}
        with Counting(), Load(LOADS[site]):
            for _ in range(1 if quick else 5):
                for t in tools:
                    argv = t.argv(what, site)
                    r = one_round(argv) if argv and best.get(t.name, 0) is not None else None
                    best[t.name] = min(best[t.name], r[1] / r[0]) if r and best.get(t.name) else \
                        r[1] / r[0] if r else best.get(t.name)
        return {n: {"value": round(v), "unit": "ns/event"} for n, v in best.items() if v}
    return bench


def took(what, n):
    r = subprocess.run([EVENTS, what, str(n)], check=False, capture_output=True, text=True)
    return float(r.stdout)


def is_live(p, before):
    """Does it have programs, and has it had time to attach them?"""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and p.poll() is None:
        if own(before, p.pid):
            time.sleep(1)
            return True
        time.sleep(0.2)
    return False


def bench_slow(site):
    """What counting by thread name adds to one event, of its program's time."""
    what, n = ("write", 2000000) if site == TRACEPOINT else ("call", 300000)

    def bench(tools, tmp, quick):
        alone, taken = [took(what, n)], {t.name: [] for t in tools}
        for _ in range(1 if quick else 5):
            alone.append(took(what, n))
            for t in tools:
                argv, before = t.argv("keyed", site), set(programs())
                p = subprocess.Popen(argv, **QUIET) if argv else None
                if p and is_live(p, before):
                    taken[t.name].append(took(what, n))
                if p:
                    end(p, 10)
        return {name: {"value": round(min(v) - min(alone)), "unit": "ns/event", "alone": round(min(alone))}
                for name, v in taken.items() if v}
    return bench


def bench_memory(tools, tmp, quick):
    """Peak resident memory of a run that counts for a second, without BPF maps."""
    result = {}
    with Load("write"):
        for t in tools:
            for what in ("count", "keyed", "hist"):
                argv, before = t.argv(what, TRACEPOINT), set(programs())
                if not argv:
                    continue
                p = subprocess.Popen(argv, **QUIET)
                maps = map_bytes(own(before, p.pid)) if is_live(p, before) else 0
                peak = peak_kb(p.pid)
                end(p, 10)
                if maps:
                    result["%s %s" % (t.name, what)] = {"value": round(peak / 1024, 1), "unit": "MB",
                                                        "maps_mb": round(maps / 2**20, 1)}
    return result


def peak_kb(pid):
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
            return int(re.search(r"^VmHWM:\s*([0-9]+)", f.read(), re.M).group(1))
    except (OSError, AttributeError):
        return 0


# Print the offset of the first lseek(2) of descriptor 77, and end; or the first call_value()'s value.
START = {
    "bperf": [BPERF, "trace", "-q", "--raw", "-M", "1", 'syscall:lseek (fd == 77) "%d", offset'],
    "bpftrace": ["bpftrace", "-e", "tracepoint:syscalls:sys_enter_lseek /args->fd == 77/ "
                 '{ printf("%ld\\n", args->offset); exit(); }'],
    "ply": ["ply", "tracepoint:syscalls/sys_enter_lseek / data->fd == 77 / "
            '{ printf("%d\\n", data->offset); exit(0); }'],
}
USTART = {
    "bperf": [BPERF, "trace", "-q", "--raw", "-M", "1", 'p:%s:call_value(u64 now) "%%d", now' % EVENTS],
    "bpftrace": ["bpftrace", "-e", 'uprobe:%s:call_value { printf("%%ld\\n", arg0); exit(); }' % EVENTS],
}


def one_start(argv):
    """Milliseconds from exec to the first event that the tool sees, and to its end."""
    start = time.monotonic_ns()
    try:
        r = subprocess.run(argv, check=False, timeout=30, stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    stop = time.monotonic_ns()
    seen = re.search(r"^\s*([0-9]+)\s*$", r.stdout, re.M)
    return ((int(seen.group(1)) - start) / 1e6, (stop - start) / 1e6) if seen and not r.returncode else None


def bench_start(argv):
    """The load says what time it is each 0.1 ms, by an argument: the first time that a tool shows is
    when it was live."""
    def bench(tools, tmp, quick):
        taken = {t.name: [] for t in tools if t.name in argv}
        with Load("time"):
            for _ in range(3 if quick else 15):
                for name, times in taken.items():
                    r = one_start(argv[name])
                    if r:
                        times.append(r)
        return {name: {"value": round(median([live for live, _ in v]), 1), "unit": "ms to live",
                       "best": round(min(live for live, _ in v), 1),
                       "to_the_end": round(median([whole for _, whole in v]), 1)}
                for name, v in taken.items() if v}
    return bench


def has_tracefs():
    return os.path.exists("/sys/kernel/tracing/events")


# bperf mounts tracefs for itself where nobody has; the peers need it mounted.
if not has_tracefs() and "--mounted" not in sys.argv and os.geteuid() == 0:
    os.execvp("unshare", ["unshare", "-m", "sh", "-c",
                          'mount -t tracefs tracefs /sys/kernel/tracing; exec "$@"', "sh",
                          sys.executable] + sys.argv + ["--mounted"])
if "--mounted" in sys.argv:
    sys.argv.remove("--mounted")

BENCHES = (
    ("count", "count at a system call's tracepoint", bench_ns("count", TRACEPOINT), None),
    ("keyed", "count by thread name at a system call's tracepoint", bench_ns("keyed", TRACEPOINT), None),
    ("hist", "histogram at a system call's tracepoint", bench_ns("hist", TRACEPOINT), None),
    ("ucount", "count at a uprobe", bench_ns("count", UPROBE), None),
    ("ukeyed", "count by thread name at a uprobe", bench_ns("keyed", UPROBE), None),
    ("uhist", "histogram at a uprobe", bench_ns("hist", UPROBE), None),
    ("utexts", "count by a string at a uprobe", bench_ns("texts", TEXT), None),
    ("slow", "what counting by thread name adds to a system call", bench_slow(TRACEPOINT), None),
    ("uslow", "what counting by thread name adds to a function's call", bench_slow(UPROBE), None),
    ("memory", "peak memory", bench_memory, None),
    ("start", "from exec to the first event of a system call that is seen", bench_start(START), None),
    ("ustart", "from exec to the first event of a user function that is seen", bench_start(USTART), None),
)

run(BENCHES, all_tools, "bench-counts.json")
