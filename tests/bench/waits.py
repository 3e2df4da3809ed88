#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Are all waits right, whatever happens?  The long form of tests/accuracy/offcpu-recorded.sh and of the
check of every stack in offcpu-unwinding.sh.

    waits.py [--minutes 10] [--stacks]

Without --stacks: rounds of one second beside forks, execs and ends, with the scan of threads late by
chance; each report is compared with a recorder of scheduler events.  A round fails if more threads
differ than the kernel has skipped hooks.  With --stacks: one round for each workload, in which every
kernel stack that is read is compared with the kernel's own walk."""
import argparse
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from common import BPERF, QUIET, WORK
from guard import guard

COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../accuracy/recorded.py")
REPORTS = {
    "states": ["offcpu", "--states", "--threads"],
    "split": ["offcpu", "--split", "--by", "tid", "-m", "0"],
    "blocked": ["wakeup", "--by", "tid", "-m", "0"],
}
COMMANDS = ["offcpu", "wakeup", "offwake", "chain"]
NO_LOADS = {"recorder"}


def bperf(args, faults):
    env = dict(os.environ, BPERF_WAIT_FAULTS=faults)
    return subprocess.run([BPERF, *args], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=True, timeout=120).stderr


def recorded(what, folder):
    """One round; true if it is as recorded."""
    events, report = os.path.join(folder, "events"), os.path.join(folder, "report.json")
    width, delay = random.randint(1, 8), random.randint(0, 200)
    with open(events, "w", encoding="ascii") as f:
        recorder = subprocess.Popen([os.path.join(WORK, "recorder"), "60"], stdout=f)
    load = subprocess.Popen([os.path.join(WORK, "lives"), "4", str(width)], **QUIET)
    time.sleep(0.5)
    bperf([*REPORTS[what], "-q", "--self", "-o", report, "1"],
          "scan-delay=%d ring=16777216" % delay)
    recorder.send_signal(signal.SIGTERM)
    recorder.wait()
    load.wait()
    out = subprocess.run([sys.executable, COMPARE, what, events, report], stdout=subprocess.PIPE,
                         text=True, check=True).stdout
    n = dict(re.findall(r"^(\w+) (\d+)$", out, re.M))
    is_good = int(n["differ"]) <= int(n.get("missed", 0))
    print("%-8s width %d, scan late by %3d ms: %s compared, %s differ, %s missed%s" %
          (what, width, delay, n["compared"], n["differ"], n.get("missed", 0),
           "" if is_good else ": WRONG\n" + out), flush=True)
    return is_good


def stacks(workload, command, folder):
    """Every stack of two seconds; true if none differs."""
    report = os.path.join(folder, "report.json")
    load = subprocess.Popen([workload], start_new_session=True, **QUIET)
    err = bperf([command, "--verbose", "-K", "-o", report, "2"], "check-stacks=1")
    try:
        os.killpg(load.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    load.wait()
    numbers = re.search(r"(\d+) walked, (\d+) of these compared, (\d+) differed", err)
    walked, compared, differed = map(int, numbers.groups()) if numbers else (0, 0, 0)
    with open(report, encoding="utf-8") as f:
        wrong = json.loads(f.readlines()[-1])["lost"]["stack_wrong"]
    print("%-12s %-8s %7d walked, %7d compared, %d differed" %
          (os.path.basename(workload), command, walked, compared, differed), flush=True)
    return not wrong and not differed


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--minutes", type=float, default=10)
    a.add_argument("--stacks", action="store_true")
    a = a.parse_args()
    guard()
    end, n, n_wrong = time.monotonic() + 60 * a.minutes, 0, 0
    loads = sorted(p for p in glob.glob(os.path.join(WORK, "*"))
                   if os.access(p, os.X_OK) and os.path.isfile(p) and "." not in os.path.basename(p)
                   and os.path.basename(p) not in NO_LOADS)
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end and not (a.stacks and n == len(loads)):
            if a.stacks:
                n_wrong += not stacks(loads[n], COMMANDS[n % len(COMMANDS)], folder)
            else:
                n_wrong += not recorded(list(REPORTS)[n % len(REPORTS)], folder)
            n += 1
    print("%d rounds, %d wrong" % (n, n_wrong))
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
