#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
The tools beside those of the same name from libbpf-tools and bcc, in one run.  Needs root, an idle machine and
`make`; prints a table and writes JSON (build/bench-tools.json).

    tests/bench/tools.py [--quick] [--only NAME,...] [--without-bcc] [--json FILE]

Each tool meets the same workload, a process that waits until the tool is attached and then does a known
number of things.  The columns are

    counted   what the tool shows of them, in parts of the truth
    ns        BPF time for one of them: of all programs of the tool, in the best of several rounds, because
              other programs on the machine only ever add to it; and how many times what ours takes
    runs      how often a program ran for it: ours for single system calls run at each system call, and
              end at once at others.  A peer's tracepoint of one call makes the kernel look at all
              others, too, in code that this does not measure
    start     milliseconds from exec until the last program is attached
    MB        peak resident memory
    lacks     columns of the peer that ours does not have

bcc compiles against the kernel's headers.  Where those of this kernel are missing, any that Debian has installed
in /usr/src do, for what reads no structure that has changed since.  A peer that does not run here is named,
with what it said.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from common import BPERF, BPFTOOL, Counting, QUIET, TOP, end, family, held, median, programs, refusal, which  # noqa: E402
from guard import guard  # noqa: E402

LIBC = next(iter(glob.glob("/lib/*-linux-gnu/libc.so.6")), "/lib64/libc.so.6")
# fds by which a program is attached; libbpf before links has events, bcc has both
ATTACHED = re.compile(r"perf_event|bpf[-_]link|raw[-_]tracepoint|raw_tp")
PAUSE = "if i % 100 == 99: time.sleep(.002)"  # or a peer's buffer overflows

# Each load: what it prepares (TMP and N are set; INFO is told to the benchmark), and one round of N events.
LOADS = {
    "open": ("open(TMP + '/opened', 'w').close()",
             "for i in range(N):\n os.close(os.open(TMP + '/opened', 0))\n " + PAUSE),
    "stat": ("open(TMP + '/stated', 'w').close()", "for i in range(N):\n os.stat(TMP + '/stated')\n " + PAUSE),
    "exec": ("import shutil; shutil.copy('/bin/true', TMP + '/bench-exec')",
             "for i in range(N): os.waitpid(os.posix_spawn(TMP + '/bench-exec', ['bench-exec'], {}), 0)"),
    "kill": ("", "for i in range(N):\n os.kill(os.getpid(), 0)\n " + PAUSE),
    "signal": ("import signal; signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
               "for i in range(N):\n os.kill(os.getpid(), signal.SIGUSR1)\n " + PAUSE),
    "mount": ("C.unshare(0x20000); C.mount(b'none', b'/', None, 0x44000, None); os.mkdir(TMP + '/mounted')",
              "for i in range(N // 2):\n"
              " assert C.mount(b'none', (TMP + '/mounted').encode(), b'tmpfs', 0, None) == 0\n"
              " assert C.umount2((TMP + '/mounted').encode(), 0) == 0"),
    "readline": ("import pty\nshell, fd = pty.fork()\n"
                 "if not shell: os.execv('/bin/bash', ['bash', '--norc', '-i'])\ntime.sleep(.5)\nos.read(fd, 65536)",
                 "for i in range(N):\n os.write(fd, b'true bench-line\\n'); time.sleep(.02); os.read(fd, 65536)\ntime.sleep(.1)"),
    "host": ("import socket", "for i in range(N):\n socket.getaddrinfo('127.0.0.1', 80)\n " + PAUSE),
    "tcp": ("import socket\nS = socket.socket(); S.bind(('127.0.0.1', 0)); S.listen(); INFO = S.getsockname()[1]",
            "for i in range(N):\n c = socket.create_connection(('127.0.0.1', INFO)); s = S.accept()[0]\n"
            " c.send(b'x'); s.recv(1); c.close(); s.recv(1); s.close()\n time.sleep(.0005)"),
    # Two processes on one CPU wake each other: each waits for it once in a round.
    "pingpong": ("os.sched_setaffinity(0, {0})\na, b = os.pipe(), os.pipe()\n"
                 "if not os.fork():\n os.close(a[1])\n while os.read(a[0], 1): os.write(b[1], b'x')\n os._exit(0)",
                 "for i in range(N // 2): os.write(a[1], b'x'); os.read(b[0], 1)"),
    "block": ("import mmap; fd = os.open(DISK, os.O_RDONLY | os.O_DIRECT); page = mmap.mmap(-1, 4096); at = 0",
              "for i in range(N): os.preadv(fd, [page], 8192 * (at % 4096)); at += 1"),
    "disk": ("import mmap; f = open(HERE + '/bench-tools.tmp', 'wb'); f.write(b'x' * 4096 * 512); os.fsync(f.fileno())\n"
             "fd = os.open(f.name, os.O_RDONLY | os.O_DIRECT); os.unlink(f.name); page = mmap.mmap(-1, 4096)",
             "for i in range(N): os.preadv(fd, [page], 4096 * (i % 512))"),
    "udp": ("import socket; S = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); S.bind(('127.0.0.1', 0)); to = S.getsockname()",
            "for i in range(N): S.sendto(b'x', to); S.recv(1)"),
    "getppid": ("", "for i in range(N): os.getppid()"),
    "getenv": ("", "for i in range(N): C.getenv(b'HOME')"),
    "leak": ("C.malloc.restype = ctypes.c_void_p", "for i in range(N): C.malloc(ctypes.c_size_t(12345))"),
    "thread": ("import threading\ndef nothing(): pass",
               "for i in range(N): t = threading.Thread(target=nothing); t.start(); t.join()"),
}


class Row:
    """A tool, its load, and how to find the load's events in its output; options are those of ours and, unless
    `peers` says otherwise, of both peers.  Words in braces are filled in.  `same` renames a peer's columns.  Where
    each report covers all the time before it, `report` is how one begins, and the last one is read."""

    def __init__(self, tool, load, n, seen, options="", peers=None, same=None, near=False, only=None, title=None, each=1, report=None):
        self.tool, self.load, self.n, self.seen, self.options, self.near = tool, load, n, seen, options, near
        self.peers, self.same, self.only, self.each, self.report = peers or {}, same or {}, only, each, report
        self.title = title or " ".join([tool] + [o for o in options.split() if o.startswith("-") and o != "-p"])


CALLS = r"^getppid\s+(\d+)|^\s*(\d+)\s.*\bgetppid$"
HIST = r"^\s*\d+(?:\s+->\s+\d+)?\s+:\s+(\d+)\s+\|"
ROWS = [
    Row("opensnoop", "open", 2000, "{tmp}/opened"),
    Row("statsnoop", "stat", 2000, "{tmp}/stated", same={"RET": "ERR"}),
    Row("execsnoop", "exec", 300, r"bench-exec\s+\d+\s+\d+\s+0"),
    Row("exitsnoop", "exec", 300, r"bench-exec\s+\d+"),
    Row("killsnoop", "kill", 2000, r"\b{pid}\s.*\s0\s+{pid}\s", peers={"libbpf-tools": "-k"}),
    Row("sigsnoop", "signal", 2000, r"\b{pid}\s.*\s10\s+{pid}\s"),
    Row("mountsnoop", "mount", 100, r"{tmp}/mounted"),
    Row("bashreadline", "readline", 50, "bench-line"),
    Row("gethostlatency", "host", 200, r"\b{pid}\s.*127\.0\.0\.1"),
    Row("tcplife", "tcp", 100, r"\s{info}\s", each=2),
    # SYN_SENT, SYN_RECV, two ESTABLISHED, FIN_WAIT1, CLOSE_WAIT, FIN_WAIT2, LAST_ACK, two CLOSE
    Row("tcpstates", "tcp", 100, r"\s{info}\s", each=10),
    Row("runqslower", "pingpong", 10000, None),
    Row("runqlat", "pingpong", 10000, HIST, near=True),
    Row("runqlat", "pingpong", 10000, HIST, "-p {pid}", near=True, each=.5, title="runqlat -p"),
    Row("cpudist", "pingpong", 10000, HIST, near=True),
    Row("cpudist", "pingpong", 10000, HIST, "-p {pid}", near=True, each=.5, title="cpudist -p"),
    Row("cpudist", "pingpong", 10000, HIST, "-O", near=True),
    Row("biolatency", "block", 500, HIST, "-d {disk}", only="libbpf-tools"),
    Row("biolatency", "block", 500, HIST, "-D", near=True),
    Row("bitesize", "block", 500, HIST, near=True),
    Row("hardirqs", "disk", 300, None),
    Row("hardirqs", "disk", 300, r"virtio\S+\s+(\d+)|(\d+)\s+virtio", "-C", near=True),
    Row("softirqs", "udp", 5000, None),
    Row("softirqs", "udp", 5000, None, "-d"),
    Row("syscount", "getppid", 20000, CALLS, near=True),
    Row("syscount", "getppid", 20000, CALLS, "-L -p {pid}"),
    Row("syscount", "getppid", 20000, r"{pid}\s.*\s(\d+)$|^(\d+)\s.*\s{pid}\b", "-P", near=True),
    Row("funclatency", "getenv", 3000, HIST, "-p {pid} c:getenv", peers={"libbpf-tools": "-p {pid} %s:getenv" % LIBC}),
    Row("stackcount", "getenv", 3000, r"^\s+(\d+)(?:\s+[\d.]+ %)?$", "-p {pid} c:getenv"),
    # bcc prints nothing at the end.
    Row("memleak", "leak", 1000, r"^\s+(\d+)\s+[\d.]+ %$|^\t(\d+) bytes in \d+ alloc", "-p {pid} -o 0 -z 12345 -Z 12345 1000",
        peers={"bcc": "-p {pid} -o 0 -z 12345 -Z 12345 1"}, each=12345, report=r"^(?:---|\[[\d:]+\] Top)"),
    Row("threadsnoop", "thread", 100, r"\b{pid}\s"),
]
# Measured by other benchmarks, or by none for a reason.
ELSEWHERE = {"drsnoop": "reclaim needs a machine without free memory", "llcstat": "needs a PMU",
             "dbslower": "needs a database", "deadlock": "needs a program with locks in a known order"}


refused = {}  # by tool and peer: what it said


class Load:
    """The workload as a process that does one round at a time."""

    def __init__(self, row, tmp, disk):
        prepare, work = LOADS[row.load]
        names = "TMP, N, DISK, HERE, INFO = %r, %d, %r, %r, 0" % (tmp, row.n, disk, os.path.join(TOP, "build"))
        self.p = subprocess.Popen(
            ["/usr/bin/python3", "-I", "-c", "import ctypes, os, sys, time\nC = ctypes.CDLL(None)\n%s\n%s\n"
             "print(INFO, flush=True)\nfor line in sys.stdin:\n%s\n print(flush=True)"
             % (names, prepare, re.sub("^", " ", work, flags=re.M))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.words = {"pid": self.p.pid, "info": self.p.stdout.readline().strip(), "tmp": tmp,
                      "disk": os.path.basename(disk)}

    def round(self):
        self.p.stdin.write("\n")
        self.p.stdin.flush()
        self.p.stdout.readline()

    def end(self):
        self.p.stdin.close()
        self.p.wait()


def attached(pid):
    n = 0
    try:
        for fd in os.listdir("/proc/%d/fd" % pid):
            n += bool(ATTACHED.search(os.readlink("/proc/%d/fd/%s" % (pid, fd))))
    except OSError:
        pass
    return n


def started(argv, out, quiet):
    """The tool, and the seconds until its last program was attached: none followed in `quiet` seconds."""
    begin = time.monotonic()
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
    n, last = 0, None
    while p.poll() is None and time.monotonic() < (last or begin + 60) + quiet:
        now, at = attached(p.pid), time.monotonic()
        if now > n:
            n, last = now, at
        time.sleep(.0005 if at < begin + 1 else .01)
    return p, last - begin if last and p.poll() is None else None


def spent(pid):
    """Nanoseconds and runs of the tool's programs."""
    ids = set().union(*map(held, family(pid)))
    own = [q for i, q in programs().items() if i in ids]
    return sum(q.get("run_time_ns", 0) for q in own), sum(q.get("run_cnt", 0) for q in own)


def peak_mb(pid):
    with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
        return int(re.search(r"^VmHWM:\s*([0-9]+)", f.read(), re.M).group(1)) / 1024


def headings(text):
    """The columns of a table, or the unit of a histogram, which ours prints above it."""
    unit = re.search(r"^\s*(\S+(?: \(\S+\))?)\s*:\s+count\s+distribution", text, re.M)
    if unit:
        above = text.split("\n", 1)[0].strip()
        return [unit.group(1)] + ([] if " " in above else [above])
    for line in text.splitlines():
        words = re.sub(r"([A-Z]) (\(\w+\)|COMM|TID)", r"\1_\2", line).split()
        if len(words) > 1 and all(re.fullmatch(r"[A-Z][A-Z0-9_-]*(\(?[A-Za-z]+\)?)?", w) for w in words):
            return words
    return []


def plain(heading):
    return re.sub(r"[^A-Z0-9]", "", heading.upper()).replace("USECS", "US").replace("NSECS", "NS").replace("MSECS", "MS")


def lacks(row, ours, peer):
    have = set(map(plain, ours))
    return [h for h in peer if plain(row.same.get(h, h)) not in have]


def seen(row, text, words):
    pattern = re.compile(re.sub(r"\{(\w+)\}", lambda m: re.escape(str(words[m.group(1)])), row.seen))
    total = 0
    if row.report:
        text = re.split(row.report, text, flags=re.M)[-1]
    for line in text.splitlines():
        m = pattern.search(line)
        if m:
            total += int(next(g for g in m.groups() if g)) if m.groups() else 1
    return total


def one(row, argv, tmp, disk, rounds, starts, quiet):
    """A tool beside the load; None: it ended or was never attached."""
    load = Load(row, tmp, disk)
    argv = [re.sub(r"\{(\w+)\}", lambda m: str(load.words[m.group(1)]), a) for a in argv]
    took = []
    try:
        for _ in range(starts - 1):
            p, live = started(argv, subprocess.DEVNULL, quiet)
            took.append(live)
            end(p, 20)
        with tempfile.TemporaryFile("w+", errors="replace") as out:
            p, live = started(argv, out, quiet)
            if live is None:
                end(p, 20)
                return None
            took.append(live)
            costs = []
            for _ in range(rounds):
                before = spent(p.pid)
                load.round()
                time.sleep(.1)
                costs.append(tuple((b - a) / row.n for a, b in zip(before, spent(p.pid))))
            time.sleep(1)
            peak = peak_mb(p.pid)
            end(p, 20)
            out.seek(0)
            text = out.read()
    finally:
        load.end()
    r = {"ns": round(min(costs)[0]), "runs": round(min(costs)[1], 1), "start_ms": round(median(took) * 1000, 1), "peak_mb": round(peak, 1),
         "columns": headings(text)}
    if row.seen:
        r["events"], r["truth"] = seen(row, text, load.words), int(row.n * rounds * row.each)
    return r


def command(row, who):
    if who == "bperf":
        return [BPERF, row.tool] + row.options.split()
    path = which(row.tool + "-bpfcc" if who == "bcc" else row.tool)
    if not path or row.only not in (None, who):
        return None
    return [path] + row.peers.get(who, row.options).split()


def measure(row, tmp, disk, whom, quick):
    result = {}
    for who in whom:
        argv = command(row, who)
        if not argv:
            continue
        if (row.tool, who) in refused:
            result[who] = {"refused": refused[row.tool, who]}
            continue
        folder = tempfile.mkdtemp(dir=tmp)
        slow = who == "bcc"
        r = one(row, argv, folder, disk, 2 if quick else 5, 1 if quick or slow else 5, 2 if slow else .3)
        if not r:
            fixed = [re.sub(r"\{\w+\}", "1", a) for a in argv]
            r = {"refused": refusal(fixed, 40) or "ended"}
            refused[row.tool, who] = r["refused"]
        result[who] = r
    return result


def show(row, result):
    ours = result["bperf"]
    for who, r in result.items():
        if "refused" in r:
            print("%-16s %-12s does not run here: %s" % (row.title, who, r["refused"][:100]), flush=True)
            continue
        counted = "%d/%d" % (r["events"], r["truth"]) if "truth" in r else "-"
        wrong = "" if "truth" not in r or r["events"] == r["truth"] or row.near else " !"
        times, lack = "", ""
        if who != "bperf" and "ns" in ours:
            times = "%5.2f" % (r["ns"] / ours["ns"]) if ours["ns"] else ""
            r["lacks"] = lacks(row, ours["columns"], r["columns"])
            lack = " ".join(r["lacks"])
        print("%-16s %-12s %15s%-2s %7d %5s %6.1f %8.1f %6.1f  %s" %
              (row.title, who, counted, wrong, r["ns"], times, r["runs"], r["start_ms"], r["peak_mb"], lack), flush=True)


def others(whom, quick):
    """Tools that have a peer, but no row: why not."""
    known = {row.tool for row in ROWS}
    listed = subprocess.run([BPERF, "--list"], capture_output=True, text=True, check=True).stdout
    why = {}
    for tool in re.findall(r"^  (\S+)", listed, re.M):
        for who, path in (("libbpf-tools", which(tool)), ("bcc", which(tool + "-bpfcc"))):
            if tool in known or not path or path == BPERF or who not in whom:
                continue
            said = ELSEWHERE.get(tool) or (None if quick else refusal([path], 20)) or "not tried"
            why["%s of %s" % (tool, who)] = said
            print("%-32s %s" % ("%s of %s:" % (tool, who), said[:120]), flush=True)
    return why


def kernel_headers(tmp):
    """A folder of headers for bcc, put together from Debian's two packages; None: not needed, or none there."""
    common = sorted(glob.glob("/usr/src/linux-headers-*-common"))
    if os.path.exists("/lib/modules/%s/build" % os.uname().release) or not common:
        return None
    folder = os.path.join(tmp, "headers")
    os.mkdir(folder)
    for source in [common[-1]] + glob.glob(common[-1].replace("-common", "-" + "amd64")):
        for part in ("include", "arch", "Makefile"):
            if os.path.exists(os.path.join(source, part)):
                subprocess.run(["cp", "-asf", os.path.join(source, part), folder], check=False, **QUIET)
    return folder


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("--only", default="")
    ap.add_argument("--without-bcc", action="store_true", help="its tools take half a minute each to start")
    ap.add_argument("--json", default=os.path.join(TOP, "build", "bench-tools.json"))
    args = ap.parse_args()
    only = set(filter(None, args.only.split(",")))
    if not BPFTOOL:
        sys.exit("bench: needs bpftool")
    whom = ["bperf", "libbpf-tools"] + ([] if args.without_bcc else ["bcc"])
    result = {}
    guard()
    with tempfile.TemporaryDirectory(prefix="bperf-bench.") as tmp, Counting():
        headers = kernel_headers(tmp)
        if headers:
            os.environ["BCC_KERNEL_SOURCE"] = headers
        with tempfile.NamedTemporaryFile(dir="/dev/shm") as image:
            image.truncate(4096 * 8192)
            disk = subprocess.run([which("losetup"), "--find", "--show", image.name], capture_output=True,
                                  text=True, check=True).stdout.strip()
            try:
                print("%-16s %-12s %17s %7s %5s %6s %8s %6s  %s" %
                      ("tool", "of", "counted", "ns", "times", "runs", "start", "MB", "lacks"), flush=True)
                for row in ROWS:
                    if not only or row.tool in only:
                        result[row.title] = measure(row, tmp, disk, whom, args.quick)
                        show(row, result[row.title])
                if not only:
                    result["others"] = others(whom, args.quick)
            finally:
                subprocess.run([which("losetup"), "-d", disk], check=False)
        shutil.rmtree(os.path.join(tmp, "headers"), ignore_errors=True)
    with open(args.json, "w", encoding="utf-8") as f:
        json.dump({"kernel": os.uname().release, "cpus": os.cpu_count(), "results": result}, f, indent=1)
        f.write("\n")


# The peers need tracefs, and bcc needs debugfs, mounted.
if os.geteuid() != 0:
    sys.exit("bench: needs root")
if "--mounted" not in sys.argv:
    os.execvp("unshare", ["unshare", "-m", "sh", "-c", "mount -t tracefs tracefs /sys/kernel/tracing; "
                          'mount -t debugfs debugfs /sys/kernel/debug; exec "$@"', "sh",
                          sys.executable] + sys.argv + ["--mounted"])
sys.argv.remove("--mounted")
main()
