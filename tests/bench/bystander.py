#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
The cost for a bystander: how many times slower a process that is not a target becomes, beside each
command with each filter, and beside bpftrace where it is installed.  Needs root and an idle machine;
prints tables and writes JSON (build/bench-bystander.json).

    tests/bench/bystander.py [--quick] [--only NAME,...] [--json FILE]

The bystander (stranger.c) calls malloc, calls getppid(2), or switches to another process and back.
Its time without a tool is measured before and after each row, so that a ratio is of the same minute.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from common import BPERF, OUT, QUIET, end, family, held, run, which  # noqa: E402

STRANGER = os.path.join(OUT, "stranger")
LOADS = {"malloc": 310000, "call": 620000, "switch": 31000}
CGROUP = "/sys/fs/cgroup/bperf-bench"
NOBODY = 4242  # a user who runs nothing
FILTERS = ("none", "-p", "--tid", "--follow", "program", "--comm", "--cgroup", "--uid")

# Commands of bperf, and bpftrace's equivalent: a probe, and whether it takes -p.
COMMANDS = {
    "malloc-count": (["funccount", "c:malloc"], "uprobe:%s:malloc"),
    "malloc-trace": (["trace", "c:malloc"], None),
    "malloc-dist": (["argdist", "-H", "p:c:malloc(size_t n):u64:n"], None),
    "call-count": (["funccount", "syscall:getppid"], "tracepoint:syscalls:sys_enter_getppid"),
    "calls-trace": (["trace", "syscall:*"], None),
    "returns-trace": (["trace", "r:syscall:*"], None),
    "calls-count": (["funccount", "syscall:*"], "tracepoint:raw_syscalls:sys_enter"),
    "switches": (["funccount", "t:sched:sched_switch"], "tracepoint:sched:sched_switch"),
    "profile": (["profile"], "profile:hz:49"),
    "offcpu": (["offcpu"], None),
    "wakeup": (["wakeup"], None),
    "offwake": (["offwake"], None),
    "chain": (["chain"], None),
}


def libc():
    """The C library that the bystander has mapped."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as f:
        return next((line.split()[-1] for line in f if "/libc.so" in line or "/libc-" in line), None)


class Target:
    """The target: a process, a name, a cgroup and a user, none of them the bystander's."""

    def __enter__(self):
        self.p = subprocess.Popen(["sleep", "100000"], **QUIET)
        self.cgroup = None
        try:
            os.mkdir(CGROUP)
        except FileExistsError:
            pass
        except OSError:
            return self
        self.cgroup = CGROUP
        return self

    def __exit__(self, *_):
        self.p.kill()
        self.p.wait()
        if self.cgroup:
            os.rmdir(self.cgroup)

    def words(self, name):
        """bperf's filter as arguments; None: impossible on this host."""
        if name == "--cgroup" and not (self.cgroup and os.path.exists(self.cgroup + "/cgroup.procs")):
            return None
        return {"none": [], "-p": ["-p", str(self.p.pid)], "--tid": ["--tid", str(self.p.pid)],
                "--follow": ["-p", str(self.p.pid), "--follow"], "program": [], "--comm": ["--comm", "nobody-at-all"],
                "--cgroup": ["--cgroup", self.cgroup], "--uid": ["--uid", str(NOBODY)]}[name]

    def predicate(self, name):
        """The same for bpftrace; None: it has no such filter."""
        return {"none": "", "-p": "/pid == %d/" % self.p.pid, "--tid": "/tid == %d/" % self.p.pid, "--comm": '/comm == "nobody-at-all"/',
                "--cgroup": '/cgroup == cgroupid("%s")/' % self.cgroup, "--uid": "/uid == %d/" % NOBODY}.get(name)


def bperf(command, name, target):
    words = target.words(name)
    if words is None:
        return None
    program = ["--", "sleep", "100000"] if name == "program" else []
    return [BPERF] + COMMANDS[command][0][:1] + ["-v"] + words + COMMANDS[command][0][1:] + program


def bpftrace(command, name, target):
    probe = COMMANDS[command][1]
    if not probe or target.words(name) is None or target.predicate(name) is None:
        return None
    if "%s" in probe:
        probe = probe % libc()
    of = ["-p", str(target.p.pid)] if name == "-p" and probe.startswith("uprobe") else []
    return ["bpftrace"] + of + ["-e", "%s %s { @ = count(); }" % (probe, target.predicate(name))]


class Tool:
    def __init__(self, name, argv, trial):
        self.name, self.argv, self.trial = name, argv, lambda: trial


def all_tools(_tmp):
    tools = [Tool("bperf", bperf, [BPERF, "funccount", "syscall:getppid"])]
    if which("bpftrace"):
        tools.append(Tool("bpftrace", bpftrace, ["bpftrace", "-e", "BEGIN { printf(\"\"); } interval:s:9 { }"]))
    return tools


def pays(load, quick):
    """Nanoseconds of one operation; the best of three, since other programs run here too."""
    best = None
    for _ in range(1 if quick else 3):
        r = subprocess.run(["taskset", "-c", "0", STRANGER, load, str(LOADS[load] // (10 if quick else 1))],
                           stdout=subprocess.PIPE, check=False)
        if r.returncode == 0:
            best = min(best or 1e18, float(r.stdout))
    return best


def is_live(p, said, seconds=60):
    """It says so (bperf -v does), or its programs are loaded and their number stays the same."""
    deadline, looks, last = time.monotonic() + seconds, 0, None
    while time.monotonic() < deadline and p.poll() is None:
        time.sleep(0.1)
        said.seek(0)
        if re.search(r"^bperf: (tracing|sampling) after ", said.read(), re.M):
            return True
        now = set().union(*map(held, family(p.pid)))
        looks = looks + 1 if now and now == last else 0
        last = now
        if looks == 30:
            return True
    return False


def beside(argv, quick, said):
    """Times that each load takes longer beside the tool, or None."""
    alone = {load: pays(load, quick) for load in LOADS}
    p = subprocess.Popen(["taskset", "-c", str(os.cpu_count() - 1)] + argv, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=said)
    try:
        if not is_live(p, said):
            return None
        slowed = {load: pays(load, quick) for load in LOADS}
    finally:
        end(p, 60)
    for load in LOADS:
        after = pays(load, quick)
        if not after or not alone[load] or not slowed[load]:
            return None
        alone[load] = (alone[load] + after) / 2
    return {load: round(slowed[load] / alone[load], 2) for load in LOADS}


def bench(command):
    def measure(tools, _tmp, quick):
        rows = {}
        with Target() as target:
            for t in tools:
                for name in FILTERS:
                    argv = t.argv(command, name, target)
                    with tempfile.TemporaryFile("w+", errors="replace") as said:
                        times = argv and beside(argv, quick, said)
                    if times:
                        rows["%s %s" % (t.name, name)] = {"value": max(times.values()), "unit": "times", **times}
        return rows
    return measure


if __name__ == "__main__":
    run([(name, "A stranger beside: %s" % " ".join(words), bench(name), None)
         for name, (words, _) in COMMANDS.items()], all_tools, "bench-bystander.json")
