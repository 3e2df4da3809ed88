#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
The load that trace can carry, beside the peers that are installed: the highest rate of events that reaches a
file without loss, one CPU generating and another one tracing; whether beyond it every lost event is
counted; and how much a storm of events slows its program down.

    tests/bench/trace.py [--seconds S] [--json FILE]

Run as root on an idle machine with two CPUs or more, after make and make work.  The same workload
(tests/workloads/calls.c) runs under each tool; only ratios within one run mean anything.  A tool that does
not run here is named, with what it said, and not measured.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
from common import end, refusal  # noqa: E402
from guard import guard  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BPERF = os.environ.get("BPERF", TOP + "/build/bperf")
CALLS = TOP + "/build/tests/workloads/calls"
# A rate is carried if all events arrive in this many of this many runs.
TRIES, NEEDED = 3, 2


def bperf(out):
    return [BPERF, "trace", "--raw", "-q", "-o", out + ".txt", 'syscall:getppid "%d %s", $pid, $comm', "--"]


def bpftrace(out):
    return ["bpftrace", "-q", "-o", out + ".txt", "-e",
            'tracepoint:syscalls:sys_enter_getppid /comm == "calls"/ { printf("%d %s\\n", pid, comm); }', "-c"]


def perf(out):
    return ["perf", "trace", "-e", "getppid", "-o", out + ".txt", "--"]


TOOLS = {"bperf": bperf, "bpftrace": bpftrace, "perf trace": perf}


def there(name):
    tool = BPERF if name == "bperf" else shutil.which(name.split()[0])
    if not tool or not os.access(tool, os.X_OK):
        return False
    with tempfile.TemporaryDirectory() as folder:
        short = TOOLS[name](os.path.join(folder, "out"))
        said = refusal(short + ["/bin/true"], 20)
    if said:
        print("%-11s does not run here: %s" % (name, said))
    return not said


def run(name, n, rate, folder):
    """Lines that arrived, losses that the tool reports, and the rate that the program reached."""
    out = os.path.join(folder, "out")
    command = [shutil.which("taskset"), "-c", "0", CALLS, "nap", "100", "rate", str(rate), "getppid", str(n), "nap", "300"]
    tool = TOOLS[name](out)
    tool += [" ".join(command)] if name == "bpftrace" else command
    p = subprocess.run(["taskset", "-c", "1"] + tool, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       text=True, timeout=300)
    with open(out + ".txt", errors="replace") as f:
        text = f.read()
    lines = sum(1 for line in text.splitlines() if "calls" in line or "getppid" in line)
    said = p.stderr + text
    lost = sum(int(m.replace(",", "")) for m in
               re.findall(r"(?:Lost|LOST|lost:) ([0-9,]+)", said))
    real = re.search(r"rate ([0-9]+)", said)
    return lines, lost, int(real.group(1)) if real else 0


def carries(name, rate, seconds, folder):
    """The program's real rate if all events arrived; 0: not all did."""
    n, good = int(rate * seconds), []
    for _ in range(TRIES):
        lines, _lost, real = run(name, n, rate, folder)
        if lines >= n:
            good.append(real)
        if len(good) >= NEEDED:
            return max(good)
    return 0


def highest(name, seconds, folder):
    best, rate = 0, 20000
    while True:
        real = carries(name, rate, seconds, folder)
        if not real:
            break
        best = max(best, real)
        if real < rate * 0.8: # the program does not get any faster
            return best
        rate *= 2
    low, high = rate / 2, rate
    for _ in range(3):
        middle = int((low + high) / 2)
        real = carries(name, middle, seconds, folder)
        low, high = (middle, high) if real else (low, middle)
        best = max(best, real)
    return best


def overload(name, folder):
    n = 1000000
    lines, lost, _real = run(name, n, 0, folder)
    return {"events": n, "shown": lines, "lost": lost, "accounted": lines + lost >= n}


STORM = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=500k"]
# Predicates that are never true are evaluated in the kernel by both; events of those that are
# always true must be sent.
SLOW = {
    "none of them": {
        "bperf": [BPERF, "trace", "-A", "-q", "t:syscalls:sys_enter_write (count == 12345)"],
        "bpftrace": ["bpftrace", "-e", "tracepoint:syscalls:sys_enter_write /args->count == 12345/ { @ = count(); }"]},
    "each": {
        "bperf": [BPERF, "trace", "-A", "-q", "t:syscalls:sys_enter_write"],
        "bpftrace": ["bpftrace", "-e", "tracepoint:syscalls:sys_enter_write { @ = count(); }"],
        "perf trace": ["perf", "trace", "-s", "-a", "-e", "write"]},
    # All system calls: of this script alone, which makes none in that time, and of every process.
    "none of them (another process's system calls)": {
        "bperf": [BPERF, "trace", "-q", "-p", str(os.getpid()), "syscall:*"],
        "bpftrace": ["bpftrace", "-e", "tracepoint:raw_syscalls:sys_enter /pid == %d/ { @[args->id] = count(); }" % os.getpid()]},
    "none of them (another process's returns)": {
        "bperf": [BPERF, "trace", "-q", "-p", str(os.getpid()), "r:syscall:*"],
        "bpftrace": ["bpftrace", "-e", "tracepoint:raw_syscalls:sys_exit /pid == %d/ { @[args->id] = count(); }" % os.getpid()]},
    "each, and each other system call,": {
        "bperf": [BPERF, "trace", "-q", "syscall:*"]},
    "each, and each other system call's return,": {
        "bperf": [BPERF, "trace", "-q", "r:syscall:*"]},
}


def storm():
    """CPU seconds of the storm: what else runs here does not count."""
    p = subprocess.Popen(STORM, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = status
    return used.ru_utime + used.ru_stime


def slowdown(words):
    """A storm under the tool, over the same storm alone; None: the tool did not run all the time."""
    alone = min(storm() for _ in range(3))
    p = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(3)
    under = min(storm() for _ in range(3))
    was_there = p.poll() is None
    end(p, 20)
    return under / alone if was_there else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json")
    args = parser.parse_args()
    guard()
    result = {}
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name in filter(there, TOOLS):
            result[name] = {"rate": highest(name, args.seconds, folder),
                            "overload": overload(name, folder),
                            "slowdown": {what: slowdown(words[name]) for what, words in SLOW.items() if name in words}}
            r = result[name]
            print("%-11s %9d events/s without loss; of a storm of %d: %d shown, %d lost%s"
                  % (name, r["rate"], r["overload"]["events"], r["overload"]["shown"], r["overload"]["lost"],
                     "" if r["overload"]["accounted"] else " (not all accounted for)"), flush=True)
            for what, times in r["slowdown"].items():
                print("%-11s where %s of a storm of writes is taken, it costs its program %s times the CPU"
                      % ("", what, "%.2f" % times if times else "?"), flush=True)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(result, f, indent=1)


if __name__ == "__main__":
    sys.exit(main())
