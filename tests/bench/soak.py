#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Does memory stay flat?  Each command with a report per second beside a host that never stops
changing: processes that come and go, and stacks that are hardly ever met twice.

    soak.py [--minutes 10] [--rate 500] [COMMAND...]

All commands run side by side.  The table has the highest resident memory of each, by minute, how
much the highest minute is above the first one, and the share of a CPU that it took."""
import argparse
import os
import subprocess
import sys
import time

from common import BPERF, QUIET, WORK, end
from guard import guard

COMMANDS = {
    "profile": ["-F", "499", "1", "1000000"],
    "offcpu": ["1", "1000000"],
    "states": ["--states", "1", "1000000"],
    "wakeup": ["1", "1000000"],
    "offwake": ["1", "1000000"],
    "chain": ["1", "1000000"],
    "trace": ["-K", "-U", "t:sched:sched_process_exit"],
    "argdist": ["-C", "t:sched:sched_process_exit():u32:$pid", "1", "1000000"],
    "stacks": ["--keys", "100000", "-C", "t:syscalls:sys_enter_nanosleep():stack:$ustack", "1", "1000000"],
    "funccount": ["--by", "$pid", "t:sched:sched_process_exit", "1", "1000000"],
}
NAMES = {"states": "offcpu", "stacks": "argdist"}
ALLOWED = 1.10
STARTUP = 5  # seconds in which BPF programs are loaded, which is no part of the first minute's peak
TICK = os.sysconf("SC_CLK_TCK")


def peak_kb(pid):
    """The most that was resident since the last call: a report takes some of it for milliseconds."""
    with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
        kb = next(int(line.split()[1]) for line in f if line.startswith("VmHWM:"))
    with open("/proc/%d/clear_refs" % pid, "w", encoding="ascii") as f:
        f.write("5")
    return kb


def cpu_s(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--minutes", type=int, default=10)
    a.add_argument("--rate", type=int, default=500)
    a.add_argument("commands", nargs="*", default=[])
    a = a.parse_args()
    names = a.commands or list(COMMANDS)
    seconds = 60 * a.minutes
    guard()
    churn = subprocess.Popen([os.path.join(WORK, "churn"), str(a.rate), str(min(seconds + 60, 600))],
                             **QUIET)
    tools = {n: subprocess.Popen([BPERF, NAMES.get(n, n), "-q", *COMMANDS[n]], **QUIET) for n in names}
    start, minutes = time.monotonic(), []
    time.sleep(STARTUP)
    for p in tools.values():
        peak_kb(p.pid)
    for m in range(a.minutes):
        time.sleep(max(0, start + 60 * (m + 1) - time.monotonic()))
        minutes.append({n: peak_kb(p.pid) if p.poll() is None else 0 for n, p in tools.items()})
        print("minute %d: %s" % (m + 1, minutes[-1]), file=sys.stderr)
    print("%-10s %s  growth   CPU" % ("MB at most", " ".join("%6d" % (m + 1) for m in range(a.minutes))))
    is_flat = True
    for n, p in tools.items():
        if p.poll() is not None:
            print("%-10s ended with %d" % (n, p.returncode))
            is_flat = False
            continue
        sizes = [m[n] for m in minutes]
        growth = max(sizes[1:] or sizes) / sizes[0]
        is_flat &= growth <= ALLOWED
        print("%-10s %s %6.1f%% %4.1f%%" % (n, " ".join("%6.1f" % (s / 1024) for s in sizes),
                                            100 * (growth - 1), 100 * cpu_s(p.pid) / seconds))
    for p in tools.values():
        end(p)
    churn.kill()
    return 0 if is_flat else 1


if __name__ == "__main__":
    sys.exit(main())
