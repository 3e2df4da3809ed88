# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Shared by the benchmarks: the tools under test as processes, and their BPF programs as the kernel
counts them."""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from guard import family, guard

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
OUT = os.path.join(TOP, "build", "tests", "bench")
WORK = os.environ.get("WORK", os.path.join(TOP, "build", "tests", "workloads"))
BPERF = os.environ.get("BPERF", os.path.join(TOP, "build", "bperf"))
STATS = "/proc/sys/kernel/bpf_stats_enabled"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}


def which(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin")


BPFTOOL = os.environ.get("BPFTOOL") or which("bpftool")


def programs():
    """Every loaded BPF program by id, as bpftool lists it."""
    r = subprocess.run([BPFTOOL, "-j", "prog", "show"], capture_output=True, check=False)
    try:
        return {p["id"]: p for p in json.loads(r.stdout)}
    except (ValueError, TypeError):
        return {}


def new_programs(before, pid):
    """Programs that are new and, where bpftool knows their owner, are the tool's."""
    pids = family(pid)
    return [q for i, q in programs().items() if i not in before and
            (not q.get("pids") or any(o["pid"] in pids for o in q["pids"]))]


def map_bytes(progs):
    r = subprocess.run([BPFTOOL, "-j", "map", "show"], capture_output=True, check=False)
    ids = {m for p in progs for m in p.get("map_ids", [])}
    try:
        return sum(int(m.get("bytes_memlock", 0)) for m in json.loads(r.stdout) if m["id"] in ids)
    except (ValueError, TypeError):
        return 0


def end(p, grace=60):
    """Ctrl-C, as a person would; a tool that does not listen is killed."""
    if p.poll() is None:
        p.send_signal(signal.SIGINT)
    try:
        p.wait(grace)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
    return p.returncode


def held(pid):
    """Ids of the BPF programs that a process has open."""
    ids = set()
    try:
        for fd in os.listdir("/proc/%d/fdinfo" % pid):
            with open("/proc/%d/fdinfo/%s" % (pid, fd), encoding="ascii", errors="replace") as f:
                ids.update(int(n) for n in re.findall(r"^prog_id:\s*([0-9]+)", f.read(), re.M))
    except OSError:
        pass
    return ids


def refusal(argv, seconds=30):
    """The tool's message that says why it does not run here; None: it runs, or has succeeded."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        deadline = time.monotonic() + seconds
        looks = 0  # many tools load a program to find out what the host has
        while p.poll() is None and time.monotonic() < deadline and looks < 10:
            looks = looks + 1 if any(held(pid) for pid in family(p.pid)) else 0
            time.sleep(0.1)
        if looks == 10:
            end(p, 10)
            return None
        if p.returncode is None:
            end(p, 10)
            return "no BPF program in %d s" % seconds
        if p.returncode == 0:
            return None
        said.seek(0)
        lines = [line.strip() for line in said if line.strip()] or ["status %d" % p.returncode]
    return next((line for line in lines if "error" in line.lower()), lines[-1])


def usable(tools):
    """The tools that run here; one that does not is named, and never measured."""
    kept = []
    for t in tools:
        said = refusal(t.trial())
        if said is None:
            kept.append(t)
        else:
            print("bench: %s does not run here: %s" % (t.name, said))
    return kept


def spawn(tmp, argv, timeout=180):
    """Run to the end; returns wait4's resource usage, or None."""
    out = os.path.join(tmp, "spawn.json")
    try:
        subprocess.run([os.path.join(OUT, "spawn"), out] + argv, check=False, timeout=timeout, **QUIET)
        with open(out, encoding="utf-8") as f:
            r = json.load(f)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return r if r["status"] == 0 else None


def median(values):
    values = sorted(v for v in values if v is not None)
    return values[len(values) // 2] if values else None


class Counting:
    """While this is open, the kernel counts runs and nanoseconds of every BPF program."""

    def __enter__(self):
        with open(STATS, encoding="ascii") as f:
            self.was = f.read()
        with open(STATS, "w", encoding="ascii") as f:
            f.write("1")

    def __exit__(self, *_):
        with open(STATS, "w", encoding="ascii") as f:
            f.write(self.was)


def show(title, result, yardstick):
    print("\n%s" % title)
    if not result:
        print("  not measured")
        return
    base = result.get(yardstick or "bperf", {}).get("value")
    for name, r in result.items():
        ratio = "%8.2f x %s" % (r["value"] / base, yardstick or "bperf") if base else ""
        more = "  ".join("%s %s" % kv for kv in r.items() if kv[0] not in ("value", "unit"))
        print("  %-14s %10s %-10s %s   %s" % (name, r["value"], r["unit"], ratio, more))
    sys.stdout.flush()


def run(benches, all_tools, json_file, by_tool=True):
    """Run a benchmark program with its arguments: benches are (name, title, function, yardstick).  by_tool:
    the rows of results are named by the tools."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("--only", default="")
    ap.add_argument("--json", default=os.path.join(TOP, "build", json_file))
    args = ap.parse_args()
    only = set(filter(None, args.only.split(",")))

    if os.geteuid() != 0:
        sys.exit("bench: needs root")
    if not BPFTOOL:
        sys.exit("bench: needs bpftool")
    if not os.access(BPERF, os.X_OK):
        sys.exit("bench: no %s; make it first" % BPERF)
    guard()
    everything = {}
    with tempfile.TemporaryDirectory(prefix="bperf-bench.") as tmp:
        tools = usable(all_tools(tmp))
        print("bench: %s, %d CPUs, kernel %s" % (", ".join(t.name for t in tools), os.cpu_count(),
                                                 os.uname().release))
        for name, title, fn, yardstick in benches:
            if only and name not in only:
                continue
            everything[name] = fn(tools, tmp, args.quick)
            show(title, everything[name], yardstick)
            for t in tools if by_tool else []:
                if everything[name] and not any(key.startswith(t.name) for key in everything[name]):
                    print("  %-14s not measured" % t.name)
    if args.json:
        os.makedirs(os.path.dirname(args.json), exist_ok=True)
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump({"kernel": os.uname().release, "cpus": os.cpu_count(), "results": everything}, f,
                      indent=1)
            f.write("\n")
