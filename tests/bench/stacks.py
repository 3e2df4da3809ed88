#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Complete user stacks of ordinary programs under load: `bperf profile` by unwind tables and by frame
pointers, `perf record --call-graph dwarf`, libbpf-tools' profile; `bperf offcpu`, `chain` and `wakeup`.  And what
that costs.  Needs root and an idle machine; prints a table and writes JSON (build/bench-stacks.json).

    tests/bench/stacks.py [--quick] [--only NAME,...] [--json FILE]      STACKS=redis-server,... chooses

A stack is complete if its outermost frame is where its thread begins: the file's entry point, or clone().
Peers: perf, samply, and libbpf-tools' profile where LIBBPF_PROFILE names one (Debian has neither of the last
two).  A program that is not installed is named and left out.
"""
import json
import os
import re
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from common import (BPERF, Counting, OUT, QUIET, end, map_bytes, median, new_programs, programs,  # noqa: E402
                    run, spawn, which)
from stackloads import HERE, all_loads  # noqa: E402

ROOTS = {"_start", "clone", "__clone", "clone3", "__clone3", "__GI___clone3", "_dl_start_user"}
NO_STACKS = {"[asleep before start]", "[runnable before start]", "[new thread]"}
# An entry point and what follows it, such as the call of __libc_start_main.
ENTRY_BYTES = 64


# ---- judging stacks ----------------------------------------------------------------------------

class Elf:
    """Entry point and code of a file, as far as they are needed here."""

    known = {}

    def __init__(self, path):
        self.entry, self.segments, self.data = -1, [], b""
        try:
            with open(path, "rb") as f:
                self.data = f.read()
            if self.data[:5] != b"\x7fELF\x02":
                return
            self.entry, phoff = struct.unpack_from("<QQ", self.data, 24)
            size, n = struct.unpack_from("<HH", self.data, 54)
            for i in range(n):
                kind, _flags, off, vaddr, _p, filesz = struct.unpack_from("<IIQQQQ", self.data, phoff + i * size)
                if kind == 1:
                    self.segments.append((vaddr, filesz, off))
        except (OSError, struct.error):
            pass

    @classmethod
    def of(cls, path):
        if path not in cls.known:
            cls.known[path] = cls(path)
        return cls.known[path]

    def before(self, vaddr, n=8):
        for start, size, off in self.segments:
            if start + n <= vaddr <= start + size:
                return self.data[off + vaddr - start - n:off + vaddr - start]
        return None


MODRM_SIZES = {0: 0, 1: 1, 2: 4}


def is_after_call(code):
    """x86-64: does an instruction that calls end after these bytes?"""
    if code[-5] == 0xe8:
        return True
    for n in range(2, 8):
        if code[-n] != 0xff or (code[-n + 1] >> 3) & 7 != 2:
            continue
        mod, rm = code[-n + 1] >> 6, code[-n + 1] & 7
        if mod == 3:
            want = 2
        else:
            has_sib = rm == 4
            if has_sib and n < 3:
                continue
            base = code[-n + 2] & 7 if has_sib else rm
            want = 2 + has_sib + (4 if mod == 0 and base == 5 else MODRM_SIZES[mod])
        if want == n:
            return True
    return False


class Judged:
    """What one tool has shown of one program."""

    def __init__(self):
        self.all = self.complete = self.frames = self.calls = self.after_call = 0
        self.cut = {}

    def take(self, frames, n):
        """frames: (name, file, address in the file or None), leaf first."""
        name, path, vaddr = frames[-1]
        entry = Elf.of(path).entry if path and path.startswith("/") else -1
        callee = frames[-2][0] if len(frames) > 1 else ""
        self.all += n
        self.frames += n * len(frames)
        if (name.split("@")[0] in ROOTS or callee.startswith("__libc_start_main") or
                (vaddr is not None and 0 <= vaddr - entry < ENTRY_BYTES)):
            self.complete += n
            return
        if not name.startswith("["):
            name += " (%s)" % os.path.basename(path or "?")
        elif len(frames) > 1:
            name += " <- %s (%s)" % (frames[-2][0], os.path.basename(frames[-2][1] or "?"))
        self.cut[name] = self.cut.get(name, 0) + n

    def check_calls(self, frames, n):
        """Frames beyond the leaf are after call instructions, but for what a signal has interrupted."""
        for i, f in enumerate(frames[1:], 1):
            code = Elf.of(f[1]).before(f[2] + 1) if f[1] and f[2] is not None else None
            if code and "restore_rt" not in frames[i - 1][0] and not f[0].startswith("__restore_rt"):
                self.calls += n
                self.after_call += n * is_after_call(code)

    def share(self):
        return round(100 * self.complete / self.all, 2) if self.all else None

    def reasons(self, k=4):
        return ["%d %s" % (n, name) for name, n in sorted(self.cut.items(), key=lambda x: -x[1])[:k]]


def name_of(frame):
    return frame.get("func") or frame.get("kind") or "?"


def judge_bperf(path, comms, what="user"):
    judged = Judged()
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            row = json.loads(line)
            if row["type"] != "stack" or row["comm"] not in comms:
                continue
            for part in [row] if what == "user" else row.get("wakers", []):
                user = part.get("user")
                if not user:
                    continue
                if len(user) == 1 and name_of(user[0]) in NO_STACKS:
                    continue
                frames = [(name_of(u), u.get("mod"), int(u["vaddr"], 16) if "vaddr" in u else None)
                          for u in user]
                judged.take(frames, row["count"])
                judged.check_calls(frames, row["count"])
    return judged


def judge_perf(data, comms, timeout):
    judged, frames, comm = Judged(), [], None
    p = subprocess.Popen([which("perf"), "script", "-i", data, "--comms", ",".join(comms), "-F", "comm,ip,sym,dso"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
                         errors="replace")
    deadline = time.monotonic() + timeout
    for line in p.stdout:
        m = re.match(r"\s+([0-9a-f]+) (.*) \((.*)\)$", line)
        if m:
            if m[3] != "inlined" and not m[3].startswith("[kernel") and not m[3].startswith("/lib/modules"):
                frames.append((m[2], m[3], int(m[1], 16)))
        elif line.strip():
            comm = line.strip()
        else:
            if frames and comm in comms:
                judged.take(frames, 1)
            frames = []
            if time.monotonic() > deadline:
                p.kill()
                break
    p.wait()
    return judged


def judge_folded(path, comms):
    judged = Judged()
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            stack, _, n = line.rstrip("\n").rpartition(" ")
            comm, *frames = stack.split(";")
            frames = [(name, None, None) for name in reversed(frames) if not name.endswith("_[k]")]
            if comm in comms and frames and n.isdigit():
                judged.take(frames, int(n))
    return judged


# ---- the tools ---------------------------------------------------------------------------------

class Tool:
    """judge(load, out, seconds) traces a load that runs, and judges its stacks."""

    def __init__(self, name, trial, judge):
        self.name, self.trial_argv, self.judge = name, trial, judge

    def trial(self):
        return self.trial_argv


def bperf_judge(command, *options):
    def judge(load, out, seconds):
        subprocess.run([BPERF, command, "-q", "-A", "-O", "json", "-o", out, "--follow", "-p", str(load.root())] +
                       list(options) + [str(seconds)], check=True, **QUIET)
        return judge_bperf(out, load.comms, "wakers" if command == "wakeup" else "user")
    return judge


def perf_judge(load, out, seconds):
    # System-wide: with -p it does not sample the children that there are.
    subprocess.run([which("perf"), "record", "-q", "-a", "-e", "cpu-clock", "-F", "199", "--call-graph", "dwarf",
                    "-o", out, "--", "sleep", str(seconds)], check=False, **QUIET)
    return judge_perf(out, load.comms, 60)


def libbpf_judge(load, out, seconds):
    with open(out, "wb") as f:
        subprocess.run([os.environ["LIBBPF_PROFILE"], "-f", "-a", "-F", "199", "--stack-storage-size", "16384",
                        str(seconds)], check=False, stdout=f, stderr=subprocess.DEVNULL)
    return judge_folded(out, load.comms)


SAMPLES = ("-e", "cpu-clock", "-F", "499")


def all_tools(tmp):
    tools = [
        Tool("bperf", [BPERF, "profile", "-q", "1"], bperf_judge("profile", *SAMPLES)),
        Tool("bperf fp", [BPERF, "profile", "-q", "1"], bperf_judge("profile", "--unwind", "fp", *SAMPLES)),
        Tool("offcpu", [BPERF, "offcpu", "-q", "1"], bperf_judge("offcpu")),
        Tool("chain", [BPERF, "chain", "-q", "1"], bperf_judge("chain")),
        Tool("wakeup", [BPERF, "wakeup", "-q", "1"], bperf_judge("wakeup")),
    ]
    perf = which("perf")
    if perf:
        tools.append(Tool("perf dwarf", [perf, "record", "-q", "-e", "cpu-clock", "--call-graph", "dwarf", "-o",
                                         os.path.join(tmp, "trial"), "sleep", "1"], perf_judge))
    if os.access(os.environ.get("LIBBPF_PROFILE", ""), os.X_OK):
        tools.append(Tool("libbpf-tools", [os.environ["LIBBPF_PROFILE"], "1"], libbpf_judge))
    else:
        print("bench: libbpf-tools' profile is left out: LIBBPF_PROFILE does not name one")
    print("bench: samply is left out: " + ("this benchmark cannot read its profiles" if which("samply") else
                                           "it is not installed, and Debian has no package"))
    return tools


# ---- measurements ------------------------------------------------------------------------------

def chosen():
    names = [n for n in os.environ.get("STACKS", "").split(",") if n]
    for load in all_loads():
        if names and load.name not in names:
            continue
        if load.missing():
            print("bench: %s is left out: no %s here" % (load.name, ", ".join(load.missing())))
            continue
        yield load


def cell(judged):
    return "%s %% of %d" % (judged.share(), judged.all) if judged.all else "-"


def bench_complete(tools, tmp, quick):
    """Percent of complete user stacks, by program and tool; and of the return addresses that `bperf`
    shows, how many are after call instructions."""
    result, seconds = {}, 2 if quick else 5
    for load in chosen():
        row, why = {}, {}
        with load(tmp):
            for t in tools:
                out = os.path.join(tmp, "out")
                judged = t.judge(load, out, seconds)
                row[t.name] = cell(judged)
                if t.name == "bperf":
                    row.update(value=judged.share(), unit="%", frames=round(judged.frames / max(judged.all, 1), 1),
                               after_call="%.3f %%" % (100 * judged.after_call / judged.calls) if judged.calls else "-")
                if judged.cut and t.name not in ("bperf fp", "libbpf-tools"):
                    why[t.name] = judged.reasons()
            if load.ended():
                print("bench: the load %s ended before the measurement did" % load.name)
        row.pop("bperf", None)
        result[load.name] = row
        print("  %-15s %s" % (load.name, "  ".join("%s %s" % kv for kv in row.items())))
        for name, reasons in why.items():
            print("    %s: %s" % (name, "; ".join(reasons)))
        sys.stdout.flush()
    return result


def climb(tmp):
    path = os.path.join(tmp, "climb")
    subprocess.run([which("gcc") or which("cc"), "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls",
                    "-pthread", "-o", path, os.path.join(HERE, "climb.c")], check=True, **QUIET)
    return path


class Running:
    """One process on each CPU, before all else that runs here, so that most samples are of them."""

    def __init__(self, argv, n):
        self.argv, self.n = argv, n

    def __enter__(self):
        self.procs = [subprocess.Popen(self.argv, preexec_fn=lambda: os.nice(-10), **QUIET) for _ in range(self.n)]
        time.sleep(0.2)
        return self

    def __exit__(self, *_):
        for p in self.procs:
            p.kill()
            p.wait()


def ns_per_run(argv, names, seconds):
    before = set(programs())
    p = subprocess.Popen(argv, **QUIET)
    try:
        time.sleep(1)  # tables are loaded by then
        first = {q["id"]: q for q in new_programs(before, p.pid)}
        time.sleep(seconds)
        last = {q["id"]: q for q in new_programs(before, p.pid)}
    finally:
        end(p)
    mine = [(first.get(i, {}), q) for i, q in last.items() if re.search(names, q.get("name", "") + " " + q["type"])]
    runs = sum(q.get("run_cnt", 0) - f.get("run_cnt", 0) for f, q in mine)
    ns = sum(q.get("run_time_ns", 0) - f.get("run_time_ns", 0) for f, q in mine)
    return ns / runs if runs > 100 else None


def bench_ns(tools, tmp, quick):
    """BPF time per sample at 31 frames and per switch at 7; the best round counts: other programs on the
    machine only ever add time."""
    rounds, seconds, program = 2 if quick else 5, 2, climb(tmp)
    cases = (
        ("sample, 31 frames", ["cpu"], os.cpu_count(), "perf_event$", ["profile", "-q", "-e", "cpu-clock", "-F", "999"]),
        ("switch, 7 frames", ["switch"], 1, "wait_switch", ["offcpu", "-q"]),
    )
    result = {}
    for name, what, n, program_names, argv in cases:
        taken = {"auto": [], "fp": []}
        with Counting(), Running([program] + what, n):
            for _ in range(rounds):
                for how in taken:
                    command = [BPERF] + argv + ["--unwind", how, "60"]
                    taken[how].append(ns_per_run(command, program_names, seconds))
        best = {how: min((x for x in v if x), default=None) for how, v in taken.items()}
        if best["auto"]:
            result[name] = {"value": round(best["auto"] / 1000, 2), "unit": "us",
                            "fp_us": round(best["fp"] / 1000, 2) if best["fp"] else None,
                            "all_us": [round(x / 1000, 2) for x in taken["auto"] if x]}
    return result


def bench_start(tools, tmp, quick):
    """From exec of the tool to the first instruction of the program that it samples."""
    script = "import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))"
    program = [sys.executable, "-S", "-E", "-c", script]
    commands = {
        "alone": [],
        "bperf": [BPERF, "profile", "-q", "-e", "cpu-clock", "-o", os.path.join(tmp, "o.folded"), "--"],
        "bperf fp": [BPERF, "profile", "-q", "-e", "cpu-clock", "--unwind", "fp", "-o",
                     os.path.join(tmp, "o.folded"), "--"],
        "offcpu": [BPERF, "offcpu", "-q", "-o", os.path.join(tmp, "o.folded"), "--"],
    }
    if which("perf"):
        commands["perf dwarf"] = [which("perf"), "record", "-q", "-e", "cpu-clock", "--call-graph", "dwarf", "-o",
                                  os.path.join(tmp, "o.data"), "--"]
    taken = {name: [] for name in commands}
    for _ in range(3 if quick else 9):
        for name, argv in commands.items():
            begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            r = subprocess.run(argv + program, capture_output=True, check=False, text=True)
            m = re.search(r"^(\d{6,})$", r.stdout, re.M)
            if m:
                taken[name].append((int(m[1]) - begin) / 1e6)
    alone = median(taken.pop("alone"))
    return {name: {"value": round(median(v) - alone, 1), "unit": "ms", "least": round(min(v) - alone, 1)}
            for name, v in taken.items() if v}


def bench_memory(tools, tmp, quick):
    """Peak resident of a system-wide run, BPF maps apart, while everything but clang and node runs, and
    then with these two."""
    loads, result, seconds = list(chosen()), {}, 3 if quick else 10
    ordinary = [l for l in loads if l.name not in ("clang", "node", "cc1")]
    for name, some in (("ordinary", ordinary), ("with cc1, clang and node", loads)):
        entered = []
        try:
            for l in some:
                entered.append(l(tmp).__enter__())
            for what, argv in (("", ["profile"]), (" fp", ["profile", "--unwind", "fp"]), (" offcpu", ["offcpu"])):
                before = set(programs())
                p = subprocess.Popen([BPERF] + argv + ["-q", "-o", os.path.join(tmp, "o.folded"), "60"], **QUIET)
                time.sleep(seconds / 2)
                maps = map_bytes(new_programs(before, p.pid))
                end(p)
                r = spawn(tmp, [BPERF] + argv + ["-q", "-o", os.path.join(tmp, "o.folded"), str(seconds)])
                if r:
                    result["bperf%s, %s" % (what, name)] = {
                        "value": round(r["maxrss_kb"] / 1024, 1), "unit": "MB", "maps_mb": round(maps / 2**20, 1),
                        "cpu_ms": round((r["user_s"] + r["system_s"]) * 1000)}
        finally:
            for l in entered:
                l.__exit__()
    return result


BENCHES = (
    ("complete", "complete user stacks", bench_complete, None),
    ("ns", "BPF time of one walk", bench_ns, None),
    ("start", "exec to the first sample", bench_start, None),
    ("memory", "peak memory, system-wide run", bench_memory, None),
)


if __name__ == "__main__":
    run(BENCHES, all_tools, "bench-stacks.json", by_tool=False)
