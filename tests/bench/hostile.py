#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
The cost of a hostile host for bperf: for each program that lies about itself, how long a run of one second
takes, how much CPU time and memory bperf itself uses, and how many events it lost.  Needs root;
prints a table and writes JSON (build/bench-hostile.json).

    tests/bench/hostile.py [--quick] [--only NAME,...] [--json FILE]

"quiet" is the same run beside an honest program: the row to compare with.
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from common import BPERF, QUIET, WORK, end, run  # noqa: E402

PROFILE = ["profile", "-q", "-U", "-e", "cpu-clock", "-F", "299"]
# Kinds of tests/workloads/badelf.c, and how much of each: symbols, notes or megabytes.
FILES = {"aliases": 2000000, "names": 20000, "symtab": 4096, "strtab": 1024, "rela": 102400,
         "link": 4096, "data": 1024}
# Programs that keep the kernel side busy: the command that watches them.
LOADS = {
    "new stacks": (["paths", "60", "6"], ["offcpu", "-q"]),
    "new processes": (["churn", "500", "60"], ["offcpu", "-q"]),
}


def watched(argv, seconds=1):
    """One run: seconds in all, seconds of CPU, MB at the peak, losses."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        p = subprocess.Popen([BPERF] + argv + ["-o", out.name, str(seconds)], **QUIET)
        try:
            p.wait(120)
        except subprocess.TimeoutExpired:
            end(p)
            return None
        wall = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(out.name, encoding="utf-8") as f:
            last = json.loads(f.read().splitlines()[-1])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lost = sum(n or 0 for n in last["lost"].values())
    return {"value": round(cpu, 2), "unit": "s of CPU", "in_all_s": round(wall, 2), "peak_mb": round(last["cost"]["rss_kb"] / 1024, 1),
            "lost": lost, "too_costly": last["symbols"].get("too_costly", 0)}


def beside(argv, watch):
    """The run, while the program `argv` is running."""
    p = subprocess.Popen(argv, **QUIET)
    time.sleep(0.5)
    try:
        return watched(watch)
    finally:
        end(p)


class Bperf:
    """The one tool here."""

    name = "quiet"

    def trial(self):
        return [BPERF] + PROFILE + ["1"]


def bad_files(_tools, tmp, _quick):
    """Beside a program whose file lies, kind by kind."""
    rows = {}
    honest = os.path.join(tmp, "honest")
    shutil.copy(os.path.join(WORK, "shares"), honest)
    subprocess.run(["strip", "-s", honest], check=True)
    rows["quiet"] = beside([honest, "60"], PROFILE)
    for kind, n in FILES.items():
        program = os.path.join(tmp, kind)
        subprocess.run([os.path.join(WORK, "badelf"), kind, honest, program, str(n)], check=True)
        rows[kind] = beside([program, "60"], PROFILE)
        os.unlink(program)
    return {name: row for name, row in rows.items() if row}


def bad_maps(_tools, tmp, _quick):
    """Beside machine code written at run time, whose perf map has 256 MB."""
    rows = {"quiet": beside([os.path.join(WORK, "jit"), "60"], PROFILE)}
    for kind in ("lines", "hole"):
        p = subprocess.Popen([os.path.join(WORK, "jit"), "60", "nomap"], **QUIET)
        path = "/tmp/perf-%d.map" % p.pid
        try:
            with open(path, "xb") as f:
                for _ in range(256 if kind == "lines" else 0):
                    f.write(b"10000 b some_name\n" * ((1 << 20) // 18))
                f.truncate(256 << 20)
            rows[kind] = watched(PROFILE + ["-p", str(p.pid)])
        finally:
            end(p)
            os.unlink(path)
    return {name: row for name, row in rows.items() if row}


def bad_loads(_tools, _tmp, _quick):
    """Beside programs that make something new all the time."""
    rows = {"quiet": beside(["sleep", "60"], ["offcpu", "-q"])}
    for name, (load, watch) in LOADS.items():
        rows[name] = beside([os.path.join(WORK, load[0])] + load[1:], watch)
    return {name: row for name, row in rows.items() if row}


if __name__ == "__main__":
    run([("files", "profile 1 beside a program whose file lies", bad_files, "quiet"),
         ("maps", "profile 1 beside a program whose perf map lies", bad_maps, "quiet"),
         ("loads", "offcpu 1 beside programs that never repeat themselves", bad_loads, "quiet")],
        lambda tmp: [Bperf()], "bench-hostile.json")
